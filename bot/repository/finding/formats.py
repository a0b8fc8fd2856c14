"""Manifests as values, whatever they hold: what can't be read is empty, and nothing takes long. Pure."""

import ast
import json
import re
import tomllib
from collections.abc import Iterator, Mapping
from typing import Any

import yaml

ITEMS_AT_MOST = 400
YAML_AT_MOST = 65_536
_YAML_DEPTH = 16
_YAML_NODES = 20_000
_BRACKETS = re.compile(r"[\[\]{}]")
_LONG_KEY = re.compile(r"""(?<![\w"'-])(?:(?:[\w-]++|"(?:[^"\\\n]|\\.)*+"|'[^'\n]*+')[ \t]*+\.[ \t]*+){40}""")
_BLOCKS_IN_ONE_LINE = re.compile(rf"([-?:][ \t]+){{{_YAML_DEPTH}}}")

Ini = Mapping[str, Mapping[str, str]]


def toml(text: str) -> Mapping[str, Any]:
    """A TOML file's table. A key of very many parts is left unread: it takes the parser minutes."""
    if _LONG_KEY.search(text):
        return {}
    try:
        return tomllib.loads(text)
    except (ValueError, RecursionError):
        return {}


def json_object(text: str) -> Mapping[str, Any]:
    """A JSON file's object."""
    try:
        value = json.loads(text or "{}")
    except (ValueError, RecursionError):
        return {}
    return value if isinstance(value, dict) else {}


def ini(text: str) -> Ini:
    """An INI file's sections with their keys, in small letters and with `_` for `-`; a value keeps its lines.

    Its own reader, because one odd line must not cost the rest.
    """
    sections: dict[str, dict[str, str]] = {}
    section: dict[str, str] = {}
    key = ""
    for line in text.splitlines():
        bare = line.strip()
        if not bare or bare[0] in "#;":
            continue
        if line[0] == "[" and "]" in bare:
            section, key = sections.setdefault(bare[1:].partition("]")[0].strip(), {}), ""
        elif line[0].isspace() and key:
            section[key] += f"\n{bare}"
        elif found := re.match(r"([^=:\s][^=:]*)[=:](.*)", bare):
            key = found[1].strip().lower().replace("-", "_")
            section[key] = found[2].strip()
    return sections


def yaml_object(text: str) -> Mapping[str, Any]:
    """A YAML file's mapping. References and merges are followed as far as the bounds on depth and size go."""
    if len(text) > YAML_AT_MOST or _is_nested_deeply(text):
        return {}
    try:
        node = yaml.compose(text, Loader=yaml.SafeLoader)
    except (yaml.YAMLError, RecursionError, ValueError):
        return {}
    value = _Plain().value(node, 0)
    return value if isinstance(value, dict) else {}


def python_module(text: str) -> ast.Module:
    """A Python file's syntax tree; it is never run."""
    try:
        return ast.parse(text)
    except (SyntaxError, ValueError, RecursionError, MemoryError):
        return ast.Module(body=[], type_ignores=[])


def table(value: Any, *keys: str) -> Mapping[str, Any]:
    """The table below the keys; an empty one where there is none."""
    for key in keys:
        value = value.get(key) if isinstance(value, Mapping) else None
    return value if isinstance(value, Mapping) else {}


def text_of(value: Any) -> str:
    """The value where it is text, else ""."""
    return value.strip() if isinstance(value, str) else ""


def texts(value: Any) -> tuple[str, ...]:
    """The texts of a list, or the lines of a text."""
    items = value.splitlines() if isinstance(value, str) else value
    if not isinstance(items, (list, tuple)):
        return ()
    return tuple(item.strip() for item in items[:ITEMS_AT_MOST] if isinstance(item, str) and item.strip())


def _is_nested_deeply(text: str) -> bool:
    """Look before the parser does: it takes minutes over a few thousand brackets."""
    depth = 0
    for character in _BRACKETS.findall(text):
        depth = max(0, depth + (1 if character in "[{" else -1))
        if depth > _YAML_DEPTH:
            return True
    return _BLOCKS_IN_ONE_LINE.search(text) is not None


class _Plain:
    """YAML nodes as plain values: mappings, lists and texts, each number and truth value as it is written."""

    def __init__(self) -> None:
        self._left = _YAML_NODES

    def value(self, node: yaml.Node | None, depth: int) -> Any:
        self._left -= 1
        if self._left < 0 or depth > _YAML_DEPTH:
            return None
        match node:
            case yaml.MappingNode():
                return dict(self._items(node, depth))
            case yaml.SequenceNode():
                return [self.value(item, depth + 1) for item in node.value[:ITEMS_AT_MOST]]
            case yaml.ScalarNode():
                return str(node.value)
            case _:
                return None

    def _items(self, node: yaml.MappingNode, depth: int) -> Iterator[tuple[str, Any]]:
        for key, item in node.value[:ITEMS_AT_MOST]:
            if not isinstance(key, yaml.ScalarNode):
                continue
            value = self.value(item, depth + 1)
            if key.value == "<<" and isinstance(value, dict):
                yield from value.items()
            else:
                yield str(key.value), value
