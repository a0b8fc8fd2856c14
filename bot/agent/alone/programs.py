"""Whether two programs are the same. Pure."""

import ast

from bot.agent.elision import UNPARSEABLE


def sameness(code: str) -> str:
    """What is equal for programs that do the same by their text: layout, comments and docstrings do not count.

    A text that does not parse is equal to its own lines alone, whatever stands at their ends.
    """
    try:
        return _without_words(code)
    except UNPARSEABLE:
        return "\n".join(line.rstrip() for line in code.strip().splitlines())


def _without_words(code: str) -> str:
    tree = ast.parse(code)
    for node in ast.walk(tree):
        if isinstance(node, ast.Module | ast.ClassDef | ast.FunctionDef | ast.AsyncFunctionDef):
            node.body = [line for line in node.body if not _is_text(line)] or [ast.Pass()]
    return ast.dump(tree)


def _is_text(node: ast.stmt) -> bool:
    return isinstance(node, ast.Expr) and isinstance(node.value, ast.Constant) and isinstance(node.value.value, str)
