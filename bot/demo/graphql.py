"""As much of GraphQL as clients of the stand-in speak: one operation, fields, arguments, inline fragments.

An object is a mapping from field to value, or to a function of the field's arguments; `__typename` is one of its
fields.
"""

import base64
import json
import re
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

Object = Mapping[str, Any]
Resolver = Callable[[Mapping[str, Any]], Any]

_TOKEN = re.compile(
    r'[\s,]+|#[^\n]*|(?P<token>\.\.\.|[!$():=@\[\]{}|]|"(?:[^"\\\n]|\\.)*"|[_A-Za-z]\w*|-?\d+(?:\.\d+)?)'
)
_PAGE_LIMIT = 100
_INTERFACES = {
    "Actor": ("User", "Bot", "Organization"),
    "Node": ("PullRequest", "PullRequestReviewThread", "PullRequestReview", "Issue", "Repository"),
}


class Wrong(Exception):
    """What GraphQL says instead of a status. `code` is set where the question itself was wrong."""

    def __init__(self, kind: str, message: str, *, code: str = "") -> None:
        super().__init__(message)
        self.kind = kind
        self.message = message
        self.code = code

    def as_json(self) -> dict[str, Any]:
        if self.code:
            return {"extensions": {"code": self.code}, "locations": [], "path": [], "message": self.message}
        return {"type": self.kind, "path": [], "locations": [], "message": self.message}


@dataclass(frozen=True, slots=True)
class Field:
    """A field that is asked for, or, with `on`, the fields of a type."""

    name: str
    alias: str = ""
    arguments: Mapping[str, Any] = field(default_factory=dict)
    fields: tuple["Field", ...] = ()
    on: str = ""


@dataclass(frozen=True, slots=True)
class Variable:
    """A variable in the place of a value."""

    name: str


@dataclass(frozen=True, slots=True)
class Operation:
    """What is asked: `kind` is query or mutation; `required` are variables that must have a value."""

    kind: str
    fields: tuple[Field, ...]
    required: tuple[str, ...]


def answer(text: str, variables: Mapping[str, Any], roots: Mapping[str, Object]) -> dict[str, Any]:
    """The data that is asked for. `roots` are the objects to begin at, by kind of operation. Raises `Wrong`."""
    operation = _Parser(text).operation()
    for name in operation.required:
        if variables.get(name) is None:
            raise Wrong("", f"Variable ${name} of type ID! was provided invalid value", code="variableMismatch")
    return _selected(roots[operation.kind], operation.fields, variables)


def connection(items: Sequence[Any], arguments: Mapping[str, Any], *, named: str) -> Object:
    """A page of a list, as connections have it."""
    size = arguments.get("first") or arguments.get("last")
    if not size:
        message = f"You must provide a `first` or `last` value to properly paginate the `{named}` connection."
        raise Wrong("MISSING_PAGINATION_BOUNDARIES", message)
    if size > _PAGE_LIMIT:
        message = f"Requesting {size} records on the `{named}` connection exceeds the `first` limit of 100 records."
        raise Wrong("EXCESSIVE_PAGINATION", message)
    start = _position(arguments.get("after"))
    if arguments.get("last"):
        start = max(0, len(items) - size)
    nodes = items[start : start + size]
    end = start + len(nodes)
    page = {
        "__typename": "PageInfo",
        "hasNextPage": end < len(items),
        "hasPreviousPage": start > 0,
        "endCursor": _cursor(end) if nodes else None,
        "startCursor": _cursor(start) if nodes else None,
    }
    return {"__typename": f"{named}Connection", "nodes": list(nodes), "totalCount": len(items), "pageInfo": page}


def _cursor(position: int) -> str:
    return base64.b64encode(f"cursor:{position}".encode()).decode()


def _position(cursor: str | None) -> int:
    return int(base64.b64decode(cursor).decode().partition(":")[2]) if cursor else 0


