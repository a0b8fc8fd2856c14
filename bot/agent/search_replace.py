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
from bot.agent.blocks import Block, looks_like_a_path

_SEARCH = re.compile(r"^(<{5,9})[ \t]*(?:SEARCH|ORIGINAL|HEAD)\b[:\s]*(.*)$", re.IGNORECASE)
_DIVIDER = re.compile(r"^={5,9}[ \t]*$")
_REPLACE = re.compile(r"^>{5,9}[ \t]*REPLACE\b", re.IGNORECASE)
_ANY_END = re.compile(r"^>{5,9}(?:[ \t]*[\w./-]+)?[ \t]*$")

NO_PATH = "a SEARCH/REPLACE block has no path: write it on the fence, as in ```python path=src/a.py"
NO_END = (
    "a SEARCH/REPLACE block has no >>>>>>> REPLACE line. If its lines hold ``` themselves, put four backticks around "
    "the block"
)
NESTED = "a SEARCH block begins inside another: each needs its own ======= and >>>>>>> REPLACE line"
NO_BEGINNING = "a >>>>>>> REPLACE line has no <<<<<<< SEARCH and ======= line before it"
TWO_DIVIDERS = "a SEARCH/REPLACE block has two lines of =======: leave such lines out of it, or write the file whole"


def has_markers(content: str) -> bool:
    """Whether a block holds SEARCH/REPLACE pairs."""
    return any(_SEARCH.match(line) for line in _lines(content))


def pairs_of(block: Block) -> tuple[Edit, ...] | str:
    """The edits that a block asks for, or what is malformed. The path may stand on the line before the first marker."""
    lines = _lines(block.content)
    pairs = _Pairs(block.path, _divider(lines))
    for line in lines:
        problem = pairs.take(line)
        if problem:
            return problem
    return NO_END if pairs.part is not _Part.OUTSIDE else tuple(pairs.edits)


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
    width = next((len(found[1]) for line in lines if (found := _SEARCH.match(line))), 0)
    return re.compile(rf"^={{{width}}}[ \t]*$") if "=" * width in lines else _DIVIDER


class _Part(Enum):
    OUTSIDE = 0
    SEARCH = 1
    REPLACE = 2


@dataclass(slots=True)
class _Pairs:
    """Where in the pairs the reading is."""

    path: str | None
    divider: re.Pattern[str]
    part: _Part = _Part.OUTSIDE
    search: list[str] = field(default_factory=list)
    replace: list[str] = field(default_factory=list)
    edits: list[Edit] = field(default_factory=list)

    def take(self, line: str) -> str:
        """Read one more line; what is wrong with it, or ""."""
        opened = _SEARCH.match(line)
        if opened:
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
                pass
        return ""

    def _begin(self, beside: str) -> str:
        if self.part is not _Part.OUTSIDE:
            return NESTED
        if looks_like_a_path(beside):
            self.path = beside
        self.part, self.search, self.replace = _Part.SEARCH, [], []
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
