"""What a fix gives away: its lines, its names, its paths. Pure."""

import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass

from bot.backtest.sides import is_of_tests
from bot.backtest.words.leaving_out import OMITTED
from bot.proof import FileKind, kind_of
from bot.records import ChangedFile

_LINE_CHARS = 8
"""A shorter line, such as `return x`, is anybody's."""
_PIECE_CHARS = 200
"""So much of a line, within another one, is the line."""
_MARKERS = 6

IDENTIFIER = re.compile(r"(?<![\w$])(?:[^\W\d]|\$)[\w$]*")
LINE_IS_CODE = re.compile(r"[()\[\]{}=<>;_$@|\\&%#^~\"`]|\w[.:]\w|\s[-+*/]\s")
_MARKER = re.compile(r"^(?:[>+*•`-]|\d{1,3}[.)](?=\s))\s*")
PATH = re.compile(r"[\w./\\@+~-]+")


@dataclass(frozen=True, slots=True)
class Answer:
    """The fix's own lines, the names that it writes into source, those that its tests ask by, and its paths.

    `pieces` are lines of its source by their first characters, as they stand within other lines: how long they are.
    """

    lines: frozenset[str]
    pieces: Mapping[str, Sequence[int]]
    source: frozenset[str]
    names: frozenset[str]
    asked: frozenset[str]
    paths: Mapping[str, str]
    odd_paths: tuple[str, ...]

    @staticmethod
    def of(files: Sequence[ChangedFile], *, with_tests: bool) -> "Answer":
        tests = [line for file in files if is_of_tests(file.path) for line in _added(file)]
        source = [line for file in files if _is_source(file.path) for line in _added(file)]
        pieces = frozenset(line[:_PIECE_CHARS] for line in source if len(line) >= _LINE_CHARS)
        lengths: dict[str, set[int]] = {}
        for piece in pieces:
            lengths.setdefault(piece[:_LINE_CHARS], set()).add(len(piece))
        paths = [file.path for file in files]
        return Answer(
            lines=frozenset(line for line in [*source, *(tests if with_tests else ())] if len(line) >= _LINE_CHARS),
            pieces={begun: sorted(found, reverse=True) for begun, found in lengths.items()},
            source=pieces,
            names=_identifiers(source),
            asked=_identifiers(tests),
            paths={name: path for path in paths for name in _names_of(path)},
            odd_paths=tuple(path for path in paths if not PATH.fullmatch(path) and len(path) >= _LINE_CHARS),
        )

    def is_line(self, line: str) -> bool:
        """Whether a line is one of the fix's, or quotes one."""
        flat = _flat(line)
        for _ in range(_MARKERS):
            if flat in self.lines or flat.rstrip("`") in self.lines:
                return True
            barer = _MARKER.sub("", flat, count=1)
            if barer == flat:
                return False
            flat = barer
        return False

    def without_pieces(self, line: str) -> str:
        """The line without what of the fix's source stands in it; the same one where nothing does."""
        flat = _flat(line)
        kept, done, at = [], 0, 0
        while at <= len(flat) - _LINE_CHARS:
            end = self._piece_at(flat, at)
            if end:
                kept += [flat[done:at], OMITTED]
                done = at = end
            else:
                at += 1
        return "".join([*kept, flat[done:]]) if kept else line

    def _piece_at(self, flat: str, at: int) -> int:
        """Where the piece that stands there ends; 0 where there is none."""
        for length in self.pieces.get(flat[at : at + _LINE_CHARS], ()):
            end = at + length
            piece = flat[at:end]
            if piece in self.source and _stands_alone(flat, at, end):
                return len(flat) if length == _PIECE_CHARS else end
        return 0


def _is_source(path: str) -> bool:
    return not is_of_tests(path) and kind_of(path) is not FileKind.DOCS


def _added(file: ChangedFile) -> list[str]:
    """The lines that were not there before, with one space for each white space."""
    before, after = (map(_flat, _text(side).split("\n")) for side in (file.before, file.after))
    had = frozenset(before)
    return [line for line in after if line and line not in had]


def _flat(line: str) -> str:
    return " ".join(line.split())


def _text(data: bytes | None) -> str:
    return (data or b"").decode("utf-8", "replace")


def _identifiers(lines: Iterable[str]) -> frozenset[str]:
    return frozenset(name for line in lines for name in IDENTIFIER.findall(line))


def _names_of(path: str) -> Iterator[str]:
    """What a path is called by: itself, and the file's own name where that is no ordinary word."""
    name = path.rpartition("/")[2]
    for each in (path, name):
        if len(each) > 3 and ("." in each or "/" in each):
            yield each


def _stands_alone(flat: str, at: int, end: int) -> bool:
    """Whether a piece of a line begins and ends with words of its own, and is no prose, or is marked as code."""
    around = (flat[at - 1 : at], flat[end : end + 1])
    if around == ("`", "`"):
        return True
    is_whole = not (around[0].isalnum() and flat[at].isalnum()) and not (
        around[1].isalnum() and flat[end - 1].isalnum()
    )
    return is_whole and LINE_IS_CODE.search(flat, at, end) is not None
