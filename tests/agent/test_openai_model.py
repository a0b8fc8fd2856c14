"""The door to OpenAI's protocol, against a real HTTP server on loopback."""

import asyncio
import json
import socket
import threading
import time
from collections.abc import Mapping
from concurrent.futures import ThreadPoolExecutor
from datetime import UTC, datetime, timedelta
from email.utils import format_datetime
from typing import Any

import pytest

from bot.agent import Message, OpenAIModel, Prices, Reply, Role, ToolCall
from bot.agent.llm import FILTERED, LENGTH, NO_CHOICE, NO_SCHEMA, NO_TOOLS, TOO_LONG, UNREADABLE, user
from bot.agent.tools import action_schema, request_of, specs
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


def test_a_model_says_whether_its_price_is_known(server: OpenAIServer) -> None:
    assert a_model(server, prices=Prices(1.0, 2.0)).has_price
    assert not a_model(server).has_price


def test_the_price_counts_cached_tokens_by_their_own(server: OpenAIServer) -> None:
    server.answers = [completion()]

    usage = ask(a_model(server, prices=Prices(input_usd=10.0, output_usd=100.0, cached_usd=1.0))).usage

    assert usage.cost_usd == pytest.approx((600 * 10 + 400 * 1 + 100 * 100) / 1_000_000)


def test_a_price_at_an_unknown_server_is_not_known(server: OpenAIServer) -> None:
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


# --- Replies held to a schema


def ask_by_schema(model: OpenAIModel) -> Reply:
    return model.complete([user("hi")], schema=action_schema(), temperature=None, max_tokens=None, stop=never)


def test_a_schema_travels_as_a_strict_response_format(server: OpenAIServer) -> None:
    server.answers = [completion("{}")]

    ask_by_schema(a_model(server))

    sent = server.requests[0]["response_format"]
    assert (sent["type"], sent["json_schema"]["strict"]) == ("json_schema", True)
    assert sent["json_schema"]["schema"] == action_schema()


REFUSED_SCHEMAS = [
    error(400, "This response_format type is unavailable now"),
    error(
        422,
        "Failed to deserialize the JSON body into the target type: response_format.type `json_schema` is unavailable",
    ),
    error(400, "Invalid parameter: 'response_format' of type 'json_schema' is not supported with this model."),
    error(400, "This model does not support response format `json_schema`.", param="response_format"),
    error(400, "Invalid schema for response_format 'reply': anyOf is not permitted", param="response_format"),
    error(
        400,
        "invalid value: `json_schema`, supported values are: `json_object` and `text`",
        param="response_format.type",
    ),
    error(400, "Failed to initialize samplers: failed to parse grammar"),
    error(500, "Unexpected empty grammar stack after accepting piece"),
]


@pytest.mark.parametrize("refusal", REFUSED_SCHEMAS)
def test_a_server_that_takes_no_schema_says_so_once(server: OpenAIServer, refusal: Answer) -> None:
    server.answers = [refusal, completion()]
    model = a_model(server)

    assert ask_by_schema(model).finish_reason == NO_SCHEMA
    assert ask_by_schema(model).finish_reason == NO_SCHEMA
    assert ask(model).text == "hello"
    assert len(server.requests) == 2


@pytest.mark.parametrize(
    "refusal",
    [
        error(400, '"auto" tool choice requires --enable-auto-tool-choice and --tool-call-parser to be set'),
        error(500, "tools param requires --jinja flag"),
        error(404, "No endpoints found that support tool use."),
        error(400, "deepseek-reasoner does not support Function Calling"),
        error(400, "tool use is not supported for this model"),
    ],
)
def test_a_server_that_was_not_started_for_tools_is_known_by_its_words(server: OpenAIServer, refusal: Answer) -> None:
    server.answers = [refusal]

    assert ask(a_model(server), tools=True).finish_reason == NO_TOOLS
    assert len(server.requests) == 1


# --- Several threads


def test_several_threads_may_ask_at_a_time_and_learn_together(server: OpenAIServer) -> None:
    def judge(sent: Mapping[str, Any]) -> Answer:
        if "max_tokens" in sent:
            return UNSUPPORTED_MAX_TOKENS
        return UNSUPPORTED_TEMPERATURE if "temperature" in sent else completion()

    server.judge = judge
    model = a_model(server)

    with ThreadPoolExecutor(4) as pool:
        said = [reply.text for reply in pool.map(lambda _: ask(model), range(8))]

    assert said == ["hello"] * 8
    assert "temperature" not in server.requests[-1]
    assert "max_completion_tokens" in server.requests[-1]


