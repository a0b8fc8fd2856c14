"""What an error of a model server means, in every server's own words."""

import json
from typing import Any

import pytest

from bot.agent.openai_errors import remedy
from bot.agent.remedies import BadCall, Drop, Filtered, GiveUp, Lower, NoSchema, NoTools, Remedy, TooLong, Wait

REQUEST: dict[str, Any] = {"model": "m", "messages": [], "temperature": 0.0, "max_tokens": 8192}
WITH_TOOLS = {**REQUEST, "tools": [{}]}
WITH_SCHEMA = {**REQUEST, "response_format": {}}


def said(status: int, message: str, *, request: dict[str, Any] = REQUEST, **rest: object) -> Remedy:
    body = json.dumps({"error": {"message": message, **rest}})
    return remedy(status, body, request=request, retry_after_s=None)


@pytest.mark.parametrize(
    "message",
    [
        "Input validation error: `temperature` must be strictly positive",
        "Invalid 'temperature': decimal below minimum value. Expected a value >= 0.01, but got 0 instead.",
    ],
)
def test_a_temperature_whose_value_is_refused_is_left_out_of_that_request_alone(message: str) -> None:
    assert said(422, message) == Drop("temperature", always=False)


def test_a_temperature_that_may_only_be_one_is_left_out_of_all() -> None:
    message = "`temperature` may only be set to 1 when thinking is enabled."

    assert said(400, message) == Drop("temperature", always=True)


@pytest.mark.parametrize(
    "body",
    [
        {"detail": [{"loc": ["body", "temperature"], "msg": "Extra inputs are not permitted", "input": 0.0}]},
        {"message": {"detail": [{"loc": ["body", "temperature"], "msg": "Extra inputs are not permitted"}]}},
    ],
)
def test_a_validators_complaint_is_read_field_by_field(body: object) -> None:
    found = remedy(422, json.dumps(body), request=REQUEST, retry_after_s=None)

    assert found == Drop("temperature", always=True)


def test_a_prompt_that_an_error_repeats_says_nothing_about_money() -> None:
    echo = {"messages": [{"role": "user", "content": "insufficient_quota is shown as: payment required"}]}
    body = json.dumps({"detail": [{"loc": ["body", "prompt"], "msg": "Field required", "input": echo}]})

    found = remedy(422, body, request=REQUEST, retry_after_s=None)

    assert found == GiveUp("the model server answered 422: body.prompt: Field required")


@pytest.mark.parametrize(
    ("message", "limit"),
    [
        ("max_tokens is too large. This model supports at most 4,096 completion tokens.", 4096),
        ("too many tokens: max tokens must be less than or equal to 4096, the maximum output for this model", 4096),
        ("a maxOutputTokens value of 8192 but the supported range is from 1 (inclusive) to 4096 (exclusive).", 4096),
        ("Requests with max_tokens > 4096 must have stream=true", 4096),
    ],
)
def test_a_limit_that_is_too_large_is_lowered_to_what_any_server_says(message: str, limit: int) -> None:
    assert said(400, message) == Lower(limit, always=True)


@pytest.mark.parametrize(
    ("status", "message"),
    [
        (400, "Input is too long for requested model."),
        (400, "string too long. Expected a string with maximum length 1048576"),
        (400, "the maximum supported sequence length is just 4096!"),
        (500, "the request exceeds the available context size"),
        (500, "Trying to keep the first 5000 tokens, but the context length is only 4096 tokens"),
    ],
)
def test_a_prompt_that_is_too_long_is_known_by_any_servers_words_and_status(status: int, message: str) -> None:
    assert isinstance(said(status, message), TooLong)


def test_too_many_tokens_a_minute_are_waited_for() -> None:
    assert isinstance(said(429, "Too many tokens, please wait before trying again."), Wait)


def test_a_window_with_commas_in_its_number_is_that_window() -> None:
    found = said(400, "This model's maximum context length is 8,192 tokens; your messages resulted in 9,000 tokens.")

    assert isinstance(found, TooLong)
    assert found.window == 8192


def test_a_window_that_can_be_none_is_not_learnt() -> None:
    found = said(400, "This model's maximum context length is 0 tokens.")

    assert isinstance(found, TooLong)
    assert found.window is None


@pytest.mark.parametrize("words", ["maximum context length is {}", "request too large limit {}", "max_tokens is {}"])
def test_a_number_of_any_length_is_no_trouble(words: str) -> None:
    assert said(400, words.format("9" * 5000)) is not None


