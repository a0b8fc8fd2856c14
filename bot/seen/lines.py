"""Log lines as text, for people who read along."""

import json
import logging
import re
from collections.abc import Callable

from bot.seen.about import FIELDS, bound

Mask = Callable[[str], str]
"""The text without secrets."""


class TextLines(logging.Formatter):
    """One line an event; what it is about stands in brackets: `[run=4f0c iteration=2]`. Tracebacks are indented below.

    What it is made of may be a stranger's: nothing in it begins another line, or steers the terminal it is read in.
    """

    def __init__(self, mask: Mask) -> None:
        super().__init__()
        self._mask = mask

    def usesTime(self) -> bool:  # noqa: N802 - the library's name
        return True

    def formatMessage(self, record: logging.LogRecord) -> str:  # noqa: N802 - the library's name
        return f"{record.asctime} {record.levelname} {record.name}{_shown()}: {self._on_one_line(record.message)}"

    def format(self, record: logging.LogRecord) -> str:
        line, *below = self._mask(super().format(record)).split("\n")
        return "\n".join([line, *(f"  {_STEERS.sub(_written, each)}" for each in below)])

    def _on_one_line(self, message: str) -> str:
        """Masked first where it changes: a secret may have several lines."""
        return _STEERS.sub(_written, self._mask(message)) if _STEERS.search(message) else message


def _shown() -> str:
    found = bound()
    pairs = [f"{name}={_plain(str(found[name]))}" for name in FIELDS if name in found]
    return f" [{' '.join(pairs)}]" if pairs else ""


def _plain(value: str) -> str:
    """A value that can't be taken for several: a delivery's id is whatever its sender says."""
    return value if _PLAIN.fullmatch(value) else json.dumps(value)


def _written(found: re.Match[str]) -> str:
    """A character as it is written in a program."""
    return found[0].encode("unicode_escape").decode()


_PLAIN = re.compile(r"[\w./@:+-]+", re.ASCII)
_STEERS = re.compile("[\x00-\x08\x0a-\x1f\x7f-\x9f\u2028-\u202e\u2066-\u2069]")
"""Control characters but the tab, line separators, and what turns the direction of writing."""
