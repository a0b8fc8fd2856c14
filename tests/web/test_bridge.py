"""Pages of WSGI under a server of ASGI: what they give piece by piece, and who goes away meanwhile."""

import asyncio
import threading
from collections.abc import Iterator, MutableMapping
from typing import Any

from flask import Flask, Response, request

from bot.web.bridge import Bridge

Message = MutableMapping[str, Any]


def a_scope(path: str = "/", **headers: str) -> dict[str, Any]:
    named = [(name.replace("__", "-").encode(), value.encode()) for name, value in headers.items()]
    return {
        "type": "http",
        "method": "POST",
        "path": path,
        "raw_path": path.encode(),
        "query_string": b"page=2",
        "scheme": "http",
        "server": ("127.0.0.1", 8000),
        "client": ("127.0.0.1", 4711),
        "headers": named,
    }


def answer(pages: Flask, scope: dict[str, Any], body: bytes = b"", *, leaves_after: int = 1000) -> list[Message]:
    """What is sent to somebody who goes away after so many pieces."""
    sent: list[Message] = []

    async def run() -> None:
        gone = asyncio.Event()

        async def receive() -> Message:
            await gone.wait()
            return {"type": "http.disconnect"}

        async def send(message: Message) -> None:
            sent.append(message)
            if len(sent) > leaves_after:
                gone.set()
                await asyncio.sleep(0.01)

        await Bridge(pages).answer(scope, body, receive, send)

    asyncio.run(run())
    return sent


def test_a_page_sees_the_request_as_it_was_sent() -> None:
    pages, seen = Flask(__name__), list[object]()

    @pages.post("/runs/<name>")
    def show(name: str) -> str:
        seen.append((name, request.args["page"], request.form["a"], dict(request.cookies), request.remote_addr))
        return "shown"

    scope = a_scope("/runs/caf%C3%A9", host="localhost:8000", cookie="x=1")
    scope["headers"] += [(b"cookie", b"y=2"), (b"content-type", b"application/x-www-form-urlencoded")]
    start, *pieces = answer(pages, scope, b"a=b")

    assert seen == [("café", "2", "b", {"x": "1", "y": "2"}, "127.0.0.1")]
    assert start["status"] == 200
    assert b"".join(piece["body"] for piece in pieces) == b"shown"


def test_a_header_can_not_be_sent_under_a_name_that_a_proxy_does_not_look_for() -> None:
    pages, seen = Flask(__name__), list[object]()

    @pages.post("/")
    def show() -> str:
        seen.append(request.headers.get("X-Forwarded-For"))
        return ""

    answer(pages, a_scope(x_forwarded_for="127.0.0.1"))
    answer(pages, a_scope(x__forwarded__for="203.0.113.9"))

    assert seen == [None, "203.0.113.9"]


def test_a_page_without_an_end_ends_when_who_looks_at_it_has_gone() -> None:
    pages, ended = Flask(__name__), threading.Event()

    def lines() -> Iterator[str]:
        try:
            while True:
                yield "data: one more\n\n"
        finally:
            ended.set()

    @pages.post("/")
    def follow() -> Response:
        return Response(lines(), content_type="text/event-stream")

    start, *pieces = answer(pages, a_scope(), leaves_after=3)

    assert start["headers"][0] == (b"content-type", b"text/event-stream")
    assert {piece["body"] for piece in pieces} == {b"data: one more\n\n"}
    assert ended.is_set()
