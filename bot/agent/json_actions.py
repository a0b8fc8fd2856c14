"""Actions that were written as JSON: alone, in a list, or under `actions`. Pure."""

import json
import re
from collections.abc import Mapping
from typing import Any

from bot.agent.actions import Request
from bot.agent.tools import request_of

PREVIEW_CHARS = 200
UNREADABLE = "json"
"""The name of a request that can't be read."""

NAMELESS = 'it has no "action" with the name of one'

_NAMES = ("action", "tool", "name")
_ARGUMENTS = ("arguments", "parameters", "args", "input")
_MEANT = re.compile(r'\s*[\[{].*"(?:actions?|tool|name)"\s*:', re.DOTALL)


def requests_in(text: str) -> tuple[Request, ...] | None:
    """The actions of a JSON text, none where it only shows something; None where it is no JSON."""
    try:
        found = json.loads(text, strict=False)
    except (ValueError, RecursionError):
        return None
    return requests_of(found)


def requests_of(found: Any) -> tuple[Request, ...]:
    """The actions of a JSON value."""
    is_list_of_actions = isinstance(found, dict) and isinstance(found.get("actions"), list)
    items = found["actions"] if is_list_of_actions else found if isinstance(found, list) else [found]
    requests = [_request(item) for item in items]
    if not is_list_of_actions and not any(requests):
        return ()
    return tuple(request or _unreadable(item) for request, item in zip(requests, items, strict=True))


def is_meant_as_actions(text: str) -> bool:
    """Whether a text that is no JSON was to be one with actions."""
    return bool(_MEANT.match(text))


def _unreadable(item: Any) -> Request:
    """What stands among actions and is none: maybe an edit, so that the others can't count as all."""
    return Request(UNREADABLE, json.dumps(item)[:PREVIEW_CHARS], None, NAMELESS)


def _request(item: Any) -> Request | None:
    """One action: `{"action": …, its arguments}`, or `{"name": …, "arguments": {…}}` as in a tool call."""
    if not isinstance(item, Mapping):
        return None
    if isinstance(item.get("function"), Mapping):
        item = item["function"]
    name = next((item[key] for key in _NAMES if isinstance(item.get(key), str)), None)
    if name is None:
        return None
    beside = {key: value for key, value in item.items() if key not in _NAMES}
    inner = next((item[key] for key in _ARGUMENTS if isinstance(item.get(key), (dict, str))), beside)
    return request_of(name, inner if isinstance(inner, str) else json.dumps(inner))
