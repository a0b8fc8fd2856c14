"""What only the plain subprocess has to promise."""

import os
import signal
import subprocess
import sys
import time
from pathlib import Path

import pytest

from sandbox.contract import Limits
from sandbox.process import ProcessSandbox

ROOT = Path(__file__).parents[2]


def is_running(marker: str) -> bool:
    lines = (path.read_bytes() for path in Path("/proc").glob("[0-9]*/cmdline") if path.exists())
    return any(marker.encode() in line.replace(b"\0", b" ") for line in lines)


def test_it_says_that_it_isolates_nothing(process_sandbox: ProcessSandbox) -> None:
    assert (process_sandbox.name, process_sandbox.isolated) == ("process", False)


def test_programs_of_the_virtual_environment_come_first(process_sandbox: ProcessSandbox) -> None:
    with process_sandbox.open() as workspace:
        found = workspace.run("command -v python; python -c 'import sys; print(sys.prefix)'").stdout.split()

    assert found == [f"{sys.prefix}/bin/python", sys.prefix]


def test_a_command_ends_with_the_process_that_ran_it_even_when_that_is_killed(tmp_path: Path) -> None:
    code = (
        "from sandbox.process import ProcessSandbox\n"
        "with ProcessSandbox().open() as workspace:\n"
        "    print('open', flush=True)\n"
        "    workspace.run('setsid sleep 98.7651 & sleep 98.7652')"
    )
    env = {**os.environ, "TMPDIR": str(tmp_path)}  # its folder stays behind
    with subprocess.Popen([sys.executable, "-c", code], stdout=subprocess.PIPE, cwd=ROOT, env=env) as worker:
        assert worker.stdout is not None
        assert worker.stdout.readline() == b"open\n"
        deadline = time.monotonic() + 10
        while not (is_running("sleep 98.7651") and is_running("sleep 98.7652")) and time.monotonic() < deadline:
            time.sleep(0.05)
        worker.send_signal(signal.SIGKILL)

    deadline = time.monotonic() + 10
    while is_running("sleep 98.765") and time.monotonic() < deadline:
        time.sleep(0.05)
    assert not is_running("sleep 98.765")


def test_a_folder_that_cannot_be_removed_is_reported_and_hides_no_result(
    process_sandbox: ProcessSandbox, caplog: pytest.LogCaptureFixture
) -> None:
    with process_sandbox.open() as workspace:
        result = workspace.run('rm -rf "${HOME%/home}"; echo done')

    assert result.stdout == "done\n"
    assert "could not remove" in caplog.text


def test_no_core_is_dumped(process_sandbox: ProcessSandbox) -> None:
    with process_sandbox.open(limits=Limits(file_size_bytes=4096 * 512)) as workspace:
        assert workspace.run("ulimit -c; ulimit -f").stdout == "0\n4096\n"
