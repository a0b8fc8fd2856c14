"""What to do about an error of an OpenAI-compatible server. Pure: a status and a body go in, a remedy comes out.

Source: the error codes of https://platform.openai.com/docs/guides/error-codes, and the texts of the servers that speak
the same protocol with fewer codes (llama.cpp, vLLM, Ollama, Azure).
"""

import json
import re
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from pydantic import BaseModel, ValidationError

SMALLEST_REPLY = 256
REASON_CHARS = 600

_UNSUPPORTED = re.compile(r"unsupported|unrecognized|unknown|not support|not permitted|extra inputs|not allowed")
_TOO_LARGE = re.compile(r"too large|at most \d+ (?:completion )?tokens|must be (?:less|at most)|less than or equal")
_TOO_LONG = re.compile(
    r"context.{0,3}length|context window|context size|maximum context|prompt is too long|too many tokens|"
    r"exceeds? the (?:available|maximum)? ?context"
)
_WINDOW = re.compile(r"maximum context length is (\d+)")
_PROMPT = re.compile(r"(\d+) in the messages|has (\d+) input tokens|(\d+) input tokens")
_NO_QUOTA = re.compile(r"insufficient_quota|exceeded your current quota|billing_hard_limit|credit balance is too low")


@dataclass(frozen=True, slots=True)
class Drop:
    """Send the request again without this parameter."""

    parameter: str


@dataclass(frozen=True, slots=True)
class Rename:
    """Send the request again with this parameter under its other name."""

    parameter: str
    to: str


@dataclass(frozen=True, slots=True)
class Lower:
    """Send the request again with this limit; `always` where it is the model's own, whatever the prompt's length."""

    limit: int
    always: bool


@dataclass(frozen=True, slots=True)
class NoTools:
    """The server or the model takes no tools."""

    reason: str


@dataclass(frozen=True, slots=True)
class TooLong:
    """The prompt does not fit the model's window."""

    reason: str


@dataclass(frozen=True, slots=True)
class Wait:
    """Try again later, after `retry_after_s` where the server said so."""

    reason: str
    retry_after_s: float | None


@dataclass(frozen=True, slots=True)
class GiveUp:
    """Nothing that we can do helps; the reason is for the operator."""

    reason: str


Remedy = Drop | Rename | Lower | NoTools | TooLong | Wait | GiveUp


class _Error(BaseModel):
    message: str = ""
    code: str | int | None = None
    param: str | None = None
    type: str | None = None


def remedy(status: int, body: str, *, request: Mapping[str, Any], retry_after_s: float | None) -> Remedy:
    """Decide what to do about an answer with an error status."""
    error = _read(body)
    words = f"{error.code or ''} {error.type or ''} {error.message}".lower()
    reason = f"the model server answered {status}: {error.message[:REASON_CHARS]}"
    if status in (400, 404, 413, 422):
        return _bad_request(error, words, reason, request)
    if _NO_QUOTA.search(words):
        return GiveUp(f"the account at the model's provider has no quota left; its owner must add credit ({reason})")
    if status == 401:
        return GiveUp(f"the model server refuses the API key; set OPENAI_API_KEY ({reason})")
    if status in (408, 409, 425, 429) or status >= 500:
        return Wait(reason, retry_after_s)
    return GiveUp(reason)


def _bad_request(error: _Error, words: str, reason: str, request: Mapping[str, Any]) -> Remedy:
    limit_name = "max_completion_tokens" if "max_completion_tokens" in request else "max_tokens"
    limit = request.get(limit_name)
    if error.code == "context_length_exceeded" or _TOO_LONG.search(words):
        room = _room(words)
        if limit and room is not None and SMALLEST_REPLY <= room < limit:
            return Lower(room, always=False)
        return TooLong(reason)
    if limit and limit_name in words and _TOO_LARGE.search(words):
        return _lowered(words, limit, reason)
    if "tools" in request and _UNSUPPORTED.search(words) and re.search(r"\btool|function call", words):
        return NoTools(reason)
    named = error.param if error.param in request else _named(words, request)
    if named and (_UNSUPPORTED.search(words) or error.code in ("unsupported_value", "unsupported_parameter")):
        return _without(named)
    return GiveUp(reason)


def _without(parameter: str) -> Drop | Rename:
    if parameter == "max_tokens":
        return Rename("max_tokens", "max_completion_tokens")
    if parameter == "max_completion_tokens":
        return Rename("max_completion_tokens", "max_tokens")
    return Drop(parameter)


def _named(words: str, request: Mapping[str, Any]) -> str | None:
    """The optional parameter that the message names first; the message and the model are needed and never dropped."""
    places = {name: words.find(name) for name in request if name not in ("model", "messages")}
    found = sorted((place, -len(name), name) for name, place in places.items() if place >= 0)
    return found[0][2] if found else None


def _room(words: str) -> int | None:
    """How many tokens the reply may have, where the message tells both the window and the prompt's length."""
    window, prompt = _WINDOW.search(words), _PROMPT.search(words)
    if not window or not prompt:
        return None
    used = next(int(group) for group in prompt.groups() if group)
    return int(window[1]) - used - 1


def _lowered(words: str, limit: int, reason: str) -> Remedy:
    room = _room(words)
    if room is not None:
        return Lower(room, always=False) if room >= SMALLEST_REPLY else TooLong(reason)
    smaller = [int(number) for number in re.findall(r"\d+", words) if SMALLEST_REPLY <= int(number) < limit]
    lower = max(smaller, default=limit // 2)
    return Lower(lower, always=True) if lower >= SMALLEST_REPLY else GiveUp(reason)


def _read(body: str) -> _Error:
    """The error object, wherever the server put it; else the text itself."""
    try:
        found = json.loads(body)
    except ValueError:
        return _Error(message=body.strip() or "no text")
    inner = found.get("error", found) if isinstance(found, dict) else found
    if isinstance(inner, str):
        return _Error(message=inner)
    try:
        return _Error.model_validate(inner)
    except ValidationError:
        return _Error(message=body)
