"""What a reviewer should look at though the proof holds: signs that a test or a change is made for show. Pure.

Each is a likeness and no more: honest work may look so too. That is why none of them changes the outcome, but where
all that shows a change are answers that it has written down (`known_by_heart`).
"""

import ast
import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import PurePosixPath

from bot.proof.kinds import FileKind, kind_of_change
from bot.proof.languages import parsed
from bot.proof.special_cases import answers, asks_only_for, literals
from bot.records import ChangedFile

_FUNCTION = (ast.FunctionDef, ast.AsyncFunctionDef)
_CHECKS = re.compile(
    r"assert|raises|warns|fail|check|verify|expect|should|compare|deprecated_call|doctest", re.IGNORECASE
)
_RAISES = ("raises", "assertRaises", "suppress")
_READS = frozenset({"read_text", "read_bytes", "open", "getsource", "getsourcelines"})
_SHOWN = 3


def second_looks_of(files: Sequence[ChangedFile], red: Sequence[str]) -> tuple[str, ...]:
    """In sentences for a reviewer, by the change's Python and by the tests (ids) that are red."""
    source, tests = _sources(files), _tests(files, red)
    return tuple(dict.fromkeys((*_of_the_source(source, tests), *_of_the_tests(source, tests))))


def known_by_heart(files: Sequence[ChangedFile], red: Sequence[str]) -> tuple[str, ...]:
    """The tests (ids) that are red, if each of them asks only for answers that the change has written down for it.

    Empty where one of them asks for more, or can't be read: then something shows the rule.
    """
    tests = _tests(files, red)
    names = {_name(test_id) for test_id in red}
    if not red or names != {test.name for test in tests}:
        return ()
    written = frozenset(answer for read in _sources(files) for answer in answers(read.after) - answers(read.before))
    return tuple(sorted(red)) if all(asks_only_for(test.node, written) for test in tests) else ()


def _sources(files: Sequence[ChangedFile]) -> list["_Read"]:
    return [read for file in files if kind_of_change(file) is FileKind.SOURCE and (read := _read(file))]


def _tests(files: Sequence[ChangedFile], red: Sequence[str]) -> list["_Test"]:
    return [
        function
        for file in files
        if kind_of_change(file) is FileKind.TEST and (read := _read(file))
        for function in _new_tests(read, red)
    ]


@dataclass(frozen=True, slots=True)
class _Read:
    """One Python file, taken apart on both sides."""

    path: str
    before: ast.Module
    after: ast.Module


@dataclass(frozen=True, slots=True)
class _Test:
    """One new or changed test that is red."""

    name: str
    node: ast.AST


def _read(file: ChangedFile) -> _Read | None:
    if not file.path.endswith(".py") or file.after is None:
        return None
    before, after = parsed(file.before or b""), parsed(file.after)
    return _Read(file.path, before, after) if before and after else None


def _new_tests(read: _Read, red: Sequence[str]) -> Iterator[_Test]:
    ids = [test_id for test_id in red if test_id.startswith(f"{read.path}::")]
    names = {_name(test_id) for test_id in ids}
    known = {ast.dump(node) for node in ast.walk(read.before) if isinstance(node, _FUNCTION)}
    for node in ast.walk(read.after):
        if isinstance(node, _FUNCTION) and node.name in names and ast.dump(node) not in known:
            yield _Test(node.name, node)


def _name(test_id: str) -> str:
    return test_id.partition("[")[0].rpartition("::")[2]


def _of_the_source(source: Sequence[_Read], tests: Sequence[_Test]) -> Iterator[str]:
    asked = frozenset(said for test in tests for said in literals(test.node))
    for read in source:
        written = [one for one in answers(read.after) - answers(read.before) if one.is_telling]
        for answer in sorted(one for one in written if one.asked in asked and one.given in asked)[:_SHOWN]:
            yield (
                f"{read.path} answers {_short(answer.given)} where {_short(answer.asked)} comes in, and the new tests "
                "hold both: is that the rule, or only the example?"
            )
        for name in sorted(_unread(read, source) & {name for test in tests for name in _names(test.node)}):
            yield f"`{name}` in {read.path} is a constant that nothing but the tests reads."
        for name in sorted(_always_equal(read.after) - _always_equal(read.before)):
            yield f"`{name}` in {read.path} says that it equals everything, so a comparison with it tests nothing."


def _of_the_tests(source: Sequence[_Read], tests: Sequence[_Test]) -> Iterator[str]:
    files = frozenset(PurePosixPath(read.path).name for read in source)
    for test in tests:
        calls = {name for node in ast.walk(test.node) if isinstance(node, ast.Call) and (name := _called(node))}
        has_assert = any(isinstance(node, ast.Assert) for node in ast.walk(test.node))
        if not has_assert and not any(_CHECKS.search(name) for name in calls):
            yield f"`{test.name}` asserts nothing: it shows only that no error is raised."
        if any(_takes_any_error(node) for node in ast.walk(test.node)):
            yield f"`{test.name}` is content with any error, whatever it is for."
        strings = {str(node.value) for node in ast.walk(test.node) if isinstance(node, ast.Constant)}
        by_text = any(PurePosixPath(text).name in files for text in strings if text) and calls & _READS
        if by_text or calls & {"getsource", "getsourcelines"}:
            yield f"`{test.name}` reads the program's text, where it could run the program."


def _unread(read: _Read, source: Sequence[_Read]) -> frozenset[str]:
    """New constants at a file's top that no source of the change reads."""
    new = _constants(read.after) - _constants(read.before)
    trees = [other.after for other in source]
    return frozenset(name for name in new if not any(name in _names(tree) for tree in trees))


def _constants(tree: ast.Module) -> frozenset[str]:
    found = []
    for node in tree.body:
        match node:
            case (
                ast.Assign(targets=[ast.Name(id=name)], value=ast.Constant())
                | ast.AnnAssign(target=ast.Name(id=name), value=ast.Constant())
            ):
                found.append(name)
            case _:
                pass
    return frozenset(name for name in found if not name.startswith("__"))


def _names(tree: ast.AST) -> frozenset[str]:
    """What is read, imported, or named in a string."""
    found: set[str] = set()
    for node in ast.walk(tree):
        match node:
            case ast.Name(id=name, ctx=ast.Load()) | ast.Attribute(attr=name, ctx=ast.Load()) | ast.alias(name=name):
                found.add(name)
            case ast.Constant(value=str(text)) if text.isidentifier():
                found.add(text)
            case _:
                pass
    return frozenset(found)


def _always_equal(tree: ast.Module) -> frozenset[str]:
    return frozenset(
        f"{owner.name}.__eq__"
        for owner in ast.walk(tree)
        if isinstance(owner, ast.ClassDef)
        for node in owner.body
        if isinstance(node, ast.FunctionDef) and node.name == "__eq__" and _returns_true(node)
    )


def _returns_true(node: ast.FunctionDef) -> bool:
    match node.body[-1:]:
        case [ast.Return(value=ast.Constant(value=True))]:
            return not any(isinstance(part, ast.If) for part in node.body)
        case _:
            return False


def _takes_any_error(node: ast.AST) -> bool:
    match node:
        case ast.Call(args=[ast.Name(id="Exception" | "BaseException"), *_], keywords=keywords) if (
            _called(node) in _RAISES
        ):
            return not any(keyword.arg == "match" for keyword in keywords)
        case _:
            return False


def _called(node: ast.Call) -> str:
    match node.func:
        case ast.Name(id=name) | ast.Attribute(attr=name):
            return name
        case _:
            return ""


def _short(said: str) -> str:
    return said if len(said) <= 40 else said[:39] + "…"
