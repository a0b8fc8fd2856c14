"""What to do about an error of an OpenAI-compatible server. Pure: a status and a body go in, a remedy comes out.

Each rule looks at one cause; the first that knows one decides. In which words servers tell it is `openai_wordings`.
"""

import re
from collections.abc import Mapping
from typing import Any

from bot.agent import openai_wordings as wordings
from bot.agent.openai_cases import Case, case_of
from bot.agent.quota import is_spent
from bot.agent.remedies import BadCall, Drop, Filtered, GiveUp, Lower, NoSchema, NoTools, Remedy, Rename, TooLong, Wait
from bot.agent.windows import fit_of

SMALLEST_REPLY = 256
"""Tokens. A reply with less room is worth no call."""


def remedy(status: int, body: str, *, request: Mapping[str, Any], retry_after_s: float | None) -> Remedy:
    """Decide what to do about an answer with an error status."""
    case = case_of(status, body, request, retry_after_s)
    of_the_request = (_prompt, _reply_limit, _schema, _tools, _parameter, _filter, _model, _key, _address)
    of_the_service = (_model, _key, _schema_server, _time)
    decisions = (_money, _tool_server, _call, *(of_the_request if case.is_about_the_request else of_the_service))
    return next((found for decide in decisions if (found := decide(case))), GiveUp(case.reason))


def _money(case: Case) -> Remedy | None:
    if not is_spent(case.status, case.words, is_to_pass=case.retry_after_s is not None):
        return None
    return GiveUp(
        "the account at the model's provider has no credit left, or has reached its spending limit; "
        f"its owner must add credit or raise the limit ({case.reason})"
    )


def _tool_server(case: Case) -> Remedy | None:
    """Some servers say with any status that they were not started for tools."""
    return NoTools(case.reason) if "tools" in case.request and wordings.NO_TOOLS.search(case.words) else None


def _schema_server(case: Case) -> Remedy | None:
    is_grammar = "grammar" in case.words and "response_format" in case.request
    return NoSchema(case.reason) if is_grammar else None


def _call(case: Case) -> Remedy | None:
    """What the model wrote is no call of a tool: the model's to mend, and not the operator's."""
    return BadCall(case.reason) if "tools" in case.request and wordings.BAD_CALL.search(case.words) else None


def _key(case: Case) -> Remedy | None:
    if case.status == 401 or wordings.BAD_KEY.search(case.words):
        return GiveUp(f"the model server refuses the API key; set OPENAI_API_KEY ({case.reason})")
    told = "the model server allows this key, or this network, no such call; see what OPENAI_API_KEY may use"
    return GiveUp(f"{told} ({case.reason})") if case.status == 403 else None


def _time(case: Case) -> Remedy | None:
    passes = case.status in (408, 409, 425, 429) or case.status >= 500
    return Wait(case.reason, case.retry_after_s) if passes else None


def _prompt(case: Case) -> Remedy | None:
    """Less room for the reply where that is enough, else a shorter prompt."""
    if case.status != 413 and case.code != "context_length_exceeded" and not wordings.TOO_LONG.search(case.words):
        return None
    fit = fit_of(case.words, case.told)
    room = _room_in_a_minute(case) or fit.room
    if case.limit and room is not None and SMALLEST_REPLY <= room < case.limit:
        return Lower(room, always=False, window=fit.window)
    return TooLong(case.reason, fit.window)


def _room_in_a_minute(case: Case) -> int | None:
    """A limit of tokens a minute is no window, but prompt and reply have to fit it together all the same."""
    found = re.search(r"limit:? (\d+), requested:? (\d+)", case.words)
    return int(found[1]) - (int(found[2]) - (case.limit or 0)) if found else None


def _reply_limit(case: Case) -> Remedy | None:
    limit = case.limit
    is_meant = bool(wordings.LIMIT.search(case.words)) or case.param == case.limit_name
    if not limit or not is_meant or not wordings.TOO_LARGE.search(case.words):
        return None
    fit = fit_of(case.words, case.told)
    if fit.room is not None:
        is_enough = fit.room >= SMALLEST_REPLY
        return Lower(fit.room, always=False, window=fit.window) if is_enough else TooLong(case.reason, fit.window)
    numbers = [int(number) for number in re.findall(r"\d+", case.words)]
    lower = max((number for number in numbers if SMALLEST_REPLY <= number < limit), default=limit // 2)
    return Lower(lower, always=True) if lower >= SMALLEST_REPLY else GiveUp(case.reason)


def _schema(case: Case) -> Remedy | None:
    """A schema that was refused in any words is not sent again: there is no other one."""
    is_meant = case.named == "response_format" or (case.named is None and wordings.NO_SCHEMA.search(case.words))
    return NoSchema(case.reason) if is_meant and "response_format" in case.request else None


def _tools(case: Case) -> Remedy | None:
    is_meant = case.named == "tools" or (case.named is None and wordings.MENTIONS_TOOLS.search(case.words))
    return NoTools(case.reason) if is_meant and "tools" in case.request and _is_unsupported(case) else None


def _parameter(case: Case) -> Remedy | None:
    """A value that is refused (a temperature of 0) is left out of this request; a parameter, of all."""
    if case.named is None or not _is_unsupported(case):
        return Drop(case.named, always=False) if case.named == "temperature" else None
    others = {"max_tokens": "max_completion_tokens", "max_completion_tokens": "max_tokens"}
    other = others.get(case.named)
    return Rename(case.named, other) if other else Drop(case.named)


def _is_unsupported(case: Case) -> bool:
    return bool(wordings.UNSUPPORTED.search(case.words)) or case.code in ("unsupported_value", "unsupported_parameter")


def _filter(case: Case) -> Remedy | None:
    return Filtered(case.reason) if wordings.FILTERED.search(case.words) else None


def _model(case: Case) -> Remedy | None:
    name = case.request.get("model")
    if wordings.NO_MODEL.search(case.words):
        return GiveUp(f"the model server knows no model {name!r}; set SELFCODE_MODEL ({case.reason})")
    return None


def _address(case: Case) -> Remedy | None:
    if case.status not in (404, 405):
        return None
    told = "there are no chat completions at this address; set OPENAI_BASE_URL, which ends in /v1 at most servers"
    return GiveUp(f"{told} ({case.reason})")
