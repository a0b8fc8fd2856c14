"""What only the plain subprocess has to promise."""

import os
import signal
import subprocess
import sys
import time
from collections.abc import Callable
from contextlib import suppress
from pathlib import Path

import pytest

from sandbox.contract import Limits
from sandbox.process import ProcessSandbox

ROOT = Path(__file__).parents[2]


PATIENCE_S = 60.0


def asleep(*seconds: str) -> set[str]:
    """For which of these times a `sleep` runs on this machine."""
    found = set()
    for path in Path("/proc").glob("[0-9]*/cmdline"):
        with suppress(OSError):
            found.add(path.read_bytes())
    return {each for each in seconds if f"sleep\0{each}\0".encode() in found}


def until(condition: Callable[[], bool]) -> None:
    deadline = time.monotonic() + PATIENCE_S
    while not condition() and time.monotonic() < deadline:
        time.sleep(0.05)
    assert condition()


def test_it_says_that_it_isolates_nothing(process_sandbox: ProcessSandbox) -> None:
    assert (process_sandbox.name, process_sandbox.isolated) == ("process", False)


def test_programs_of_the_virtual_environment_come_first(
    process_sandbox: ProcessSandbox, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("PATH", "/usr/bin:/bin")

    with process_sandbox.open() as workspace:
        found = workspace.run("command -v python; python -c 'import sys; print(sys.prefix)'").stdout.split()

    assert found == [f"{sys.prefix}/bin/python", sys.prefix]


def test_what_comes_before_the_virtual_environment_on_path_comes_before_it_here(
    process_sandbox: ProcessSandbox, monkeypatch: pytest.MonkeyPatch
) -> None:
    path = f"/opt/first:{sys.prefix}/bin:/usr/bin:/bin"
    monkeypatch.setenv("PATH", path)

    with process_sandbox.open() as workspace:
        assert workspace.run('echo "$PATH"').stdout == f"{path}\n"


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
        until(lambda: asleep("98.7651", "98.7652") == {"98.7651", "98.7652"})
        worker.send_signal(signal.SIGKILL)

    until(lambda: not asleep("98.7651", "98.7652"))


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
