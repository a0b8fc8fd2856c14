"""What `make test` does about PostgreSQL."""

import os
import subprocess
import sys
from pathlib import Path

import pytest

from tests.postgres.server import ADDRESS, PROGRAMS, Server, is_installed

ROOT = Path(__file__).parents[2]
PROGRAM = f"import os, sys; print(os.environ.get('{ADDRESS}')); sys.exit(7)"


def with_a_server(*arguments: str, **environment: str) -> subprocess.CompletedProcess[str]:
    return subprocess.run(
        [sys.executable, "-m", "tests.postgres", *arguments],
        cwd=ROOT, env={"PATH": os.environ["PATH"], **environment}, check=False, capture_output=True, text=True,
    )  # fmt: skip


def test_a_command_has_a_server_which_is_gone_afterwards() -> None:
    if not is_installed():
        pytest.skip("left out for want of PostgreSQL")
    done = with_a_server("--", sys.executable, "-c", PROGRAM)

    folder = Path(done.stdout.strip())
    assert done.returncode == 7, done.stderr
    assert folder.is_absolute()
    assert not folder.exists()
    assert not Server(folder).answers()


def test_without_one_the_command_runs_and_what_is_left_out_is_said_aloud(tmp_path: Path) -> None:
    done = with_a_server("--", sys.executable, "-c", PROGRAM, **{PROGRAMS: str(tmp_path)})

    assert (done.returncode, done.stdout) == (7, "None\n")
    assert "ITS TESTS ARE LEFT OUT" in done.stderr
    assert "make test INSTALL_POSTGRES=1" in done.stderr


def test_in_ci_a_server_that_cannot_be_had_fails_the_run_with_the_reason(tmp_path: Path) -> None:
    nowhere = {PROGRAMS: str(tmp_path), "PATH": "/nonexistent", "CI": "true"}

    done = with_a_server("--", sys.executable, "-c", PROGRAM, **nowhere)

    assert (done.returncode, done.stdout) == (1, "")
    assert "installing postgresql needs" in done.stderr


def test_without_a_command_the_usage_is_shown() -> None:
    done = with_a_server()

    assert done.returncode == 2
    assert "usage: python -m tests.postgres -- COMMAND…" in done.stderr
