"""The changed hunks of the source, and what its file is with one of them taken back. Pure."""

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace

from bot.proof.arrangements import EXECUTABLE, Side, has_link, on_side
from bot.proof.behaviour import behave_alike
from bot.proof.kinds import FileKind, goes_with_tests, is_submodule, kind_of_change
from bot.proof.moves import moves_joined
from bot.proof.python_tests import defined_names, outermost
from bot.proof.spans import Span, changed_spans, lines_of, parted
from bot.records import ChangedFile, Hunk, TestCase, storable
from sandbox.contract import File, clipped

_SHOWN = 2000
_COMPARED = 4_000_000
"""Bytes of one change to be parsed to leave out comments, each file once for each of its hunks. A file that would take
more than its share has none left out.
"""
_TESTS_INSIDE = ".rs"
_NEVER_RUN = re.compile(r"\.pyi$|^\.github/|(^|/)\.(git[\w-]*|editorconfig|mailmap|pre-commit-config\.yaml)$")


@dataclass(frozen=True, slots=True)
class Revert:
    """One hunk taken back alone: old lines in the place of some of the head's, or the base's file (None: none).

    `path` is the file's own, where the hunk's may have signs in the place of what can't be stored.
    """

    path: str
    hunk: Hunk
    change: tuple[Sequence[bytes], Span, Sequence[bytes]] | File | None
    executable: bool = False

    @property
    def file(self) -> File | None:
        """What stands at the path without the hunk; None: nothing does."""
        if not isinstance(self.change, tuple):
            return self.change
        old, span, new = self.change
        kept = (*new[: span.start], *old[span.old_start : span.old_end], *new[span.end :])
        return File(b"".join(kept), executable=self.executable)


def reverts_of(files: Sequence[ChangedFile], cases: Sequence[TestCase] = ()) -> tuple[Revert, ...]:
    """Each changed hunk of the source, the largest of each file first, then each second largest, and so on.

    Lines are compared as bytes, their ends included. Hunks with nothing but blank lines between them are one; so is a
    link, and a file that went. Python that was added is taken apart into its functions and classes.

    Left out is what no test can be asked to notice: blank lines, Python's comments and docstrings, stubs, what only git
    and editors read, modes, submodules, files that are no text, and the old place of a file that was moved: its hunks
    are what was changed in it. Files that hold tests themselves by what ran (`cases`) are no source.
    """
    sources = [file for file in files if _is_source(file) and not _holds_tests(file, cases)]
    joined = moves_joined(sources)
    share = _COMPARED // max(1, len(joined))
    each = [sorted(_reverts(file, share), key=_size, reverse=True) for file in joined]
    ranked = [(rank, -_size(revert), revert.path, revert) for of in each for rank, revert in enumerate(of)]
    return tuple(revert for *_, revert in sorted(ranked, key=lambda item: item[:3]))


def is_everything(revert: Revert, files: Sequence[ChangedFile]) -> bool:
    """Whether taking this hunk back undoes all that run A undoes: then A was the run without this hunk."""
    without = revert.file
    undone = {revert.path: without.data if without else None}
    staying = [file for file in files if not goes_with_tests(file) and kind_of_change(file) is not FileKind.DOCS]
    return all(behave_alike(file.path, file.before, undone.get(file.path, file.after)) for file in staying)


def _is_source(file: ChangedFile) -> bool:
    is_run = not is_submodule(file) and _NEVER_RUN.search(file.path) is None
    return is_run and kind_of_change(file) is FileKind.SOURCE


def _holds_tests(file: ChangedFile, cases: Sequence[TestCase]) -> bool:
    """Whether it is a file of tests by another name. Python with examples in it is not, nor is Rust with tests."""
    path = storable(file.path)
    ids = [case.id for case in cases if case.file == path]
    if not ids or file.path.endswith(_TESTS_INSIDE):
        return False
    if not file.path.endswith(".py"):
        return True
    names = defined_names(file.after or b"") | defined_names(file.before or b"")
    return any(outermost(test_id, path) in names for test_id in ids)


def _reverts(file: ChangedFile, compared: int) -> Iterator[Revert]:
    """One file's. `compared`: how many bytes may be parsed to leave hunks out."""
    old, new = lines_of(file.before), lines_of(file.after)
    if has_link(file):
        hunk = Hunk(storable(file.path), min(1, len(new)), len(new), _text(old, new))
        yield Revert(file.path, hunk, on_side(file, Side.BASE))
        return
    if any(b"\0" in (data or b"") for data in (file.before, file.after)):
        return
    if behave_alike(file.path, file.before, file.after):
        return
    spans = list(_parts(file, changed_spans(old, new), new))
    is_compared = len(spans) * max(len(file.before or b""), len(file.after or b"")) <= compared
    is_executable = file.after_mode == EXECUTABLE
    for span in spans:
        count = span.end - span.start
        text = _text(old[span.old_start : span.old_end], new[span.start : span.end])
        hunk = Hunk(storable(file.path), span.start + min(1, count), count, text)
        revert = Revert(file.path, hunk, (old, span, new), is_executable)
        if len(spans) == 1 and None in (file.before, file.after):
            revert = replace(revert, change=on_side(file, Side.BASE))
        without = revert.file
        if not is_compared or not behave_alike(file.path, without.data if without else None, file.after):
            yield revert


def _parts(file: ChangedFile, spans: Iterator[Span], new: Sequence[bytes]) -> Iterator[Span]:
    return parted(spans, new) if file.path.endswith(".py") else spans


def _text(old: Sequence[bytes], new: Sequence[bytes]) -> str:
    lines = [*(b"-" + line for line in old), *(b"+" + line for line in new)]
    return storable(clipped("\n".join(line.rstrip(b"\r\n").decode("utf-8", "replace") for line in lines), _SHOWN))


def _size(revert: Revert) -> int:
    if not isinstance(revert.change, tuple):
        return max(revert.hunk.lines, 1)
    _, span, _ = revert.change
    return max(span.end - span.start, span.old_end - span.old_start)
