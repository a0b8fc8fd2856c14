"""The door to OpenAI's protocol, against a real HTTP server on loopback."""

import asyncio
import json
import socket
import threading
import time

import pytest

from bot.agent import Message, OpenAIModel, Prices, Reply, Role, ToolCall
from bot.agent.llm import NO_CHOICE, NO_TOOLS, TOO_LONG, UNREADABLE, user
from bot.agent.tools import specs
from bot.errors import ConfigError, Stopped, Unavailable
from tests.agent.fakes import never
from tests.agent.openai_server import Answer, OpenAIServer, completion, error


def a_model(server: OpenAIServer, name: str = "m", **rest: object) -> OpenAIModel:
    return OpenAIModel(name, base_url=server.url, api_key="sk-test", backoff_s=0.01, **rest)  # type: ignore[arg-type]


def ask(
    model: OpenAIModel, *, tools: bool = False, temperature: float | None = 0.2, max_tokens: int | None = 8192
) -> Reply:
    return model.complete(
        [user("hi")], tools=specs() if tools else None, temperature=temperature, max_tokens=max_tokens, stop=never
    )


def test_a_reply_comes_back_with_its_usage_and_its_whole_json(server: OpenAIServer) -> None:
    server.answers = [completion("hello")]

    reply = ask(a_model(server))

    assert (reply.text, reply.finish_reason) == ("hello", "stop")
    assert (reply.usage.prompt_tokens, reply.usage.completion_tokens, reply.usage.cached_tokens) == (1000, 100, 400)
    assert json.loads(reply.raw)["id"] == "c"
    assert server.keys == ["Bearer sk-test"]


def test_a_conversation_with_tool_calls_travels_in_openais_shape(server: OpenAIServer) -> None:
    server.answers = [completion("ok")]
    call = ToolCall("c1", "read", '{"path": "a.py"}')
    messages = [user("hi"), Message(Role.ASSISTANT, None, (call,)), Message(Role.TOOL, "x = 1", tool_call_id="c1")]

    a_model(server).complete(messages, tools=specs(), temperature=None, max_tokens=None, stop=never)

    (sent,) = server.requests
    assert sent["messages"][1]["tool_calls"] == [
        {"id": "c1", "type": "function", "function": {"name": "read", "arguments": '{"path": "a.py"}'}}
    ]
    assert sent["messages"][2] == {"role": "tool", "content": "x = 1", "tool_call_id": "c1"}
    assert {tool["function"]["name"] for tool in sent["tools"]} >= {"read", "edit", "finish"}
    assert "temperature" not in sent
    assert "max_tokens" not in sent


def test_tool_calls_are_read_with_their_arguments_as_they_are(server: OpenAIServer) -> None:
    calls = [{"id": "a", "type": "function", "function": {"name": "read", "arguments": '{"path": "src/a'}}]
    server.answers = [completion(None, finish_reason="tool_calls", tool_calls=calls)]

    reply = ask(a_model(server), tools=True)

    assert reply.text is None
    assert reply.tool_calls == (ToolCall("a", "read", '{"path": "src/a'),)


@pytest.mark.parametrize("arguments", [None, {"path": "a.py"}])
def test_servers_that_send_arguments_as_an_object_or_leave_them_out_are_understood(
    server: OpenAIServer, arguments: object
) -> None:
    server.answers = [completion(None, tool_calls=[{"function": {"name": "read", "arguments": arguments}}])]

    (call,) = ask(a_model(server), tools=True).tool_calls

    assert call == ToolCall("call_0", "read", json.dumps(arguments) if arguments else "")


def test_no_content_at_the_length_limit_is_a_value(server: OpenAIServer) -> None:
    server.answers = [completion(None, finish_reason="length")]

    reply = ask(a_model(server))

    assert (reply.text, reply.is_truncated) == (None, True)


@pytest.mark.parametrize(
    ("body", "reason"),
    [
        ({"choices": []}, NO_CHOICE),
        ({"choices": None}, NO_CHOICE),
        ({"error": {"message": "overloaded"}}, NO_CHOICE),
        ({"choices": [{"message": None}]}, NO_CHOICE),
        ({"choices": "x"}, UNREADABLE),
        ("null", UNREADABLE),
        ("[]", UNREADABLE),
        ("<html>busy</html>", UNREADABLE),
        ("", UNREADABLE),
    ],
)
def test_an_answer_without_a_reply_is_a_value_that_names_the_cause(
    server: OpenAIServer, body: object, reason: str
) -> None:
    server.answers = [Answer(body)]

    reply = ask(a_model(server))

    assert (reply.text, reply.finish_reason) == (None, reason)
    assert reply.detail


def test_content_in_parts_is_joined(server: OpenAIServer) -> None:
    server.answers = [completion([{"type": "text", "text": "a"}, {"type": "text", "text": "b"}])]

    assert ask(a_model(server)).text == "ab"


