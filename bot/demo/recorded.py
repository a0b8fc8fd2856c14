"""A model server that plays recorded replies over OpenAI's protocol. It remembers nothing of a conversation.

A recording is `{"model": …, "match": …, "iterations": [[reply, …], …]}`; a file holds one or a list of them. A reply is
`{"content": text or null, "tool_calls": [{"name": …, "arguments": {…}}]}`, with `"delay_s"` and `"finish_reason"` where
wanted. Which reply is played follows from the prompt alone: the recording whose `match` it contains, the iteration from
the last user message that begins with “Iteration N of M.” or “Iteration N: …”, and the number of replies since.

A prompt that fits no recording and offers a single tool asks whether the model calls tools: it is called where the
first recording of that model calls any. Such a call is not counted.
"""

import argparse
import json
import sys
import threading
import time
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from typing import Any, Self

from bot.demo.recording import Json, Recording, chunks, completion, fitting, position, recordings

__all__ = ["PlayedCall", "RecordedModel", "Recording"]

_POLL_S = 0.02


@dataclass(frozen=True, slots=True)
class PlayedCall:
    """One call and where in which recording it fell. `match` is "" where no recording fitted."""

    match: str
    iteration: int
    index: int
    request: Json = field(repr=False)


class RecordedModel:
    """The server, in a thread of its own. `base_url` is what `OPENAI_BASE_URL` is to be; any key will do."""

    def __init__(self, *played: Recording | Mapping[str, Any] | Path, port: int = 0, delay_s: float = 0.0) -> None:
        """Play these recordings, or those in files. `delay_s` is waited before each reply."""
        self.recordings = tuple(found for given in played for found in recordings(given))
        self.calls: list[PlayedCall] = []
        self._delay_s = delay_s
        self._open = threading.Event()
        self._open.set()
        self._held_at: tuple[int, int] | None = None
        self._called = threading.Condition()
        self._server = _Server(("127.0.0.1", port), self)
        self._thread = threading.Thread(
            target=self._server.serve_forever, args=(_POLL_S,), name="recorded-model", daemon=True
        )

    @property
    def port(self) -> int:
        return int(self._server.server_address[1])

    @property
    def base_url(self) -> str:
        return f"http://127.0.0.1:{self.port}/v1"

    @property
    def model(self) -> str:
        """The name of the first recording's model."""
        return self.recordings[0].model if self.recordings else "recorded"

    def start(self) -> Self:
        self._thread.start()
        return self

    def stop(self) -> None:
        self.release()
        self._server.shutdown()
        self._thread.join()
        self._server.server_close()

    def __enter__(self) -> Self:
        return self.start()

    def __exit__(self, *_: object) -> None:
        self.stop()

    def hold(self, *, at: tuple[int, int] | None = None) -> None:
        """Keep every call waiting for its reply until `release`; `at` an iteration's call, from that one on."""
        self._held_at = at
        if at is None:
            self._open.clear()

    def release(self) -> None:
        self._held_at = None
        self._open.set()

    def wait_for_calls(self, count: int, *, timeout_s: float = 30.0) -> bool:
        """Wait until that many calls have come in (not: have been answered). False where they did not."""
        with self._called:
            return self._called.wait_for(lambda: len(self.calls) >= count, timeout_s)

    def answer(self, request: Json) -> Json | None:
        """The reply to a request for a completion; None where no recording fits."""
        messages = request.get("messages") or []
        recording = fitting(self.recordings, messages)
        if recording is None and len(request.get("tools") or ()) == 1:
            return self._ready(request)
        iteration, index = position(messages)
        with self._called:
            self.calls.append(PlayedCall(recording.match if recording else "", iteration, index, request))
            self._called.notify_all()
        if self._held_at is not None and (iteration, index) >= self._held_at:
            self._open.clear()
        self._open.wait()
        if recording is None:
            return None
        reply = recording.reply(iteration, index)
        time.sleep(float(reply.get("delay_s", self._delay_s)))
        name = str(request.get("model") or recording.model)
        return completion(reply, name, messages, place=f"{iteration}-{index}", takes_tools=bool(request.get("tools")))

    def _ready(self, request: Json) -> Json:
        """The answer to whether tools are called: as the recorded replies do it."""
        name = str(request.get("model") or self.model)
        played = next((each for each in self.recordings if each.model == name), None)
        calls = played is not None and any(
            reply.get("tool_calls") for replies in played.iterations for reply in replies
        )
        tool = request["tools"][0]["function"]
        said: Json = {"content": "I am ready."}
        if calls:
            wanted = tool.get("parameters", {}).get("required", [])
            said = {
                "content": None,
                "tool_calls": [{"name": tool["name"], "arguments": dict.fromkeys(wanted, "ready")}],
            }
        return completion(said, name, request["messages"], place="ready", takes_tools=True)


