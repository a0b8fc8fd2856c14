"""Serving the pages that create the App, where nothing else is served yet: one process, until the App is there."""

import socket
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from socketserver import ThreadingMixIn
from wsgiref.simple_server import WSGIRequestHandler, WSGIServer, make_server

from flask import Flask

from bot.errors import ConfigError

_POLL_S = 0.1


@contextmanager
def served(app: Flask, *, host: str, port: int) -> Iterator[int]:
    """Serve while the context lasts; yields the port. Raises `ConfigError` where the address can't be had."""
    kind = _Server6 if ":" in host else _Server
    try:
        server = make_server(host, port, app, server_class=kind, handler_class=_Handler)
    except OSError as problem:
        raise ConfigError(
            f"SELFCODE_HOST, SELFCODE_PORT: can't listen on {host}:{port}: {problem.strerror}"
        ) from problem
    with server:
        threading.Thread(target=server.serve_forever, args=(_POLL_S,), name="setup", daemon=True).start()
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
        """Say nothing: addresses hold what is secret for a while."""

    def address_string(self) -> str:
        """The address itself, which no name server need be asked for."""
        return str(self.client_address[0])
