"""What a setup.py says in so many words: its call of `setup`, read and never run. Pure."""

import ast
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import Any

from bot.repository.finding.formats import python_module

_DEPTH = 12


@dataclass(frozen=True, slots=True)
class SetupCall:
    """The keywords of `setup(…)`; None stands for a value that only running it would tell."""

    keywords: Mapping[str, Any]
    imports: frozenset[str]

    def __contains__(self, keyword: str) -> bool:
        return keyword in self.keywords


def read_setup(text: str) -> SetupCall:
    """The call of `setup`, its names filled in where a literal was given to them before."""
    module = python_module(text)
    names = assigned(module)
    call = next((node for node in _nodes(module) if isinstance(node, ast.Call) and _name(node.func) == "setup"), None)
    keywords: dict[str, Any] = {}
    for keyword in call.keywords if call else ():
        value = literal(keyword.value, names)
        if keyword.arg:
            keywords[keyword.arg] = value
        elif isinstance(value, dict):
            keywords |= {key: item for key, item in value.items() if isinstance(key, str)}
    return SetupCall(keywords, frozenset(imported(module)))


def imported(module: ast.Module) -> Iterator[str]:
    """The names of the modules that a module imports, the first part of each."""
    for node in _nodes(module):
        if isinstance(node, ast.Import):
            yield from (alias.name.partition(".")[0] for alias in node.names)
        elif isinstance(node, ast.ImportFrom) and node.module and not node.level:
            yield node.module.partition(".")[0]


def assigned(module: ast.Module) -> Mapping[str, Any]:
    """What is assigned to names at the top of a module, as far as it is literal."""
    names: dict[str, Any] = {}
    for node in module.body:
        match node:
            case ast.Assign(targets=[ast.Name(id=name)], value=value):
                names[name] = literal(value, names)
            case ast.AnnAssign(target=ast.Name(id=name), value=ast.expr() as value):
                names[name] = literal(value, names)
            case ast.Assign(
                targets=[ast.Subscript(value=ast.Name(id=name), slice=ast.Constant(value=str(key)))], value=value
            ):
                held = names.get(name)
                names[name] = {**(held if isinstance(held, dict) else {}), key: literal(value, names)}
    return names


def literal(node: ast.expr | None, names: Mapping[str, Any], *, depth: int = 0) -> Any:
    """A literal's value, the known names in it filled in; what is not known is None, or missing from its list."""
    if depth > _DEPTH:
        return None
    value: Any = None
    match node:
        case ast.Constant():
            value = node.value
        case ast.Name(id=name):
            value = names.get(name)
        case ast.List(elts=items) | ast.Tuple(elts=items) | ast.Set(elts=items):
            value = list(_items(items, names, depth))
        case ast.Dict(keys=keys, values=values):
            pairs = ((literal(key, names, depth=depth + 1), item) for key, item in zip(keys, values, strict=True))
            value = {key: literal(item, names, depth=depth + 1) for key, item in pairs if isinstance(key, str)}
        case ast.Call(func=ast.Name(id="dict"), args=[], keywords=keywords):
            value = {word.arg: literal(word.value, names, depth=depth + 1) for word in keywords if word.arg}
        case ast.BinOp(op=ast.Add(), left=left, right=right):
            value = _sum(literal(left, names, depth=depth + 1), literal(right, names, depth=depth + 1))
    return value


def _items(items: list[ast.expr], names: Mapping[str, Any], depth: int) -> Iterator[Any]:
    for item in items:
        starred = isinstance(item, ast.Starred)
        value = literal(item.value if isinstance(item, ast.Starred) else item, names, depth=depth + 1)
        if starred and isinstance(value, list):
            yield from value
        elif value is not None and not starred:
            yield value


def _sum(left: Any, right: Any) -> Any:
    if isinstance(left, list) or isinstance(right, list):
        return [*(left if isinstance(left, list) else ()), *(right if isinstance(right, list) else ())]
    return left + right if isinstance(left, str) and isinstance(right, str) else None


def _nodes(module: ast.Module) -> Iterator[ast.AST]:
    return ast.walk(module)


def _name(function: ast.expr) -> str:
    match function:
        case ast.Name(id=name) | ast.Attribute(attr=name):
            return name
        case _:
            return ""
