"""Which files of a change go with its tests, by name alone: what source says of a runner makes it no test. Pure."""

from collections.abc import Iterable, Sequence
from pathlib import PurePosixPath

from bot.proof import FileKind, kind_of
from bot.records import ChangedFile
from bot.repository.changes import printable

_TEST_SIDE = (FileKind.TEST, FileKind.TEST_SUPPORT, FileKind.TEST_CONFIG)
_SAYS_BOTH = frozenset({"pyproject.toml", "setup.cfg", "package.json"})
"""What a project depends on, and how its tests are run: the latter counts here, for the environment is the base's."""

_SUBMODULE = "160000"


def is_of_tests(path: str) -> bool:
    """Whether a file is a test, is read by tests, or has a say in how they are run."""
    return kind_of(path) in _TEST_SIDE or PurePosixPath(path).name in _SAYS_BOTH


def judge_paths(paths: Iterable[str]) -> tuple[str, ...]:
    """The files of a fix that are laid over a change to judge it."""
    return tuple(sorted(path for path in paths if is_of_tests(path)))


def is_candidate(paths: Sequence[str]) -> bool:
    """Whether a commit changes both source and tests."""
    kinds = [kind_of(path) for path in paths]
    return FileKind.SOURCE in kinds and FileKind.TEST in kinds


def why_unfit(files: Sequence[ChangedFile], *, lines_at_most: int, files_at_most: int) -> str:
    """Why nobody is asked for a fix of these files, or ""."""
    source = [file for file in files if not is_of_tests(file.path)]
    if any(_SUBMODULE in (file.before_mode, file.after_mode) for file in files):
        return "it changes a submodule"
    if too_many := why_too_many(len(files), files_at_most=files_at_most):
        return too_many
    if odd := next((file.path for file in files if printable(file.path) != file.path), ""):
        return f"it changes a file whose name is no text: {printable(odd)}"
    if binary := next((file.path for file in source if _is_binary(file)), ""):
        return f"it changes a file that is no text: {binary}"
    lines = sum(map(_changed_lines, source))
    if lines > lines_at_most:
        return f"too large: {lines:,} changed lines of source"
    return ""


def why_too_many(count: int, *, files_at_most: int) -> str:
    """Why nobody is asked for a fix of so many files, or ""."""
    return f"too large: {count:,} files" if count > files_at_most else ""


def _is_binary(file: ChangedFile) -> bool:
    return any(b"\0" in (side or b"") for side in (file.before, file.after))


def _changed_lines(file: ChangedFile) -> int:
    """About how many lines differ: those that are on one side alone."""
    before, after = ((side or b"").splitlines() for side in (file.before, file.after))
    had, has = frozenset(before), frozenset(after)
    return sum(line not in has for line in before) + sum(line not in had for line in after)
