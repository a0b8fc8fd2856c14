"""What more than one question of the proof asks of a language: its files' endings, its syntax tree. Pure."""

import ast

JAVASCRIPT = (".js", ".jsx", ".ts", ".tsx", ".mjs", ".cjs", ".mts", ".cts")
"""TypeScript's endings among them."""

_LEVELS = 150
"""Twice what people write. Whatever goes through a tree by recursion, Python's own `ast.dump` included, can do so."""
_CHARACTERS = 2_000_000


def parsed(source: bytes | str) -> ast.Module | None:
    """Python's syntax tree; None where it is not valid Python, or nobody can go through it: too deep, or too long."""
    tree, _ = _taken_apart(source)
    return tree


def is_past_reading(source: bytes | str) -> bool:
    """Whether it may well be valid Python and run, and yet is too deep or too long for `parsed`."""
    _, is_past = _taken_apart(source)
    return is_past


def _taken_apart(source: bytes | str) -> tuple[ast.Module | None, bool]:
    if len(source) > _CHARACTERS:
        return None, True
    try:
        tree = ast.parse(source)
    except (SyntaxError, ValueError):
        return None, False
    except (RecursionError, MemoryError):
        return None, True
    return (None, True) if _is_deep(tree) else (tree, False)


def _is_deep(tree: ast.Module) -> bool:
    level: list[ast.AST] = [tree]
    for _ in range(_LEVELS):
        level = [inner for node in level for inner in ast.iter_child_nodes(node)]
        if not level:
            return False
    return True
