"""Run a command with a PostgreSQL server for the tests: `python -m tests.postgres -- COMMAND…`.

Where the server is not installed, INSTALL_POSTGRES=1 or CI allow that (root, Debian or Ubuntu), and then it must work.
Else the command runs all the same, and the tests say what they left out.
"""

import os
import signal
import sys
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from types import FrameType

from tests.engine import apt
from tests.engine.__main__ import run
from tests.postgres.server import ADDRESS, CannotStart, is_installed, private_server

_USAGE = "usage: python -m tests.postgres -- COMMAND…"


def main(arguments: Sequence[str], environment: Mapping[str, str]) -> int:
    """Run the command and return its exit code; 1 where a server was promised and could not be had."""
    if arguments[:1] != ["--"] or not arguments[1:]:
        say(_USAGE)
        return 2
    may_install = bool(environment.get("CI")) or environment.get("INSTALL_POSTGRES") == "1"
    for number in (signal.SIGTERM, signal.SIGHUP):
        signal.signal(number, _leave)
    try:
        with server(may_install=may_install) as additions:
            return run(arguments[1:], {**environment, **additions})
    except (CannotStart, apt.CannotInstall) as error:
        say(f"FAILED, for want of a PostgreSQL server to test on: {error}")
        return 1


@contextmanager
def server(*, may_install: bool) -> Iterator[Mapping[str, str]]:
    """A server, as additions to the environment; none where it is not installed and may not be."""
    if not is_installed() and may_install:
        say("installing postgresql by apt-get")
        apt.install(["postgresql"])
    if is_installed() or may_install:
        with private_server() as started:
            yield {ADDRESS: str(started.folder)}
    else:
        say("PostgreSQL is not installed: ITS TESTS ARE LEFT OUT.")
        say("To have them: make test INSTALL_POSTGRES=1  (root on Debian or Ubuntu; installs postgresql)")
        yield {}


def say(text: str) -> None:
    """Tell whoever runs the tests."""
    sys.stderr.write(f"tests.postgres: {text}\n")
    sys.stderr.flush()


def _leave(number: int, _frame: FrameType | None) -> None:
    """Turn a signal into an exception, so that everything is cleaned up."""
    sys.exit(128 + number)


if __name__ == "__main__":
    try:
        sys.exit(main(sys.argv[1:], os.environ))
    except KeyboardInterrupt:
        sys.exit(128 + signal.SIGINT)
