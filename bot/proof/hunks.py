"""The changed hunks of the source, and what its file is with one of them taken back. Pure."""

import re
from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from pathlib import PurePosixPath

from bot.proof.arrangements import Side, has_link, is_submodule, on_side
from bot.proof.behaviour import behave_alike
from bot.proof.kinds import FileKind, goes_with_tests, kind_of_change
from bot.proof.python_tests import defined_names
from bot.proof.spans import Span, changed_spans, lines_of, parted
from bot.records import ChangedFile, Hunk, TestCase
from sandbox.contract import File, clipped

_SHOWN = 2000
_COMPARED = 200
"""Of a file with more hunks than this none is left out as a comment: parsing it again for each takes too long."""
_SIMILAR = 0.5
_TESTS_INSIDE = ".rs"
_NEVER_RUN = re.compile(r"\.pyi$|^\.github/|(^|/)\.(git[\w-]*|editorconfig|mailmap|pre-commit-config\.yaml)$")
_EXECUTABLE = "100755"


@dataclass(frozen=True, slots=True)
class Revert:
    """One hunk taken back alone: old lines in the place of some of the head's, or the base's file (None: none)."""

    hunk: Hunk
    change: tuple[Sequence[bytes], Span, Sequence[bytes]] | File | None
    executable: bool = False

    @property
    def file(self) -> File | None:
        """What stands at the hunk's path without it; None: nothing does."""
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
    each = [sorted(_reverts(file), key=_size, reverse=True) for file in _moves_joined(sources)]
    ranked = [(rank, -_size(revert), revert.hunk.path, revert) for of in each for rank, revert in enumerate(of)]
    return tuple(revert for *_, revert in sorted(ranked, key=lambda item: item[:3]))


def is_everything(revert: Revert, files: Sequence[ChangedFile]) -> bool:
    """Whether taking this hunk back undoes all that run A undoes: then A was the run without this hunk."""
    without = revert.file
    undone = {revert.hunk.path: without.data if without else None}
    staying = [file for file in files if not goes_with_tests(file) and kind_of_change(file) is not FileKind.DOCS]
    return all(behave_alike(file.path, file.before, undone.get(file.path, file.after)) for file in staying)


def _is_source(file: ChangedFile) -> bool:
    is_run = not is_submodule(file) and _NEVER_RUN.search(file.path) is None
    return is_run and kind_of_change(file) is FileKind.SOURCE


def _holds_tests(file: ChangedFile, cases: Sequence[TestCase]) -> bool:
    """Whether it is a file of tests by another name. Python with examples in it is not, nor is Rust with tests."""
    ids = [case.id for case in cases if case.file == file.path]
    if not ids or file.path.endswith(_TESTS_INSIDE):
        return False
    if not file.path.endswith(".py"):
        return True
    names = defined_names(file.after or b"") | defined_names(file.before or b"")
    return any(one.removeprefix(f"{file.path}::").partition("::")[0].partition("[")[0] in names for one in ids)


def _moves_joined(files: Sequence[ChangedFile]) -> list[ChangedFile]:
    """A file that went and a similar one that came are one file, changed at its new place."""
    gone = [file for file in files if file.after is None and not has_link(file)]
    moved: dict[str, ChangedFile] = {}
    for new in (file for file in files if file.before is None and not has_link(file)):
        old = max(gone, key=lambda old: _similarity(old, new), default=None)
        if old is not None and _similarity(old, new) >= _SIMILAR:
            moved[new.path] = replace(new, before=old.before, before_mode=old.before_mode)
            gone.remove(old)
    return [moved.get(file.path, file) for file in files if file.after is not None or has_link(file) or file in gone]


def _similarity(old: ChangedFile, new: ChangedFile) -> float:
    """The share of the longer one's lines that both have; 0 for files of different kinds."""
    one, other = lines_of(old.before), lines_of(new.after)
    if not one or not other or PurePosixPath(old.path).suffix != PurePosixPath(new.path).suffix:
        return 0.0
    return (Counter(one) & Counter(other)).total() / max(len(one), len(other))


def _reverts(file: ChangedFile) -> Iterator[Revert]:
    old, new = lines_of(file.before), lines_of(file.after)
    if has_link(file):
        yield Revert(Hunk(file.path, min(1, len(new)), len(new), _text(old, new)), on_side(file, Side.BASE))
        return
    if any(b"\0" in (data or b"") for data in (file.before, file.after)):
        return
    spans = [part for span in changed_spans(old, new) for part in _parts(file, span, new)]
    is_executable = file.after_mode == _EXECUTABLE
    for span in spans:
        count = span.end - span.start
        text = _text(old[span.old_start : span.old_end], new[span.start : span.end])
        revert = Revert(Hunk(file.path, span.start + min(1, count), count, text), (old, span, new), is_executable)
        if len(spans) == 1 and None in (file.before, file.after):
            revert = replace(revert, change=on_side(file, Side.BASE))
        without = revert.file
        if len(spans) > _COMPARED or not behave_alike(file.path, without.data if without else None, file.after):
            yield revert


def _parts(file: ChangedFile, span: Span, new: Sequence[bytes]) -> Iterator[Span]:
    return parted(span, new) if file.path.endswith(".py") else iter((span,))


def _text(old: Sequence[bytes], new: Sequence[bytes]) -> str:
    lines = [*(b"-" + line for line in old), *(b"+" + line for line in new)]
    return clipped("\n".join(line.rstrip(b"\r\n").decode("utf-8", "replace") for line in lines), _SHOWN)


def _size(revert: Revert) -> int:
    if not isinstance(revert.change, tuple):
        return max(revert.hunk.lines, 1)
    _, span, _ = revert.change
    return max(span.end - span.start, span.old_end - span.old_start)
