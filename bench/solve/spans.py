"""A Python source with where its parts stand, in bytes, so that a part can be changed and the rest left as it is."""

import ast
import codecs
import re
from collections.abc import Iterator
from dataclasses import dataclass
from keyword import iskeyword
from typing import NamedTuple

_LINE_END = re.compile(rb"\r\n|\r|\n")
_CALLED = re.compile(r"[\w\])]+\Z")
_NOISE = re.compile(r"#[^\r\n]*|[\s\\()]+")


class Span(NamedTuple):
    """From the first byte to the one after the last."""

    start: int
    end: int


@dataclass(frozen=True, slots=True)
class Text:
    """A source in UTF-8 and its tree."""

    source: bytes
    tree: ast.Module
    lines: tuple[int, ...]
    """Where each line starts."""

    @classmethod
    def of(cls, source: bytes) -> "Text":
        """Raises `SyntaxError` for what is no Python in UTF-8."""
        try:
            source.decode("utf-8")
        except UnicodeDecodeError as wrong:
            raise SyntaxError(f"not in UTF-8: {wrong}") from wrong
        first = len(codecs.BOM_UTF8) if source.startswith(codecs.BOM_UTF8) else 0
        return cls(source, ast.parse(source), (first, *(found.end() for found in _LINE_END.finditer(source))))

    def span(self, node: ast.stmt | ast.expr | ast.arg | ast.keyword | ast.ExceptHandler) -> Span:
        """Where a node stands, without the brackets around it."""
        last, column = node.end_lineno, node.end_col_offset
        if last is None or column is None:
            raise ValueError("a node without an end")
        return Span(self.lines[node.lineno - 1] + node.col_offset, self.lines[last - 1] + column)

    def between(self, left: ast.expr, right: ast.expr) -> Span:
        """Where the operator of two operands stands: what is between them but for brackets, comments and spaces."""
        start, end = self.span(left).end, self.span(right).start
        gap = self.text(Span(start, end))
        blank = _NOISE.sub(lambda noise: " " * len(noise[0].encode()), gap)
        lead = len(blank) - len(blank.lstrip())
        return Span(start + lead, start + len(blank.rstrip()))

    def bracketed(self, node: ast.expr) -> Span:
        """Where an expression stands, with the brackets right around it."""
        start, end = self.span(node)
        while found := self._brackets(start, end):
            start, end = found
        return Span(start, end)

    def text(self, span: Span) -> str:
        return self.source[span.start : span.end].decode("utf-8")

    def line_of(self, position: int) -> int:
        """The number of the line that holds a byte."""
        return sum(start <= position for start in self.lines)

    def whole_lines(self, span: Span) -> Span | None:
        """The lines that a span fills, a comment behind it too; None where something else is on them."""
        start = max(begin for begin in self.lines if begin <= span.start)
        end = min((begin for begin in self.lines if begin >= span.end and begin > start), default=len(self.source))
        before, behind = self.source[start : span.start], self.source[span.end : end].strip()
        return None if before.strip() or (behind and not behind.startswith(b"#")) else Span(start, end)

    def _brackets(self, start: int, end: int) -> Span | None:
        before, behind = self.source[:start].rstrip(), self.source[end:]
        close = len(behind) - len(behind.lstrip())
        if not before.endswith(b"(") or behind[close : close + 1] != b")":
            return None
        opened = len(before) - 1
        called = _CALLED.search(self.source[:opened].rstrip().decode("utf-8"))
        return Span(opened, end + close + 1) if called is None or iskeyword(called[0]) else None


def docstrings(tree: ast.AST) -> Iterator[ast.Expr]:
    """Every docstring below a node, as a statement."""
    for node in ast.walk(tree):
        if isinstance(node, ast.Module | ast.ClassDef | ast.FunctionDef | ast.AsyncFunctionDef) and node.body:
            first = node.body[0]
            if (
                isinstance(first, ast.Expr)
                and isinstance(first.value, ast.Constant)
                and isinstance(first.value.value, str)
            ):
                yield first
