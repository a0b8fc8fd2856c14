"""What `make test` does about Docker, where it does not depend on this machine."""

import os
import subprocess
import sys
from collections.abc import Mapping, Sequence
from pathlib import Path

from tests.engine.host_packages import Package, closure

ROOT = Path(__file__).parents[2]
PROGRAM = "import os, sys; print(os.environ.get('SELFCODE_TEST_IMAGE')); sys.exit(7)"


def engine(*arguments: str, **environment: str) -> subprocess.CompletedProcess[str]:
    env = {"PATH": os.environ["PATH"], "DOCKER_HOST": "unix:///nonexistent.sock", **environment}
    return subprocess.run(
        [sys.executable, "-m", "tests.engine", *arguments],
        cwd=ROOT, env=env, check=False, capture_output=True, text=True,
    )  # fmt: skip


def a_package(name: str, *depends: Sequence[str], provides: Sequence[str] = ()) -> Package:
    return Package(name, "1", depends, provides)


def test_without_an_engine_the_command_runs_and_what_is_left_out_is_said_aloud() -> None:
    done = engine("--", sys.executable, "-c", PROGRAM)

    assert (done.returncode, done.stdout) == (7, "None\n")
    assert "THE DOCKER TESTS ARE LEFT OUT" in done.stderr
    assert "make test INSTALL_DOCKER=1" in done.stderr


def test_in_ci_an_engine_that_cannot_be_had_fails_the_run_with_the_reason() -> None:
    done = engine("--", sys.executable, "-c", PROGRAM, CI="true", PATH="/nonexistent")

    assert (done.returncode, done.stdout) == (1, "")
    assert "installing docker.io iptables needs" in done.stderr


def test_a_command_that_dies_of_a_signal_gives_its_code_as_a_shell_does() -> None:
    assert engine("--", sys.executable, "-c", "import os; os.kill(os.getpid(), 9)").returncode == 137


def test_without_a_command_the_usage_is_shown() -> None:
    done = engine()

    assert done.returncode == 2
    assert "usage: python -m tests.engine -- COMMAND…" in done.stderr


def test_an_image_gets_what_its_packages_depend_on_by_name_by_alternative_and_by_what_is_provided() -> None:
    packages = [
        a_package("git", ["libc"], ["missing", "perl"], ["awk"]),
        a_package("libc"),
        a_package("perl", ["libc"]),
        a_package("mawk", provides=["awk"]),
        a_package("unrelated"),
    ]
    known: Mapping[str, Package] = {package.name: package for package in packages}

    assert set(closure(["git", "not-installed"], known)) == {"git", "libc", "perl", "mawk"}
