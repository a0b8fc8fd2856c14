"""SEARCH/REPLACE pairs inside a fenced block. Pure.

<<<<<<< SEARCH
lines as they are
=======
lines to put there
>>>>>>> REPLACE

Models also write them indented as a whole, in lower case, with ORIGINAL or HEAD for SEARCH, and with lines of fewer `=`
in a text that has such lines itself.
"""

import re
from dataclasses import dataclass, field
from enum import Enum

from bot.agent.actions import Edit
from bot.agent.blocks import Block
from bot.agent.naming import looks_like_a_path

OUTSIDE_LINES = 3
"""Lines beside the pairs that a block may hold; with more of them it is something else, a text about such pairs say."""

_SEARCH = re.compile(
    r"^(<{3,}[ \t]*\[?(?:SEARCH|ORIGINAL|HEAD|BEFORE|OLD|CURRENT)|-{5,}[ \t]*SEARCH)\b[\]:\s]*(?:\(.*\))?(.*)$",
    re.IGNORECASE,
)
_DIVIDER = re.compile(r"^={5,}[ \t]*$")
_REPLACE = re.compile(r"^(?:>{4,}[ \t]*\[?(?:REPLACE|UPDATED|AFTER)|\+{5,}[ \t]*REPLACE)\b", re.IGNORECASE)
_CONFLICT = re.compile(r"^<{7}[ \t]+(?!\[?(?:SEARCH|ORIGINAL|BEFORE|OLD|CURRENT)\b)\S", re.IGNORECASE)
"""Git's own marker, which the lines of a file with conflicts hold."""
_CONFLICT_END = re.compile(r"^>{7}(?:[ \t]|$)")
_ANY_END = re.compile(r"^>{5,}(?:[ \t]*[\w./-]+)?[ \t]*$")
_BARE = tuple(re.compile(rf"^{sign}{{5,}}[ \t]*$") for sign in "<=>")

NO_PATH = "a SEARCH/REPLACE block has no path: write it on the fence, as in ```python path=src/a.py"
NO_END = (
    "a SEARCH/REPLACE block has no >>>>>>> REPLACE line. If its lines hold ``` themselves, put four backticks around "
    "the block"
)
NESTED = "a SEARCH block begins inside another: each needs its own ======= and >>>>>>> REPLACE line"
NO_BEGINNING = "a >>>>>>> REPLACE line has no <<<<<<< SEARCH and ======= line before it"
NO_NAME = "a <<<<<<< line must read <<<<<<< SEARCH, and the >>>>>>> line >>>>>>> REPLACE"
NO_LINES = "the lines to search for stand below the <<<<<<< SEARCH line, not behind it"
MUCH_BESIDE = (
    "a block with SEARCH/REPLACE pairs holds many lines beside them: leave those out. If the file itself is to hold "
    "such marker lines, change it by a unified diff"
)
TWO_DIVIDERS = "a SEARCH/REPLACE block has two lines of =======: leave such lines out of it, or write the file whole"


def has_markers(content: str) -> bool:
    """Whether a block holds SEARCH/REPLACE pairs, be they malformed."""
    lines = _lines(content)
    return any(_SEARCH.match(line) or _REPLACE.match(line) for line in lines) or _has_bare_markers(lines)


def _has_bare_markers(lines: list[str]) -> bool:
    """Whether three lines of signs alone follow each other as in a pair."""
    at = 0
    for line in lines:
        at += at < len(_BARE) and bool(_BARE[at].match(line))
    return at == len(_BARE)


def pairs_of(block: Block) -> tuple[Edit, ...] | str:
    """The edits that a block asks for, or what is malformed. The path may stand on the line before the first marker."""
    lines = _lines(block.content)
    if not any(_SEARCH.match(line) or _REPLACE.match(line) for line in lines):
        return NO_NAME
    pairs = _Pairs(block.path, _divider(lines))
    for line in lines:
        problem = pairs.take(line)
        if problem:
            return problem
    if pairs.part is not _Part.OUTSIDE:
        return NO_END
    return MUCH_BESIDE if pairs.beside > OUTSIDE_LINES else tuple(pairs.edits)


def _lines(content: str) -> list[str]:
    """The lines of a block, without the indentation that all of them have where a marker is indented."""
    lines = content.removesuffix("\n").split("\n")
    marker = next((line for line in lines if _SEARCH.match(line.lstrip(" \t"))), "")
    indent = marker[: len(marker) - len(marker.lstrip(" \t"))]
    if not indent or any(line.strip() and not line.startswith(indent) for line in lines):
        return lines
    return [line.removeprefix(indent) for line in lines]


def _divider(lines: list[str]) -> re.Pattern[str]:
    """What divides a pair here: as many `=` as the first marker has `<`, where there is such a line."""
    first = next((found[1] for line in lines if (found := _SEARCH.match(line))), "")
    width = max(first.count("<"), first.count("-"))
    return re.compile(rf"^={{{width}}}[ \t]*$") if "=" * width in lines else _DIVIDER


class _Part(Enum):
    OUTSIDE = 0
    SEARCH = 1
    REPLACE = 2


@dataclass(slots=True)
class _Pairs:
    """Where in the pairs the reading is. `is_plain`: the pair's own marker can't be taken for git's."""

    path: str | None
    divider: re.Pattern[str]
    part: _Part = _Part.OUTSIDE
    search: list[str] = field(default_factory=list)
    replace: list[str] = field(default_factory=list)
    edits: list[Edit] = field(default_factory=list)
    beside: int = 0
    is_plain: bool = False
    in_conflict: bool = False

    def take(self, line: str) -> str:
        """Read one more line; what is wrong with it, or ""."""
        if self.in_conflict or (self.part is _Part.SEARCH and self.is_plain and _CONFLICT.match(line)):
            return self._of_conflict(line)
        opened = _SEARCH.match(line)
        if opened:
            self.is_plain = "SEARCH" in opened[1].upper()
            return self._begin(opened[2].strip(" `*"))
        if _REPLACE.match(line) or (self.part is _Part.REPLACE and _ANY_END.match(line)):
            return self._end()
        if self.divider.match(line) and self.part is not _Part.OUTSIDE:
            return self._divide()
        match self.part:
            case _Part.SEARCH:
                self.search.append(line)
            case _Part.REPLACE:
                self.replace.append(line)
            case _Part.OUTSIDE if looks_like_a_path(line.strip()):
                self.path = line.strip()
            case _Part.OUTSIDE:
                self.beside += bool(line.strip())
        return ""

    def _begin(self, beside: str) -> str:
        if self.part is not _Part.OUTSIDE:
            return NESTED
        if looks_like_a_path(beside):
            self.path = beside
        elif re.search(r"\w", beside):
            return NO_LINES
        self.part, self.search, self.replace = _Part.SEARCH, [], []
        return ""

    def _of_conflict(self, line: str) -> str:
        """A line of a conflict that is to be replaced: its `=======` divides no pair."""
        if _REPLACE.match(line):
            return NESTED
        self.in_conflict = not _CONFLICT_END.match(line)
        self.search.append(line)
        return ""

    def _divide(self) -> str:
        if self.part is _Part.REPLACE:
            return TWO_DIVIDERS
        self.part = _Part.REPLACE
        return ""

    def _end(self) -> str:
        if self.part is not _Part.REPLACE:
            return NO_BEGINNING
        if self.path is None:
            return NO_PATH
        self.edits.append(Edit(self.path, _joined(self.search), _joined(self.replace), whole_lines=True))
        self.part = _Part.OUTSIDE
        return ""


def _joined(lines: list[str]) -> str:
    return "".join(f"{line}\n" for line in lines)
