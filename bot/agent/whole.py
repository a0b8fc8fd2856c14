"""A file that was written whole: taken where it really is the whole file, and nothing of it went on the way. Pure."""

import re

from bot.agent.actions import Write
from bot.agent.elision import elided
from bot.agent.texts import BOM, Unplaced, normalised

ECHO = "the block holds the words of the example in place of the code. Nothing was written. Write the code itself"

_EXAMPLE = re.compile(r"[(#]?\s*(?:every line of [\w ]+|lines as they are|lines to put in their place)\)?")
"""What stands for code in the examples of our own instructions, as small models give it back."""

SHRUNK_LINES = 20
"""Lines that a file has at least, to be told from an excerpt of it by its length."""


def whole_file(old: str | None, write: Write) -> str | Unplaced:
    """The file's new text, if the answer really is the whole file."""
    new = normalised(write.content)
    if _EXAMPLE.fullmatch(new.strip()):
        return Unplaced(f"{write.path}: {ECHO}")
    if not old:
        return elided("", new, path=write.path) or new
    new = _ended_as(old, new.removeprefix(BOM), fenced=write.fenced)
    if write.heading and old.startswith(write.heading):
        new = write.heading + new
    if not new.strip():
        return Unplaced(f"{write.path}: an empty answer would empty the file; delete it if that is meant")
    return elided(old, new, path=write.path) or _shrunk(old, new, write.path) or _escaped(old, new, write.path) or new


def _ended_as(old: str, new: str, *, fenced: bool) -> str:
    """The new text with an end of its last line where the old one has it; a fence can't say that it has none."""
    if old.endswith("\n"):
        return new if not new or new.endswith("\n") else f"{new}\n"
    is_same = new.removesuffix("\n").rpartition("\n")[2] == old.rpartition("\n")[2]
    return new.removesuffix("\n") if fenced and is_same else new


def _shrunk(old: str, new: str, path: str) -> Unplaced | None:
    """Refuse a whole file that has lost most of its lines: it is an excerpt, or was cut."""
    before, after = (sum(bool(line.strip()) for line in text.split("\n")) for text in (old, new))
    if before < SHRUNK_LINES or after * 2 >= before:
        return None
    return Unplaced(
        f"{path}: the file has {before} lines of text, the answer only {after}: it looks like a part of the file. "
        "Nothing was written. Write every line, or change only the lines concerned with SEARCH and REPLACE. If so much "
        "is to go, delete the file in the same reply, before you write it"
    )


def _escaped(old: str, new: str, path: str) -> Unplaced | None:
    """Refuse a file all of whose `<` and `>` came as HTML."""
    had = set(re.findall("[<>]", old))
    if not had or had.intersection(new) or not re.search("&[lg]t;", new):
        return None
    return Unplaced(f"{path}: every < and > came as &lt; and &gt;. Nothing was written. Write them as they are")
