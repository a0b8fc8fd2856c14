"""Reading what an OpenAI-compatible server sent: a chat completion, or nothing that can be used. Pure."""

import json
from typing import Any, TypeVar

from pydantic import BaseModel, ValidationError

from bot.agent.llm import LENGTH, NO_CHOICE, STOP, UNREADABLE, Reply, ToolCall
from bot.agent.prices import Pricing, estimated_tokens, priced
from bot.records import Usage

T = TypeVar("T", bound=BaseModel)

DETAIL_CHARS = 500
FILTERED = "content_filter"
"""The server's own word where its provider held a prompt or a reply back."""

_SAME: dict[str, str] = {
    "max_tokens": LENGTH,
    "max_output_tokens": LENGTH,
    "model_length": LENGTH,
    "context_length": LENGTH,
    "end_turn": STOP,
    "eos": STOP,
    "eos_token": STOP,
    "safety": FILTERED,
    "prohibited_content": FILTERED,
    "recitation": FILTERED,
    "blocklist": FILTERED,
    "sensitive": FILTERED,
    "refusal": FILTERED,
}
"""Other servers' words for OpenAI's."""


class _Function(BaseModel):
    name: str | None = None
    arguments: Any = None


class _ToolCall(BaseModel):
    id: str | None = None
    function: _Function | None = None


class _Said(BaseModel):
    content: str | list[Any] | None = None
    refusal: str | None = None
    reasoning_content: Any = None
    reasoning: Any = None
    tool_calls: list[_ToolCall] | None = None


class _Choice(BaseModel):
    message: _Said | None = None
    finish_reason: str | None = None
    error: Any = None


class _CachedTokens(BaseModel):
    cached_tokens: int | None = None


class _Usage(BaseModel):
    prompt_tokens: int | None = None
    completion_tokens: int | None = None
    total_tokens: int | None = None
    prompt_tokens_details: _CachedTokens | None = None
    prompt_cache_hit_tokens: int | None = None
    cached_tokens: int | None = None
    cache_read_input_tokens: int | None = None


class _Timings(BaseModel):
    cache_n: int | None = None


class _Completion(BaseModel):
    choices: list[_Choice] | None = None
    usage: Any = None
    timings: Any = None
    error: Any = None


def read_reply(raw: str, *, prompt: str, prices: Pricing | None) -> Reply:
    """Make a `Reply` of a server's answer, whatever it is. `prompt` is what was sent, to estimate usage from."""
    try:
        completion = _Completion.model_validate(_encodable(json.loads(raw, strict=False)))
    except (ValueError, RecursionError) as error:
        usage = priced(_estimated(prompt, raw), prices)
        return Reply(None, (), UNREADABLE, usage, raw, f"{_first_line(error)}, in: {raw[:DETAIL_CHARS]}")
    usage = priced(_usage_of(completion, prompt=prompt, reply=raw), prices)
    choice = completion.choices[0] if completion.choices else None
    failure = completion.error or (choice.error if choice else None)
    if choice is None or choice.message is None or (failure and choice.finish_reason == "error"):
        detail = json.dumps(failure)[:DETAIL_CHARS] if failure else "the server sent no choice"
        return Reply(None, (), NO_CHOICE, usage, raw, detail)
    said = choice.message
    text = _text_of(said.content)
    finish_reason = choice.finish_reason or STOP
    return Reply(
        text=text,
        tool_calls=tuple(_tool_call(call, at) for at, call in enumerate(said.tool_calls or [])),
        finish_reason=_SAME.get(finish_reason.lower(), finish_reason),
        usage=usage,
        raw=raw,
        detail="" if text or said.tool_calls else _why_empty(said),
    )


def _why_empty(said: _Said) -> str:
    """What a message without words holds instead."""
    if said.refusal:
        return f"the model refused: {said.refusal[:DETAIL_CHARS]}"
    reasoning = said.reasoning_content or said.reasoning
    return f"it holds reasoning alone, {len(str(reasoning))} characters" if reasoning else ""


def _text_of(content: str | list[Any] | None) -> str | None:
    """The words of a reply; servers that send a list of parts mark the words by type."""
    if isinstance(content, list):
        parts = [part["text"] for part in content if isinstance(part, dict) and isinstance(part.get("text"), str)]
        return "".join(parts) or None
    return content


def _encodable(found: Any) -> Any:
    """The value without lone surrogates, which JSON can hold and UTF-8 can't."""
    match found:
        case str():
            return found.encode("utf-8", "replace").decode()
        case list():
            return [_encodable(item) for item in found]
        case dict():
            return {_encodable(key): _encodable(value) for key, value in found.items()}
    return found


def _tool_call(call: _ToolCall, at: int) -> ToolCall:
    function = call.function or _Function()
    arguments = function.arguments
    text = arguments if isinstance(arguments, str) else "" if arguments is None else json.dumps(arguments)
    return ToolCall(call.id or f"call_{at}", function.name or "", text)


def _usage_of(completion: _Completion, *, prompt: str, reply: str) -> Usage:
    """What was used. Some servers count the model's reasoning in the total alone: it is the reply's, and is paid."""
    reported = _valid(_Usage, completion.usage)
    if reported is None or reported.prompt_tokens is None or reported.completion_tokens is None:
        return _estimated(prompt, reply)
    completed = max(reported.completion_tokens, (reported.total_tokens or 0) - reported.prompt_tokens)
    return Usage(reported.prompt_tokens, completed, _cached(reported, _valid(_Timings, completion.timings)))


def _cached(reported: _Usage, timings: _Timings | None) -> int | None:
    """The cached part of the prompt, wherever it stands; None where the server does not say.

    Source: OpenAI and most (`prompt_tokens_details.cached_tokens`), DeepSeek (`prompt_cache_hit_tokens`), Moonshot
    (`cached_tokens`), gateways to Anthropic (`cache_read_input_tokens`), llama.cpp (`timings.cache_n`).
    """
    told = (
        reported.prompt_tokens_details.cached_tokens if reported.prompt_tokens_details else None,
        reported.prompt_cache_hit_tokens,
        reported.cached_tokens,
        reported.cache_read_input_tokens,
        timings.cache_n if timings else None,
    )
    cached = max((tokens for tokens in told if tokens is not None), default=None)
    return None if cached is None else max(0, min(cached, reported.prompt_tokens or 0))


def _estimated(prompt: str, reply: str) -> Usage:
    return Usage(estimated_tokens(prompt), estimated_tokens(reply), estimated=True)


def _valid(shape: type[T], found: Any) -> T | None:
    """The figures as we know them; those of another form count as not told, and cost the reply nothing."""
    try:
        return shape.model_validate(found)
    except ValidationError:
        return None


def _first_line(error: Exception) -> str:
    return str(error).split("\n", maxsplit=1)[0]
