"""A server on loopback that speaks OpenAI's protocol, with scripted answers, the last one for ever."""

import json
import threading
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field
from typing import Any

from flask import Flask, Response, request
from werkzeug.serving import make_server


@dataclass(frozen=True)
class Answer:
    """One answer. `held`: it is not sent before the server is released."""

    body: Any
    status: int = 200
    headers: Mapping[str, str] = field(default_factory=dict)
    held: bool = False


def completion(content: Any = "hello", *, finish_reason: str = "stop", **rest: Any) -> Answer:
    message = {"role": "assistant", "content": content, **rest}
    choice = {"index": 0, "message": message, "finish_reason": finish_reason}
    usage = {"prompt_tokens": 1000, "completion_tokens": 100, "prompt_tokens_details": {"cached_tokens": 400}}
    return Answer({"id": "c", "object": "chat.completion", "model": "m", "choices": [choice], "usage": usage})


def error(status: int, message: str, *, headers: Mapping[str, str] | None = None, **rest: Any) -> Answer:
    return Answer({"error": {"message": message, "type": "invalid_request_error", **rest}}, status, headers or {})


@dataclass
class OpenAIServer:
    """What it was asked, and its script."""

    url: str = ""
    answers: Sequence[Answer] = ()
    requests: list[dict[str, Any]] = field(default_factory=list)
    keys: list[str] = field(default_factory=list)
    released: threading.Event = field(default_factory=threading.Event)
    came: threading.Event = field(default_factory=threading.Event)

    def answer(self) -> Response:
        self.requests.append(request.get_json())
        self.keys.append(request.headers.get("Authorization", ""))
        self.came.set()
        answer = self.answers[min(len(self.requests), len(self.answers)) - 1]
        if answer.held:
            self.released.wait(60)
        body = answer.body if isinstance(answer.body, str) else json.dumps(answer.body)
        return Response(body, answer.status, dict(answer.headers), mimetype="application/json")


@contextmanager
def openai_server() -> Iterator[OpenAIServer]:
    """The server, while the context lasts."""
    served = OpenAIServer()
    app = Flask("openai")
    app.add_url_rule("/v1/chat/completions", view_func=served.answer, methods=["POST"])
    server = make_server("127.0.0.1", 0, app, threaded=True)
    served.url = f"http://127.0.0.1:{server.server_port}/v1"
    thread = threading.Thread(target=server.serve_forever, args=(0.02,), daemon=True)
    thread.start()
    try:
        yield served
    finally:
        served.released.set()
        server.shutdown()
        thread.join()
        server.server_close()
