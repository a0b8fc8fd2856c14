"""Running the web application under gunicorn: several processes, each with some threads."""

import socket
from collections.abc import Callable, Mapping
from typing import Any

from flask import Flask
from gunicorn.app.base import BaseApplication  # type: ignore[import-untyped]
from gunicorn.glogging import Logger  # type: ignore[import-untyped]

from bot.errors import ConfigError
from bot.seen.about import about
from bot.web.webhook import ABOUT

ACCESS_LINE = '%(h)s "%(m)s %(U)s" %(s)s %(b)sB %(M)sms %({x-github-event}i)s'
"""Without the query string: it may hold the code of the page that creates the App."""


def serve(
    app_factory: Callable[[], Flask],
    *,
    host: str,
    port: int,
    workers: int = 2,
    threads: int = 8,
    max_requests: int = 0,
    on_ready: Callable[[int], None] | None = None,
) -> None:
    """Serve until SIGTERM or SIGINT; does not return but by `SystemExit`.

    `app_factory` is called once in each process, after the fork. Port 0 takes a free one; `on_ready` gets the port once
    connections are accepted. A process is replaced after `max_requests` requests (0: never). Raises `ConfigError` where
    the address can't be had.
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
            "threads": threads,
            "worker_class": "gthread",
            "timeout": 30,
            "graceful_timeout": 10,
            "max_requests": max_requests,
            "accesslog": "-",
            "logger_class": _Log,
            "access_log_format": ACCESS_LINE,
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

    def __init__(self, app_factory: Callable[[], Flask], options: Mapping[str, Any]) -> None:
        self._app_factory = app_factory
        self._options = options
        super().__init__()

    def load_config(self) -> None:
        for name, value in self._options.items():
            self.cfg.set(name, value)

    def load(self) -> Flask:
        return self._app_factory()


class _Log(Logger):  # type: ignore[misc]  # gunicorn has no types
    """gunicorn's log lines through this process' own logging; by itself it writes some of them to stdout."""

    def setup(self, cfg: Any) -> None:
        super().setup(cfg)
        for log in (self.error_log, self.access_log):
            log.handlers.clear()
            log.propagate = True

    def access(self, resp: Any, req: Any, environ: Any, request_time: Any) -> None:
        """One request's line: the request is over, and what it was about no longer bound."""
        with about(**environ.get(ABOUT, {})):
            super().access(resp, req, environ, request_time)
