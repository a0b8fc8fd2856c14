"""Pages beside other work: on this machine alone, on a thread of their own."""

import threading
from collections.abc import Iterator
from contextlib import contextmanager
from socketserver import ThreadingMixIn
from wsgiref.simple_server import WSGIRequestHandler, WSGIServer, make_server

from flask import Flask

from bot.errors import ConfigError

LOOPBACK = "127.0.0.1"


@contextmanager
def served_beside(app: Flask, *, port: int) -> Iterator[int]:
    """Serve while the context lasts; yields the port, 0 takes a free one. Raises `ConfigError` where it is taken."""
    try:
        server = make_server(LOOPBACK, port, app, server_class=_Server, handler_class=_Handler)
    except OSError as problem:
        raise ConfigError(f"SELFCODE_METRICS_PORT: can't listen on port {port}: {problem.strerror}") from problem
    with server:
        threading.Thread(target=server.serve_forever, name="pages", daemon=True).start()
        try:
            yield server.server_port
        finally:
            server.shutdown()


class _Server(ThreadingMixIn, WSGIServer):
    daemon_threads = True


class _Handler(WSGIRequestHandler):
    timeout = 30

    def log_message(self, *_: object) -> None:
        """Say nothing: it would be one line for each look."""

    def address_string(self) -> str:
        """The address itself, which no name server need be asked for."""
        return str(self.client_address[0])