def test_usage_that_is_missing_is_estimated(server: OpenAIServer) -> None:
    server.answers = [Answer({"choices": [{"message": {"content": "x" * 350}, "finish_reason": "stop"}]})]

    usage = ask(a_model(server)).usage

    assert usage.estimated
    assert usage.completion_tokens >= 100


def test_the_price_counts_cached_tokens_by_their_own(server: OpenAIServer) -> None:
    server.answers = [completion()]

    usage = ask(a_model(server, prices=Prices(input_usd=10.0, output_usd=100.0, cached_usd=1.0))).usage

    assert usage.cost_usd == pytest.approx((600 * 10 + 400 * 1 + 100 * 100) / 1_000_000)


def test_a_price_elsewhere_than_at_openai_is_not_known(server: OpenAIServer) -> None:
    server.answers = [completion()]

    assert ask(a_model(server, "gpt-5-mini")).usage.cost_usd is None


UNSUPPORTED_TEMPERATURE = error(
    400,
    "Unsupported value: 'temperature' does not support 0.2 with this model. Only the default (1) value is supported.",
    param="temperature",
    code="unsupported_value",
)
UNSUPPORTED_MAX_TOKENS = error(
    400,
    "Unsupported parameter: 'max_tokens' is not supported with this model. Use 'max_completion_tokens' instead.",
    param="max_tokens",
    code="unsupported_parameter",
)


def test_a_parameter_that_the_model_does_not_take_is_left_out_once_and_for_all(server: OpenAIServer) -> None:
    server.answers = [UNSUPPORTED_TEMPERATURE, completion(), completion()]
    model = a_model(server)

    ask(model)
    ask(model)

    assert ["temperature" in sent for sent in server.requests] == [True, False, False]


def test_max_tokens_is_renamed_once_and_for_all(server: OpenAIServer) -> None:
    server.answers = [UNSUPPORTED_MAX_TOKENS, UNSUPPORTED_TEMPERATURE, completion(), completion()]
    model = a_model(server)

    ask(model)
    ask(model)

    assert [("max_tokens" in sent, "max_completion_tokens" in sent) for sent in server.requests] == [
        (True, False),
        (False, True),
        (False, True),
        (False, True),
    ]


def test_a_server_that_says_it_in_words_alone_is_understood(server: OpenAIServer) -> None:
    server.answers = [error(400, "Unrecognized request argument supplied: temperature"), completion()]

    ask(a_model(server))

    assert "temperature" not in server.requests[1]


def test_a_limit_that_is_too_large_is_lowered_to_what_the_message_says(server: OpenAIServer) -> None:
    message = (
        "max_tokens is too large: 8192. This model supports at most 4096 completion tokens, whereas you provided 8192."
    )
    server.answers = [error(400, message, param="max_tokens"), completion(), completion()]
    model = a_model(server)

    ask(model)
    ask(model)

    assert [sent["max_tokens"] for sent in server.requests] == [8192, 4096, 4096]


def test_a_limit_that_does_not_fit_beside_the_prompt_is_lowered_for_this_call(server: OpenAIServer) -> None:
    message = (
        "'max_tokens' or 'max_completion_tokens' is too large: 8192. This model's maximum context length is 4096 "
        "tokens and your request has 1000 input tokens (8192 > 4096 - 1000)."
    )
    server.answers = [error(400, message), completion(), completion()]
    model = a_model(server)

    ask(model)
    ask(model)

    assert [sent["max_tokens"] for sent in server.requests] == [8192, 3095, 8192]


def test_any_other_bad_request_is_not_sent_again(server: OpenAIServer) -> None:
    server.answers = [error(400, "Invalid 'messages[0].content'", param="messages[0].content")]

    with pytest.raises(Unavailable, match="Invalid 'messages"):
        ask(a_model(server))

    assert len(server.requests) == 1


def test_a_server_that_refuses_variants_for_ever_is_given_up(server: OpenAIServer) -> None:
    server.answers = [error(400, "max_tokens is too large", param="max_tokens")]

    with pytest.raises(Unavailable):
        ask(a_model(server))

    assert len(server.requests) <= 6


def test_a_prompt_that_does_not_fit_the_window_is_a_value(server: OpenAIServer) -> None:
    server.answers = [
        error(
            400,
            "This model's maximum context length is 8192 tokens. Your messages resulted in 9000 tokens.",
            code="context_length_exceeded",
        )
    ]

    reply = ask(a_model(server))

    assert reply.finish_reason == TOO_LONG
    assert "8192" in reply.detail
    assert len(server.requests) == 1


def test_llama_cpps_words_for_a_prompt_that_is_too_long_are_understood(server: OpenAIServer) -> None:
    message = "the request exceeds the available context size, try increasing it"
    server.answers = [Answer({"error": {"code": 400, "message": message, "type": "exceed_context_size_error"}}, 400)]

    assert ask(a_model(server)).finish_reason == TOO_LONG


