"""The pages, which are of WSGI, under a server of ASGI: each request has a thread while it is answered.

Source: https://peps.python.org/pep-3333/
"""

import asyncio
import io
import sys
from collections.abc import Awaitable, Callable, Coroutine, Iterable, Mapping, MutableMapping
from concurrent.futures import ThreadPoolExecutor
from contextlib import suppress
from typing import Any
from urllib.parse import unquote_to_bytes

from flask import Flask

THREADS = 16
PATIENCE_S = 30.0
"""How long one piece may take to be sent."""

Message = MutableMapping[str, Any]
Receive = Callable[[], Awaitable[Message]]
Send = Callable[[Message], Coroutine[Any, Any, None]]
Emit = Callable[[Message], None]


class Bridge:
    """Answers by the pages. Whatever they give piece by piece is sent so; who has gone away ends it."""

    def __init__(self, pages: Flask) -> None:
        self._pages = pages
        self._threads = ThreadPoolExecutor(THREADS, "pages")

    async def answer(self, scope: Mapping[str, Any], body: bytes, receive: Receive, send: Send) -> int:
        """Answer a request whose body has been read. Returns the status."""
        loop = asyncio.get_running_loop()
        leaving = asyncio.create_task(_gone(receive))

        def emit(message: Message) -> None:
            """Send it, and wait until the other end takes more."""
            if leaving.done():
                raise ConnectionAbortedError
            asyncio.run_coroutine_threadsafe(send(message), loop).result(PATIENCE_S)

        try:
            return await loop.run_in_executor(self._threads, self._run, _environ(scope, body), emit)
        finally:
            leaving.cancel()

    def _run(self, environ: dict[str, Any], emit: Emit) -> int:
        said: list[tuple[int, list[tuple[str, str]]]] = []

        def start_response(status: str, headers: list[tuple[str, str]], _: object = None) -> Callable[[bytes], object]:
            said.append((int(status[:3]), headers))
            return lambda piece: emit(_piece(piece))

        pieces: Iterable[bytes] = self._pages(environ, start_response)
        try:
            status, headers = said[-1]
            with suppress(ConnectionAbortedError, TimeoutError):
                emit(_start(status, headers))
                for piece in pieces:
                    emit(_piece(piece))
                emit({"type": "http.response.body", "body": b""})
        finally:
            getattr(pieces, "close", bool)()
        return status


async def _gone(receive: Receive) -> None:
    """Return once the other end has gone."""
    while (await receive())["type"] != "http.disconnect":
        pass


def _start(status: int, headers: Iterable[tuple[str, str]]) -> Message:
    written = [(name.lower().encode("latin-1"), value.encode("latin-1")) for name, value in headers]
    return {"type": "http.response.start", "status": status, "headers": written}


def _piece(piece: bytes) -> Message:
    return {"type": "http.response.body", "body": piece, "more_body": True}


def _environ(scope: Mapping[str, Any], body: bytes) -> dict[str, Any]:
    """A header with an underscore in its name is left out: it would be taken for the one with a dash."""
    server, client = scope.get("server") or ("localhost", 80), scope.get("client") or ("", 0)
    environ = {
        "REQUEST_METHOD": scope["method"],
        "SCRIPT_NAME": "",
        "PATH_INFO": _path(scope),
        "QUERY_STRING": scope.get("query_string", b"").decode("latin-1"),
        "SERVER_NAME": server[0],
        "SERVER_PORT": str(server[1]),
        "SERVER_PROTOCOL": f"HTTP/{scope.get('http_version', '1.1')}",
        "REMOTE_ADDR": client[0],
        "wsgi.version": (1, 0),
        "wsgi.url_scheme": scope.get("scheme", "http"),
        "wsgi.input": io.BytesIO(body),
        "wsgi.errors": sys.stderr,
        "wsgi.multithread": True,
        "wsgi.multiprocess": True,
        "wsgi.run_once": False,
    }
    for name, value in scope["headers"]:
        if b"_" in name or name == b"content-length":
            continue
        upper, text = name.decode("latin-1").upper().replace("-", "_"), value.decode("latin-1")
        key = upper if upper == "CONTENT_TYPE" else f"HTTP_{upper}"
        environ[key] = f"{environ[key]}{'; ' if upper == 'COOKIE' else ','}{text}" if key in environ else text
    return environ | {"CONTENT_LENGTH": str(len(body))}


def _path(scope: Mapping[str, Any]) -> str:
    """The path as WSGI wants it: its bytes, each as one character."""
    raw = scope.get("raw_path")
    return (unquote_to_bytes(raw) if raw else scope["path"].encode()).decode("latin-1")
