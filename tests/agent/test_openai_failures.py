"""What becomes of a call where a server fails in an odd way: over a real connection, cut and garbled too."""

import json
import socket
import struct
import threading
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager

import pytest

from bot.agent import OpenAIModel, Reply
from bot.agent.llm import BAD_CALL, FILTERED, NO_TOOLS, TOO_LONG, user
from bot.agent.tools import specs
from bot.errors import ConfigError, Unavailable
from tests.agent.fakes import never
from tests.agent.openai_server import Answer, OpenAIServer, completion, error


def ask(url: str, *, tools: bool = False, temperature: float = 0.2, timeout_s: float = 20.0) -> Reply:
    model = OpenAIModel("m", base_url=url, api_key="k", backoff_s=0.01, timeout_s=timeout_s)
    return ask_of(model, tools=tools, temperature=temperature)


def ask_of(model: OpenAIModel, *, tools: bool = False, temperature: float = 0.2) -> Reply:
    return model.complete(
        [user("hi")], tools=specs() if tools else None, temperature=temperature, max_tokens=8192, stop=never
    )


# --- Errors that come as something else


@pytest.mark.parametrize(
    "body",
    [
        {"error": "overloaded"},
        {"error": {"message": "overloaded"}},
        {"error": {"message": "slow down", "code": "429"}},
        {"error": {"message": "slow down", "code": "rate_limit_exceeded"}, "choices": []},
        {"object": "error", "message": "busy", "code": 50001},
    ],
)
def test_a_failure_that_came_with_status_200_is_the_services_and_tried_again(
    server: OpenAIServer, body: object
) -> None:
    server.answers = [Answer(body), completion()]

    assert ask(server.url).text == "hello"


def test_a_prompt_that_is_too_long_is_known_though_it_came_with_status_200(server: OpenAIServer) -> None:
    server.answers = [Answer({"error": "the context length is only 4096 tokens"})]

    assert ask(server.url).finish_reason == TOO_LONG
    assert len(server.requests) == 1


def test_a_spent_account_is_known_though_it_came_with_status_200(server: OpenAIServer) -> None:
    server.answers = [Answer({"error": {"message": "no more", "code": "insufficient_quota"}})]

    with pytest.raises(Unavailable, match="add credit"):
        ask(server.url)

    assert len(server.requests) == 1


def test_a_tool_call_that_the_server_cant_read_is_a_bad_reply_that_is_paid(server: OpenAIServer) -> None:
    server.answers = [error(400, "Failed to call a function.", code="tool_use_failed")]

    reply = ask(server.url, tools=True)

    assert (reply.finish_reason, len(server.requests)) == (BAD_CALL, 1)
    assert reply.usage.prompt_tokens > 0


def test_a_temperature_of_nought_that_is_refused_is_left_out_of_that_request_alone(server: OpenAIServer) -> None:
    server.answers = [error(422, "`temperature` must be strictly positive"), completion(), completion()]
    model = OpenAIModel("m", base_url=server.url, api_key="k")

    ask_of(model, temperature=0.0)
    ask_of(model, temperature=0.2)

    assert [sent.get("temperature") for sent in server.requests] == [0.0, None, 0.2]


def test_a_header_that_is_no_number_is_no_wait(server: OpenAIServer) -> None:
    server.answers = [error(429, "slow down", headers={"Retry-After": "²"}), completion()]

    assert ask(server.url).text == "hello"


def test_the_last_of_many_refusals_is_told_in_part(server: OpenAIServer) -> None:
    server.answers = [error(400, "max_tokens is too large" + "x" * 100_000, param="max_tokens")]

    with pytest.raises(Unavailable) as raised:
        ask(server.url)

    assert raised.value.passes is False
    assert len(str(raised.value)) < 2000


@pytest.mark.parametrize("finish_reason", [NO_TOOLS, FILTERED])
def test_a_reply_is_never_taken_for_a_word_of_ours_while_it_has_a_choice(
    server: OpenAIServer, finish_reason: str
) -> None:
    body = {"choices": [{"message": {"content": "x"}}], "error": {"code": finish_reason, "message": ""}}
    server.answers = [Answer(body)]

    assert ask(server.url).text == "x"


# --- The window, where the server was away at first


def test_a_server_that_was_away_when_it_was_asked_of_its_window_is_asked_again(server: OpenAIServer) -> None:
    model = OpenAIModel("m", base_url=server.url, api_key="k")
    server.about_models = Answer("starting", 503)
    before = model.window_tokens
    server.about_models = Answer({"data": [{"id": "m", "context_length": "8192"}]})

    assert [before, model.window_tokens, model.window_tokens] == [None, 8192, 8192]
    assert server.asked_about_models == 2


