"""What is added to an existing test and leaves it what it was: rows of its `parametrize` marks, assertions that do
nothing else, further statements at its end. By its syntax tree. Pure.
"""

import ast
import copy
import re
from collections.abc import Sequence
from typing import TypeGuard

Definition = ast.FunctionDef | ast.AsyncFunctionDef | ast.ClassDef

_ASSERTING = re.compile(
    r"assert((Not)?(AlmostEqual|Equal|IsInstance)|Is(Not)?(None)?|True|False|(Less|Greater)(Equal)?)"
)
_LOOKING = (
    *(ast.Name, ast.Attribute, ast.Constant, ast.Tuple, ast.List, ast.Dict, ast.Set),
    *(ast.Compare, ast.BoolOp, ast.UnaryOp, ast.BinOp, ast.IfExp),
    *(ast.expr_context, ast.cmpop, ast.boolop, ast.unaryop, ast.Add, ast.Sub, ast.Mult, ast.Div, ast.Mod),
)
_HARMLESS = frozenset({"len", "isinstance", "issubclass", "callable", "type", "id"})


def is_extended(old: Definition, new: Definition) -> bool:
    """Whether a definition is what it was, at most with further cases in its marks, assertions, or more at its end."""
    marks = old.decorator_list, new.decorator_list
    same = _shortened(_without_assertions(new, old), len(old.body))
    if len(marks[0]) != len(marks[1]) or _heart(old) != _heart(same):
        return False
    return all(ast.dump(a) == ast.dump(b) or _is_extended_mark(a, b) for a, b in zip(*marks, strict=True))


def is_extended_table(old: ast.stmt, new: ast.stmt, tables: frozenset[str]) -> bool:
    """Whether a constant of these names, which hold the cases of tests and nothing else, has got further cases."""
    match old, new:
        case ast.Assign(targets=[ast.Name(id=name)]), ast.Assign(targets=[ast.Name(id=other)]):
            return name == other and name in tables and _has_all(old.value, new.value)
        case _:
            return False


def case_tables(tree: ast.Module) -> frozenset[str]:
    """The names that a file uses as the cases of `parametrize` marks and nowhere else."""
    cases = [node.args[1] for node in ast.walk(tree) if _is_mark(node)]
    used = [node.id for node in ast.walk(tree) if isinstance(node, ast.Name) and isinstance(node.ctx, ast.Load)]
    named = [case.id for case in cases if isinstance(case, ast.Name)]
    return frozenset(name for name in named if used.count(name) == named.count(name))


def _heart(node: Definition) -> str:
    bare = copy.copy(node)
    bare.decorator_list = []
    return ast.dump(bare)


def _without_assertions(new: Definition, old: Definition) -> Definition:
    """A test without the assertions that came in between its old statements, and only look."""
    if isinstance(new, ast.ClassDef) or not new.name.startswith("test"):
        return new
    expected = [ast.dump(node) for node in reversed(old.body)]
    kept: list[ast.stmt] = []
    for node in new.body:
        if expected and ast.dump(node) == expected[-1]:
            expected.pop()
        elif expected and _only_asserts(node):
            continue
        kept.append(node)
    shorter = copy.copy(new)
    shorter.body = kept
    return shorter


def _only_asserts(node: ast.stmt) -> bool:
    """Whether a statement fails or does nothing: it calls nothing that could, binds no name, takes from no iterator."""
    match node:
        case ast.Assert(test=test, msg=None):
            return _only_looks(test)
        case ast.Assert(test=test, msg=ast.Constant()):
            return _only_looks(test)
        case ast.Expr(value=ast.Call(func=ast.Attribute(value=ast.Name(id="self"), attr=name), args=args, keywords=[])):
            return _ASSERTING.fullmatch(name) is not None and all(map(_only_looks, args))
        case _:
            return False


def _only_looks(node: ast.AST) -> bool:
    match node:
        case ast.Call(func=ast.Name(id=name), args=args, keywords=[]):
            return name in _HARMLESS and all(map(_only_looks, args))
        case ast.Subscript(value=value, slice=ast.Constant(value=int())):
            return _only_looks(value)
        case ast.In() | ast.NotIn():
            return False
        case _:
            return isinstance(node, _LOOKING) and all(map(_only_looks, ast.iter_child_nodes(node)))


def _shortened(node: Definition, length: int) -> Definition:
    """A test without what comes behind its first statements: by then, those have had their turn."""
    behind = node.body[length:]
    leaves = any(isinstance(part, (ast.Yield, ast.YieldFrom, ast.Global)) for one in behind for part in ast.walk(one))
    if isinstance(node, ast.ClassDef) or not node.name.startswith("test") or leaves:
        return node
    shorter = copy.copy(node)
    shorter.body = node.body[:length]
    return shorter


def _is_extended_mark(old: ast.expr, new: ast.expr) -> bool:
    if not (_is_mark(old) and _is_mark(new)):
        return False
    if len(old.args) != 2 or len(new.args) != 2 or len(old.keywords) != len(new.keywords):
        return False
    same = ast.dump(old.func) == ast.dump(new.func) and ast.dump(old.args[0]) == ast.dump(new.args[0])
    keywords = zip(old.keywords, new.keywords, strict=True)
    return same and _has_all(old.args[1], new.args[1]) and all(_is_extended_keyword(a, b) for a, b in keywords)


def _is_extended_keyword(old: ast.keyword, new: ast.keyword) -> bool:
    """Names of the cases may grow with them."""
    return ast.dump(old) == ast.dump(new) or (old.arg == new.arg == "ids" and _has_all(old.value, new.value))


def _is_mark(node: ast.AST) -> TypeGuard[ast.Call]:
    match node:
        case ast.Call(func=ast.Attribute(attr="parametrize"), args=[_, _, *_]):
            return True
        case _:
            return False


def _has_all(old: ast.expr, new: ast.expr) -> bool:
    """Whether all of one list is in the other, in its order."""
    if isinstance(old, (ast.List, ast.Tuple)) and type(old) is type(new):
        rest = iter([ast.dump(element) for element in _elements(new)])
        return all(ast.dump(element) in rest for element in _elements(old))
    return ast.dump(old) == ast.dump(new)


def _elements(table: ast.expr) -> Sequence[ast.expr]:
    return table.elts if isinstance(table, (ast.List, ast.Tuple)) else ()