def _selected(found: Object, fields: Sequence[Field], variables: Mapping[str, Any]) -> dict[str, Any]:
    shown: dict[str, Any] = {}
    kind = found.get("__typename", "Query")
    for each in fields:
        if each.on:
            if each.on == kind or kind in _INTERFACES.get(each.on, ()):
                shown |= _selected(found, each.fields, variables)
            continue
        if each.name not in found:
            raise Wrong("", f"Field '{each.name}' doesn't exist on type '{kind}'", code="undefinedField")
        value = found[each.name]
        if callable(value):
            value = value({name: _given(argument, variables) for name, argument in each.arguments.items()})
        shown[each.alias or each.name] = _shown(value, each, variables)
    return shown


def _shown(value: Any, asked: Field, variables: Mapping[str, Any]) -> Any:
    match value:
        case None:
            return None
        case list() | tuple():
            return [_shown(each, asked, variables) for each in value]
        case Mapping() if asked.fields:
            return _selected(value, asked.fields, variables)
        case Mapping():
            message = f"Field must have selections (field '{asked.name}' returns an object but has no selections)"
            raise Wrong("", message, code="selectionMismatch")
        case _:
            return value


def _given(value: Any, variables: Mapping[str, Any]) -> Any:
    match value:
        case Variable(name):
            return variables.get(name)
        case dict():
            return {name: _given(each, variables) for name, each in value.items()}
        case list():
            return [_given(each, variables) for each in value]
        case _:
            return value


class _Parser:
    """Reads one operation. Raises `Wrong` where it is none."""

    def __init__(self, text: str) -> None:
        self._tokens: list[str] = []
        position = 0
        while position < len(text):
            match = _TOKEN.match(text, position)
            if match is None:
                raise _unparsed(text[position])
            if match["token"]:
                self._tokens.append(match["token"])
            position = match.end()
        self._tokens.reverse()

    def operation(self) -> Operation:
        kind = self._take() if self._next in ("query", "mutation") else "query"
        if self._next not in ("(", "{"):
            self._take()
        required = self._variables() if self._next == "(" else ()
        found = Operation(kind, self._fields(), required)
        if self._tokens:
            raise _unparsed(self._next)
        return found

    def _variables(self) -> tuple[str, ...]:
        required = []
        self._expect("(")
        while self._next != ")":
            self._expect("$")
            name = self._take()
            self._expect(":")
            kind = self._type()
            if self._next == "=":
                self._take()
                self._value()
            elif kind.endswith("!"):
                required.append(name)
        self._expect(")")
        return tuple(required)

    def _type(self) -> str:
        found = ""
        while self._next not in ("$", ")", "="):
            found += self._take()
        return found

    def _fields(self) -> tuple[Field, ...]:
        self._expect("{")
        found = []
        while self._next != "}":
            found.append(self._field())
        self._expect("}")
        return tuple(found)

    def _field(self) -> Field:
        if self._next == "...":
            self._take()
            self._expect("on")
            kind = self._take()
            return Field("", on=kind, fields=self._fields())
        name, alias = self._take(), ""
        if self._next == ":":
            self._take()
            name, alias = self._take(), name
        arguments = self._arguments() if self._next == "(" else {}
        return Field(name, alias, arguments, self._fields() if self._next == "{" else ())

    def _arguments(self, opening: str = "(", closing: str = ")") -> dict[str, Any]:
        self._expect(opening)
        found = {}
        while self._next != closing:
            name = self._take()
            self._expect(":")
            found[name] = self._value()
        self._expect(closing)
        return found

    def _value(self) -> Any:
        match self._next:
            case "{":
                return self._arguments("{", "}")
            case "[":
                self._take()
                return self._list()
            case "$":
                self._take()
                return Variable(self._take())
        token = self._take()
        constants = {"true": True, "false": False, "null": None}
        if token in constants:
            return constants[token]
        if token.startswith('"'):
            return json.loads(token)
        return int(token) if token.lstrip("-").isdigit() else token

    def _list(self) -> list[Any]:
        found = []
        while self._next != "]":
            found.append(self._value())
        self._expect("]")
        return found

    @property
    def _next(self) -> str:
        return self._tokens[-1] if self._tokens else ""

    def _take(self) -> str:
        if not self._tokens:
            raise _unparsed("end of file")
        return self._tokens.pop()

    def _expect(self, token: str) -> None:
        found = self._take()
        if found != token:
            raise _unparsed(found)


def _unparsed(token: str) -> Wrong:
    return Wrong("", f"Parse error on {token!r}", code="undefined")
