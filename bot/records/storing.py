"""Records as JSON text."""

from typing import Any, TypeVar

from pydantic import TypeAdapter

T = TypeVar("T")


_ADAPTERS: dict[type, TypeAdapter[Any]] = {}


def dump(value: Any) -> str:
    """Turn a record into JSON text, which `load` reads back."""
    return _adapter(type(value)).dump_json(value).decode()


def load(kind: type[T], text: str) -> T:
    """Read a record back from the JSON text that `dump` made."""
    result: T = _adapter(kind).validate_json(text)
    return result


def _adapter(kind: type) -> TypeAdapter[Any]:
    return _ADAPTERS.get(kind) or _ADAPTERS.setdefault(kind, TypeAdapter(kind))