class _Server(ThreadingHTTPServer):
    daemon_threads = True

    def __init__(self, address: tuple[str, int], played: RecordedModel) -> None:
        super().__init__(address, _Handler)
        self.played = played

    def handle_error(self, request: Any, client_address: Any) -> None:
        """Callers that are killed in mid-call leave broken connections behind; the rest is a bug, and told."""
        if not isinstance(sys.exc_info()[1], ConnectionError):
            super().handle_error(request, client_address)


class _Handler(BaseHTTPRequestHandler):
    server: _Server
    protocol_version = "HTTP/1.1"

    def log_message(self, format: str, *args: Any) -> None:  # noqa: A002
        """No line on stderr for each request: `RecordedModel.calls` has them."""

    def do_GET(self) -> None:
        match self.path:
            case "/v1/models":
                names = dict.fromkeys(recording.model for recording in self.server.played.recordings)
                models = [{"id": name, "object": "model", "created": 0, "owned_by": "recorded"} for name in names]
                self._send(200, {"object": "list", "data": models})
            case "/calls":
                calls = self.server.played.calls
                self._send(
                    200, [{"match": call.match, "iteration": call.iteration, "index": call.index} for call in calls]
                )
            case _:
                self._send(404, _error("no such path"))

    def do_POST(self) -> None:
        body = self.rfile.read(int(self.headers.get("Content-Length") or 0))
        try:
            request = json.loads(body)
        except ValueError:
            self._send(400, _error("the request is not JSON"))
            return
        if self.path != "/v1/chat/completions" or not isinstance(request, dict):
            self._send(404, _error("no such path"))
            return
        whole = self.server.played.answer(request)
        if whole is None:
            self._send(404, _error("no recording fits this prompt"))
        elif request.get("stream"):
            self._stream(whole, usage=bool((request.get("stream_options") or {}).get("include_usage")))
        else:
            self._send(200, whole)

    def _send(self, status: int, value: Any) -> None:
        data = json.dumps(value).encode()
        self.send_response(status)
        self.send_header("Content-Type", "application/json")
        self.send_header("Content-Length", str(len(data)))
        self.end_headers()
        self.wfile.write(data)

    def _stream(self, whole: Json, *, usage: bool) -> None:
        self.send_response(200)
        self.send_header("Content-Type", "text/event-stream")
        self.send_header("Connection", "close")
        self.end_headers()
        for chunk in chunks(whole, usage=usage):
            self.wfile.write(f"data: {json.dumps(chunk)}\n\n".encode())
        self.wfile.write(b"data: [DONE]\n\n")
        self.close_connection = True


def _error(message: str) -> Json:
    return {"error": {"message": message, "type": "invalid_request_error", "code": "not_recorded", "param": None}}


def main(arguments: Sequence[str] | None = None) -> None:
    """Serve recordings until the process is ended; the base URL is the first line on stdout."""
    parser = argparse.ArgumentParser(prog="python -m bot.demo.recorded", description=main.__doc__)
    parser.add_argument("file", type=Path, nargs="+")
    parser.add_argument("--port", type=int, default=0)
    parser.add_argument("--delay", type=float, default=0.0, help="seconds before each reply")
    chosen = parser.parse_args(arguments)
    with RecordedModel(*chosen.file, port=chosen.port, delay_s=chosen.delay) as model:
        print(model.base_url, flush=True)  # noqa: T201
        threading.Event().wait()


if __name__ == "__main__":
    try:
        main()
    except KeyboardInterrupt:
        raise SystemExit(130) from None
