"""Records as JSON text."""

import json
import re
from typing import Any, TypeVar

from pydantic import TypeAdapter
from pydantic_core import PydanticSerializationError

T = TypeVar("T")
_UNSTORABLE = re.compile("[\x00\ud800-\udfff]")
_ADAPTERS: dict[type, TypeAdapter[Any]] = {}


def storable(text: str) -> str:
    """The text with “�” for each half of a surrogate pair, which is no text, and each NUL, which databases refuse."""
    return _UNSTORABLE.sub("\N{REPLACEMENT CHARACTER}", text)


def dump(value: Any) -> str:
    """Turn a record into JSON text, which `load` reads back: but “�” for half of a surrogate pair, which is no text."""
    adapter = _adapter(type(value))
    try:
        return adapter.dump_json(value).decode()
    except PydanticSerializationError:
        whole = json.dumps(adapter.dump_python(value, mode="json"), ensure_ascii=False)
        return storable(whole)


def load(kind: type[T], text: str) -> T:
    """Read a record back from the JSON text that `dump` made."""
    result: T = _adapter(kind).validate_json(text)
    return result


def _adapter(kind: type) -> TypeAdapter[Any]:
    return _ADAPTERS.get(kind) or _ADAPTERS.setdefault(kind, TypeAdapter(kind))
