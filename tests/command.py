"""The `selfcode` command in a process of its own: started anew, or forked from one that has imported it already.

To import it takes longer than most of what tests ask of it.
"""

import atexit
import os
import subprocess
import sys
import tempfile
from collections.abc import Mapping, Sequence
from multiprocessing import get_context
from pathlib import Path

from bot.cli import main

_TIMEOUT_S = 200.0
_IMPORTED = (__name__, "bot.runs.local", "bot.wire.commands", "bot.wire.doctor", "bot.wire.verification")


def selfcode(folder: Path, *arguments: str, environment: Mapping[str, str]) -> subprocess.CompletedProcess[str]:
    """Run the command in this folder and this environment alone. The process is forked."""
    processes = get_context("forkserver")
    processes.set_forkserver_preload(list(_IMPORTED))
    with tempfile.NamedTemporaryFile("r") as stdout, tempfile.NamedTemporaryFile("r") as stderr:
        given = (arguments, str(folder), dict(environment), stdout.name, stderr.name)
        process = processes.Process(target=_run, args=given)
        process.start()
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


def words(*arguments: str) -> Sequence[str]:
    """The command line."""
    return [sys.executable, "-P", "-m", "bot.cli", *arguments]


def _run(arguments: Sequence[str], folder: str, environment: Mapping[str, str], stdout: str, stderr: str) -> None:
    for number, path in ((1, stdout), (2, stderr)):
        descriptor = os.open(path, os.O_WRONLY | os.O_APPEND)
        os.dup2(descriptor, number)
        os.close(descriptor)
    os.chdir(folder)
    os.environ.clear()
    os.environ.update(environment)
    tempfile.tempdir = None
    sys.argv = ["selfcode", *arguments]
    try:
        main()
    finally:
        atexit._run_exitfuncs()