# --- The window


@pytest.mark.parametrize(
    ("about", "window"),
    [
        ({"data": [{"id": "other.gguf", "meta": {"n_ctx": 16384, "n_ctx_train": 32768}}]}, 16384),
        ({"data": [{"id": "x", "max_model_len": 1}, {"id": "m", "max_model_len": 4096}]}, 4096),
        ({"data": [{"id": "x"}, {"id": "y", "context_length": 4096}]}, None),
    ],
)
def test_the_window_is_what_the_server_says_of_the_model(
    server: OpenAIServer, about: object, window: int | None
) -> None:
    server.about_models = Answer(about)
    model = a_model(server)

    assert (model.window_tokens, model.window_tokens) == (window, window)
    assert server.asked_about_models == 1


@pytest.mark.parametrize("about", [Answer("not here", 404), Answer("<html>"), Answer("down", 500)])
def test_a_server_that_says_nothing_of_its_window_is_no_failure(server: OpenAIServer, about: Answer) -> None:
    server.about_models = about

    assert a_model(server).window_tokens is None


def test_no_server_at_all_has_no_window() -> None:
    assert OpenAIModel("m", base_url="http://127.0.0.1:9/v1", api_key="k").window_tokens is None


def test_the_operators_word_on_the_window_is_taken_without_asking(server: OpenAIServer) -> None:
    assert a_model(server, window_tokens=8192).window_tokens == 8192
    assert server.asked_about_models == 0


def test_a_window_is_learnt_from_the_error_that_names_it(server: OpenAIServer) -> None:
    body = {"code": 400, "message": "request (9000 tokens) exceeds the available context size (4096 tokens)"}
    server.answers = [Answer({"error": body}, 400)]
    model = a_model(server, window_tokens=32768)

    assert ask(model).finish_reason == TOO_LONG
    assert model.window_tokens == 4096


# --- Time


def test_a_server_that_drips_bytes_does_not_hold_a_call_for_ever(server: OpenAIServer) -> None:
    server.answers = [Answer("", dripping=True), completion()]

    assert ask(a_model(server, timeout_s=0.5)).text == "hello"


def test_a_wait_may_be_given_as_a_date_by_the_servers_own_clock(server: OpenAIServer) -> None:
    now = datetime(2030, 1, 1, tzinfo=UTC)
    dates = {
        "Date": format_datetime(now, usegmt=True),
        "Retry-After": format_datetime(now + timedelta(hours=1), usegmt=True),
    }
    server.answers = [error(429, "slow down", headers=dates)]

    with pytest.raises(Unavailable) as raised:
        ask(a_model(server))

    assert raised.value.retry_after_s is not None
    assert raised.value.retry_after_s > 3000


def test_a_wait_that_stands_in_the_message_is_understood(server: OpenAIServer) -> None:
    server.answers = [error(429, "Rate limit reached. Please try again in 7m12s.", code="rate_limit_exceeded")]

    with pytest.raises(Unavailable) as raised:
        ask(a_model(server))

    assert raised.value.retry_after_s == 432


def test_an_error_that_came_with_status_200_is_treated_as_one(server: OpenAIServer) -> None:
    server.answers = [Answer({"error": {"message": "Rate limited upstream", "code": 429}}), completion()]

    assert ask(a_model(server)).text == "hello"


# --- Money


@pytest.mark.parametrize(
    "refusal",
    [
        error(
            429,
            "You exceeded your current quota, please check your plan and billing details.",
            code="insufficient_quota",
        ),
        error(402, "Insufficient Balance"),
        error(402, "This request requires more credits, or fewer max_tokens. You requested up to 8192 tokens."),
        error(403, "Key limit exceeded (monthly limit)."),
        error(400, "Your credit balance is too low to access the Anthropic API."),
        error(400, "You have reached your specified API usage limits. You will regain access on 2026-01-01."),
        error(429, "Your team has either used all available credits or reached its monthly spending limit."),
        error(429, "Billing hard limit has been reached", code="billing_hard_limit_reached"),
        error(429, "余额不足或无可用资源包,请充值。", code="1113"),
        Answer({"error": {"message": "Insufficient credits", "code": 402}}),
    ],
)
def test_an_account_without_money_ends_the_run_at_once_in_whatever_words(server: OpenAIServer, refusal: Answer) -> None:
    server.answers = [refusal]

    with pytest.raises(Unavailable, match="add credit or raise the limit") as raised:
        ask(a_model(server))

    assert raised.value.passes is False
    assert len(server.requests) == 1


