"""What is taken out of words, and the word on it."""

import re
from collections.abc import Callable
from itertools import islice

NAMED_AT_MOST = 20
OMITTED = "[…]"
"""Stands in the place of what was taken out of the middle of words."""

_NOTE_CHARS = 80


class LeftOut:
    """What was taken out, in the order in which it was met, each once."""

    def __init__(self) -> None:
        self._found: dict[str, None] = {}

    def note(self, what: str) -> None:
        self._found[" ".join(what.split())[:_NOTE_CHARS]] = None

    def told(self) -> tuple[str, ...]:
        rest = len(self._found) - NAMED_AT_MOST
        names = tuple(islice(self._found, NAMED_AT_MOST))
        return (*names, f"and {rest} more") if rest > 0 else names


def gone(pattern: re.Pattern[str], text: str, instead: Callable[[re.Match[str]], tuple[str, str]], out: LeftOut) -> str:
    """The text with what is found replaced, and with what was taken out said; "" is said where nothing was."""

    def replaced(found: re.Match[str]) -> str:
        words, what = instead(found)
        if what:
            out.note(what)
        return words

    return pattern.sub(replaced, text)
