"""An error of an OpenAI-compatible server, read into what its remedy is decided by. Pure."""

import json
import re
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from pydantic import BaseModel, ValidationError

from bot.agent.openai_wordings import TOO_LONG
from bot.agent.quota import seconds_asked
from sandbox.contract import clipped

REASON_CHARS = 600
WORDS_CHARS = 4_000
"""Of an error's text so much is looked at: it may be a page of any length, or repeat the prompt."""

_THOUSANDS = re.compile(r"(?<=\d),(?=\d{3}\b)")


@dataclass(frozen=True, slots=True)
class Case:
    """What was asked and what the server says.

    `words` is all of it in lower case, `reason` for people; `told` is the error object, {} where there is none.
    """

    status: int
    request: Mapping[str, Any]
    code: str | int | None
    param: str | None
    words: str
    reason: str
    told: Mapping[str, Any]
    retry_after_s: float | None

    @property
    def is_about_the_request(self) -> bool:
        is_failure = self.status >= 500 and "context" in self.words and bool(TOO_LONG.search(self.words))
        is_said = "request too large" in self.words or "context_size" in self.words
        return self.status in (400, 404, 405, 413, 422) or is_said or is_failure

    @property
    def limit_name(self) -> str:
        return "max_completion_tokens" if "max_completion_tokens" in self.request else "max_tokens"

    @property
    def limit(self) -> int | None:
        limit: int | None = self.request.get(self.limit_name)
        return limit

    @property
    def named(self) -> str | None:
        """The optional parameter that it is about; the messages and the model are needed and never dropped."""
        if self.param in self.request:
            return self.param
        places = {name: self.words.find(name) for name in self.request if name not in ("model", "messages")}
        found = sorted((place, -len(name), name) for name, place in places.items() if place >= 0)
        return found[0][2] if found else None


def case_of(status: int, body: str, request: Mapping[str, Any], retry_after_s: float | None) -> Case:
    """Read an answer with an error status: its error object, wherever the server put it; else the text itself."""
    try:
        found = json.loads(body)
    except (ValueError, RecursionError):
        found = body.strip() or "no text"
    outer = found[0] if isinstance(found, list) and found else found
    inner = outer.get("error", outer.get("detail", outer)) if isinstance(outer, dict) else outer
    inner = _validation(inner) or inner
    beside = outer.get("code") if isinstance(outer, dict) else None
    told = inner if isinstance(inner, dict) else {"message": inner, "code": beside} if isinstance(inner, str) else {}
    try:
        shape = _Body.model_validate(told)
    except ValidationError:
        shape = _Body()
    told_words = f"{shape.message or body} {_passed_on(told)}".strip().encode("utf-8", "replace").decode()
    message = clipped(told_words, WORDS_CHARS)
    words = _THOUSANDS.sub("", f"{shape.code or ''} {shape.type or ''} {message}".lower())
    return Case(
        status=status,
        request=request,
        code=shape.code,
        param=shape.param,
        words=words,
        reason=f"the model server answered {status}: {message[:REASON_CHARS]}",
        told=told,
        retry_after_s=seconds_asked(words) if retry_after_s is None else retry_after_s,
    )


class _Body(BaseModel):
    message: str = ""
    code: str | int | None = None
    param: str | None = None
    type: str | None = None


def _validation(found: Any) -> str:
    """What a validator complains of, field by field, without the input that it repeats; "" where it is none.

    Source: the `detail` of FastAPI, which Mistral puts into its `message`.
    """
    for name in ("message", "detail"):
        found = found.get(name, found) if isinstance(found, dict) else found
    fields = [one for one in found if isinstance(one, dict) and "msg" in one] if isinstance(found, list) else []
    return "; ".join(f"{'.'.join(map(str, one.get('loc') or ()))}: {one['msg']}" for one in fields)


def _passed_on(told: Mapping[str, Any]) -> str:
    """What the provider behind a gateway said (OpenRouter)."""
    metadata = told.get("metadata")
    return str(metadata.get("raw") or "") if isinstance(metadata, dict) else ""
