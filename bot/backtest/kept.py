"""What is kept in a backtest's folder: a line for each fix that was checked and for each attempt, written at once."""

import hashlib
import os
import threading
from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from dataclasses import astuple, dataclass, replace
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
    """What an attempt came to. `counted_usd` is what the budget was charged for it; None: what it says that it cost.

    With a budget a line is written as it begins, too, as if it had cost all that it may; `begun` is the same in both.
    """

    key: str
    replay: Replay
    counted_usd: float | None = None
    begun: str = ""

    @property
    def charged_usd(self) -> float:
        return (self.replay.spend.cost_usd or 0.0) if self.counted_usd is None else self.counted_usd


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
        with self._lock, self._path.open("ab+") as opened, _on_disk(self._path.parent):
            size = opened.seek(0, os.SEEK_END)
            if size and not _ends_whole(self._path):
                opened.truncate(self._path.read_bytes().rfind(b"\n") + 1)
            opened.write(line)
            opened.flush()
            os.fsync(opened.fileno())


@contextmanager
def _on_disk(folder: Path) -> Iterator[None]:
    """Have the names in a folder on the disk too: a file that is new is lost without."""
    yield
    descriptor = os.open(folder, os.O_RDONLY | os.O_DIRECTORY | os.O_CLOEXEC)
    try:
        os.fsync(descriptor)
    finally:
        os.close(descriptor)


def _ends_whole(path: Path) -> bool:
    with path.open("rb") as opened:
        opened.seek(-1, os.SEEK_END)
        return opened.read(1) == b"\n"


def charged_by(lines: Iterable[KeptReplay]) -> float:
    """What the budget was charged for all; for one that has begun and not ended, all that it might have cost."""
    charged = {line.begun or number: line.charged_usd for number, line in enumerate(lines)}
    return sum(charged.values())


def looks_in(folder: Path) -> Lines[KeptLook]:
    """What checking came to, by the backtest's folder."""
    return Lines(folder / FIXES, KeptLook)


def key_of_look(source: Source, fix: PastFix, means: Means) -> str:
    """What checking a fix depends on: other commits, another command or another sandbox, and it is done again."""
    sight = means.sight
    given = astuple(source.given(fix))
    return _digest(fix.base, fix.head, given, source.judge_test(fix), sight.sandbox.name, sight.image, sight.limits)


def key_of_attempt(source: Source, fix: PastFix, bot: Bot, means: Means) -> str:
    """What an attempt depends on: the fix, its words, and the bot with all its settings, in this version of selfcode.

    The bot's name, the budget, and what of the operator's settings does not count for it, change nothing.
    """
    crew, caps = means.crew, means.caps if bot.iterations is None else replace(means.caps, iterations=bot.iterations)
    critic = crew.critic if bot.critic is None else bot.critic
    team = () if bot.player else (bot.model, critic, bot.candidates or crew.candidates)
    how = (bot.player, bot.reproduce, team, caps)
    return _digest(key_of_look(source, fix, means), fix.title, fix.body, how, means.version)


def _digest(*parts: object) -> str:
    return hashlib.sha256(repr(parts).encode("utf-8", "surrogatepass")).hexdigest()[:32]
