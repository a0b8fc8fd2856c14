"""Source that has a say in what its tests come to: a runner's hooks, its names, its place. Pure."""

import ast
import re
import sys
from pathlib import PurePosixPath

from bot.proof.languages import JAVASCRIPT, parsed
from bot.records import ChangedFile

_HOOK = re.compile(rb"^[ \t\f]*(async\s+)?def\s+pytest_[a-z_]+\s*\(|\bhookimpl\b", re.MULTILINE)
_STARTS = re.compile(
    rb"\b(_?pytest|unittest|nox|tox|jest|vitest|mocha)\b|\bgo test\b|\bcargo (test|nextest)\b|\bnode --test\b"
)
_PYTHON = re.compile(
    rb"\b(_?pytest|pluggy|unittest|doctest|nose2?)\b|PYTEST_\w+"
    rb"|zz_selfcode|_selfcode_|\.selfcode-|SELFCODE_INSIDE|planted by selfcode"
)
_JAVASCRIPT = re.compile(
    rb"\b(jest|vitest|mocha|jasmine)\b|node:test\b|JEST_WORKER_ID|VITEST\w*|NODE_TEST_CONTEXT|zz_selfcode"
)
_GO = re.compile(rb'^[ \t]*(import\s+)?(\w+\s+)?"testing"|\btesting\.|zz_selfcode', re.MULTILINE)
_NAMES = {
    ".py": _PYTHON,
    **dict.fromkeys(JAVASCRIPT, _JAVASCRIPT),
    ".go": _GO,
}
_RUNNER = frozenset({"pytest", "_pytest", "pluggy", "iniconfig"})
_RUNNER_NEEDS = sys.stdlib_module_names | {"packaging", "pygments", "exceptiongroup", "tomli", "colorama"}
_IMPORTABLE = (".py", ".pyc", ".so")
_SCRIPT = (".sh", ".bash", ".bat", ".cmd", ".ps1", "")
_DOCUMENTED = (ast.Module, ast.ClassDef, ast.FunctionDef, ast.AsyncFunctionDef)


def steers_tests(file: ChangedFile) -> bool:
    """Whether source holds a runner's hooks, begins or ceases to name one, or is a script that starts one."""
    before, after = file.before or b"", file.after or b""
    name = PurePosixPath(file.path)
    suffix = name.suffix
    if suffix in _SCRIPT and not name.name.startswith("."):
        return any(_STARTS.search(text) for text in (before, after))
    if suffix == ".py" and any(_HOOK.search(text) for text in (before, after)):
        return True
    pattern = _NAMES.get(suffix)
    return pattern is not None and _naming(before, pattern, suffix) != _naming(after, pattern, suffix)


def takes_a_place(path: str) -> bool:
    """Whether a module at this path is found before the true one: Python looks in the project's folders first."""
    parts = PurePosixPath(path).parts
    if not path.endswith(_IMPORTABLE):
        return False
    names = [part.partition(".")[0] for part in parts]
    top = names[1] if len(names) > 1 and names[0] in ("src", "lib") else names[0]
    return not _RUNNER.isdisjoint(names) or top in _RUNNER_NEEDS


def _naming(source: bytes, pattern: re.Pattern[bytes], suffix: str) -> frozenset[bytes]:
    """The lines of a program that name a runner, in code."""
    comment = b"#" if suffix == ".py" else b"//"
    lines = _without_docstrings(source) if suffix == ".py" else source.splitlines()
    return frozenset(line.strip() for line in lines if pattern.search(line.partition(comment)[0]))


def _without_docstrings(source: bytes) -> list[bytes]:
    lines = source.splitlines()
    tree = parsed(source)
    for node in ast.walk(tree) if tree else ():
        if isinstance(node, _DOCUMENTED) and ast.get_docstring(node, clean=False) is not None:
            said = node.body[0]
            lines[said.lineno - 1 : said.end_lineno] = [b""] * ((said.end_lineno or said.lineno) - said.lineno + 1)
    return lines
