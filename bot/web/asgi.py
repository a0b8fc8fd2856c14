"""The application as its server calls it: deliveries are taken on an event loop, pages have threads.

Source: https://asgi.readthedocs.io/en/latest/specs/www.html
"""

import asyncio
import logging
import time
from collections.abc import Callable, Mapping
from contextlib import AsyncExitStack
from typing import Any

from flask import Flask

from bot.web.bridge import Bridge, Receive, Send
from bot.web.exchange import ALIVE, NOT_ALLOWED, TOO_LARGE, TOO_SLOW, Reply, Request
from bot.web.webhook import SMALL_BYTES, Webhook

log = logging.getLogger(__name__)

PAYLOAD_LIMIT_BYTES = 25 * 1024 * 1024
"""GitHub delivers nothing larger. Source: https://docs.github.com/en/webhooks/webhook-events-and-payloads"""

FORM_LIMIT_BYTES = 1024 * 1024
"""What a page may be sent."""

BODY_S = 30.0
"""How long a body may take. GitHub waits ten seconds for the answer to all of it."""

LARGE_AT_ONCE = 4
"""How many large bodies a process holds at a time, until they are answered: whose they are is not known before."""

WEBHOOK = "/webhook"


class Site:
    """What a web process serves: the webhook, that it lives, and the pages."""

    def __init__(self, webhook: Webhook, pages: Flask, end: Callable[[], None] = lambda: None) -> None:
        """`end` is called once the process is to end: whatever answer goes on and on is to be over soon then."""
        self.pages = pages
        self.end = end
        self._webhook = webhook
        self._bridge = Bridge(pages)
        self._large = asyncio.Semaphore(LARGE_AT_ONCE)

    async def __call__(self, scope: Mapping[str, Any], receive: Receive, send: Send) -> None:
        """Answer one request. Each is one line in the log, without the query: it may hold what is secret."""
        if scope["type"] != "http":
            await send({"type": f"{scope['type']}.close"})
            return
        request, begun_s = _request(scope), time.perf_counter()
        if request.path == WEBHOOK and request.method == "POST":
            await _answer(await self._take(request, receive, begun_s), send)
        else:
            _tell(request, await self._show(request, scope, receive, send), begun_s)

    async def _show(self, request: Request, scope: Mapping[str, Any], receive: Receive, send: Send) -> int:
        """Anything but a delivery. That the process lives is told however busy the pages are."""
        body: bytes | Reply
        if request.path == WEBHOOK:
            body = NOT_ALLOWED
        elif request.path == "/healthz" and request.method in ("GET", "HEAD"):
            body = ALIVE
        else:
            async with AsyncExitStack() as room:
                body = await self._body(request, receive, FORM_LIMIT_BYTES, room)
        if isinstance(body, bytes):
            return await self._bridge.answer(scope, body, receive, send)
        await _answer(body, send, has_body=request.method != "HEAD")
        return body.status

    async def _take(self, request: Request, receive: Receive, begun_s: float) -> Reply:
        """A delivery. The webhook says more of it than which request it was, once all of it is here."""
        async with AsyncExitStack() as room:
            body = await self._body(request, receive, PAYLOAD_LIMIT_BYTES, room)
            if isinstance(body, bytes):
                return await self._webhook.receive(request, body)
        _tell(request, body.status, begun_s)
        return body

    async def _body(self, request: Request, receive: Receive, limit_bytes: int, room: AsyncExitStack) -> bytes | Reply:
        """The body, or what is said where it is too large, which is not read, or where nobody goes on sending it.

        `room` is held for a large one: it is to be left when the body is no longer needed.
        """
        declared = request.headers.get("content-length", "")
        if declared.isdecimal() and int(declared) > limit_bytes:
            return TOO_LARGE
        chunks, size_bytes, is_large = list[bytes](), 0, False
        try:
            async with asyncio.timeout(BODY_S):
                while True:
                    message = await receive()
                    if message["type"] != "http.request":
                        return TOO_SLOW
                    chunks.append(message.get("body", b""))
                    size_bytes += len(chunks[-1])
                    if size_bytes > limit_bytes:
                        return TOO_LARGE
                    if not message.get("more_body"):
                        return b"".join(chunks)
                    if size_bytes > SMALL_BYTES and not is_large:
                        is_large = True
                        await room.enter_async_context(self._large)
        except TimeoutError:
            return TOO_SLOW


def _request(scope: Mapping[str, Any]) -> Request:
    headers = {name.decode("latin-1"): value.decode("latin-1") for name, value in scope["headers"]}
    client = scope.get("client")
    return Request(scope["method"], scope["path"], headers, client[0] if client else "")


def _tell(request: Request, status: int, begun_s: float) -> None:
    took_ms = (time.perf_counter() - begun_s) * 1000
    log.info('%s "%s %s" %s, %.0f ms', request.remote, request.method, request.path, status, took_ms)


async def _answer(reply: Reply, send: Send, *, has_body: bool = True) -> None:
    headers = [(b"content-type", reply.content_type.encode()), (b"content-length", str(len(reply.body)).encode())]
    await send({"type": "http.response.start", "status": reply.status, "headers": headers})
    await send({"type": "http.response.body", "body": reply.body if has_body else b""})
