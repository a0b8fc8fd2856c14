"""What to do about an error of an OpenAI-compatible server. Pure: a status and a body go in, a remedy comes out.

Source: the error codes of https://platform.openai.com/docs/guides/error-codes, and the texts of the servers that speak
the same protocol with fewer codes (llama.cpp, vLLM, Ollama, Azure, Anthropic, DeepSeek, Gemini, Groq, OpenRouter, xAI).
"""

import json
import re
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from pydantic import BaseModel, ValidationError

from bot.agent.quota import is_spent, seconds_asked
from bot.agent.remedies import BadCall, Drop, Filtered, GiveUp, Lower, NoSchema, NoTools, Remedy, Rename, TooLong, Wait
from bot.agent.windows import fit_of
from sandbox.contract import clipped

SMALLEST_REPLY = 256
REASON_CHARS = 600
WORDS_CHARS = 4_000
"""Of an error's text so much is looked at: it may be a page of any length, or repeat the prompt."""

_UNSUPPORTED = re.compile(
    r"unsupported|unrecognized|unknown|not (?:\w+ )?support|not permitted|extra (?:inputs|fields)|not allowed|"
    r"unavailable|must be unset|leave it unset|cannot be (?:set|used)|may only be|deprecated for this model|"
    r"only .{1,30} (?:is|are) (?:allowed|supported)"
)
_TOO_LARGE = re.compile(
    r"too large|too high|at most \d+ (?:completion |output )?tokens|must be (?:less|at most|<=)|less than or equal|"
    r"\d+ > \d+|max_tokens > \d+|(?:valid|supported) range|range of max_tokens|exceeds? the (?:maximum|limit)|"
    r"between 1 and \d+"
)
_TOO_LONG = re.compile(
    r"context.{0,3}length|context window|context size|maximum context|context limit|(?:prompt|input) is too long|"
    r"string too long|"
    r"too many tokens(?!: max)|sequence length|"
    r"exceeds? the (?:available|maximum)? ?context|maximum prompt length|input tokens exceed|input token count|"
    r"input length|max_new_tokens`? must be|request too large|reduce the length of the (?:messages|input)"
)
_NO_TOOLS = re.compile(
    r"tool.{0,20} requires|not support (?:tools?|function)|support tool use|tools? (?:is|are|use is) not|"
    r"(?:tool|function)[ _-]?(?:call\w*|use|choice)?.{0,20}not (?:\w+ )?support"
)
_NO_SCHEMA = re.compile(r"response_format|response format|json_schema|structured output|grammar|guided|schema")
_MENTIONS_TOOLS = re.compile(r"\btools?\b|function call|grammar|tool_choice")
_FILTERED = re.compile(
    r"content_filter|content management policy|invalid_prompt|flagged as|content policy|data_inspection|"
    r"response was filtered|content exists risk|inappropriate content|sensitive (?:data|content|information)"
)
_NO_MODEL = re.compile(
    r"model_not_found|(?:model|deployment).{0,80}(?:not found|does not exist|not exist|deprecated|decommissioned)|"
    r"no endpoints found for|(?:unknown|invalid|no such|access) model|access to (?:the )?model|not a valid model|"
    r"not_found_error model|requested model .{0,80} not supported"
)
_BAD_KEY = re.compile(r"api[ _-]key.{0,30}(?:not valid|invalid|incorrect)|(?:invalid|incorrect)[ _]api[ _-]key")
_BAD_CALL = re.compile(
    r"tool_use_failed|failed to call a function|tool call validation|error parsing tool call|"
    r"failed to parse (?:input at pos|tool call)"
)
_LIMIT = re.compile(r"max_?(?:output_?|new_?|completion_?)?_?tokens|max tokens|generation length")
_THOUSANDS = re.compile(r"(?<=\d),(?=\d{3}\b)")


class _Body(BaseModel):
    message: str = ""
    code: str | int | None = None
    param: str | None = None
    type: str | None = None


@dataclass(frozen=True, slots=True)
class _Case:
    """What was asked and what the server says: `words` is all of it in lower case, `told` its figures."""

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
        is_failure = self.status >= 500 and "context" in self.words and bool(_TOO_LONG.search(self.words))
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


def remedy(status: int, body: str, *, request: Mapping[str, Any], retry_after_s: float | None) -> Remedy:
    """Decide what to do about an answer with an error status."""
    case = _read(status, body, request, retry_after_s)
    of_the_request = (_prompt, _reply_limit, _schema, _tools, _parameter, _filter, _model, _key, _address)
    of_the_service = (_model, _key, _schema_server, _time)
    decisions = (_money, _tool_server, _call, *(of_the_request if case.is_about_the_request else of_the_service))
    return next((found for decide in decisions if (found := decide(case))), GiveUp(case.reason))


def _money(case: _Case) -> Remedy | None:
    if not is_spent(case.status, case.words, is_to_pass=case.retry_after_s is not None):
        return None
    return GiveUp(
        "the account at the model's provider has no credit left, or has reached its spending limit; "
        f"its owner must add credit or raise the limit ({case.reason})"
    )


