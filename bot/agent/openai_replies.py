"""Reading what an OpenAI-compatible server sent: a chat completion, or nothing that can be used. Pure."""

import json
from typing import Any

from pydantic import BaseModel, Field, ValidationError

from bot.agent.llm import NO_CHOICE, STOP, UNREADABLE, Reply, ToolCall
from bot.agent.prices import Prices, estimated_tokens, priced
from bot.records import Usage

DETAIL_CHARS = 500


class _Function(BaseModel):
    name: str | None = None
    arguments: Any = None


class _ToolCall(BaseModel):
    id: str | None = None
    function: _Function | None = None


class _Said(BaseModel):
    content: str | list[Any] | None = None
    refusal: str | None = None
    tool_calls: list[_ToolCall] | None = None


class _Choice(BaseModel):
    message: _Said | None = None
    finish_reason: str | None = None


class _CachedTokens(BaseModel):
    cached_tokens: int | None = None


class _Usage(BaseModel):
    prompt_tokens: int | None = None
    completion_tokens: int | None = None
    prompt_tokens_details: _CachedTokens | None = None


class _Completion(BaseModel):
    choices: list[_Choice] | None = None
    usage: _Usage | None = None
    error: Any = None
    id: Any = Field(default=None)


def read_reply(raw: str, *, prompt: str, prices: Prices | None) -> Reply:
    """Make a `Reply` of a server's answer, whatever it is. `prompt` is what was sent, to estimate usage from."""
    try:
        completion = _Completion.model_validate_json(raw)
    except ValidationError as error:
        usage = priced(_usage_of(None, prompt=prompt, reply=raw), prices)
        return Reply(None, (), UNREADABLE, usage, raw, f"{error.error_count()} errors, in: {raw[:DETAIL_CHARS]}")
    usage = priced(_usage_of(completion.usage, prompt=prompt, reply=raw), prices)
    choice = completion.choices[0] if completion.choices else None
    if choice is None or choice.message is None:
        detail = json.dumps(completion.error)[:DETAIL_CHARS] if completion.error else "the server sent no choice"
        return Reply(None, (), NO_CHOICE, usage, raw, detail)
    said = choice.message
    return Reply(
        text=_text_of(said.content),
        tool_calls=tuple(_tool_call(call, at) for at, call in enumerate(said.tool_calls or [])),
        finish_reason=choice.finish_reason or STOP,
        usage=usage,
        raw=raw,
        detail=said.refusal or "",
    )


def _text_of(content: str | list[Any] | None) -> str | None:
    """The words of a reply; servers that send a list of parts mark the words by type."""
    if isinstance(content, list):
        parts = [part["text"] for part in content if isinstance(part, dict) and isinstance(part.get("text"), str)]
        content = "".join(parts) or None
    return None if content is None else encodable(content)


def encodable(text: str) -> str:
    """The text without lone surrogates, which JSON can hold and UTF-8 can't."""
    return text.encode("utf-8", "replace").decode()


def _tool_call(call: _ToolCall, at: int) -> ToolCall:
    function = call.function or _Function()
    arguments = function.arguments
    text = arguments if isinstance(arguments, str) else "" if arguments is None else json.dumps(arguments)
    return ToolCall(call.id or f"call_{at}", encodable(function.name or ""), encodable(text))


def _usage_of(reported: _Usage | None, *, prompt: str, reply: str) -> Usage:
    if reported is None or reported.prompt_tokens is None or reported.completion_tokens is None:
        return Usage(estimated_tokens(prompt), estimated_tokens(reply), estimated=True)
    cached = reported.prompt_tokens_details.cached_tokens if reported.prompt_tokens_details else None
    return Usage(reported.prompt_tokens, reported.completion_tokens, cached)
