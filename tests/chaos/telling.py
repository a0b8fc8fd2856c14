"""What a worker tells of its run while it goes on: read from the lines of its log, sent to whoever watches."""

import json
import logging
import re
import socket
import socketserver
import threading
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager, suppress
from pathlib import Path

from tests.chaos.points import Kind

ADDRESS = "SELFCODE_CHAOS_WATCH"
"""The socket of whoever watches, in the environment of a worker."""

LOGGERS = ("bot.runs.workflow", "bot.runs.ground", "bot.runs.chapter")
"""Which loggers have the lines."""

_LINES: Mapping[Kind, re.Pattern[str]] = {
    Kind.BEGINS: re.compile(r"step (.+) of run \w+ begins$"),
    Kind.DONE: re.compile(r"step (.+) of run \w+: [\d.]+ s$"),
    Kind.TESTS: re.compile(r"(test command): "),
    Kind.REPLY: re.compile(r"run \w+:   (call) \d+: "),
}


def kind_and_what(line: str) -> tuple[Kind, str] | None:
    """What a line of the log tells of."""
    found = ((kind, pattern.match(line)) for kind, pattern in _LINES.items())
    return next(((kind, match[1]) for kind, match in found if match), None)


class Telling(logging.Handler):
    """Tells whoever watches, and returns when they let the worker go on: it stands still where its line is written.

    Its threads do not wait for each other.
    """

    def __init__(self, address: str) -> None:
        super().__init__()
        self._address = address

    def handle(self, record: logging.LogRecord) -> bool:
        """Without the lock that others' lines would wait for."""
        self.emit(record)
        return True

    def emit(self, record: logging.LogRecord) -> None:
        found = kind_and_what(record.getMessage())
        if found is None:
            return
        with socket.socket(socket.AF_UNIX) as told, suppress(OSError):
            told.connect(self._address)
            told.sendall(json.dumps(found).encode() + b"\n")
            told.recv(1)


@contextmanager
def listening(address: Path, heard: Callable[[Kind, str], None]) -> Iterator[None]:
    """Hear what workers tell. Each goes on when `heard` returns."""

    class Listens(socketserver.StreamRequestHandler):
        def handle(self) -> None:
            kind, what = json.loads(self.rfile.readline())
            heard(Kind(kind), what)
            with suppress(OSError):  # it was killed meanwhile
                self.wfile.write(b".")

    with _Server(str(address), Listens) as server:
        threading.Thread(target=server.serve_forever, args=(0.02,), name="chaos-watch", daemon=True).start()
        yield
        server.shutdown()


class _Server(socketserver.ThreadingUnixStreamServer):
    daemon_threads = True
    block_on_close = False
