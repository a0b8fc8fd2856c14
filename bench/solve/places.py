"""Where in a function a change of each kind is possible, counted in the order of the source."""

import ast
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, field
from enum import StrEnum
from itertools import pairwise

from bench.solve.spans import Span, Text, docstrings


class Change(StrEnum):
    """The kinds of change, and what a place of each is known by."""

    COMPARE = "compare"
    OPERATOR = "operator"
    OPERAND = "operand"
    NEGATE = "negate"
    CONSTANT = "constant"
    TEXT = "text"
    NAME = "name"
    ATTRIBUTE = "attribute"
    CALL = "call"
    UNWRAP = "unwrap"
    SWAP = "swap"
    ARGUMENT = "argument"
    SLICE = "slice"
    DEFAULT = "default"
    EXCEPT = "except"
    STATEMENT = "statement"


@dataclass(frozen=True, slots=True)
class Place:
    """Somewhere a change can be made; `token` is what is there now."""

    token: str
    span: Span
    node: ast.AST
    block: Sequence[ast.stmt] = field(default=(), repr=False)
    """The statements that a statement stands among."""


class Unknown(Exception):
    """No such function, or more than one."""


Scope = ast.Module | ast.FunctionDef | ast.AsyncFunctionDef | ast.ClassDef
Definition = ast.FunctionDef | ast.AsyncFunctionDef | ast.ClassDef


def places(text: Text, change: Change, function: str = "", part: str = "") -> list[Place]:
    """Every place for a kind of change in a function, or in the whole file. Raises `Unknown`.

    `part` is the parameter for a default, and `lower`, `upper` or `step` for a slice. Neither docstrings count nor what
    stands in an f-string: before Python 3.12 its positions are not known.
    """
    scope = _scope_of(text.tree, function)
    nodes = [scope] if change is Change.DEFAULT else list(_countable(scope))
    return sorted(_FINDERS[change](text, nodes, part), key=lambda place: (place.span.start, place.span.end))


def _countable(scope: Scope) -> Iterator[ast.AST]:
    left_out = {id(part) for docstring in docstrings(scope) for part in ast.walk(docstring)}
    for node in ast.walk(scope):
        if isinstance(node, ast.JoinedStr):
            left_out |= {id(part) for part in ast.walk(node) if part is not node}
        if id(node) not in left_out and node is not scope:
            yield node


def _scope_of(tree: ast.Module, function: str) -> Scope:
    """What a qualified name defines; overloads don't count. Raises `Unknown`."""
    scope: Scope = tree
    for name in filter(None, function.split(".")):
        found = [node for node in _definitions(scope) if node.name == name and not _overloads(node)]
        if len(found) != 1:
            raise Unknown(f"{len(found)} definitions of {function}")
        scope = found[0]
    return scope


def _definitions(scope: ast.AST) -> Iterator[Definition]:
    """What is defined right in this scope, its conditions and other blocks included."""
    for node in ast.iter_child_nodes(scope):
        if isinstance(node, Definition):
            yield node
        else:
            yield from _definitions(node)


def _overloads(node: Definition) -> bool:
    return any(ast.unparse(mark).endswith("overload") for mark in node.decorator_list)


def _comparisons(text: Text, nodes: Sequence[ast.AST], _: str) -> Iterator[Place]:
    for node in nodes:
        if isinstance(node, ast.Compare):
            yield from _operators_of(text, node, [node.left, *node.comparators])


def _operators(text: Text, nodes: Sequence[ast.AST], _: str) -> Iterator[Place]:
    for node in nodes:
        match node:
            case ast.BinOp():
                yield from _operators_of(text, node, [node.left, node.right])
            case ast.AugAssign():
                yield from _operators_of(text, node, [node.target, node.value])
            case ast.BoolOp():
                yield from _operators_of(text, node, node.values)


def _operators_of(text: Text, node: ast.AST, operands: Sequence[ast.expr]) -> Iterator[Place]:
    for left, right in pairwise(operands):
        span = text.between(left, right)
        yield Place(" ".join(text.text(span).split()), span, node)


def _boolean_operations(text: Text, nodes: Sequence[ast.AST], _: str) -> Iterator[Place]:
    for node in nodes:
        if isinstance(node, ast.BoolOp):
            yield Place("and" if isinstance(node.op, ast.And) else "or", text.span(node), node)


