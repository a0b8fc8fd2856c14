"""What wants to live on after its command."""

import os
import signal
import subprocess
import time
from contextlib import suppress

import pytest

from sandbox.contract import Ending, Guarantee, SandboxError, Workspace
from tests.sandbox.hostile import host

pytestmark = pytest.mark.holds(Guarantee.ENDING)

DAEMON = """
import os, signal, sys, time
if os.fork(): os._exit(0)
os.setsid()
if os.fork(): os._exit(0)
for number in range(1, 65):
    try: signal.signal(number, signal.SIG_IGN)
    except (OSError, ValueError): pass
os.chdir("/")
os.closerange(0, 3)
time.sleep(300)
"""
STOPPED = "import os, signal\nif os.fork() == 0: os.kill(os.getpid(), signal.SIGSTOP)"
RENAMED = """
import ctypes, os, time
if os.fork() == 0:
    ctypes.CDLL(None).prctl(15, b") R 1 (x", 0, 0, 0)
    os.setsid()
    os.closerange(0, 3)
    time.sleep(300)
"""
WANDERS = """
import os, time
os.setsid()
os.closerange(0, 3)
while True:
    if os.fork(): os._exit(0)
    time.sleep(0.002)
"""
HURRIES = "hurry() { echo >>steps; hurry & }; hurry"


@pytest.mark.parametrize(
    "code",
    [DAEMON, STOPPED, RENAMED],
    ids=["a daemon deaf to signals", "a stopped process", "a process with a name to misread"],
)
def test_what_a_command_leaves_behind_is_gone_when_it_has_returned(workspace: Workspace, mark: str, code: str) -> None:
    result = workspace.run(["python", "-c", code, mark], timeout_s=20)

    assert (result.exit_code, result.ending) == (0, Ending.EXITED)
    assert host.are_gone(mark)


def test_a_process_that_is_another_one_every_moment_is_caught(workspace: Workspace, mark: str) -> None:
    workspace.run(["sh", "-c", 'python -c "$1" "$0" & sleep 0.5', mark, WANDERS], timeout_s=20)

    assert host.are_gone(mark)


def test_a_process_that_hardly_any_list_shows_is_caught_as_well(workspace: Workspace) -> None:
    hurries = f"setsid sh -c '{HURRIES}' >/dev/null 2>&1; until [ -s steps ]; do sleep 0.1; done"

    for _ in range(3):  # a list may show it by chance
        result = workspace.run(hurries)

        assert (result.exit_code, result.ending) == (0, Ending.EXITED)
        first, later = workspace.run("wc -c <steps; sleep 0.3; wc -c <steps").stdout.split()
        assert first == later


@pytest.mark.parametrize("after_s", [0.0, 0.4])
def test_a_stop_ends_whatever_a_command_has_become(workspace: Workspace, mark: str, after_s: float) -> None:
    started = time.monotonic()

    result = workspace.run(
        ["python", "-c", f"{DAEMON.replace('os._exit(0)', 'time.sleep(300)')}", mark],
        stop=lambda: time.monotonic() - started > after_s,
    )

    assert result.ending is Ending.STOPPED
    assert time.monotonic() - started < 20
    assert host.are_gone(mark)


@pytest.mark.holds(Guarantee.FILES)
@pytest.mark.parametrize("victim", ["$PPID", "1", "-1"])
def test_a_command_that_kills_around_itself_gains_no_life(workspace: Workspace, mark: str, victim: str) -> None:
    kills = f"setsid sh -c 'sleep 300; :' \"$0\" & sleep 0.2; kill -9 {victim}; sleep 300"

    workspace.run(["sh", "-c", kills, mark], timeout_s=1)

    assert host.are_gone(mark)
    assert workspace.run("echo works still").stdout == "works still\n"


@pytest.mark.holds(Guarantee.FILES)
def test_a_process_of_the_host_with_the_same_user_number_is_out_of_reach(workspace: Workspace) -> None:
    with subprocess.Popen(["sleep", "60"]) as bystander:
        workspace.run(f"kill -9 {bystander.pid}; kill -9 -1; for n in $(seq 2 300); do kill -9 $n; done 2>/dev/null")

        assert bystander.poll() is None
        bystander.kill()


@pytest.mark.holds(Guarantee.FILES)
def test_a_sandbox_that_is_killed_from_outside_in_mid_command_says_so_and_leaves_nothing(
    fresh: Workspace, mark: str
) -> None:
    def kill() -> bool:
        for pid in host.first_processes(mark):
            with suppress(ProcessLookupError):
                os.kill(pid, signal.SIGKILL)
        return False

    started = time.monotonic()

    with pytest.raises(SandboxError):
        fresh.run(["sh", "-c", "sleep 300; :", mark], stop=kill)

    assert time.monotonic() - started < 30
    assert host.are_gone(mark)
