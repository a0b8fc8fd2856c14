"""The JSON dialect: reading the actions of a reply that was constrained to the schema of `tools.action_schema`. Pure.

A server may have ignored the schema: then the reply is read as one with fenced blocks, which take JSON as well.
"""

import json

from bot.agent.fences import Parsed, parse_reply
from bot.agent.json_actions import requests_of

CUT_OFF = (
    "the JSON was cut off at the reply's length limit, so nothing was done. Write less: change files by edits, and "
    "fewer in one reply"
)
EMPTY = "the list of actions is empty"


def parse_json_reply(text: str, *, is_truncated: bool = False) -> Parsed:
    """Read the actions of a reply in the JSON dialect: whole, or not at all."""
    if is_truncated:
        return Parsed(problem=CUT_OFF)
    try:
        found = json.loads(text.removeprefix("\ufeff"), strict=False)
    except (ValueError, RecursionError) as error:
        parsed = parse_reply(text)
        is_fenced = any(request.action for request in parsed.requests)
        return parsed if is_fenced else Parsed(problem=parsed.problem or f"the reply is not JSON: {error}")
    requests = requests_of(found)
    if requests:
        return Parsed(requests)
    is_list = isinstance(found, dict) and isinstance(found.get("actions"), list)
    return Parsed(problem=EMPTY if is_list else 'the JSON has no "actions", a list of objects each with an "action"')


def thought_in(text: str) -> str | None:
    """What a reply in the JSON dialect says beside its actions, or ""; None where it is no JSON."""
    try:
        found = json.loads(text, strict=False)
    except (ValueError, RecursionError):
        return None
    thought = found.get("thought") if isinstance(found, dict) else None
    return thought if isinstance(thought, str) else ""
