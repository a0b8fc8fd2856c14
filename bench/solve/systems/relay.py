"""Carries connections on loopback inside a sandbox without a network to one socket outside, and runs a program.

`python relay.py SOCKET PORT PROGRAM…` is how it runs inside, from a copy: the standard library alone.
"""

import socket
import subprocess
import sys
import threading
from collections.abc import Callable, Sequence
from contextlib import suppress


def serve(listener: socket.socket, connect: Callable[[], socket.socket]) -> None:
    """Carry every connection on, in both directions, until the listener is closed."""
    while True:
        try:
            near, _ = listener.accept()
        except OSError:
            return
        try:
            far = connect()
        except OSError:
            near.close()
            continue
        for source, target in ((near, far), (far, near)):
            threading.Thread(target=_carry, args=(source, target), daemon=True).start()


def _carry(source: socket.socket, target: socket.socket) -> None:
    with suppress(OSError):
        while data := source.recv(65536):
            target.sendall(data)
    for end, how in ((target, socket.SHUT_WR), (source, socket.SHUT_RD)):
        with suppress(OSError):
            end.shutdown(how)


def main(arguments: Sequence[str]) -> int:
    """Relay, run the program, return its exit code."""
    path, port, *program = arguments

    def connect() -> socket.socket:
        outside = socket.socket(socket.AF_UNIX, socket.SOCK_STREAM)
        outside.connect(path)
        return outside

    listener = socket.create_server(("127.0.0.1", int(port)))
    threading.Thread(target=serve, args=(listener, connect), daemon=True).start()
    return subprocess.run(program, check=False).returncode


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
