"""What a change does to the examples in docstrings and texts, which some test commands run as tests. Pure."""

import ast
import doctest
from collections.abc import Iterator, Mapping, Sequence

from bot.proof.languages import parsed

_PARSER = doctest.DocTestParser()
_DEFINITION = (ast.FunctionDef, ast.AsyncFunctionDef, ast.ClassDef)

Example = tuple[str, str]
"""What is typed, and what is to be answered."""


def lost_examples(before: bytes, after: bytes | None, *, is_python: bool) -> Iterator[str]:
    """Each place (a definition's dotted name, "" for the file itself) whose examples are not all there still, in order.

    Further examples are fine. Those of a file that can't be read any more are lost.
    """
    old, new = _examples(before, is_python=is_python), _examples(after or b"", is_python=is_python)
    for place, examples in old.items():
        rest = iter(new.get(place, ()))
        if not all(example in rest for example in examples):
            yield place


def _examples(data: bytes, *, is_python: bool) -> Mapping[str, Sequence[Example]]:
    text = data.decode("utf-8", "replace")
    texts = dict(_docstrings(text)) if is_python else {"": text}
    return {place: examples for place, words in texts.items() if (examples := _parsed(words))}


def _parsed(words: str) -> Sequence[Example]:
    try:
        return [(example.source, example.want) for example in _PARSER.get_examples(words)]
    except ValueError:  # doctest itself can't read it: the text whole is what must stay
        return [(words, "")]


def _docstrings(source: str) -> Iterator[tuple[str, str]]:
    """Docstrings by the dotted names of what they stand in, wherever that is; a source that can't be parsed whole."""
    tree = parsed(source)
    if tree is None:
        yield "", source
        return
    waiting: list[tuple[str, ast.AST]] = [("", tree)]
    while waiting:
        name, node = waiting.pop()
        if isinstance(node, (ast.Module, *_DEFINITION)):
            yield name, ast.get_docstring(node) or ""
        for inner in ast.iter_child_nodes(node):
            below = f"{name}.{inner.name}".lstrip(".") if isinstance(inner, _DEFINITION) else name
            waiting.append((below, inner))
