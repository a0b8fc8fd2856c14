"""Actions that were written as JSON: alone, in a list, or under `actions`. Pure."""

import json
import re
from collections.abc import Mapping
from typing import Any

from bot.agent.actions import Request
from bot.agent.tools import request_of

PREVIEW_CHARS = 200

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
    if isinstance(found, dict) and isinstance(found.get("actions"), list):
        found = found["actions"]
    items = found if isinstance(found, list) else [found]
    return tuple(request for item in items if (request := _request(item)))


def is_meant_as_actions(text: str) -> bool:
    """Whether a text that is no JSON was to be one with actions."""
    return bool(_MEANT.match(text))


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
