"""Ports of loopback for servers that tests start, and start again."""

import socket
import sys
from collections.abc import Iterator
from contextlib import contextmanager


@contextmanager
def held_port() -> Iterator[int]:
    """A port that nobody else is given while the context lasts, whoever listens there, and however often.

    One that is merely free now may be another's by the time that a server has started. Linux lets a server have it
    beside us, for neither of us minds (SO_REUSEADDR) and we do not listen; elsewhere it is merely free.
    """
    with socket.socket() as held:
        held.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        held.bind(("127.0.0.1", 0))
        port: int = held.getsockname()[1]
        if sys.platform != "linux":
            held.close()
        yield port
