"""Files as a model sees them (lines that end in a newline), and back to bytes, untouched lines as they were. Pure.

A file may have a byte order mark, CRLF, lone CR, a mixture, no newline at its end, any encoding: an edit changes the
bytes of the lines that it changes and no others.
"""

import re
from dataclasses import dataclass
from difflib import SequenceMatcher
from itertools import pairwise

_NUMBERED = re.compile(r"[ \t]*(\d{1,6})[:|](?: |$)")
_LINE = re.compile(r"[^\r\n]*(?:\r\n|\r|\n)|[^\r\n]+")
COMPARED_LINES = 2_000
BOM = "\ufeff"


@dataclass(frozen=True, slots=True)
class Unplaced:
    """An edit that can't be made, and why, in words for the model."""

    reason: str


@dataclass(frozen=True, slots=True)
class Line:
    """A line's words and how it ends (“” at the end of a file without a newline)."""

    text: str
    ending: str


@dataclass(frozen=True, slots=True)
class Source:
    """A text file, decoded so that every byte can be had back."""

    lines: tuple[Line, ...]
    encoding: str
    has_bom: bool

    @property
    def text(self) -> str:
        """The text as a model sees it: every line ends in a newline, the last one where it does in the file."""
        return "".join(line.text + ("\n" if line.ending else "") for line in self.lines)

    @property
    def common_ending(self) -> str:
        """The line ending that the file uses most."""
        endings = [line.ending for line in self.lines if line.ending]
        return max(sorted(set(endings)), key=endings.count, default="\n")


EMPTY = Source((), "utf-8", has_bom=False)


def read_source(data: bytes) -> Source | None:
    """Decode a file; None where it is binary. UTF-8, UTF-16 by its mark, else Latin-1, which takes any byte."""
    for encoding in _encodings(data):
        try:
            text = data.decode(encoding)
        except UnicodeDecodeError:
            continue
        if "\0" in text:
            return None
        has_bom = text.startswith(BOM)
        return Source(split_lines(text.removeprefix(BOM)), encoding, has_bom)
    return None


def split_lines(text: str) -> tuple[Line, ...]:
    """Split at CRLF, CR and LF alone, unlike `str.splitlines`, which knows of form feeds and more."""
    found = []
    for match in _LINE.finditer(text):
        words = match[0].rstrip("\r\n")
        found.append(Line(words, match[0][len(words) :]))
    return tuple(found)


def normalised(text: str) -> str:
    """The text with every line ending as a newline."""
    return text.replace("\r\n", "\n").replace("\r", "\n")


def rewritten(source: Source, text: str) -> bytes | Unplaced:
    """The file's bytes with `text` as its content: lines that stay keep their bytes, new ones end like neighbours."""
    kept = _with_endings(source, split_lines(normalised(text)))
    whole = (BOM if source.has_bom else "") + kept
    if "\0" in whole:
        return Unplaced("a text file holds no NUL character; write it as an escape")
    unknown = _unknown(source, whole)
    if unknown:
        return _not_in(source, unknown)
    try:
        return whole.encode(source.encoding)
    except UnicodeEncodeError as error:
        return _not_in(source, whole[error.start : error.end])


def _not_in(source: Source, words: str) -> Unplaced:
    if source.encoding == "latin-1":
        return Unplaced(f"the file is not UTF-8, and was read as latin-1: {words!r} is not safe there; use ASCII")
    return Unplaced(f"{words!r} is no character that a file can hold; write it as an escape")


def _unknown(source: Source, new: str) -> str:
    """The first character that a file of an encoding which nobody told (Latin-1 takes any byte) did not hold before."""
    if source.encoding != "latin-1":
        return ""
    known = {character for line in source.lines for character in line.text}
    return next((character for character in new if not character.isascii() and character not in known), "")


def _encodings(data: bytes) -> tuple[str, ...]:
    if data.startswith(b"\xff\xfe"):
        return ("utf-16-le", "latin-1")
    if data.startswith(b"\xfe\xff"):
        return ("utf-16-be", "latin-1")
    return ("utf-8", "latin-1")


def _with_endings(source: Source, new: tuple[Line, ...]) -> str:
    old = source.lines
    start = _common(old, new)
    end = _common(old[start:][::-1], new[start:][::-1])
    middle_old, middle_new = old[start : len(old) - end], new[start : len(new) - end]
    endings = [line.ending for line in old[:start]]
    endings += _middle_endings(middle_old, middle_new, source.common_ending)
    endings += [line.ending for line in old[len(old) - end :]]
    parts = []
    for at, (line, ending) in enumerate(zip(new, endings, strict=True)):
        is_last = at == len(new) - 1
        fitting = ending or source.common_ending
        parts.append(line.text + ("" if is_last and not line.ending else fitting))
    return "".join(parts)


def _middle_endings(old: tuple[Line, ...], new: tuple[Line, ...], common: str) -> list[str]:
    """How the new lines end. Only a file that mixes its endings needs a closer look."""
    if all(line.ending in {"", common} for line in old):
        return [common] * len(new)
    endings: list[str] = []
    is_long = max(len(old), len(new)) > COMPARED_LINES
    matcher = SequenceMatcher(None, [line.text for line in old], [line.text for line in new], autojunk=is_long)
    for tag, old_from, old_to, new_from, new_to in matcher.get_opcodes():
        if tag == "delete":
            continue
        replaced = [line.ending for line in old[old_from:old_to]]
        for at in range(new_to - new_from):
            beside = replaced[min(at, len(replaced) - 1)] if replaced else endings[-1] if endings else ""
            endings.append(beside or common)
    return endings


def _common(left: tuple[Line, ...], right: tuple[Line, ...]) -> int:
    """How many lines at the start say the same."""
    count = 0
    for one, other in zip(left, right, strict=False):
        if one.text != other.text:
            break
        count += 1
    return count


def unnumbered(text: str) -> str:
    """A block whose lines all begin with their numbers, as they are shown beside code, without these; else as it is."""
    lines = text.split("\n")
    found = [_NUMBERED.match(line) for line in lines if line.strip()]
    numbers = [int(match[1]) for match in found if match]
    if not numbers or len(numbers) < len(found) or any(one >= other for one, other in pairwise(numbers)):
        return text
    return "\n".join(_NUMBERED.sub("", line, count=1) for line in lines)