@pytest.mark.parametrize(
    ("status", "message", "rest"),
    [
        (404, "model: foo", {"type": "not_found_error"}),
        (400, "Invalid model: foo", {}),
        (400, "foo is not a valid model ID", {}),
        (404, "The API deployment for this resource does not exist.", {}),
        (400, "The requested model 'm' is not supported by any provider you have enabled.", {}),
        (404, "The model `m` has been deprecated, learn more here", {}),
        (403, "Project `p` does not have access to model `m`", {"code": "model_not_found"}),
        (500, "model `m` not found", {}),
    ],
)
def test_a_model_that_is_not_there_is_told_with_the_setting_to_change(status: int, message: str, rest: Any) -> None:
    found = said(status, message, **rest)

    assert isinstance(found, GiveUp)
    assert "set SELFCODE_MODEL" in found.reason


@pytest.mark.parametrize(
    ("status", "message", "setting"),
    [
        (404, "nope", "OPENAI_BASE_URL"),
        (405, "Method Not Allowed", "OPENAI_BASE_URL"),
        (400, "API key not valid. Please pass a valid API key.", "OPENAI_API_KEY"),
        (403, "Country, region, or territory not supported", "OPENAI_API_KEY"),
    ],
)
def test_who_must_act_is_told_what_to_look_at(status: int, message: str, setting: str) -> None:
    found = said(status, message)

    assert isinstance(found, GiveUp)
    assert setting in found.reason


@pytest.mark.parametrize(
    ("status", "message"),
    [
        (400, "Failed to call a function. Please adjust your prompt."),
        (500, "error parsing tool call: raw='{\"path\":', err=unexpected end of JSON input"),
        (500, "Failed to parse input at pos 12: <tool_call>"),
    ],
)
def test_a_tool_call_that_the_server_cant_read_is_the_models_mistake(status: int, message: str) -> None:
    assert isinstance(said(status, message, request=WITH_TOOLS), BadCall)


def test_a_parameter_is_known_by_its_name_alone_where_the_words_dont_name_it() -> None:
    assert isinstance(said(400, "not supported", request=WITH_TOOLS, param="tools"), NoTools)
    assert isinstance(said(400, "not supported", request=WITH_SCHEMA, param="response_format"), NoSchema)


@pytest.mark.parametrize("message", ["The response was filtered", "Content Exists Risk", "sensitive content"])
def test_a_filter_is_known_by_any_providers_words(message: str) -> None:
    assert isinstance(said(400, message), Filtered)


@pytest.mark.parametrize(
    ("status", "message", "rest"),
    [
        (429, "You have exceeded your monthly included credits for Inference Providers", {}),
        (500, "no more today", {"code": "insufficient_quota"}),
    ],
)
def test_a_spent_account_is_known_in_further_words(status: int, message: str, rest: Any) -> None:
    found = said(status, message, **rest)

    assert isinstance(found, GiveUp)
    assert "add credit" in found.reason


@pytest.mark.parametrize(
    ("words", "seconds"),
    [
        ("try again in 1.5s", 1.5),
        ("try again in 350ms", 0.35),
        ("retry in 1m30.5s", 90.5),
        ("Try again in 6m0s", 360),
        ("try again in 5 minutes", 300),
        ("Please retry after 1 hour", 3600),
        ("try again in 1h2m3s", 3723),
        ("try again in 20 sec", 20),
        ("try again in a moment", None),
        ("try again in " + "9" * 50 + " seconds", None),
    ],
)
def test_a_wait_in_words_is_read_in_any_unit(words: str, seconds: float | None) -> None:
    found = said(429, words)

    assert isinstance(found, Wait)
    assert found.retry_after_s == (None if seconds is None else pytest.approx(seconds))


def test_a_page_of_any_length_gives_a_short_reason() -> None:
    found = remedy(503, "<html>" + "x" * 5_000_000, request=REQUEST, retry_after_s=None)

    assert isinstance(found, Wait)
    assert len(found.reason) < 1000


def test_a_lone_surrogate_in_an_error_does_not_reach_a_trace() -> None:
    found = remedy(400, '{"error": {"message": "bad \\ud800 thing"}}', request=REQUEST, retry_after_s=None)

    assert isinstance(found, GiveUp)
    assert found.reason.encode()
