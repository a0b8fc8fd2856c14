"""Every bot at every fit fix: side by side, within the budget, gone on with where it was cut."""

from collections.abc import Iterator, Sequence
from concurrent.futures import FIRST_COMPLETED, Future, ThreadPoolExecutor, wait
from contextvars import copy_context
from dataclasses import dataclass, field, replace
from pathlib import Path

from bot.backtest.checking import Look
from bot.backtest.kept import ATTEMPTS, KeptReplay, Lines, key_of_attempt
from bot.backtest.purse import Purse
from bot.backtest.replaying import Attempt, Tried, tried
from bot.backtest.sources import Source
from bot.backtest.wanted import Means, Tell, Wanted
from bot.errors import Stopped
from bot.records import Replay

AWAY_IN_A_ROW = 3
"""So many attempts that a service made impossible, one behind the other, end it: the next ones would be no better."""

INTERRUPTED = "interrupted"


@dataclass(slots=True)
class Attempts:
    """The attempts of a backtest. `stopped` says why not all of them were made, "" where they were."""

    wanted: Wanted
    means: Means
    source: Source
    looks: Sequence[Look]
    tell: Tell
    stopped: str = ""
    _kept: Lines[KeptReplay] = field(init=False)
    _purse: Purse = field(init=False)
    _under_way: dict[Future[Tried], tuple[Attempt, int]] = field(default_factory=dict, init=False)
    _away: int = field(default=0, init=False)

    def __post_init__(self) -> None:
        self._kept = Lines(self.wanted.folder / ATTEMPTS, KeptReplay)
        self._purse = Purse(self.wanted.budget_usd)

    def replays(self) -> tuple[Replay, ...]:
        """What is known of each attempt, in the order of fixes and bots; the newest word on each."""
        known = {each.key: each.replay for each in self._kept}
        keys = (self._key(attempt) for attempt in self._all())
        return tuple(known[key] for key in keys if key in known)

    def make(self) -> None:
        """Make those that were not made; what is under way at a stop or an error is not lost but for itself."""
        known = {each.key: each.replay for each in self._kept}
        self._purse.spent_usd = sum(each.replay.spend.cost_usd or 0.0 for each in self._kept)
        left = [each for each in self._all() if (found := known.get(self._key(each))) is None or found.is_void]
        if left:
            self.tell(f"{len(left)} attempts to make, {self.wanted.jobs} at a time")
        with ThreadPoolExecutor(self.wanted.jobs, thread_name_prefix="selfcode-attempt") as pool:
            try:
                self._go(pool, left)
            finally:
                self._finish()

    def _go(self, pool: ThreadPoolExecutor, left: Sequence[Attempt]) -> None:
        for attempt in left:
            while len(self._under_way) >= self.wanted.jobs:
                self._settle_some()
            cap = self._cap(attempt)
            while not self._purse.is_enough(cap) and self._under_way:
                self._settle_some()
                cap = self._cap(attempt)
            if not self._purse.is_enough(cap):
                self.stopped = self.stopped or f"the budget of USD {self.wanted.budget_usd:.2f} is used up"
            if self.means.stop():
                self.stopped = self.stopped or INTERRUPTED
            if self.stopped:
                return
            self._begin(pool, replace(attempt, caps=replace(attempt.caps, cost_usd=cap)))

    def _cap(self, attempt: Attempt) -> float | None:
        if attempt.bot.player is not None:  # it costs nothing
            return attempt.caps.cost_usd or 1.0
        return self._purse.cap(attempt.caps.cost_usd, free_jobs=self.wanted.jobs - len(self._under_way))

    def _begin(self, pool: ThreadPoolExecutor, attempt: Attempt) -> None:
        costs = 0.0 if attempt.bot.player is not None else attempt.caps.cost_usd
        begun = f"{attempt.fix.name}, {attempt.bot.name}"
        told = self._telling(begun)
        self.tell(f"{begun}: begins")
        future = pool.submit(copy_context().run, _tried, attempt, self.means, told)
        self._under_way[future] = (attempt, self._purse.set_aside(costs))

    def _telling(self, who: str) -> Tell:
        return lambda line: self.tell(f"{who}: {line.strip()}")

    def _settle_some(self) -> None:
        done, _ = wait(self._under_way, return_when=FIRST_COMPLETED)
        for future in done:
            self._settle(future)

    def _settle(self, future: Future[Tried]) -> None:
        attempt, number = self._under_way.pop(future)
        try:
            came = future.result()
        except Stopped:
            self._purse.settle(number, 0.0)
            self.stopped = self.stopped or INTERRUPTED
            return
        self._purse.settle(number, came.replay.spend.cost_usd)
        self._kept.add(KeptReplay(self._key(attempt), came.replay))
        self.tell(line_of(attempt, came.replay))
        self._away = self._away + 1 if came.is_away else 0
        if self._away >= AWAY_IN_A_ROW:
            said = f"{self._away} attempts in a row could not be made, the last for: {came.replay.reason}"
            self.stopped = self.stopped or said

    def _finish(self) -> None:
        while self._under_way:
            self._settle_some()

    def _all(self) -> Iterator[Attempt]:
        fit = [look for look in self.looks if look.checked.is_fit]
        for look in fit:
            for bot in self.wanted.bots:
                own = self.means.caps
                caps = own if bot.iterations is None else replace(own, iterations=bot.iterations)
                yield Attempt(self.source, look, bot, caps, Path(self.wanted.folder))

    def _key(self, attempt: Attempt) -> str:
        return key_of_attempt(self.source, attempt.fix, attempt.bot, self.means)


def _tried(attempt: Attempt, means: Means, tell: Tell) -> Tried:
    return tried(attempt, means, tell=tell)


def line_of(attempt: Attempt, replay: Replay) -> str:
    """An attempt's end in a line."""
    who = f"{attempt.fix.name}, {attempt.bot.name}"
    if replay.is_void:
        return f"{who}: could not be made: {replay.reason}"
    how = "solved" if replay.is_solved else f"not solved ({replay.failure})"
    return f"{who}: {how}; by its own word {replay.outcome}; {replay.seconds:.0f} s"
