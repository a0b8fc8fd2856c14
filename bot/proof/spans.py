"""Which lines of a file were changed: spans of old lines, and the new ones in their place. Pure."""

import ast
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from difflib import SequenceMatcher
from itertools import pairwise
from typing import TypeVar

from bot.proof.languages import parsed

_MAX_COMPARED_LINES = 20_000
_MAX_PARTED = 200
Line = TypeVar("Line", bytes, str)
_DEFINITION = ast.FunctionDef | ast.AsyncFunctionDef | ast.ClassDef


@dataclass(frozen=True, slots=True)
class Span:
    """Old lines from `old_start` to `old_end`, new ones from `start` to `end`, counted from 0, ends not included."""

    old_start: int
    old_end: int
    start: int
    end: int


def lines_of(data: bytes | None) -> list[bytes]:
    """The lines with their ends, which together are the data; only a line feed ends one."""
    *whole, last = (data or b"").split(b"\n")
    return [*(line + b"\n" for line in whole), *([last] if last else [])]


def changed_spans(old: Sequence[bytes], new: Sequence[bytes]) -> Iterator[Span]:
    """What was changed, top to bottom; what only blank lines keep apart is one.

    Very long files are not compared line by line: there everything from the first difference to the last is one span.
    """
    if len(old) + len(new) > _MAX_COMPARED_LINES:
        yield outer_span(old, new)
        return
    pending: Span | None = None
    for tag, old_start, old_end, start, end in SequenceMatcher(None, old, new).get_opcodes():
        if tag == "equal":
            if pending and any(line.strip() for line in new[start:end]):
                yield pending
                pending = None
        elif pending:
            pending = Span(pending.old_start, old_end, pending.start, end)
        else:
            pending = Span(old_start, old_end, start, end)
    if pending:
        yield pending


def parted(spans: Iterable[Span], source: Sequence[bytes]) -> Iterator[Span]:
    """Python that was only added, in parts: each function and class that was added whole, and what is between them."""
    each = list(spans)
    is_asked = len(each) <= _MAX_PARTED and any(span.old_start == span.old_end for span in each)
    tree = parsed(b"".join(source)) if is_asked else None
    for span in each:
        found = list(_definitions(tree, span)) if tree and span.old_start == span.old_end else []
        if len(found) < 2:
            yield span
            continue
        cuts = sorted({span.start, span.end, *(cut for definition in found for cut in definition)})
        yield from (
            Span(span.old_start, span.old_end, start, end)
            for start, end in pairwise(cuts)
            if any(line.strip() for line in source[start:end])
        )


def outer_span(old: Sequence[Line], new: Sequence[Line]) -> Span:
    """Everything from the first difference to the last."""
    shorter = min(len(old), len(new))
    head = next((at for at in range(shorter) if old[at] != new[at]), shorter)
    tail = next((at for at in range(shorter - head) if old[-1 - at] != new[-1 - at]), shorter - head)
    return Span(head, len(old) - tail, head, len(new) - tail)


def _definitions(tree: ast.Module, span: Span) -> Iterator[tuple[int, int]]:
    """The outermost functions and classes that lie in the span as a whole, as lines counted from 0."""
    waiting: list[ast.AST] = [tree]
    while waiting:
        for node in ast.iter_child_nodes(waiting.pop()):
            if not isinstance(node, ast.stmt):
                continue
            start, end = _lines_of(node)
            if isinstance(node, _DEFINITION) and span.start <= start and end <= span.end:
                yield start, end
            elif start < span.end and span.start < end:
                waiting.append(node)


def _lines_of(node: ast.stmt) -> tuple[int, int]:
    decorators = node.decorator_list if isinstance(node, _DEFINITION) else []
    return min([node.lineno, *(each.lineno for each in decorators)]) - 1, node.end_lineno or node.lineno
