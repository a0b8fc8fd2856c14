"""Commands that need something of this machine: `python -m tests.engine -- COMMAND…`, tests.postgres, tests.browser.

What is there is used. Where it is not, CI or a setting allow it to be installed (root, Debian or Ubuntu), and then it
must work. Else the command runs all the same, and the tests say what they left out.
"""

import os
import signal
import subprocess
import sys
from collections.abc import Mapping, Sequence
from contextlib import AbstractContextManager
from dataclasses import dataclass
from types import FrameType
from typing import NoReturn, Protocol

_STOP_S = 30.0


class CannotProvide(Exception):
    """It can't be had; the text says why."""


class Provide(Protocol):
    """What is needed, while the context lasts, as additions to the environment; none where it is to be done without.

    Raises `CannotProvide` where it may be installed and can't be had all the same.
    """

    def __call__(self, *, may_install: bool) -> AbstractContextManager[Mapping[str, str]]: ...


@dataclass(frozen=True, slots=True)
class Provision:
    """What the module of this name has for a command. `what` is that in words, `setting` allows to install it."""

    module: str
    what: str
    setting: str
    provide: Provide

    def say(self, text: str) -> None:
        """Tell whoever runs the tests."""
        sys.stderr.write(f"{self.module}: {text}\n")
        sys.stderr.flush()


def main(provision: Provision) -> NoReturn:
    """Run the command of the command line, and exit as it does; with 1 where what was promised could not be had."""
    try:
        sys.exit(_exit_code(provision, sys.argv[1:], os.environ))
    except KeyboardInterrupt:
        sys.exit(128 + signal.SIGINT)


def _exit_code(provision: Provision, arguments: Sequence[str], environment: Mapping[str, str]) -> int:
    if arguments[:1] != ["--"] or not arguments[1:]:
        provision.say(f"usage: python -m {provision.module} -- COMMAND…")
        return 2
    for number in (signal.SIGTERM, signal.SIGHUP):
        signal.signal(number, _leave)
    may_install = bool(environment.get("CI")) or environment.get(provision.setting) == "1"
    try:
        with provision.provide(may_install=may_install) as additions:
            return _run(arguments[1:], {**environment, **additions})
    except CannotProvide as error:
        provision.say(f"FAILED, for want of {provision.what}: {error}")
        return 1


def _run(command: Sequence[str], environment: Mapping[str, str]) -> int:
    """Run the command to its end, or end it with us."""
    with subprocess.Popen(command, env=environment) as process:
        try:
            code = process.wait()
        except BaseException:
            process.terminate()
            try:
                process.wait(_STOP_S)
            except subprocess.TimeoutExpired:
                process.kill()
            raise
    return code if code >= 0 else 128 - code


def _leave(number: int, _frame: FrameType | None) -> None:
    """Turn a signal into an exception, so that everything is cleaned up."""
    sys.exit(128 + number)
