"""Conflict markers that a change leaves in a file: such a change is never pushed. Pure."""

import re
from collections.abc import Iterable

from bot.errors import Refused
from bot.records import ChangedFile

_OPENS = re.compile(rb"^<{7} .*$", re.MULTILINE)
_PARTS = re.compile(rb"^={7}\r?$", re.MULTILINE)
_CLOSES = re.compile(rb"^>{7} .*$", re.MULTILINE)
_OF_A_COMMIT = re.compile(rb"^(?:<{7}|>{7}) [0-9a-f]{40}\b", re.MULTILINE)
"""A marker of our own merges, which tell the sides apart by their commits: alone, too, it is nobody's text."""


def marked(files: Iterable[ChangedFile]) -> tuple[str, ...]:
    """The files that hold more conflicts between markers than they do on the base."""
    return tuple(file.path for file in files if _conflicts_in(file.after) > _conflicts_in(file.before))


def refuse_marked(files: Iterable[ChangedFile]) -> None:
    """Raise `Refused` where the change leaves conflict markers."""
    if found := marked(files):
        named = ", ".join(f"`{path}`" for path in found[:10])
        raise Refused(f"The change leaves conflict markers in {named}. Nothing was pushed.")


def _conflicts_in(data: bytes | None) -> int:
    """How many conflicts a text holds: no more than it has of any of the three markers, but for lines of our own."""
    if data is None:
        return 0
    whole = min(len(each.findall(data)) for each in (_OPENS, _PARTS, _CLOSES))
    return max(whole, len(_OF_A_COMMIT.findall(data)))
