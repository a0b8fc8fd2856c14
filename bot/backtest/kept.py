"""What is kept in a backtest's folder: a line for each fix that was checked and for each attempt, written at once."""

import hashlib
import os
import threading
from collections.abc import Iterator
from dataclasses import astuple, dataclass
from pathlib import Path
from typing import Generic, TypeVar

from pydantic import ValidationError

from bot.backtest.bots import Bot
from bot.backtest.checking import Look
from bot.backtest.sources import Source
from bot.backtest.wanted import Means
from bot.records import PastFix, Replay, dump, load

FIXES, ATTEMPTS = "fixes.jsonl", "attempts.jsonl"

T = TypeVar("T")


@dataclass(frozen=True, slots=True)
class KeptLook:
    """What checking a fix came to. `key` is of all that it depends on."""

    key: str
    look: Look


@dataclass(frozen=True, slots=True)
class KeptReplay:
    """What an attempt came to."""

    key: str
    replay: Replay


class Lines(Generic[T]):
    """A file of records, a line each. A line that a kill cut off is as if it had not been begun."""

    def __init__(self, path: Path, kind: type[T]) -> None:
        self._path = path
        self._kind = kind
        self._lock = threading.Lock()

    def __iter__(self) -> Iterator[T]:
        """The records, oldest first; a line that this version can't read is passed over."""
        try:
            whole = self._path.read_bytes()
        except FileNotFoundError:
            return
        for line in whole.split(b"\n")[:-1]:
            try:
                yield load(self._kind, line.decode("utf-8", "replace"))
            except ValidationError:
                continue

    def add(self, record: T) -> None:
        """Write a record, and have it on the disk."""
        line = dump(record).encode() + b"\n"
        with self._lock, self._path.open("ab+") as opened:
            size = opened.seek(0, os.SEEK_END)
            if size and not _ends_whole(self._path):
                opened.truncate(self._path.read_bytes().rfind(b"\n") + 1)
            opened.write(line)
            opened.flush()
            os.fsync(opened.fileno())


def _ends_whole(path: Path) -> bool:
    with path.open("rb") as opened:
        opened.seek(-1, os.SEEK_END)
        return opened.read(1) == b"\n"


def looks_in(folder: Path) -> Lines[KeptLook]:
    """What checking came to, by the backtest's folder."""
    return Lines(folder / FIXES, KeptLook)


def key_of_look(source: Source, fix: PastFix, means: Means) -> str:
    """What checking a fix depends on: other commits, another command or another sandbox, and it is done again."""
    sight = means.sight
    given = astuple(source.given(fix))
    return _digest(fix.base, fix.head, given, source.judge_test(fix), sight.sandbox.name, sight.image, sight.limits)


def key_of_attempt(source: Source, fix: PastFix, bot: Bot, means: Means) -> str:
    """What an attempt depends on: the fix, its words, and the bot with all its settings."""
    of_house = () if bot.player else (means.crew.critic, means.crew.candidates)
    return _digest(key_of_look(source, fix, means), fix.title, fix.body, bot, of_house, means.caps)


def _digest(*parts: object) -> str:
    return hashlib.sha256(repr(parts).encode("utf-8", "surrogatepass")).hexdigest()[:32]
