"""A model on loopback that speaks OpenAI's protocol: what it answers is a function of the request."""

import json
import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any

Request = dict[str, Any]
Answer = Callable[[Request], tuple[int, dict[str, Any]]]
USAGE = {"prompt_tokens": 100, "completion_tokens": 20, "prompt_tokens_details": {"cached_tokens": 40}}


def completion(text: str, usage: dict[str, Any] | None = USAGE) -> tuple[int, dict[str, Any]]:
    message = {"role": "assistant", "content": text}
    choices = [{"index": 0, "message": message, "finish_reason": "stop"}]
    return 200, {"id": "c", "object": "chat.completion", "model": "m", "choices": choices, "usage": usage}


def refusal(status: int, message: str) -> tuple[int, dict[str, Any]]:
    return status, {"error": {"message": message, "type": "server_error"}}


def words(request: Request) -> str:
    """Everything that the request says."""
    return json.dumps(request["messages"])


@dataclass
class Served:
    """Where it answers, and what it was asked."""

    url: str
    requests: list[Request] = field(default_factory=list)
    keys: list[str] = field(default_factory=list)


@contextmanager
def model(answer: Answer) -> Iterator[Served]:
    served = Served("")

    class Handler(BaseHTTPRequestHandler):
        protocol_version = "HTTP/1.1"

        def do_POST(self) -> None:
            request = json.loads(self.rfile.read(int(self.headers["Content-Length"])))
            served.requests.append(request)
            served.keys.append(self.headers.get("Authorization", ""))
            status, shape = answer(request)
            body = json.dumps(shape).encode()
            self.send_response(status)
            self.send_header("Content-Type", "application/json")
            self.send_header("Content-Length", str(len(body)))
            self.end_headers()
            self.wfile.write(body)

        def log_message(self, format: str, *args: object) -> None:  # noqa: A002 - the library's name
            pass

    server = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
    served.url = f"http://127.0.0.1:{server.server_port}/v1"
    thread = threading.Thread(target=server.serve_forever, args=(0.02,), daemon=True)
    thread.start()
    try:
        yield served
    finally:
        server.shutdown()
        thread.join()
        server.server_close()
