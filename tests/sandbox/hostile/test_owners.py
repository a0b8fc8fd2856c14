"""A worker that was killed, its successor, and another worker beside them: whose is what."""

import os
import signal
import subprocess
import sys
import uuid
from pathlib import Path

import pytest

from sandbox import backends
from sandbox.contract import Sandbox, Workspace
from tests.sandbox.hostile import host
from tests.sandbox.hostile.conftest import options

ROOT = Path(__file__).parents[3]
WORKS = """
import sys
from sandbox import backends
from tests.sandbox.hostile.conftest import LIMITS, options
backend, owner, mark = sys.argv[1:]
with backends.make(backend, options(owner)).open(limits=LIMITS) as workspace:
    workspace.run("echo open >file")
    print("open", flush=True)
    workspace.run(["sh", "-c", "setsid sh -c 'sleep 300; :' $0 & sleep 300; :", mark])
"""


@pytest.mark.filterwarnings("ignore:unclosed")
def test_a_successor_removes_what_a_killed_worker_left_and_nothing_of_another_owners(
    sandbox: Sandbox, workspace: Workspace, mark: str, tmp_path: Path
) -> None:
    owner = f"selfcode-tests-{uuid.uuid4().hex[:12]}"
    program = [sys.executable, "-c", WORKS, sandbox.name, owner, mark]
    env = {**os.environ, "TMPDIR": str(tmp_path)}  # its folder stays behind
    with subprocess.Popen(program, stdout=subprocess.PIPE, cwd=ROOT, env=env) as worker:
        assert worker.stdout is not None
        assert worker.stdout.readline() == b"open\n"
        assert host.becomes_true(lambda: len(host.processes(mark)) > 1, within_s=10)
        worker.send_signal(signal.SIGKILL)
    workspace.run("echo mine >file")
    successor = backends.make(sandbox.name, options(owner))

    successor.remove_leftovers()

    assert host.are_gone(mark, within_s=10)
    assert successor.remove_leftovers() == 0
    assert workspace.run("cat file").stdout == "mine\n"
