"""Bombs of memory, weighed by the host; and one of processor time."""

import pytest

from sandbox.contract import MEBIBYTE, Ending, Guarantee, Limits, Sandbox, Workspace
from tests.sandbox.hostile import host
from tests.sandbox.hostile.conftest import LIMITS
from tests.sandbox.hostile.host import Peak

pytestmark = pytest.mark.holds(Guarantee.MEMORY)

GROWS = "x = [bytearray(1 << 20) for _ in range(2000)]"
MANY_GROW = """
import os
for _ in range(8):
    if os.fork() == 0:
        x = [bytearray(1 << 20) for _ in range(100)]
        os.kill(os.getpid(), 19)
raise SystemExit(any([os.waitpid(-1, os.WUNTRACED)[1] & 0x7f == 9 for _ in range(8)]))
"""
FILES_WITHOUT_A_NAME = """
import os
for _ in range(8):
    fd = os.memfd_create("x")
    for _ in range(40): os.write(fd, bytes(1 << 20))
"""
SEGMENTS = """
import ctypes
libc = ctypes.CDLL(None)
libc.shmat.restype = ctypes.c_void_p
for _ in range(40):
    at = libc.shmat(libc.shmget(0, 40 << 20, 0o1600), None, 0)
    ctypes.memset(at, 1, 40 << 20)
"""
SLACK = 32 * MEBIBYTE
"""Of the sandbox itself, and the host's own counting."""


@pytest.mark.parametrize(
    "attack",
    [GROWS, MANY_GROW, FILES_WITHOUT_A_NAME, SEGMENTS],
    ids=["one process", "many processes together", "files without a name", "System V segments"],
)
def test_memory_beyond_the_limit_ends_the_command_as_out_of_memory(sandbox: Sandbox, mark: str, attack: str) -> None:
    shared_before = host.shared_memory_bytes()
    peak = Peak(lambda: max(host.memory_bytes(mark), host.shared_memory_bytes() - shared_before))

    with sandbox.open(limits=LIMITS) as workspace:
        result = workspace.run(["python", "-c", attack, mark], timeout_s=30, stop=peak)
        assert workspace.run("echo works still").stdout == "works still\n"

    assert (result.exit_code, result.ending) == (None, Ending.OUT_OF_MEMORY)
    assert peak.most <= LIMITS.memory_bytes + SLACK
    assert host.are_gone(mark)
    assert host.becomes_true(lambda: host.shared_memory_bytes() - shared_before < LIMITS.memory_bytes / 2, within_s=2)


def test_memory_runs_out_in_the_second_command_as_in_the_first_and_the_third_works(fresh: Workspace) -> None:
    endings = [fresh.run(["python", "-c", GROWS]).ending for _ in range(2)]

    assert endings == [Ending.OUT_OF_MEMORY, Ending.OUT_OF_MEMORY]
    assert fresh.run("echo works still").stdout == "works still\n"


def test_what_ends_for_want_of_memory_is_not_taken_for_what_ends_itself(workspace: Workspace) -> None:
    result = workspace.run("kill -9 $$")

    assert (result.exit_code, result.ending) == (137, Ending.EXITED)


@pytest.mark.holds(Guarantee.CPU)
def test_all_processes_together_get_their_share_of_the_processor_and_no_more(sandbox: Sandbox, mark: str) -> None:
    busy = "for n in 1 2 3; do python -c 'while True: pass' \"$0\" & done; wait"
    used = Peak(lambda: host.processor_s(mark))
    with sandbox.open(limits=Limits(cpus=0.25)) as slow:
        result = slow.run(["sh", "-c", busy, mark], timeout_s=3, stop=used)

    assert result.ending is Ending.TIMED_OUT
    assert 0.1 < used.most < 3 * 0.25 * 2