def test_a_server_that_takes_no_tools_says_so_once(server: OpenAIServer) -> None:
    server.answers = [error(400, "registry.ollama.ai/library/gemma does not support tools"), completion()]
    model = a_model(server)

    assert ask(model, tools=True).finish_reason == NO_TOOLS
    assert ask(model, tools=True).finish_reason == NO_TOOLS
    assert ask(model).text == "hello"
    assert len(server.requests) == 2


def test_an_account_without_quota_stops_at_once_and_says_who_must_act(server: OpenAIServer) -> None:
    server.answers = [
        error(429, "You exceeded your current quota", code="insufficient_quota", type="insufficient_quota")
    ]

    with pytest.raises(Unavailable, match="its owner must add credit"):
        ask(a_model(server))

    assert len(server.requests) == 1


def test_a_rate_limit_is_waited_for_as_long_as_the_server_says(server: OpenAIServer) -> None:
    limited = error(429, "Rate limit reached", code="rate_limit_exceeded", headers={"Retry-After": "1"})
    server.answers = [limited, completion()]
    began = time.monotonic()

    assert ask(a_model(server)).text == "hello"

    assert time.monotonic() - began >= 1


def test_a_rate_limit_of_an_hour_is_handed_on_with_its_time(server: OpenAIServer) -> None:
    server.answers = [error(429, "Rate limit reached", code="rate_limit_exceeded", headers={"Retry-After": "3600"})]

    with pytest.raises(Unavailable) as raised:
        ask(a_model(server))

    assert raised.value.retry_after_s == 3600
    assert len(server.requests) == 1


@pytest.mark.parametrize("status", [408, 409, 429, 500, 502, 503, 529])
def test_a_failing_service_is_tried_again(server: OpenAIServer, status: int) -> None:
    server.answers = [Answer("busy", status), completion()]

    assert ask(a_model(server)).text == "hello"


def test_a_service_that_keeps_failing_is_unavailable_after_a_few_tries(server: OpenAIServer) -> None:
    server.answers = [Answer("busy", 503)]

    with pytest.raises(Unavailable, match="503"):
        ask(a_model(server))

    assert len(server.requests) == 5


def test_a_refused_key_is_not_tried_again(server: OpenAIServer) -> None:
    server.answers = [error(401, "Incorrect API key provided")]

    with pytest.raises(Unavailable, match="set OPENAI_API_KEY"):
        ask(a_model(server))

    assert len(server.requests) == 1


def test_no_server_at_all_is_unavailable() -> None:
    with socket.socket() as free:
        free.bind(("127.0.0.1", 0))
        port = free.getsockname()[1]

    with pytest.raises(Unavailable, match="no connection to the model server"):
        ask(OpenAIModel("m", base_url=f"http://127.0.0.1:{port}/v1", backoff_s=0.01))


def test_a_server_that_does_not_answer_in_time_is_unavailable(server: OpenAIServer) -> None:
    server.answers = [Answer("", held=True)]

    with pytest.raises(Unavailable, match=r"did not answer in 0\.2 s"):
        ask(a_model(server, timeout_s=0.2))


def test_a_stop_ends_a_call_in_the_middle_of_the_reply(server: OpenAIServer) -> None:
    server.answers = [Answer("", held=True)]
    began = time.monotonic()

    with pytest.raises(Stopped):
        a_model(server).complete([user("hi")], tools=None, temperature=None, max_tokens=None, stop=server.came.is_set)

    assert time.monotonic() - began < 30
    assert not [thread for thread in threading.enumerate() if thread.name == "model call"]


def test_a_stop_ends_the_wait_for_a_rate_limit(server: OpenAIServer) -> None:
    server.answers = [error(429, "slow down", headers={"Retry-After": "60"})]
    began = time.monotonic()

    with pytest.raises(Stopped):
        a_model(server).complete([user("hi")], tools=None, temperature=None, max_tokens=None, stop=server.came.is_set)

    assert time.monotonic() - began < 30


def test_a_caller_with_a_running_event_loop_may_ask_too(server: OpenAIServer) -> None:
    server.answers = [completion()]

    async def notebook() -> str | None:
        return ask(a_model(server)).text

    assert asyncio.run(notebook()) == "hello"


def test_a_local_server_needs_no_key(monkeypatch: pytest.MonkeyPatch, server: OpenAIServer) -> None:
    monkeypatch.delenv("OPENAI_API_KEY", raising=False)
    monkeypatch.setenv("OPENAI_BASE_URL", server.url)
    server.answers = [completion()]

    assert ask(OpenAIModel("m")).text == "hello"


def test_openai_itself_needs_one(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv("OPENAI_API_KEY", raising=False)
    monkeypatch.delenv("OPENAI_BASE_URL", raising=False)

    with pytest.raises(ConfigError, match="OPENAI_API_KEY"):
        OpenAIModel("gpt-5-mini")