def test_a_server_that_stays_away_is_not_asked_for_ever(server: OpenAIServer) -> None:
    model = OpenAIModel("m", base_url=server.url, api_key="k")
    server.about_models = Answer("starting", 503)

    assert {model.window_tokens for _ in range(10)} == {None}
    assert server.asked_about_models == 3


# --- What can't be sent


@pytest.mark.parametrize("text", ["a \ud800 b", "\udcff", "a \0 b"])
def test_text_that_json_cant_hold_does_not_fail_a_call(server: OpenAIServer, text: str) -> None:
    server.answers = [completion()]
    model = OpenAIModel("m", base_url=server.url, api_key="k")

    reply = model.complete([user(text)], temperature=None, max_tokens=None, stop=never)

    assert reply.text == "hello"
    assert "\0" not in server.requests[0]["messages"][0]["content"]


@pytest.mark.parametrize("key", ["ключ", "a\nb"])
def test_a_key_that_can_be_none_is_told_to_the_operator(key: str) -> None:
    with pytest.raises(ConfigError, match="OPENAI_API_KEY"):
        OpenAIModel("m", base_url="http://127.0.0.1:9/v1", api_key=key)


@pytest.mark.parametrize("url", ["http://[::1/v1", "127.0.0.1:1/v1", "http:///v1", "http://127.0.0.1:99999/v1"])
def test_an_address_that_can_be_none_is_told_to_the_operator(url: str) -> None:
    with pytest.raises(ConfigError, match="OPENAI_BASE_URL"):
        OpenAIModel("m", base_url=url, api_key="k")


# --- Connections that fail in the middle


BODY = json.dumps(completion().body).encode()
LENGTH = b"HTTP/1.1 200 OK\r\nContent-Length: %d\r\n\r\n" % len(BODY)
CHUNKED = b"HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n%x\r\n" % len(BODY)


def reset(connection: socket.socket) -> None:
    connection.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, struct.pack("ii", 1, 0))


def sends(data: bytes) -> Callable[[socket.socket], None]:
    return lambda connection: connection.sendall(data)


@contextmanager
def speaking(script: Sequence[Callable[[socket.socket], None]]) -> Iterator[str]:
    """A server that does one thing of the script for each connection, the last one for ever, and closes it."""
    with socket.create_server(("127.0.0.1", 0)) as listening:

        def serve() -> None:
            count = 0
            while True:
                try:
                    connection, _ = listening.accept()
                except OSError:
                    return
                with connection:
                    connection.recv(65_536)
                    script[min(count, len(script) - 1)](connection)
                count += 1

        thread = threading.Thread(target=serve, daemon=True)
        thread.start()
        yield f"http://127.0.0.1:{listening.getsockname()[1]}/v1"
        listening.shutdown(socket.SHUT_RDWR)
        thread.join()


@pytest.mark.parametrize(
    "failure",
    [
        reset,
        sends(b""),
        sends(b"HTTP/1.1 200 O"),
        sends(LENGTH + BODY[:20]),
        sends(CHUNKED + BODY[:20]),
        sends(b"\x00\x01 no HTTP at all\r\n\r\n"),
        sends(b"HTTP/1.1 200 OK\r\nContent-Encoding: gzip\r\nContent-Length: 5\r\n\r\nplain"),
        sends(b"HTTP/1.1 307 X\r\nLocation: http://127.0.0.1:1/v1\r\nContent-Length: 0\r\n\r\n"),
        sends(b"HTTP/1.1 307 X\r\nLocation: ftp://x/y\r\nContent-Length: 0\r\n\r\n"),
        sends(b"HTTP/1.1 307 X\r\nLocation: http://[::bad/\r\nContent-Length: 0\r\n\r\n"),
    ],
)
def test_a_connection_that_fails_in_any_way_is_tried_again(failure: Callable[[socket.socket], None]) -> None:
    with speaking([failure, sends(LENGTH + BODY)]) as url:
        assert ask(url).text == "hello"


@pytest.mark.parametrize(
    "answer",
    [
        CHUNKED + BODY + b"\r\n0\r\n\r\n",
        b"HTTP/1.1 100 Continue\r\n\r\n" + LENGTH + BODY,
        LENGTH.replace(b"\r\n\r\n", b"\r\nContent-Type: application/json; charset=klingon\r\n\r\n") + BODY,
        LENGTH + BODY.replace(b"hello", b"h\xff\xfelo"),
    ],
)
def test_an_answer_is_read_in_whatever_way_it_is_sent(answer: bytes) -> None:
    with speaking([sends(answer)]) as url:
        assert (ask(url).text or "").startswith("h")


def test_a_redirect_without_an_end_is_a_failure_of_the_service() -> None:
    loop = sends(b"HTTP/1.1 307 X\r\nLocation: /v1/chat/completions\r\nContent-Length: 0\r\nConnection: close\r\n\r\n")

    with speaking([loop]) as url, pytest.raises(Unavailable, match="no connection to the model server"):
        ask(url)
