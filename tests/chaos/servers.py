"""The stand-ins for GitHub and for a model, watched; GitHub's can go away and come back."""

import re
import socket
import struct
import threading
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any

from werkzeug.serving import make_server

from bot.demo.hub import _POLL_S, Hub, _Quiet
from bot.demo.recorded import RecordedModel, Recording
from bot.demo.recording import Json
from tests.chaos.points import Kind
from tests.demo.keys import Keys

Told = Callable[[Kind, str], None]

_AT_ONCE = struct.pack("ii", 1, 0)


class WatchedHub(Hub):
    """Tells of each write once it took effect, before anybody has the answer."""

    def __init__(self, directory: Path, *, port: int, told: Told) -> None:
        super().__init__(directory, port=port, keys=Keys())
        self._told = told
        self._served: set[socket.socket] = set()
        self._is_away = False

    def go_away(self) -> None:
        """Listen no more, and reset all connections: who has asked for something gets no answer."""
        self._is_away = True
        self._server.shutdown()
        self._server.server_close()
        for connection in list(self._served):
            connection.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, _AT_ONCE)
            connection.shutdown(socket.SHUT_RDWR)

    def come_back(self) -> None:
        """Listen again, at the same address."""
        port = self._server.port
        self._server = make_server("127.0.0.1", port, self._serve, threaded=True, request_handler=_Quiet)
        self._thread = threading.Thread(target=self._server.serve_forever, args=(_POLL_S,), name="hub", daemon=True)
        self._is_away = False
        self._thread.start()

    def _serve(self, environ: dict[str, Any], start_response: Any) -> Any:
        connection = environ["werkzeug.socket"]
        self._served.add(connection)
        try:
            answer = super()._serve(environ, start_response)
            written = _written(environ)
            if written:
                self._told(Kind.WRITE, written)
            if self._is_away:
                raise ConnectionResetError
            return answer
        finally:
            self._served.discard(connection)


def _written(environ: Mapping[str, Any]) -> str | None:
    """What a request wrote, without the names and numbers that differ from one repository to the next."""
    method, path = environ["REQUEST_METHOD"], environ["PATH_INFO"]
    if path.endswith("/git-receive-pack"):
        return "push"
    if method == "GET" or not path.startswith("/api/v3/repos/"):
        return None
    return f"{method} {re.sub(r'[0-9]{4,}|[0-9a-f]{40}', '…', path.split('/', 6)[6])}"


class WatchedModel(RecordedModel):
    """Tells of each call once it has come in, before its reply goes out."""

    def __init__(self, *played: Recording, told: Told) -> None:
        super().__init__(*played)
        self._told = told

    def answer(self, request: Json) -> Json | None:
        before = len(self.calls)
        reply = super().answer(request)
        if len(self.calls) > before:
            self._told(Kind.CALL, "call")
        return reply
