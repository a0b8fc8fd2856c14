"""Existing tests that a change deletes, skips, loosens or alters. Adding tests is never an alteration. Pure."""

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from pathlib import PurePosixPath

from bot.proof.arrangements import has_link
from bot.proof.doc_tests import lost_examples
from bot.proof.kinds import FileKind, kind_of_change
from bot.proof.languages import is_past_reading
from bot.proof.line_tests import line_alterations
from bot.proof.python_tests import defined_names, outermost, python_alterations
from bot.records import ChangedFile, TestCase, storable

_RUST_TESTS = re.compile(
    rb"^[ \t]*#\[cfg\(test\)\]\s*(#\[(?:[^\[\]\n]|\[[^\[\]\n]*\])*\]\s*){0,20}(pub\s+)?mod\s+\w+\s*\{", re.MULTILINE
)


@dataclass(frozen=True, slots=True)
class Altered:
    """One existing test, or a file of tests whole (`name` is ""), and what became of it."""

    path: str
    name: str
    what: str

    def __str__(self) -> str:
        return f"{self.path}: {self.name} {self.what}" if self.name else f"{self.path}: {self.what}"

    def covers(self, test_id: str, file: str | None = None) -> bool:
        """Whether the test with this id is, or may be, one that was altered.

        `file` is where its report says that it stands: not every program's ids begin with that.
        """
        if test_id.startswith(self.path):
            inside = test_id.removeprefix(self.path).removeprefix("::").partition("[")[0].replace("::", ".")
            return not self.name or inside == self.name or inside.startswith(self.name + ".")
        if file != self.path and not _is_module_of(test_id, file or "", self.path):
            return False
        return f".{self.name}." in f".{test_id.partition('[')[0].replace('::', '.')}." if self.name else True


def altered_tests(files: Sequence[ChangedFile], cases: Sequence[TestCase] = ()) -> tuple[str, ...]:
    """In words for people: existing tests that the change deletes, skips, loosens or alters."""
    return tuple(str(altered) for altered in alterations(files, cases))


def alterations(files: Sequence[ChangedFile], cases: Sequence[TestCase] = ()) -> tuple[Altered, ...]:
    """The same as values, by path. `cases` are what the test command ran: what holds one is a test by any name."""
    named = [replace(file, path=storable(file.path)) for file in files]  # as results name them
    found = (altered for file in sorted(named, key=lambda file: file.path) for altered in _altered(file, cases))
    return tuple(dict.fromkeys(found))


def _altered(file: ChangedFile, cases: Sequence[TestCase]) -> Iterator[Altered]:
    kind = kind_of_change(file)
    if file.before is None:
        return
    if kind not in (FileKind.TEST, FileKind.TEST_SUPPORT):
        yield from _altered_by_what_ran(file, [case.id for case in cases if case.file == file.path])
        return
    if file.after is None:
        yield Altered(file.path, "", "removed")
    elif file.before_mode != file.after_mode and has_link(file):
        yield Altered(file.path, "", "changed into or from a link")
    elif file.before == file.after:
        return
    elif kind is FileKind.TEST_SUPPORT and file.before.strip():
        yield Altered(file.path, "", "changed")
    elif file.path.endswith(".py"):
        yield from (Altered(file.path, name, what) for name, what in python_alterations(file.before, file.after))
    else:
        yield from (Altered(file.path, "", what) for what in line_alterations(file.path, file.before, file.after))


def _altered_by_what_ran(file: ChangedFile, ids: Sequence[str]) -> Iterator[Altered]:
    """For a file that is no test by its name, but was seen to hold some: examples, or tests as in a file of tests."""
    if file.path.endswith(".rs") and (tests := _tests_inside(file.before)):
        said = line_alterations(file.path, tests, _tests_inside(file.after))
        yield from (Altered(file.path, "", what) for what in said)
    if not ids or file.before is None or file.before == file.after:
        return
    if not file.path.endswith(".py"):
        places = lost_examples(file.before, file.after, is_python=False)
        yield from (Altered(file.path, place, "examples were removed or changed") for place in places)
        return
    for place in lost_examples(file.before, file.after, is_python=True):
        yield Altered(file.path, place, "examples were removed or changed")
    names = defined_names(file.before)
    if is_past_reading(file.before) or any(outermost(test_id, file.path) in names for test_id in ids):
        changed = python_alterations(file.before, file.after or b"")
        yield from (Altered(file.path, name, what) for name, what in changed)


def _is_module_of(test_id: str, file: str, path: str) -> bool:
    """Whether a Rust test is in the module whose source is at `path`. Cargo names the crate's root alone."""
    source, root = PurePosixPath(path), PurePosixPath(file).parent
    if not (file.endswith(".rs") and path.endswith(".rs") and source.is_relative_to(root)):
        return False
    parts = source.relative_to(root).with_suffix("").parts
    module = "::".join(parts[:-1] if parts[-1] == "mod" else parts)
    return bool(module) and f"::{module}::" in f"::{test_id}"


def _tests_inside(source: bytes | None) -> bytes:
    """What Rust source holds of tests: from the first part on that is compiled for them alone."""
    found = _RUST_TESTS.search(source or b"")
    return (source or b"")[found.start() :] if found else b""
