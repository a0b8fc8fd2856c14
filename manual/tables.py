"""The tables of docs/configuration.md, made of the models that read what they tell of. Words stand with the fields."""

import re
from collections.abc import Mapping, Sequence
from enum import StrEnum
from typing import Any, Literal, get_args, get_origin

from annotated_types import Ge, Le
from pydantic import BaseModel
from pydantic.fields import FieldInfo

from bot.repository.config import RepositoryConfig, RepositoryLimits
from bot.settings import Settings

_PLACE = re.compile(r"<!-- (settings|keys|limits)\b([^>]*)-->\n.*?<!-- end -->", re.DOTALL)

NOTHING = "–"
PORTS = 65535


def with_tables(page: str) -> str:
    """The page with its tables made anew: each stands between `<!-- settings: NAME … -->`, `<!-- keys -->` or
    `<!-- limits -->`, and `<!-- end -->`.
    """
    return _PLACE.sub(lambda found: _place(found[0], kind=found[1], names=found[2].strip(": \n").split()), page)


def named_in(page: str) -> Sequence[str]:
    """The operator's settings that the page has in its tables, by their fields' names."""
    return [name for kind, names in _PLACE.findall(page) if kind == "settings" for name in names.strip(": \n").split()]


def _place(found: str, *, kind: str, names: Sequence[str]) -> str:
    opened = found[: found.index("-->") + 3]
    match kind:
        case "settings":
            fields: Mapping[str, FieldInfo] = {_variable(name): Settings.model_fields[name] for name in names}
        case "keys":
            fields = RepositoryConfig.model_fields
        case _:
            fields = {f"limits.{name}": field for name, field in RepositoryLimits.model_fields.items()}
    head = "| name | default | |" if kind == "settings" else "| key | default | |"
    rows = [f"| `{name}` | {_default(field)} | {_says(field)} |" for name, field in fields.items()]
    if kind == "limits":
        head, rows = "| key | |", [f"| `{name}` | {_says(field)} |" for name, field in fields.items()]
    rule = "|---" * (head.count("|") - 1) + "|"
    return "\n".join([opened, "", head, rule, *rows, "", "<!-- end -->"])


def _variable(name: str) -> str:
    return str(Settings.model_fields[name].validation_alias)


def _default(field: FieldInfo) -> str:
    extra = field.json_schema_extra
    if isinstance(extra, dict) and "unset" in extra:
        return str(extra["unset"])
    match field.default:
        case None | "" | ():
            return NOTHING
        case BaseModel():
            return NOTHING
        case bool(value):
            return f"`{str(value).lower()}`"
        case float(value):
            return f"`{value:g}`"
        case value:
            return f"`{value}`"


def _says(field: FieldInfo) -> str:
    """What the field says of itself, and which values it takes where its words leave that open."""
    text = field.description or ""
    choices = [choice for choice in _choices(field.annotation) if choice != field.default and f"`{choice}`" not in text]
    if choices:
        return f"{text}. Or " + ", ".join(f"`{choice}`" for choice in choices)
    return text + _bounds(field)


def _choices(annotation: Any) -> Sequence[str]:
    if get_origin(annotation) is Literal:
        return get_args(annotation)
    return list(annotation) if isinstance(annotation, type) and issubclass(annotation, StrEnum) else ()


def _bounds(field: FieldInfo) -> str:
    """Only what somebody would run into: that a number is not negative, or a port one of 65535, goes without saying."""
    least = [bound.ge for bound in field.metadata if isinstance(bound, Ge) and bound.ge not in (0, 1)]
    most = [bound.le for bound in field.metadata if isinstance(bound, Le) and bound.le != PORTS]
    match least, most:
        case [least_of_all], [most_of_all]:
            return f". {least_of_all} to {most_of_all}"
        case [least_of_all], []:
            return f". At least {least_of_all}"
        case [], [most_of_all]:
            return f". At most {most_of_all}"
    return ""
