"""Tests that the model wrote itself: taken apart into single ones that can be kept or dropped each. Pure."""

import ast
import builtins
import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from bot.agent.elision import UNPARSEABLE

MOST_TESTS = 8
GIVEN = frozenset({"solution", "output"})
"""Names that each test finds beside those that the program defines: its module, and what it printed."""

_VERDICT = re.compile(r"^\W*(?:test[_ ]?)?(\d+)\W+\**(keep|drop)\b\W*(.*)$", re.IGNORECASE)
_SHARED = (ast.Import, ast.ImportFrom, ast.FunctionDef, ast.AsyncFunctionDef, ast.ClassDef)
_STEPS = (ast.Assign, ast.AnnAssign, ast.AugAssign, ast.For, ast.With)


@dataclass(frozen=True, slots=True)
class OwnTest:
    """One test: a function without arguments, as text."""

    name: str
    source: str


@dataclass(frozen=True, slots=True)
class OwnTests:
    """Tests, and what they share: imports, functions."""

    shared: str = ""
    tests: tuple[OwnTest, ...] = ()

    @property
    def source(self) -> str:
        """All of it as one module, "" where there is no test."""
        return "\n\n".join(part for part in (self.shared, *(test.source for test in self.tests)) if part and self.tests)

    def without(self, names: Sequence[str]) -> "OwnTests":
        """The tests but those."""
        return OwnTests(self.shared, tuple(test for test in self.tests if test.name not in names))


def tests_of(code: str) -> OwnTests:
    """Take a test module apart: each assertion with the lines that it needs becomes a test, and so does each function.

    Left out are tests that mention nothing of the program, and the same test again. None where it does not parse.
    """
    try:
        return _taken_apart(ast.parse(code).body)
    except UNPARSEABLE:
        return OwnTests()


def verdicts(text: str, tests: Sequence[OwnTest]) -> Mapping[str, str]:
    """The tests that a review drops, by name, each with the reason. What it does not mention is kept."""
    found = (_VERDICT.match(line) for line in text.splitlines())
    said = {f"test_{match[1]}": match for match in found if match}
    return {
        test.name: said[test.name][3].strip() or "the review gave no reason"
        for test in tests
        if test.name in said and said[test.name][2].lower() == "drop"
    }


def _taken_apart(body: Sequence[ast.stmt]) -> OwnTests:
    shared = [node for node in body if isinstance(node, _SHARED) and not _is_test(node) and not _is_of_solution(node)]
    known = {name for node in shared for name in _defined(node)} | set(dir(builtins))
    functions = [_as_function(body, at) for at, node in enumerate(body) if isinstance(node, ast.Assert)]
    functions += [node.body for node in body if isinstance(node, ast.FunctionDef) and _is_test(node)]
    meant = {ast.dump(ast.Module(lines, [])): lines for lines in functions if _is_about_the_program(lines, known)}
    tests = tuple(
        OwnTest(f"test_{number}", ast.unparse(_test(f"test_{number}", lines)))
        for number, lines in enumerate(list(meant.values())[:MOST_TESTS], start=1)
    )
    return OwnTests("\n".join(ast.unparse(node) for node in shared), tests)


def _test(name: str, body: list[ast.stmt]) -> ast.stmt:
    made = ast.parse(f"def {name}():\n    pass").body[0]
    if isinstance(made, ast.FunctionDef):
        made.body = body
    return ast.fix_missing_locations(made)


def _as_function(body: Sequence[ast.stmt], at: int) -> list[ast.stmt]:
    """An assertion, after those of the lines before it that make what it mentions."""
    lines, needed = [body[at]], _loaded(body[at])
    for node in reversed(body[:at]):
        if isinstance(node, _STEPS) and needed & _stored(node):
            lines.insert(0, node)
            needed |= _loaded(node)
    return lines


def _is_about_the_program(lines: Sequence[ast.stmt], known: set[str]) -> bool:
    loaded = {name for node in lines for name in _loaded(node)}
    stored = {name for node in lines for name in _stored(node)}
    return any(isinstance(inner, ast.Assert) for node in lines for inner in ast.walk(node)) and bool(
        loaded - stored - known
    )


def _is_test(node: ast.stmt) -> bool:
    match node:
        case ast.FunctionDef(name=name, args=args):
            return name.startswith("test") and not args.args
        case ast.ClassDef(bases=bases):
            return any("TestCase" in ast.unparse(base) for base in bases)
    return False


def _is_of_solution(node: ast.stmt) -> bool:
    """`from solution import …`: the names are there without it, and one that is not would hide all other tests."""
    return isinstance(node, ast.ImportFrom) and node.module == "solution"


def _defined(node: ast.stmt) -> set[str]:
    match node:
        case ast.Import(names=names) | ast.ImportFrom(names=names):
            return {(alias.asname or alias.name).split(".")[0] for alias in names} - GIVEN
        case ast.FunctionDef(name=name) | ast.AsyncFunctionDef(name=name) | ast.ClassDef(name=name):
            return {name}
    return set()


def _loaded(node: ast.AST) -> set[str]:
    return {name.id for name in ast.walk(node) if isinstance(name, ast.Name) and isinstance(name.ctx, ast.Load)}


def _stored(node: ast.AST) -> set[str]:
    return {name.id for name in ast.walk(node) if isinstance(name, ast.Name) and isinstance(name.ctx, ast.Store)}
