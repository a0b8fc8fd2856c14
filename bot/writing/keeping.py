"""A body that people have written in, written anew: our part is ours, and what they wrote is kept. Pure.

What they put before our part stays before it, what they put behind it or into it stands behind it.
"""

import re
from collections.abc import Collection, Sequence
from dataclasses import dataclass
from difflib import SequenceMatcher
from hashlib import sha256

from bot.writing.document import LIMIT, fit, marker

BEGINS = marker("begins", "here")
"""Stands above our part where people's words are above it."""

OURS_AT_LEAST = 4_000
_DIGITS = 8
_ENDS = re.compile(r"<!-- selfcode:pull-request (\S+) -->")
_CLOSING = re.compile(r"Closes #\d+")


def lines_of(body: str) -> str:
    """What is kept of a body that we write, so that its lines are known again: eight digits for each that has text."""
    return "".join(map(_digest, _telling(_lines(body))))


def writer_of(body: str) -> str:
    """The run whose part the body holds; "" where there is none."""
    found = _ENDS.search(body)
    return found[1] if found else ""


def written_over(now: str, ours: str, *, written: Collection[str]) -> str:
    """The body that holds `ours`, which ends with its marker, and what people wrote into the one that is there `now`.

    `written` is what `lines_of` gave for bodies that we wrote there; without any of them all between the markers is
    ours. That it closes the issue is not said again where people took that away.
    """
    before = _nearest(now, written)
    parts = _parts(_lines(now), before)
    body, _, end = ours.rpartition("\n\n")
    if _took_closing_away(now, body, before):
        body = "\n\n".join(block for block in body.split("\n\n") if not _CLOSING.fullmatch(block))
    room = max(LIMIT - len(parts.above) - len(parts.below) - len(end) - len(BEGINS) - 8, OURS_AT_LEAST)
    above = [parts.above, BEGINS] if parts.above else []
    return "\n\n".join([*above, fit(body, room), end, *([parts.below] if parts.below else [])])


@dataclass(frozen=True, slots=True)
class _Parts:
    """What people wrote, by where it is to stand."""

    above: str
    below: str


def _parts(lines: Sequence[str], before: Sequence[str]) -> _Parts:
    begins = next((place for place, line in enumerate(lines) if line.strip() == BEGINS), -1)
    rest = range(begins + 1, len(lines))
    ends = next((place for place in rest if _ENDS.fullmatch(lines[place].strip())), None)
    if ends is None and not before:  # nothing of it is known for ours
        return _Parts(_text([line for line in lines if line.strip() != BEGINS]), "")
    above, inside = _inserted(lines[begins + 1 : ends], before)
    behind = lines[ends + 1 :] if ends is not None else []
    return _Parts(_joined(_text(lines[: max(begins, 0)]), above), _joined(inside, _text(behind)))


def _inserted(lines: Sequence[str], before: Sequence[str]) -> tuple[str, str]:
    """The lines that are none of ours: those above our first line, and all others."""
    if not before:
        return "", ""
    places = [place for place, line in enumerate(lines) if line.strip()]
    found = SequenceMatcher(None, before, [_digest(lines[place]) for place in places], autojunk=False)
    matches = [match for match in found.get_matching_blocks() if match.size]
    ours = {places[at] for match in matches for at in range(match.b, match.b + match.size)}
    first = min(ours, default=len(lines))
    return _theirs(lines[:first], 0, ours), _theirs(lines[first:], first, ours)


def _theirs(lines: Sequence[str], offset: int, ours: Collection[int]) -> str:
    """The lines without ours: what ours stood between becomes paragraphs of their own."""
    return re.sub(r"\n{3,}", "\n\n", _text(["" if offset + at in ours else line for at, line in enumerate(lines)]))


def _nearest(now: str, written: Collection[str]) -> Sequence[str]:
    """Of the bodies that we wrote the one that the body has most of, line by line."""
    there = {_digest(line) for line in _telling(_lines(now))}
    known = [_split(each) for each in written]
    return max(known, key=lambda each: sum(digest in there for digest in each) / max(len(each), 1), default=[])


def _took_closing_away(now: str, ours: str, before: Sequence[str]) -> bool:
    closing = [line for line in _lines(ours) if _CLOSING.fullmatch(line)]
    there = {line.strip() for line in _lines(now)}
    return any(_digest(line) in before and line not in there for line in closing)


def _lines(text: str) -> list[str]:
    """GitHub's own editor ends lines with CR LF."""
    return [line.rstrip() for line in text.replace("\r\n", "\n").split("\n")]


def _telling(lines: Sequence[str]) -> list[str]:
    return [line for line in lines if line.strip()]


def _digest(line: str) -> str:
    return sha256(line.strip().encode("utf-8", "replace")).hexdigest()[:_DIGITS]


def _split(kept: str) -> list[str]:
    return [kept[at : at + _DIGITS] for at in range(0, len(kept), _DIGITS)]


def _text(lines: Sequence[str]) -> str:
    return "\n".join(lines).strip("\n")


def _joined(*texts: str) -> str:
    return "\n\n".join(text for text in texts if text)
