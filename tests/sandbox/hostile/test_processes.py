"""Bombs of processes and threads, counted by the host."""

import subprocess
import time

import pytest

from sandbox.contract import Ending, File, Guarantee, Workspace, archive_of, files_of
from tests.sandbox.hostile import host
from tests.sandbox.hostile.conftest import LIMITS
from tests.sandbox.hostile.host import Peak

pytestmark = pytest.mark.holds(Guarantee.PROCESSES)

BOMBS = {
    "forks": """
import os
while True:
    try: os.fork()
    except OSError: pass
""",
    "refills, each in a session of its own and deaf to signals": """
import os, signal, time
def live():
    for number in range(1, 65):
        try: signal.signal(number, signal.SIG_IGN)
        except (OSError, ValueError): pass
    end = time.monotonic() + 0.1
    while time.monotonic() < end or os.getpid() % 2:
        try:
            if os.fork() == 0:
                os.setsid()
                end = time.monotonic() + 0.1
        except OSError: pass
if os.fork(): time.sleep(60)
live()
""",
    "threads": """
import threading, time
while True:
    try: threading.Thread(target=time.sleep, args=(60,)).start()
    except RuntimeError: pass
""",
}
OF_THE_SANDBOX_ITSELF = 8
"""What a sandbox needs beside the command, and shows the mark in its own arguments."""


@pytest.mark.parametrize("bomb", BOMBS.values(), ids=BOMBS.keys())
def test_a_bomb_stays_within_the_limit_and_ends_and_the_workspace_goes_on(
    workspace: Workspace, mark: str, bomb: str
) -> None:
    workspace.put(archive_of({"kept": File(b"1")}))
    peak = Peak(lambda: host.threads(mark))
    started = time.monotonic()

    result = workspace.run(["python", "-c", bomb, mark], timeout_s=2, stop=peak)

    assert result.ending is Ending.TIMED_OUT
    assert time.monotonic() - started < 40
    assert LIMITS.processes // 4 < peak.most <= LIMITS.processes + OF_THE_SANDBOX_ITSELF
    assert host.are_gone(mark)
    assert workspace.run("echo works still").stdout == "works still\n"
    assert dict(files_of(workspace.get(["kept"]))) == {"kept": File(b"1")}


def test_a_bomb_in_the_shell_leaves_the_host_free_to_start_programs(workspace: Workspace, mark: str) -> None:
    peak = Peak(lambda: subprocess.run(["true"], check=False).returncode)

    workspace.run(["sh", "-c", "bomb() { bomb | bomb & }; bomb; sleep 2", mark], timeout_s=2, stop=peak)

    assert peak.most == 0
    assert host.are_gone(mark)
