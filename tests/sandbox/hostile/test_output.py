"""Floods of output, and who holds the pipes."""

import time

import pytest

from sandbox.contract import MEBIBYTE, Ending, Workspace
from tests.sandbox.hostile import host
from tests.sandbox.hostile.conftest import LIMITS

FLOODS = {
    "lines": "while True: print('1234567890' * 50)",
    "one line": "import os\nwhile True: os.write(1, b'x' * 65536)",
    "both streams": "import os\nwhile True: os.write(1, b'x' * 4096), os.write(2, b'y' * 4096)",
    "by a grandchild": "import os\nif os.fork(): os.wait()\nos.setsid()\nwhile True: os.write(1, b'x' * 65536)",
    "no text": "import os\nwhile True: os.write(2, os.urandom(65536))",
}


@pytest.mark.parametrize("flood", FLOODS.values(), ids=FLOODS.keys())
def test_endless_output_ends_the_command_within_bounded_memory_of_the_host(
    workspace: Workspace, mark: str, flood: str
) -> None:
    with host.own_memory() as grown_by:
        result = workspace.run(["python", "-c", flood, mark], timeout_s=30)

    assert (result.exit_code, result.ending, result.truncated) == (None, Ending.OUTPUT_LIMIT, True)
    assert len(result.stdout) + len(result.stderr) < 2 * LIMITS.output_bytes + 200
    assert grown_by() < 64 * MEBIBYTE
    assert host.are_gone(mark)


def test_grandchildren_that_hold_the_pipes_hold_nothing_up(workspace: Workspace, mark: str) -> None:
    holding = (
        "trap '' TERM HUP INT; (setsid sh -c 'sleep 300; :' \"$0\" & sleep 300 & wait) & echo said; exec sleep 300"
    )
    started = time.monotonic()

    result = workspace.run(["sh", "-c", holding, mark], timeout_s=1)

    assert (result.stdout, result.ending) == ("said\n", Ending.TIMED_OUT)
    assert time.monotonic() - started < 20
    assert host.are_gone(mark)


@pytest.mark.parametrize("reads", ["cat", "python -c 'input()'", "read line", "cat /dev/stdin", "cat /dev/tty"])
def test_who_reads_gets_nothing_and_does_not_wait(workspace: Workspace, reads: str) -> None:
    result = workspace.run(reads, timeout_s=20)

    assert (result.ending, result.stdout) == (Ending.EXITED, "")
    assert result.duration_s < 10
