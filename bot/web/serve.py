"""Running the web application under gunicorn: several processes, each with an event loop."""

import asyncio
import socket
from collections.abc import Callable, Mapping
from typing import Any

from gunicorn.app.base import BaseApplication  # type: ignore[import-untyped]
from gunicorn.asgi.protocol import ASGIProtocol  # type: ignore[import-untyped]
from gunicorn.glogging import Logger  # type: ignore[import-untyped]
from gunicorn.workers.gasgi import ASGIWorker  # type: ignore[import-untyped]

from bot.errors import ConfigError
from bot.web.asgi import Site

BACKLOG = 2048
"""How many connections the system keeps that no process has accepted yet."""

_LAST_S = 0.1

CONNECTIONS = 500
"""How many connections a process has at a time: each may hold some 700 kB of a body that is still to come."""


def serve(
    app_factory: Callable[[], Site],
    *,
    host: str,
    port: int,
    workers: int = 2,
    max_requests: int = 0,
    patience_s: float = 10.0,
    connections: int = CONNECTIONS,
    on_ready: Callable[[int], None] | None = None,
) -> None:
    """Serve until SIGTERM or SIGINT; does not return but by `SystemExit`.

    `app_factory` is called once in each process, after the fork. Port 0 takes a free one; `on_ready` gets the port once
    connections are accepted. A process is replaced after `max_requests` requests (0: never). Who connects has to ask
    for something within `patience_s`; beyond so many `connections` of a process the oldest is ended.

    Raises `ConfigError` where the address can't be had.
    """
    _require_free(host, port)

    def when_ready(server: Any) -> None:
        if on_ready:
            on_ready(server.LISTENERS[0].sock.getsockname()[1])

    _Gunicorn(
        app_factory,
        {
            "bind": f"[{host}]:{port}" if ":" in host else f"{host}:{port}",
            "workers": workers,
            "worker_class": _worker_class(patience_s, connections),
            "backlog": BACKLOG,
            "asgi_lifespan": "off",
            "timeout": 30,
            "graceful_timeout": 10,
            "max_requests": max_requests,
            "logger_class": _Log,
            "proc_name": "selfcode-web",
            "control_socket_disable": True,
            "forwarded_allow_ips": "",
            "when_ready": when_ready,
        },
    ).run()


def _require_free(host: str, port: int) -> None:
    """Say what is wrong with an address before gunicorn tries it again and again."""
    family = socket.AF_INET6 if ":" in host else socket.AF_INET
    with socket.socket(family) as probe:
        probe.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        try:
            probe.bind((host, port))
        except OSError as problem:
            raise ConfigError(
                f"SELFCODE_HOST, SELFCODE_PORT: can't listen on {host}:{port}: {problem.strerror}"
            ) from problem


class _Gunicorn(BaseApplication):  # type: ignore[misc]  # gunicorn has no types
    """gunicorn without its command line, configuration files and environment variables."""

    def __init__(self, app_factory: Callable[[], Site], options: Mapping[str, Any]) -> None:
        self._app_factory = app_factory
        self._options = options
        super().__init__()

    def load_config(self) -> None:
        for name, value in self._options.items():
            self.cfg.set(name, value)

    def load(self) -> Site:
        return self._app_factory()


class _Connection(ASGIProtocol):  # type: ignore[misc]  # gunicorn has no types
    """A connection that ends where nobody asks for anything: there is a limited number of them.

    `others` are all of the process, in the order in which they came.
    """

    def __init__(self, worker: ASGIWorker, others: dict["_Connection", None], most: int) -> None:
        super().__init__(worker)
        self._others = others
        self._most = most
        self.patience: asyncio.TimerHandle | None = None

    def connection_made(self, transport: asyncio.Transport) -> None:
        super().connection_made(transport)
        self._others[self] = None
        if len(self._others) > self._most:
            oldest = next(iter(self._others))
            del self._others[oldest]
            oldest.transport.abort()

    def data_received(self, data: bytes) -> None:
        try:
            super().data_received(data)
        except ValueError:  # gunicorn makes an integer of a length that has thousands of digits
            self.transport.abort()

    def connection_lost(self, exc: Exception | None) -> None:
        self._others.pop(self, None)
        if self.patience is not None:
            self.patience.cancel()  # it would keep all of it in memory until then
        super().connection_lost(exc)

    def hurry(self) -> None:
        """End it, unless the head of a request is there. After one, gunicorn sees to that itself."""
        if self.req_count == 1 and self._current_request is None and self.transport is not None:
            self.transport.abort()


class _Loop(asyncio.SelectorEventLoop):
    """An event loop that accepts one connection at a time: by itself it takes all that wait, and others get none."""

    def __init__(self, connected: Callable[[], asyncio.BaseProtocol]) -> None:
        super().__init__()
        self._connected = connected

    async def create_server(self, *_: Any, sock: socket.socket, **options: Any) -> asyncio.Server:  # type: ignore[override]
        server = await super().create_server(self._connected, sock=sock, backlog=1, **options)
        sock.listen(BACKLOG)
        return server


def _worker_class(patience_s: float, connections: int) -> type:
    class Worker(ASGIWorker):  # type: ignore[misc]  # gunicorn has no types
        def _setup_event_loop(self) -> None:
            self._open: dict[_Connection, None] = {}
            self.loop = _Loop(self._connected)
            asyncio.set_event_loop(self.loop)

        def handle_exit_signal(self) -> None:
            super().handle_exit_signal()
            if isinstance(self.asgi, Site):
                self.asgi.end()

        async def _shutdown(self) -> None:
            """What was accepted in the last moment becomes a connection before they are counted."""
            for server in self.servers:
                server.close()
            await asyncio.sleep(_LAST_S)
            await super()._shutdown()

        def _connected(self) -> asyncio.BaseProtocol:
            connection = _Connection(self, self._open, connections)
            connection.patience = self.loop.call_later(patience_s, connection.hurry)
            return connection

    return Worker


class _Log(Logger):  # type: ignore[misc]  # gunicorn has no types
    """gunicorn's log lines through this process' own logging; by itself it writes some of them to stdout."""

    def setup(self, cfg: Any) -> None:
        super().setup(cfg)
        self.error_log.handlers.clear()
        self.error_log.propagate = True
