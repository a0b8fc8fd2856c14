"""Reading answers of odd forms."""

import json
from typing import Any

import pytest

from bot.agent.llm import BAD_CALL, FILTERED, NO_CHOICE, NO_SCHEMA, NO_TOOLS, TOO_LONG, UNREADABLE, Reply, ToolCall
from bot.agent.openai_replies import UNREADABLE_CHARS, no_reply, read_kept, read_reply
from bot.agent.prices import Prices
from bot.records import Usage


def read(answer: Any, *, prompt: str = "hi " * 100) -> Reply:
    return read_reply(answer if isinstance(answer, str) else json.dumps(answer), prompt=prompt, prices=Prices(1, 2))


def said(message: object, finish_reason: object = "stop", **beside: object) -> Reply:
    return read({"choices": [{"message": message, "finish_reason": finish_reason}], **beside})


@pytest.mark.parametrize(
    ("message", "finish_reason"),
    [
        ({"content": "x"}, None),
        ({"content": "x"}, 3),
        ({"content": "x", "refusal": False}, "stop"),
        ({"content": "x", "tool_calls": {}}, "stop"),
        ({"content": "x", "tool_calls": ""}, "stop"),
        ({"content": "x", "tool_calls": [None, "read"]}, "stop"),
        ({"content": {"type": "text", "text": "x"}}, "stop"),
        ({"content": ["junk", {"text": "x"}, {"type": "image"}]}, ""),
    ],
)
def test_words_are_read_whatever_stands_beside_them(message: object, finish_reason: object) -> None:
    reply = said(message, finish_reason)

    assert (reply.text, reply.tool_calls, reply.finish_reason) == ("x", (), "stop")


def test_a_tool_call_whose_id_is_a_number_is_a_call() -> None:
    calls = [None, {"id": 7, "function": {"name": "read", "arguments": "{}"}}]

    assert said({"content": None, "tool_calls": calls}).tool_calls == (ToolCall("7", "read", "{}"),)


@pytest.mark.parametrize("choices", [[], None, [None], [{"message": None}], [{"message": "x"}], [{"text": "x"}]])
def test_a_choice_without_a_message_is_no_choice(choices: object) -> None:
    assert read({"choices": choices}).finish_reason == NO_CHOICE


@pytest.mark.parametrize("end", ["error", "abort", "insufficient_system_resource", "network_error"])
def test_a_reply_that_broke_off_is_not_acted_on(end: str) -> None:
    reply = said({"content": "```python path=a.py\nx = 1\n```"}, end)

    assert (reply.text, reply.finish_reason) == (None, NO_CHOICE)
    assert end in reply.detail


def test_a_byte_order_mark_is_no_trouble() -> None:
    assert read('\ufeff{"choices": [{"message": {"content": "x"}}]}').text == "x"


@pytest.mark.parametrize(
    "usage",
    [
        None,
        "many",
        [],
        {"prompt_tokens": -1000, "completion_tokens": -5},
        {"prompt_tokens": 0, "completion_tokens": 0},
        {"prompt_tokens": None, "completion_tokens": 5},
        {"prompt_tokens": 5, "completion_tokens": None},
        {"prompt_tokens": True, "completion_tokens": True},
        {"prompt_tokens": 10**30, "completion_tokens": 1},
        {"prompt_tokens": float("nan"), "completion_tokens": float("inf")},
    ],
)
def test_usage_that_can_be_none_is_estimated_so_that_limits_bind(usage: object) -> None:
    found = said({"content": "x"}, usage=usage).usage

    assert found.estimated
    assert found.prompt_tokens > 50
    assert found.cost_usd is not None
    assert found.cost_usd > 0


@pytest.mark.parametrize(
    "usage",
    [
        {"prompt_tokens": "1000", "completion_tokens": "5"},
        {"prompt_tokens": 1000.0, "completion_tokens": 5.0},
        {"prompt_tokens": 1000, "completion_tokens": 5, "total_tokens": -4},
        {"prompt_tokens": 1000, "completion_tokens": 5, "prompt_tokens_details": "none", "cached_tokens": "x"},
    ],
)
def test_usage_is_taken_in_any_form_and_a_bad_detail_costs_it_nothing(usage: object) -> None:
    found = said({"content": "x"}, usage=usage).usage

    assert (found.prompt_tokens, found.completion_tokens, found.estimated) == (1000, 5, False)


def test_a_page_in_place_of_a_reply_is_kept_and_counted_in_part() -> None:
    reply = read("<html>" + "x" * 5_000_000)

    assert reply.finish_reason == UNREADABLE
    assert len(reply.raw) <= UNREADABLE_CHARS + 100
    assert reply.usage.completion_tokens < UNREADABLE_CHARS


@pytest.mark.parametrize("reason", [TOO_LONG, NO_TOOLS, NO_SCHEMA, BAD_CALL, FILTERED])
def test_an_end_without_a_reply_is_read_back_from_a_trace_as_it_was(reason: str) -> None:
    made = no_reply(reason, "the server's words", Usage(1, 2))

    again = read_kept(made.raw)

    assert (again.finish_reason, again.detail, again.text) == (reason, "the server's words", None)
