"""YAML with the line of each key, so that a complaint can say where. Pure."""

import re
from collections.abc import Iterator
from typing import Any

import yaml

DEPTH_AT_MOST = 20
_BRACKETS = re.compile(r"[\[\]{}]")
_BLOCKS_IN_ONE_LINE = re.compile(rf"([-?:][ \t]+){{{DEPTH_AT_MOST}}}")


def parsed(data: bytes) -> tuple[Any, yaml.Node]:
    """The document as plain values, and as nodes that know their lines.

    Raises: `ValueError` with the line where it is not YAML, not UTF-8, or uses anchors, tags or depth that a
    configuration has no need for.
    """
    try:
        text = data.decode("utf-8-sig")
        _refuse_depth(text)
        _refuse_aliases(text)
        node = yaml.compose(text, Loader=yaml.SafeLoader)
        return yaml.safe_load(text), node if node is not None else yaml.ScalarNode("null", "")
    except UnicodeDecodeError as broken:
        raise ValueError("it is not UTF-8 text") from broken
    except yaml.MarkedYAMLError as broken:
        mark = broken.problem_mark
        where = f"line {mark.line + 1}: " if mark is not None else ""
        raise ValueError(f"{where}{broken.problem or broken.context or 'unreadable'}") from broken
    except yaml.YAMLError as broken:
        raise ValueError(str(broken).partition("\n")[0]) from broken
    except RecursionError as broken:
        raise ValueError("it is nested too deeply") from broken


def lines_of(node: yaml.Node, path: tuple[str, ...] = ()) -> Iterator[tuple[tuple[str, ...], int]]:
    """Each key's path and its line, counted from 1; a repeated key comes repeatedly."""
    if isinstance(node, yaml.MappingNode):
        for key, value in node.value:
            here = (*path, str(key.value))
            yield here, key.start_mark.line + 1
            yield from lines_of(value, here)


def _refuse_depth(text: str) -> None:
    """Look before the parser does: it takes minutes over a few thousand brackets. Those in quotes count as well."""
    depth = 0
    for character in _BRACKETS.findall(text):
        depth += 1 if character in "[{" else -1
        if depth > DEPTH_AT_MOST:
            raise ValueError("it is nested too deeply")
    if _BLOCKS_IN_ONE_LINE.search(text):
        raise ValueError("it is nested too deeply")


def _refuse_aliases(text: str) -> None:
    aliases = (token for token in yaml.scan(text, Loader=yaml.SafeLoader) if isinstance(token, yaml.AliasToken))
    if alias := next(aliases, None):
        raise ValueError(f"line {alias.start_mark.line + 1}: references (`*name`) are not supported")
