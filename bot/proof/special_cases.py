"""Answers that a change writes down for the very values that the new tests ask with. Python alone. Pure."""

import ast
from collections.abc import Collection, Iterator
from dataclasses import dataclass

_PLAIN = frozenset(map(repr, (None, True, False, 0, 1, -1, "", b"", 0.0, 1.0, [], (), {})))
_LITERAL = (ast.Constant, ast.UnaryOp, ast.List, ast.Tuple, ast.Dict, ast.Set)


@dataclass(frozen=True, slots=True, order=True)
class Answer:
    """A program that compares with one written value and gives another, each as Python writes it."""

    asked: str
    given: str

    @property
    def is_telling(self) -> bool:
        """Whether what it gives is more than the plainest value, which may come by chance."""
        return self.given not in _PLAIN


def literals(tree: ast.AST) -> frozenset[str]:
    """Every value that is written down in it, as Python writes it."""
    return frozenset(said for node in ast.walk(tree) if (said := _said(node)) is not None)


def answers(tree: ast.AST) -> frozenset[Answer]:
    """Each value that is compared with where the outcome is a written value too; the plainest are not compared with."""
    found = (answer for node in ast.walk(tree) for answer in _answers(node))
    return frozenset(answer for answer in found if answer.asked not in _PLAIN)


def asks_only_for(test: ast.AST, written: Collection[Answer]) -> bool:
    """Whether each thing that a test asks for is among those answers: its rows where it has some, else its assertions.

    Such a test can't tell a program that knows the rule from one that knows the test.
    """
    asked = [*_rows(test)] or [node for node in ast.walk(test) if _asserts(node)]
    return bool(asked) and all(_is_answered(node, written) for node in asked)


def _is_answered(node: ast.AST, written: Collection[Answer]) -> bool:
    said = literals(node)
    return any(answer.asked in said and answer.given in said for answer in written)


def _rows(test: ast.AST) -> Iterator[ast.AST]:
    """The values of a parametrized test, a row each."""
    for decorator in getattr(test, "decorator_list", ()):
        match decorator:
            case ast.Call(func=ast.Attribute(attr="parametrize"), args=[_, ast.List(elts=rows) | ast.Tuple(elts=rows)]):
                yield from rows
            case _:
                pass


def _asserts(node: ast.AST) -> bool:
    match node:
        case ast.Assert():
            return True
        case ast.Call(func=ast.Attribute(attr=name)):
            return name.startswith("assert")
        case _:
            return False


def _answers(node: ast.AST) -> Iterator[Answer]:
    match node:
        case ast.If(test=test, body=body):
            yield from (Answer(asked, given) for asked in _compared(test) for given in _given(body))
        case ast.IfExp(test=test, body=body) if (given := _said(body)) is not None:
            yield from (Answer(asked, given) for asked in _compared(test))
        case ast.match_case(pattern=pattern, body=body):
            values = (part.value for part in ast.walk(pattern) if isinstance(part, ast.MatchValue))
            asked_for = [said for value in values if (said := _said(value)) is not None]
            yield from (Answer(asked, given) for asked in asked_for for given in _given(body))
        case _:
            pass


def _compared(test: ast.expr) -> Iterator[str]:
    for node in ast.walk(test):
        if isinstance(node, ast.Compare) and all(isinstance(sign, (ast.Eq, ast.Is, ast.In)) for sign in node.ops):
            sides = [node.left, *node.comparators]
            listed = [one for side in sides if isinstance(side, ast.List | ast.Tuple | ast.Set) for one in side.elts]
            yield from (said for side in (*sides, *listed) if (said := _said(side)) is not None)


def _given(body: list[ast.stmt]) -> Iterator[str]:
    for node in body:
        match node:
            case ast.Return(value=ast.expr() as value) | ast.Assign(value=value) if (said := _said(value)) is not None:
                yield said
            case _:
                pass


def _said(node: ast.AST) -> str | None:
    if not isinstance(node, _LITERAL):
        return None
    try:
        return repr(ast.literal_eval(node))
    except (ValueError, TypeError, MemoryError, RecursionError):
        return None
