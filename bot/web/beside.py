"""Pages beside other work, or where nothing else is served yet: on a thread of their own."""

import socket
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from socketserver import ThreadingMixIn
from wsgiref.simple_server import WSGIRequestHandler, WSGIServer, make_server

from flask import Flask

from bot.errors import ConfigError

LOOPBACK = "127.0.0.1"
_POLL_S = 0.1


@contextmanager
def served_beside(
    app: Flask, *, port: int, host: str = LOOPBACK, setting: str = "SELFCODE_METRICS_PORT"
) -> Iterator[int]:
    """Serve while the context lasts, by itself to this machine alone; yields the port, 0 takes a free one.

    Raises `ConfigError` that names the setting where the address can't be had.
    """
    kind = _Server6 if ":" in host else _Server
    try:
        server = make_server(host, port, app, server_class=kind, handler_class=_Handler)
    except OSError as problem:
        raise ConfigError(f"{setting}: can't listen on {host}:{port}: {problem.strerror}") from problem
    with server:
        threading.Thread(target=server.serve_forever, args=(_POLL_S,), name="pages", daemon=True).start()
        try:
            yield server.server_port
        finally:
            server.shutdown()


class _Server(ThreadingMixIn, WSGIServer):
    daemon_threads = True


class _Server6(_Server):
    address_family = socket.AF_INET6


class _Handler(WSGIRequestHandler):
    timeout = 30

    def log_message(self, *_: object) -> None:
        """Say nothing: it would be one line for each look, and addresses may hold what is secret for a while."""

    def address_string(self) -> str:
        """The address itself, which no name server need be asked for."""
        return str(self.client_address[0])
