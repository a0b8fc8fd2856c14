"""The `selfcode` command in a process of its own: started anew, or forked from one that has imported it already.

To import it takes longer than most of what tests ask of it.
"""

import atexit
import os
import signal
import subprocess
import sys
import tempfile
from collections.abc import Callable, Mapping, Sequence
from multiprocessing import get_context
from multiprocessing.process import BaseProcess
from pathlib import Path
from typing import Protocol

from bot.cli import main
from bot.serving import SERVED_BY, end_with_parent

_TIMEOUT_S = 200.0
_COMMANDS = ("bot.runs.local", "bot.wire.commands", "bot.wire.doctor", "bot.wire.verification")
_SERVERS = ("bot.serving", "bot.web.serve", "bot.wire.service", "bot.wire.usable", "bot.wire.watching", "bot.wire.web")


def selfcode(folder: Path, *arguments: str, environment: Mapping[str, str]) -> subprocess.CompletedProcess[str]:
    """Run the command in this folder and this environment alone. The process is forked."""
    with tempfile.NamedTemporaryFile("r") as stdout, tempfile.NamedTemporaryFile("r") as stderr:
        process = _forked(folder, arguments, environment, Path(stdout.name), Path(stderr.name))
        process.join(_TIMEOUT_S)
        if process.exitcode is None:
            process.kill()
            process.join()
            raise subprocess.TimeoutExpired(arguments, _TIMEOUT_S, stdout.read(), stderr.read())
        return subprocess.CompletedProcess(arguments, process.exitcode, stdout.read(), stderr.read())


def selfcode_anew(folder: Path, *arguments: str, environment: Mapping[str, str]) -> subprocess.CompletedProcess[str]:
    """The same as people start it."""
    return subprocess.run(
        words(*arguments),
        cwd=folder,
        env=dict(environment),
        capture_output=True,
        text=True,
        timeout=_TIMEOUT_S,
        check=False,
    )


class Running(Protocol):
    """A process that a test looks after: a `Popen`, or what `start` returns."""

    @property
    def pid(self) -> int: ...

    def poll(self) -> int | None: ...

    def wait(self, timeout: float | None = None) -> int: ...

    def send_signal(self, sig: int) -> None: ...

    def kill(self) -> None: ...


def start(*arguments: str, environment: Mapping[str, str], log: Path, program: Callable[[], None] = main) -> Running:
    """Let the command run in a session of its own, forked; what it prints goes to the end of the log.

    `program` is what is called in place of it, any function of a module.
    """
    log.touch()
    return _Forked(arguments, _forked(Path.cwd(), arguments, environment, log, log, is_apart=True, program=program))


def start_anew(*arguments: str, environment: Mapping[str, str], log: Path) -> Running:
    """The same as people start it."""
    with log.open("ab") as out:
        return subprocess.Popen(
            words(*arguments), env=dict(environment), stdout=out, stderr=out, start_new_session=True
        )


class _Forked:
    def __init__(self, arguments: Sequence[str], process: BaseProcess) -> None:
        assert process.pid is not None
        self.pid = process.pid
        self._arguments = arguments
        self._process = process

    def poll(self) -> int | None:
        return self._process.exitcode

    def wait(self, timeout: float | None = None) -> int:
        self._process.join(timeout)
        if (code := self._process.exitcode) is None:
            raise subprocess.TimeoutExpired(self._arguments, timeout or 0)
        return code

    def send_signal(self, sig: int) -> None:
        if self._process.exitcode is None:
            os.kill(self.pid, sig)

    def kill(self) -> None:
        self.send_signal(signal.SIGKILL)


def words(*arguments: str) -> Sequence[str]:
    """The command line."""
    return [sys.executable, "-P", "-m", "bot.cli", *arguments]


def _forked(
    folder: Path,
    arguments: Sequence[str],
    environment: Mapping[str, str],
    *output: Path,
    is_apart: bool = False,
    program: Callable[[], None] = main,
) -> BaseProcess:
    processes = get_context("forkserver")
    processes.set_forkserver_preload(["tests.ending_with_tests", __name__, *_COMMANDS, *_SERVERS])
    given = (arguments, str(folder), dict(environment), [str(path) for path in output], (is_apart, program))
    process = processes.Process(target=_run, args=given)
    process.start()
    return process


def _run(
    arguments: Sequence[str],
    folder: str,
    environment: Mapping[str, str],
    output: Sequence[str],
    kind: tuple[bool, Callable[[], None]],
) -> None:
    is_apart, program = kind
    if is_apart:
        os.setsid()
    os.environ[SERVED_BY] = str(os.getppid())
    end_with_parent()
    for number, path in enumerate(output, start=1):
        descriptor = os.open(path, os.O_WRONLY | os.O_APPEND)
        os.dup2(descriptor, number)
        os.close(descriptor)
    os.chdir(folder)
    os.environ.clear()
    os.environ.update(environment)
    tempfile.tempdir = None
    sys.argv = ["selfcode", *arguments]
    try:
        program()
    finally:
        atexit._run_exitfuncs()