def _tool_server(case: _Case) -> Remedy | None:
    """Some servers say with any status that they were not started for tools."""
    return NoTools(case.reason) if "tools" in case.request and _NO_TOOLS.search(case.words) else None


def _schema_server(case: _Case) -> Remedy | None:
    is_grammar = "grammar" in case.words and "response_format" in case.request
    return NoSchema(case.reason) if is_grammar else None


def _call(case: _Case) -> Remedy | None:
    """What the model wrote is no call of a tool: the model's to mend, and not the operator's."""
    return BadCall(case.reason) if "tools" in case.request and _BAD_CALL.search(case.words) else None


def _key(case: _Case) -> Remedy | None:
    if case.status == 401 or _BAD_KEY.search(case.words):
        return GiveUp(f"the model server refuses the API key; set OPENAI_API_KEY ({case.reason})")
    told = "the model server allows this key, or this network, no such call; see what OPENAI_API_KEY may use"
    return GiveUp(f"{told} ({case.reason})") if case.status == 403 else None


def _time(case: _Case) -> Remedy | None:
    passes = case.status in (408, 409, 425, 429) or case.status >= 500
    return Wait(case.reason, case.retry_after_s) if passes else None


def _prompt(case: _Case) -> Remedy | None:
    """Less room for the reply where that is enough, else a shorter prompt."""
    if case.status != 413 and case.code != "context_length_exceeded" and not _TOO_LONG.search(case.words):
        return None
    fit = fit_of(case.words, case.told)
    room = _room_in_a_minute(case) or fit.room
    if case.limit and room is not None and SMALLEST_REPLY <= room < case.limit:
        return Lower(room, always=False, window=fit.window)
    return TooLong(case.reason, fit.window)


def _room_in_a_minute(case: _Case) -> int | None:
    """A limit of tokens a minute is no window, but prompt and reply have to fit it together all the same."""
    found = re.search(r"limit:? (\d+), requested:? (\d+)", case.words)
    return int(found[1]) - (int(found[2]) - (case.limit or 0)) if found else None


def _reply_limit(case: _Case) -> Remedy | None:
    limit = case.limit
    is_meant = bool(_LIMIT.search(case.words)) or case.param == case.limit_name
    if not limit or not is_meant or not _TOO_LARGE.search(case.words):
        return None
    fit = fit_of(case.words, case.told)
    if fit.room is not None:
        is_enough = fit.room >= SMALLEST_REPLY
        return Lower(fit.room, always=False, window=fit.window) if is_enough else TooLong(case.reason, fit.window)
    numbers = [int(number) for number in re.findall(r"\d+", case.words)]
    lower = max((number for number in numbers if SMALLEST_REPLY <= number < limit), default=limit // 2)
    return Lower(lower, always=True) if lower >= SMALLEST_REPLY else GiveUp(case.reason)


def _schema(case: _Case) -> Remedy | None:
    """A schema that was refused in any words is not sent again: there is no other one."""
    is_meant = case.named == "response_format" or (case.named is None and _NO_SCHEMA.search(case.words))
    return NoSchema(case.reason) if is_meant and "response_format" in case.request else None


def _tools(case: _Case) -> Remedy | None:
    is_meant = case.named == "tools" or (case.named is None and _MENTIONS_TOOLS.search(case.words))
    return NoTools(case.reason) if is_meant and "tools" in case.request and _is_unsupported(case) else None


def _parameter(case: _Case) -> Remedy | None:
    """A value that is refused (a temperature of 0) is left out of this request; a parameter, of all."""
    if case.named is None or not _is_unsupported(case):
        return Drop(case.named, always=False) if case.named == "temperature" else None
    others = {"max_tokens": "max_completion_tokens", "max_completion_tokens": "max_tokens"}
    other = others.get(case.named)
    return Rename(case.named, other) if other else Drop(case.named)


def _is_unsupported(case: _Case) -> bool:
    return bool(_UNSUPPORTED.search(case.words)) or case.code in ("unsupported_value", "unsupported_parameter")


def _filter(case: _Case) -> Remedy | None:
    return Filtered(case.reason) if _FILTERED.search(case.words) else None


def _model(case: _Case) -> Remedy | None:
    name = case.request.get("model")
    if _NO_MODEL.search(case.words):
        return GiveUp(f"the model server knows no model {name!r}; set SELFCODE_MODEL ({case.reason})")
    return None


def _address(case: _Case) -> Remedy | None:
    if case.status not in (404, 405):
        return None
    told = "there are no chat completions at this address; set OPENAI_BASE_URL, which ends in /v1 at most servers"
    return GiveUp(f"{told} ({case.reason})")


def _read(status: int, body: str, request: Mapping[str, Any], retry_after_s: float | None) -> _Case:
    """The error object, wherever the server put it; else the text itself."""
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
    return _Case(
        status=status,
        request=request,
        code=shape.code,
        param=shape.param,
        words=words,
        reason=f"the model server answered {status}: {message[:REASON_CHARS]}",
        told=told,
        retry_after_s=seconds_asked(words) if retry_after_s is None else retry_after_s,
    )


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