def test_a_quota_of_a_minute_is_waited_for_though_its_words_are_those_of_a_spent_one(server: OpenAIServer) -> None:
    busy = "You exceeded your current quota, please check your plan and billing details. Please retry in 0.01s."
    server.answers = [error(429, busy, code="RESOURCE_EXHAUSTED"), completion()]

    assert ask(a_model(server)).text == "hello"


def test_a_prompt_over_the_tokens_of_a_minute_is_made_shorter_and_not_sent_again(server: OpenAIServer) -> None:
    message = "Request too large for m on tokens per min (TPM): Limit 30000, Requested 52000."
    server.answers = [error(429, message, code="rate_limit_exceeded")]

    assert ask(a_model(server)).finish_reason == TOO_LONG
    assert len(server.requests) == 1


def test_an_unknown_model_is_told_with_the_setting_to_change(server: OpenAIServer) -> None:
    server.answers = [
        error(404, "The model `m` does not exist or you do not have access to it.", code="model_not_found")
    ]

    with pytest.raises(Unavailable, match="set SELFCODE_MODEL"):
        ask(a_model(server))


# --- Replies of odd kinds


def test_a_lone_surrogate_does_not_make_a_reply_unusable(server: OpenAIServer) -> None:
    message = '{"content": "a \\ud800 b \\ud83d\\ude00", "tool_calls": null}'
    server.answers = [Answer('{"choices": [{"message": ' + message + ', "finish_reason": "stop"}]}')]

    reply = ask(a_model(server))

    assert reply.text == "a ? b 😀"
    assert json.loads(reply.raw)["choices"][0]["finish_reason"] == "stop"


@pytest.mark.parametrize(
    ("message", "finish_reason", "detail"),
    [
        ({"content": None, "refusal": "I can't help with that."}, "stop", "the model refused: I can't help"),
        ({"content": "", "reasoning_content": "Hmm. Let me see."}, "length", "it holds reasoning alone"),
        ({"content": None, "reasoning": "Hmm."}, "stop", "it holds reasoning alone"),
        ({"content": ""}, "stop", ""),
    ],
)
def test_a_reply_without_words_says_what_it_holds_instead(
    server: OpenAIServer, message: dict[str, Any], finish_reason: str, detail: str
) -> None:
    server.answers = [completion(message.pop("content"), finish_reason=finish_reason, **message)]

    reply = ask(a_model(server))

    assert reply.finish_reason == finish_reason
    assert reply.detail.startswith(detail)


@pytest.mark.parametrize(
    ("theirs", "ours"),
    [("max_tokens", LENGTH), ("model_length", LENGTH), ("SAFETY", FILTERED), ("refusal", FILTERED), ("eos", "stop")],
)
def test_other_servers_words_for_how_a_reply_ended_are_openais(server: OpenAIServer, theirs: str, ours: str) -> None:
    server.answers = [completion("x", finish_reason=theirs)]

    assert ask(a_model(server)).finish_reason == ours


def test_a_prompt_that_the_provider_filters_is_a_value(server: OpenAIServer) -> None:
    message = "The response was filtered due to the prompt triggering Azure OpenAI's content management policy."
    server.answers = [error(400, message, code="content_filter", param="prompt")]

    reply = ask(a_model(server))

    assert (reply.finish_reason, len(server.requests)) == (FILTERED, 1)


def test_a_reply_that_broke_off_with_an_error_is_not_acted_on(server: OpenAIServer) -> None:
    choice = {
        "message": {"content": "```python path=a.py"},
        "finish_reason": "error",
        "error": {"message": "upstream died"},
    }
    server.answers = [Answer({"choices": [choice]})]

    reply = ask(a_model(server))

    assert (reply.text, reply.finish_reason) == (None, NO_CHOICE)
    assert "upstream died" in reply.detail


