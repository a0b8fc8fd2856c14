"""Reading what an OpenAI-compatible server sent: a chat completion, or nothing that can be used. Pure."""

import json
from typing import Any

from pydantic import BaseModel

from bot.agent.llm import (
    BAD_CALL,
    FILTERED,
    LENGTH,
    NO_CHOICE,
    NO_SCHEMA,
    NO_TOOLS,
    STOP,
    TOO_LONG,
    UNREADABLE,
    Reply,
    ToolCall,
)
from bot.agent.openai_usage import estimated, usage_of, valid
from bot.agent.prices import Pricing, priced
from bot.records import Usage
from sandbox.contract import clipped

DETAIL_CHARS = 500
UNREADABLE_CHARS = 20_000
"""Of an answer that is no chat completion so much is kept, and counted as a reply: it may be a page of any length."""
OURS = (TOO_LONG, NO_TOOLS, NO_SCHEMA, BAD_CALL, FILTERED)
"""What a call may end with instead of a reply, by a word of ours: `no_reply` writes it, `read_reply` reads it back."""

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

_BROKEN_OFF = frozenset(
    {"error", "abort", "aborted", "cancelled", "timeout", "network_error", "insufficient_system_resource"}
    | {"malformed_function_call", "unexpected_tool_call", "other"}
)
"""How a reply ended of which a part may be missing, whatever there is of it."""


class _Function(BaseModel):
    name: Any = None
    arguments: Any = None


class _ToolCall(BaseModel):
    id: Any = None
    function: _Function | None = None


class _Said(BaseModel):
    content: Any = None
    refusal: Any = None
    reasoning_content: Any = None
    reasoning: Any = None
    tool_calls: Any = None


class _Choice(BaseModel):
    message: _Said | None = None
    finish_reason: Any = None
    error: Any = None


class _Completion(BaseModel):
    choices: list[Any] | None = None
    usage: Any = None
    timings: Any = None
    error: Any = None


def read_reply(raw: str, *, prompt: str, prices: Pricing | None) -> Reply:
    """Make a `Reply` of a server's answer, whatever it is. `prompt` is what was sent, to estimate usage from."""
    try:
        completion = _Completion.model_validate(_encodable(json.loads(raw.lstrip("\ufeff"), strict=False)))
    except (ValueError, RecursionError) as error:
        raw = clipped(raw, UNREADABLE_CHARS)
        usage = priced(estimated(prompt, raw), prices)
        return Reply(None, (), UNREADABLE, usage, raw, f"{_first_line(error)}, in: {raw[:DETAIL_CHARS]}")
    usage = priced(usage_of(completion.usage, completion.timings, prompt=prompt, reply=raw), prices)
    choice = valid(_Choice, completion.choices[0]) if completion.choices else None
    failure = completion.error or (choice.error if choice else None)
    if choice is None or choice.message is None:
        return _instead(failure, usage, raw)
    finish_reason = choice.finish_reason if isinstance(choice.finish_reason, str) else STOP
    if finish_reason.lower() in _BROKEN_OFF:
        detail = f"the reply broke off: {_shortly(failure or finish_reason)}"
        return Reply(None, (), NO_CHOICE, usage, raw, detail)
    said = choice.message
    text, calls = _text_of(said.content), _tool_calls(said.tool_calls)
    return Reply(
        text=text,
        tool_calls=calls,
        finish_reason=_SAME.get(finish_reason.lower(), finish_reason or STOP),
        usage=usage,
        raw=raw,
        detail="" if text or calls else _why_empty(said),
    )


def read_kept(raw: str) -> Reply:
    """Read a reply again that a trace holds; what it used and cost stands beside it there."""
    return read_reply(raw, prompt="", prices=None)


def no_reply(reason: str, detail: str, usage: Usage) -> Reply:
    """Make the `Reply` of a call that ended without one, for a reason of `OURS`."""
    return Reply(None, (), reason, usage, json.dumps({"error": {"code": reason, "message": detail}}), detail)


def _instead(failure: Any, usage: Usage, raw: str) -> Reply:
    """What came where there is no choice: an end by a word of ours, as it was kept, or the server's failure."""
    code = failure.get("code") if isinstance(failure, dict) else None
    if isinstance(code, str) and code in OURS:
        return Reply(None, (), code, usage, raw, str(failure.get("message") or ""))
    detail = _shortly(failure) if failure else "the server sent no choice"
    return Reply(None, (), NO_CHOICE, usage, raw, detail)


def _shortly(failure: Any) -> str:
    return json.dumps(failure)[:DETAIL_CHARS]


def _why_empty(said: _Said) -> str:
    """What a message without words holds instead."""
    if said.refusal:
        return f"the model refused: {str(said.refusal)[:DETAIL_CHARS]}"
    reasoning = said.reasoning_content or said.reasoning
    return f"it holds reasoning alone, {len(str(reasoning))} characters" if reasoning else ""


def _text_of(content: Any) -> str | None:
    """The words of a reply; servers that send a list of parts mark the words by type."""
    if isinstance(content, list | dict):
        parts = content if isinstance(content, list) else [content]
        words = [part["text"] for part in parts if isinstance(part, dict) and isinstance(part.get("text"), str)]
        return "".join(words) or None
    return content if isinstance(content, str) else None


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


def _tool_calls(found: Any) -> tuple[ToolCall, ...]:
    """The calls, those of a form that can't be one left out."""
    asked = [call for one in found if (call := valid(_ToolCall, one))] if isinstance(found, list) else []
    return tuple(_tool_call(call, at) for at, call in enumerate(asked))


def _tool_call(call: _ToolCall, at: int) -> ToolCall:
    function = call.function or _Function()
    arguments = function.arguments
    text = arguments if isinstance(arguments, str) else "" if arguments is None else json.dumps(arguments)
    return ToolCall(str(call.id or f"call_{at}"), str(function.name or ""), text)


def _first_line(error: Exception) -> str:
    return str(error).split("\n", maxsplit=1)[0]
