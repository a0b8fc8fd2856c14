"""Whether two versions of a file do the same. Pure."""

import ast
from functools import lru_cache

from bot.proof.languages import parsed

_DOCUMENTED = ast.Module | ast.ClassDef | ast.FunctionDef | ast.AsyncFunctionDef


def behave_alike(path: str, before: bytes | None, after: bytes | None) -> bool:
    """Whether two versions differ in nothing that runs. A file that is not there is like an empty one.

    Python is compared by its syntax tree without docstrings, so that comments and layout are nothing; everything else,
    Python that can't be parsed too, by its lines without trailing white space, where blank lines are nothing.
    """
    if before == after:
        return True
    if path.endswith(".py"):
        one, other = _tree(before or b""), _tree(after or b"")
        if one is not None and other is not None:
            return one == other
    return _written(before) == _written(after)


@lru_cache(maxsize=2)
def _tree(source: bytes) -> str | None:
    """None where it can't be parsed. One side is often asked for again and again."""
    tree = parsed(source)
    if tree is None:
        return None
    for node in ast.walk(tree):
        if isinstance(node, _DOCUMENTED) and ast.get_docstring(node, clean=False) is not None:
            del node.body[0]
    return ast.dump(tree)


def _written(data: bytes | None) -> list[bytes]:
    return [line.rstrip() for line in (data or b"").split(b"\n") if line.strip()]