@pytest.mark.parametrize(
    ("usage", "timings", "cached"),
    [
        ({"prompt_tokens_details": {"cached_tokens": 300}}, None, 300),
        ({"prompt_cache_hit_tokens": 200, "prompt_cache_miss_tokens": 800}, None, 200),
        ({"cached_tokens": 128}, None, 128),
        ({"cache_read_input_tokens": 64}, None, 64),
        ({}, {"cache_n": 700, "prompt_n": 300}, 700),
        ({"prompt_tokens_details": None}, None, None),
        ({"cached_tokens": 5000}, None, 1000),
    ],
)
def test_cached_tokens_are_found_wherever_a_server_tells_them(
    server: OpenAIServer, usage: dict[str, Any], timings: object, cached: int | None
) -> None:
    told = {"prompt_tokens": 1000, "completion_tokens": 10, **usage}
    server.answers = [Answer({"choices": [{"message": {"content": "x"}}], "usage": told, "timings": timings})]

    assert ask(a_model(server)).usage.cached_tokens == cached


def test_reasoning_that_a_server_counts_in_the_total_alone_is_part_of_the_reply(server: OpenAIServer) -> None:
    usage = {"prompt_tokens": 100, "completion_tokens": 10, "total_tokens": 160}
    server.answers = [Answer({"choices": [{"message": {"content": "x"}}], "usage": usage})]

    assert ask(a_model(server)).usage.completion_tokens == 60


def test_usage_of_another_form_costs_the_reply_nothing(server: OpenAIServer) -> None:
    server.answers = [Answer({"choices": [{"message": {"content": "x"}}], "usage": {"prompt_tokens": "many"}})]

    reply = ask(a_model(server))

    assert (reply.text, reply.usage.estimated) == ("x", True)


def test_the_endpoint_is_told_without_what_is_secret_in_it() -> None:
    assert OpenAIModel("m", base_url="http://me:hush@127.0.0.1:9/v1", api_key="k").endpoint == "http://127.0.0.1:9/v1"


# --- Parameters, in other servers' words


@pytest.mark.parametrize(
    "message",
    [
        "invalid temperature: only 1 is allowed for this model",
        "`temperature` is deprecated for this model.",
        "Argument not supported on this model: temperature",
        "[{'type': 'extra_forbidden', 'loc': ('body', 'temperature'), 'msg': 'Extra inputs are not permitted'}]",
    ],
)
def test_a_temperature_that_is_refused_in_any_words_is_left_out(server: OpenAIServer, message: str) -> None:
    server.answers = [error(400, message), completion()]

    assert ask(a_model(server)).text == "hello"
    assert "temperature" not in server.requests[1]


@pytest.mark.parametrize(
    "message",
    [
        "Invalid max_tokens value, the valid range of max_tokens is [1, 4096]",
        "max_tokens: 8192 > 4096, which is the maximum allowed number of output tokens for m",
        "`max_tokens` must be less than or equal to `4096`, the maximum value for `max_tokens` is less than the window",
    ],
)
def test_a_limit_that_is_too_large_is_lowered_by_any_servers_words(server: OpenAIServer, message: str) -> None:
    server.answers = [error(400, message), completion()]

    ask(a_model(server))

    assert [sent["max_tokens"] for sent in server.requests] == [8192, 4096]


def test_a_prompt_that_a_proxy_finds_too_large_is_made_shorter(server: OpenAIServer) -> None:
    server.answers = [Answer("<html>413 Request Entity Too Large</html>", 413)]

    assert ask(a_model(server)).finish_reason == TOO_LONG


def test_an_address_without_chat_completions_is_told_with_the_setting_to_change(server: OpenAIServer) -> None:
    server.answers = [Answer("404 page not found", 404)]

    with pytest.raises(Unavailable, match="set OPENAI_BASE_URL"):
        ask(a_model(server))


@pytest.mark.parametrize(
    "arguments", ["", '{"path": "src/a', "null", "[1]", '{"{\\"path\\":', "\x00", '{"path": "\\ud800"}']
)
def test_arguments_that_are_no_object_come_back_as_that_calls_own_problem(server: OpenAIServer, arguments: str) -> None:
    calls = [{"id": "a", "function": {"name": "read", "arguments": arguments}}]
    server.answers = [completion(None, tool_calls=calls)]

    (call,) = ask(a_model(server), tools=True).tool_calls
    request = request_of(call.name, call.arguments)

    assert request.action is None
    assert "read was not run" in request.problem
    assert len(request.problem) < 700
