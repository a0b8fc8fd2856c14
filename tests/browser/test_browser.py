"""What `make test` does about Chromium."""

import os
import re
import subprocess
import sys
from pathlib import Path

from tests.browser.chromium import PROGRAM

ROOT = Path(__file__).parents[2]
SCRIPT = f"import os, sys; print(os.environ.get('{PROGRAM}')); sys.exit(7)"


def with_chromium(*arguments: str, **environment: str) -> subprocess.CompletedProcess[str]:
    return subprocess.run(
        [sys.executable, "-m", "tests.browser", *arguments],
        cwd=ROOT, env={"PATH": os.environ["PATH"], **environment}, check=False, capture_output=True, text=True,
    )  # fmt: skip


def a_program(folder: Path, name: str = "chromium") -> Path:
    made = folder / name
    made.write_text("#!/bin/sh\n")
    made.chmod(0o755)
    return made


def test_a_command_is_told_where_chromium_is(tmp_path: Path) -> None:
    done = with_chromium("--", sys.executable, "-c", SCRIPT, PATH=str(a_program(tmp_path).parent))

    assert (done.returncode, done.stdout) == (7, f"{tmp_path}/chromium\n")


def test_one_in_an_unusual_place_is_taken_by_its_name(tmp_path: Path) -> None:
    named = a_program(tmp_path).rename(tmp_path / "my-browser")

    done = with_chromium("--", sys.executable, "-c", SCRIPT, **{PROGRAM: str(named)})

    assert done.stdout == f"{named}\n"


def test_one_that_needs_no_window_is_taken_first(tmp_path: Path) -> None:
    a_program(tmp_path)
    without_windows = a_program(tmp_path, "chromium-headless-shell")

    done = with_chromium("--", sys.executable, "-c", SCRIPT, PATH=str(tmp_path))

    assert done.stdout == f"{without_windows}\n"


def test_without_one_the_command_runs_and_what_is_left_out_is_said_aloud() -> None:
    done = with_chromium("--", sys.executable, "-c", SCRIPT, PATH="/nonexistent")

    assert (done.returncode, done.stdout) == (7, "None\n")
    assert "THE TESTS IN A BROWSER ARE LEFT OUT" in done.stderr
    assert "make test INSTALL_CHROMIUM=1" in done.stderr


def test_in_ci_one_that_cannot_be_had_fails_the_run_with_the_reason() -> None:
    done = with_chromium("--", sys.executable, "-c", SCRIPT, PATH="/nonexistent", CI="true")

    assert (done.returncode, done.stdout) == (1, "")
    assert "FAILED, for want of Chromium" in done.stderr
    assert "installing chromium needs" in done.stderr


def test_where_there_is_none_without_windows_the_usual_one_is_tried(tmp_path: Path) -> None:
    done = with_chromium("--", sys.executable, "-c", SCRIPT, PATH=str(tmp_path), CI="true")

    assert re.findall(r"installing (\S+) by apt-get", done.stderr) == ["chromium-headless-shell", "chromium"]