def _conditions(text: Text, nodes: Sequence[ast.AST], _: str) -> Iterator[Place]:
    for node in nodes:
        match node:
            case ast.If() | ast.While() | ast.IfExp() | ast.Assert():
                tests = [node.test]
            case ast.comprehension():
                tests = node.ifs
            case _:
                tests = []
        for test in tests:
            yield Place(type(test).__name__, text.bracketed(test), test)


def _constants(text: Text, nodes: Sequence[ast.AST], _: str) -> Iterator[Place]:
    for node in nodes:
        if isinstance(node, ast.Constant):
            yield Place(ast.unparse(node), text.span(node), node)


def _strings(text: Text, nodes: Sequence[ast.AST], _: str) -> Iterator[Place]:
    for node in nodes:
        match node:
            case ast.Constant(value=str() | bytes()) | ast.JoinedStr():
                yield Place(text.text(text.span(node)), text.span(node), node)


def _names(text: Text, nodes: Sequence[ast.AST], _: str) -> Iterator[Place]:
    for node in nodes:
        if isinstance(node, ast.Name) and isinstance(node.ctx, ast.Load):
            yield Place(node.id, text.span(node), node)


def _attributes(text: Text, nodes: Sequence[ast.AST], _: str) -> Iterator[Place]:
    for node in nodes:
        if isinstance(node, ast.Attribute):
            end = text.span(node).end
            yield Place(node.attr, Span(end - len(node.attr.encode()), end), node)


def _calls(text: Text, nodes: Sequence[ast.AST], _: str) -> Iterator[Place]:
    for node in nodes:
        if isinstance(node, ast.Call):
            match node.func:
                case ast.Name(id=name) | ast.Attribute(attr=name):
                    end = text.span(node.func).end
                    yield Place(name, Span(end - len(name.encode()), end), node)


def _slices(text: Text, nodes: Sequence[ast.AST], part: str) -> Iterator[Place]:
    for node in nodes:
        if isinstance(node, ast.Slice):
            bound: ast.expr | None = getattr(node, part or "upper")
            yield Place("" if bound is None else ast.unparse(bound), text.span(node), node)


def _defaults(text: Text, nodes: Sequence[ast.AST], part: str) -> Iterator[Place]:
    for node in nodes:
        if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef):
            positional = [*node.args.posonlyargs, *node.args.args]
            given = [None] * (len(positional) - len(node.args.defaults)) + [*node.args.defaults]
            pairs = [
                *zip(positional, given, strict=True),
                *zip(node.args.kwonlyargs, node.args.kw_defaults, strict=True),
            ]
            for parameter, default in pairs:
                if parameter.arg == part and default is not None:
                    yield Place(ast.unparse(default), text.span(default), default)


def _handlers(text: Text, nodes: Sequence[ast.AST], _: str) -> Iterator[Place]:
    for node in nodes:
        if isinstance(node, ast.ExceptHandler) and node.type is not None:
            caught = node.type.elts if isinstance(node.type, ast.Tuple) else [node.type]
            yield Place(" ".join(map(ast.unparse, caught)), text.span(node.type), node.type)


def _statements(text: Text, nodes: Sequence[ast.AST], _: str) -> Iterator[Place]:
    blocks = {id(statement): block for node in nodes for block in _blocks_of(node) for statement in block}
    for node in nodes:
        if isinstance(node, ast.stmt):
            yield Place(type(node).__name__, text.span(node), node, blocks.get(id(node), ()))


def _blocks_of(node: ast.AST) -> Iterator[list[ast.stmt]]:
    """The blocks of a compound statement."""
    for _, value in ast.iter_fields(node):
        if isinstance(value, list) and value and isinstance(value[0], ast.stmt):
            yield value


_Finder = Callable[[Text, Sequence[ast.AST], str], Iterator[Place]]

_FINDERS: dict[Change, _Finder] = {
    Change.COMPARE: _comparisons,
    Change.OPERATOR: _operators,
    Change.OPERAND: _boolean_operations,
    Change.NEGATE: _conditions,
    Change.CONSTANT: _constants,
    Change.TEXT: _strings,
    Change.NAME: _names,
    Change.ATTRIBUTE: _attributes,
    Change.CALL: _calls,
    Change.UNWRAP: _calls,
    Change.SWAP: _calls,
    Change.ARGUMENT: _calls,
    Change.SLICE: _slices,
    Change.DEFAULT: _defaults,
    Change.EXCEPT: _handlers,
    Change.STATEMENT: _statements,
}
