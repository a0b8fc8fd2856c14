"""A server on loopback that speaks OpenAI's protocol, with scripted answers, the last one for ever."""

import json
import threading
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field
from typing import Any

from flask import Flask, Response, request
from werkzeug.serving import make_server


@dataclass(frozen=True)
class Answer:
    """One answer. `held`: it is not sent before the server is released; `dripping`: white space comes until then."""

    body: Any
    status: int = 200
    headers: Mapping[str, str] = field(default_factory=dict)
    held: bool = False
    dripping: bool = False


def completion(content: Any = "hello", *, finish_reason: str = "stop", **rest: Any) -> Answer:
    message = {"role": "assistant", "content": content, **rest}
    choice = {"index": 0, "message": message, "finish_reason": finish_reason}
    usage = {"prompt_tokens": 1000, "completion_tokens": 100, "prompt_tokens_details": {"cached_tokens": 400}}
    return Answer({"id": "c", "object": "chat.completion", "model": "m", "choices": [choice], "usage": usage})


def error(status: int, message: str, *, headers: Mapping[str, str] | None = None, **rest: Any) -> Answer:
    return Answer({"error": {"message": message, "type": "invalid_request_error", **rest}}, status, headers or {})


@dataclass
class OpenAIServer:
    """What it was asked, and its script; or a judge of requests in the script's place."""

    url: str = ""
    answers: Sequence[Answer] = ()
    judge: Callable[[Mapping[str, Any]], Answer] | None = None
    about_models: Answer = Answer("no such page", 404)
    asked_about_models: int = 0
    requests: list[dict[str, Any]] = field(default_factory=list)
    keys: list[str] = field(default_factory=list)
    counting: threading.Lock = field(default_factory=threading.Lock)
    released: threading.Event = field(default_factory=threading.Event)
    came: threading.Event = field(default_factory=threading.Event)

    def answer(self) -> Response:
        with self.counting:
            self.requests.append(request.get_json())
            self.keys.append(request.headers.get("Authorization", ""))
            sent = self.requests[-1]
            number = min(len(self.requests), len(self.answers))
        answer = self.judge(sent) if self.judge else self.answers[number - 1]
        self.came.set()
        if answer.held:
            self.released.wait(60)
        if answer.dripping:
            return Response(self._drip(), mimetype="application/json")
        return _response(answer)

    def models(self) -> Response:
        self.asked_about_models += 1
        return _response(self.about_models)

    def _drip(self) -> Iterator[str]:
        while not self.released.wait(0.02):
            yield "\n"


def _response(answer: Answer) -> Response:
    body = answer.body if isinstance(answer.body, str) else json.dumps(answer.body)
    return Response(body, answer.status, dict(answer.headers), mimetype="application/json")


@contextmanager
def openai_server() -> Iterator[OpenAIServer]:
    """The server, while the context lasts."""
    served = OpenAIServer()
    app = Flask("openai")
    app.add_url_rule("/v1/chat/completions", view_func=served.answer, methods=["POST"])
    app.add_url_rule("/v1/models", view_func=served.models)
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
