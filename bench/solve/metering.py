"""What stands between a system and the model: counts every call by the server's own figures, and ends what is spent.

All systems are counted here and nowhere else. After the budget every call is answered 401, which no client tries again.
"""

import http.client
import json
import select
import socket
import threading
import time
from collections.abc import Iterator, Mapping
from contextlib import contextmanager, suppress
from dataclasses import replace
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any
from urllib.parse import urlsplit

from bench.solve.records import Budget, Endpoint, Used
from bot.agent.prices import estimated_tokens

PATIENCE_S = 3600.0
OPENAI_HOST = "api.openai.com"
_LENGTHS = ("max_tokens", "max_completion_tokens")


class Meter:
    """The count of one attempt. `endpoint` is what the system is given: it holds no key. Safe in many threads."""

    def __init__(self, upstream: Endpoint, budget: Budget, *, seed: int | None) -> None:
        self.upstream = upstream
        self.endpoint = upstream
        self._budget = budget
        self._seed = seed
        self._lock = threading.Lock()
        self._used = Used()
        self._asked = 0
        self.until = time.monotonic() + budget.seconds
        self._open: set[socket.socket] = set()

    @property
    def used(self) -> Used:
        with self._lock:
            return self._used

    def spent(self) -> str:
        """Which limit is reached, or ""."""
        if self.used.tokens >= self._budget.tokens:
            return f"the attempt's {self._budget.tokens:,} tokens are spent"
        return f"the attempt's {self._budget.seconds:g} s are over" if time.monotonic() >= self.until else ""

    def adapted(self, body: bytes) -> bytes:
        """The request as it is sent on: with a seed of its own, and no longer a reply than the budget says."""
        try:
            request = json.loads(body)
        except ValueError:
            return body
        with self._lock:
            self._asked += 1
            if self._seed is not None:
                request["seed"] = self._seed * 1000 + self._asked
        if (limit := self._budget.reply_tokens) is not None:
            given = [name for name in _LENGTHS if request.get(name)]
            named = given or [_LENGTHS[1] if OPENAI_HOST in self.upstream.base_url else _LENGTHS[0]]
            request |= {name: min(limit, request.get(name) or limit) for name in named}
        return json.dumps(request).encode()

    def count(self, request: bytes, answer: bytes) -> None:
        """Count one call that was answered."""
        usage = _usage(answer)
        with self._lock:
            used = self._used
            if usage is None:
                prompt, completion = (estimated_tokens(text.decode("utf-8", "replace")) for text in (request, answer))
                usage = {"prompt_tokens": prompt, "completion_tokens": completion}
                used = replace(used, estimated=True)
            self._used = replace(
                used,
                calls=used.calls + 1,
                prompt_tokens=used.prompt_tokens + _number(usage, "prompt_tokens"),
                completion_tokens=used.completion_tokens + _number(usage, "completion_tokens"),
                cached_tokens=used.cached_tokens + _number(usage.get("prompt_tokens_details"), "cached_tokens"),
            )

    def opened(self, connection: socket.socket) -> None:
        with self._lock:
            self._open.add(connection)

    def closed(self, connection: socket.socket) -> None:
        with self._lock:
            self._open.discard(connection)

    def cut(self) -> None:
        """End what the model is still asked: nobody waits for it any more."""
        with self._lock:
            for connection in self._open:
                with suppress(OSError):
                    connection.shutdown(socket.SHUT_RDWR)


@contextmanager
def metered(upstream: Endpoint, budget: Budget, *, seed: int | None) -> Iterator[Meter]:
    """A meter on loopback, while the context lasts."""
    meter = Meter(upstream, budget, seed=seed)
    handler = type("Handler", (_Handler,), {"meter": meter})
    server = ThreadingHTTPServer(("127.0.0.1", 0), handler)
    server.daemon_threads = True
    meter.endpoint = Endpoint(f"http://127.0.0.1:{server.server_port}/v1", upstream.model, "counted-elsewhere")
    thread = threading.Thread(target=server.serve_forever, args=(0.02,), daemon=True)
    thread.start()
    try:
        yield meter
    finally:
        meter.cut()
        server.shutdown()
        thread.join()
        server.server_close()


