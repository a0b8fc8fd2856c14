"""Opens a sandbox while it has a terminal, and says what is seen of that inside: `… at_a_terminal BACKEND`."""

import os
import sys

from sandbox import backends
from tests.sandbox.hostile.conftest import LIMITS, options

_LOOKS = """
import fcntl, os, termios
try:
    os.open("/dev/tty", os.O_RDWR)
    said = "a terminal"
except OSError:
    said = "OSError"
typed = []
for descriptor in range(3):
    try:
        fcntl.ioctl(descriptor, termios.TIOCSTI, b"x")
        typed.append(descriptor)
    except OSError: pass
print(said + (", and nothing to type into" if not typed else f", typed into {typed}"))
"""


def main(backend: str) -> None:
    """Say it of this process, and of a command in the sandbox."""
    os.close(os.open("/dev/tty", os.O_RDWR))
    print("the program itself: a terminal")  # noqa: T201
    with backends.make(backend, options("selfcode-tests-at-a-terminal")).open(limits=LIMITS) as workspace:
        print(f"inside: {workspace.run(['python', '-c', _LOOKS]).stdout.strip()}", flush=True)  # noqa: T201


if __name__ == "__main__":
    main(sys.argv[1])