class _Handler(BaseHTTPRequestHandler):
    meter: Meter
    protocol_version = "HTTP/1.1"

    def do_GET(self) -> None:
        self._forward("GET", None)

    def do_POST(self) -> None:
        body = self.rfile.read(int(self.headers.get("Content-Length") or 0))
        if spent := self.meter.spent():
            self._answer(401, _error(spent))
            return
        self._forward("POST", self.meter.adapted(body))

    def _forward(self, method: str, body: bytes | None) -> None:
        try:
            answered = _ask(self.meter, method, self.path.removeprefix("/v1"), body, client=self.connection)
        except (OSError, http.client.HTTPException) as problem:
            self._answer(502, _error(f"the model's server failed: {problem}"))
            return
        if answered is None:
            self.close_connection = True
            self._answer(401, _error(self.meter.spent()))
            return
        status, content, headers = answered
        if body is not None and status < 400:
            self.meter.count(body, content)
        self._answer(status, content, headers)

    def _answer(self, status: int, content: bytes, headers: Mapping[str, str] | None = None) -> None:
        with suppress(OSError):
            self.send_response(status)
            for name, value in (headers or {"Content-Type": "application/json"}).items():
                self.send_header(name, value)
            self.send_header("Content-Length", str(len(content)))
            self.end_headers()
            self.wfile.write(content)

    def log_message(self, format: str, *args: object) -> None:  # noqa: A002 - the library's name
        pass


def _ask(
    meter: Meter, method: str, path: str, body: bytes | None, *, client: socket.socket
) -> tuple[int, bytes, Mapping[str, str]] | None:
    """The server's answer, whole; None where nobody waits for it any more: the server is then told to stop."""
    base = urlsplit(meter.upstream.base_url)
    secure = base.scheme == "https"
    connect = http.client.HTTPSConnection if secure else http.client.HTTPConnection
    connection = connect(base.hostname or "", base.port, timeout=PATIENCE_S)
    headers = {"Content-Type": "application/json", "Authorization": f"Bearer {meter.upstream.api_key}"}
    try:
        connection.request(method, base.path.rstrip("/") + path, body=body, headers=headers)
        meter.opened(connection.sock)
        if not _comes(connection.sock, client, until=meter.until):
            return None
        response = connection.getresponse()
        kept = {name: response.headers[name] for name in ("Content-Type", "Retry-After") if name in response.headers}
        return response.status, response.read(), kept
    finally:
        if connection.sock is not None:
            meter.closed(connection.sock)
        connection.close()


def _comes(upstream: socket.socket, client: socket.socket, *, until: float) -> bool:
    """Wait until the server answers; False where the client hangs up or the attempt's time is over before."""
    watched = [upstream, client]
    while True:
        ready, _, _ = select.select(watched, [], [], max(0.0, until - time.monotonic()))
        if upstream in ready:
            return True
        if not ready or not client.recv(1, socket.MSG_PEEK):
            return False
        watched = [upstream]  # the client has sent more: it is there, and waits


def _usage(answer: bytes) -> Mapping[str, Any] | None:
    """The figures of an answer, also of one that came as a stream of events."""
    texts = [line.removeprefix(b"data:").strip() for line in answer.splitlines() if line.startswith(b"data:")]
    for text in reversed(texts or [answer]):
        with suppress(ValueError):
            shape = json.loads(text)
            if isinstance(shape, dict) and isinstance(shape.get("usage"), dict):
                return dict(shape["usage"])
    return None


def _number(shape: object, name: str) -> int:
    value = shape.get(name) if isinstance(shape, dict) else None
    return value if isinstance(value, int) else 0


def _error(message: str) -> bytes:
    return json.dumps({"error": {"message": message, "type": "budget", "code": "budget_spent"}}).encode()
