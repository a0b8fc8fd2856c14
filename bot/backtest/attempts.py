"""Every bot at every fit fix: side by side, within the budget, gone on with where it was cut."""

from collections.abc import Callable, Iterator, Sequence
from concurrent.futures import FIRST_COMPLETED, Future, ThreadPoolExecutor, as_completed, wait
from contextvars import copy_context
from dataclasses import dataclass, field, replace
from pathlib import Path
from uuid import uuid4

from bot.backtest.checking import Look
from bot.backtest.kept import ATTEMPTS, KeptReplay, Lines, charged_by, key_of_attempt
from bot.backtest.purse import Purse
from bot.backtest.replaying import Attempt, Tried, tried
from bot.backtest.sources import Source
from bot.backtest.wanted import Means, Tell, Wanted
from bot.records import Failure, Outcome, Replay

AWAY_IN_A_ROW = 3
"""So many attempts that a service made impossible, one behind the other, end it: the next ones would be no better."""

INTERRUPTED = "interrupted"


@dataclass(frozen=True, slots=True)
class _Begun:
    """An attempt under way: its number in the purse, and the mark of its line that says so ("": there is none)."""

    attempt: Attempt
    number: int
    mark: str


@dataclass(slots=True)
class Attempts:
    """The attempts of a backtest. `stopped` says why not all of them were made, "" where they were.

    `do` makes one: `tried`, which is given an attempt, the means, and whom to tell.
    """

    wanted: Wanted
    means: Means
    source: Source
    looks: Sequence[Look]
    tell: Tell
    do: Callable[..., Tried] = tried
    stopped: str = ""
    _kept: Lines[KeptReplay] = field(init=False)
    _purse: Purse = field(init=False)
    _under_way: dict[Future[Tried], _Begun] = field(default_factory=dict, init=False)
    _away: int = field(default=0, init=False)

    def __post_init__(self) -> None:
        self._kept = Lines(self.wanted.folder / ATTEMPTS, KeptReplay)
        self._purse = Purse(self.wanted.budget_usd)

    def replays(self) -> tuple[Replay, ...]:
        """What is known of each attempt, in the order of fixes and bots; the newest word on each.

        One that was interrupted is as if it had not been begun, but for what it has cost.
        """
        known = {each.key: each.replay for each in self._kept if each.replay.outcome is not Outcome.STOPPED}
        keys = (self._key(attempt) for attempt in self._all())
        return tuple(known[key] for key in keys if key in known)

    def make(self) -> None:
        """Make those that were not made. At a stop or an error of one, what the others under way come to is kept."""
        known = {each.key: each.replay for each in self._kept}
        self._purse.spent_usd = charged_by(self._kept)
        left = [each for each in self._all() if (found := known.get(self._key(each))) is None or found.is_void]
        if left:
            self.tell(f"{len(left)} attempts to make, {self.wanted.jobs} at a time")
        with ThreadPoolExecutor(self.wanted.jobs, thread_name_prefix="selfcode-attempt") as pool:
            try:
                self._go(pool, left)
            finally:
                self._finish()

    def _go(self, pool: ThreadPoolExecutor, left: Sequence[Attempt]) -> None:
        spent = ""
        for attempt in left:
            while len(self._under_way) >= self.wanted.jobs:
                self._settle_some()
            cap = self._cap(attempt)
            while not self._purse.is_enough(cap) and self._under_way:
                self._settle_some()
                cap = self._cap(attempt)
            if self.means.stop():
                self.stopped = self.stopped or INTERRUPTED
            if self.stopped:
                return
            if self._purse.is_enough(cap):
                self._begin(pool, replace(attempt, caps=replace(attempt.caps, cost_usd=cap)))
            else:  # others may cost nothing
                spent = f"the budget of USD {self.wanted.budget_usd:.2f} is used up"
        self.stopped = self.stopped or spent

    def _cap(self, attempt: Attempt) -> float | None:
        if attempt.bot.player is not None:  # it costs nothing
            return attempt.caps.cost_usd or 1.0
        return self._purse.cap(attempt.caps.cost_usd, free_jobs=self.wanted.jobs - len(self._under_way))

    def _begin(self, pool: ThreadPoolExecutor, attempt: Attempt) -> None:
        costs = 0.0 if attempt.bot.player is not None else attempt.caps.cost_usd
        begun = _Begun(attempt, self._purse.set_aside(costs), uuid4().hex if costs and self.wanted.budget_usd else "")
        if begun.mark:
            cut = Replay(attempt.fix.id, attempt.bot.name, Outcome.STOPPED, "it was cut off", False, is_void=True)
            self._kept.add(KeptReplay(self._key(attempt), cut, costs, begun.mark))
        who = f"{attempt.fix.name}, {attempt.bot.name}"
        self.tell(f"{who}: begins")
        future = pool.submit(copy_context().run, self._done, attempt, self._telling(who))
        self._under_way[future] = begun

    def _done(self, attempt: Attempt, tell: Tell) -> Tried:
        return self.do(attempt, self.means, tell=tell)

    def _telling(self, who: str) -> Tell:
        return lambda line: self.tell(f"{who}: {line.strip()}")

    def _settle_some(self) -> None:
        done, _ = wait(self._under_way, return_when=FIRST_COMPLETED)
        for future in done:
            self._settle(future)

    def _settle(self, future: Future[Tried]) -> None:
        begun = self._under_way.pop(future)
        attempt = begun.attempt
        if (error := future.exception()) is not None:
            self._purse.settle(begun.number, None)
            raise error
        came = future.result()
        replay = self._fair(attempt, came.replay)
        counted = self._purse.settle(begun.number, replay.spend.cost_usd)
        self._kept.add(KeptReplay(self._key(attempt), replay, counted, begun.mark))
        if came.is_stopped:
            self.stopped = self.stopped or INTERRUPTED
            return
        self.tell(line_of(attempt, replay))
        self._away = self._away + 1 if came.is_away else 0
        if self._away >= AWAY_IN_A_ROW:
            said = f"{self._away} attempts in a row could not be made, the last for: {replay.reason}"
            self.stopped = self.stopped or said

    def _fair(self, attempt: Attempt, replay: Replay) -> Replay:
        """The replay; void where it was ended by what was left of the budget, and not by its own limit."""
        cap, own, cost = attempt.caps.cost_usd, self.means.caps.cost_usd, replay.spend.cost_usd
        is_lowered = cap is not None and (own is None or cap < own)
        if replay.failure is not Failure.LIMIT or not is_lowered or cap is None or cost is None or cost < cap:
            return replay
        return replace(replay, is_void=True, reason=f"the budget left it USD {cap:.2f}: {replay.reason}")

    def _finish(self) -> None:
        """Wait for what is under way; an error of one is raised once the others are kept."""
        failed: list[Future[Tried]] = []
        for future in as_completed(list(self._under_way)):
            if future.exception() is None:
                self._settle(future)
            else:
                failed.append(future)
        for future in failed:
            self._settle(future)

    def _all(self) -> Iterator[Attempt]:
        fit = [look for look in self.looks if look.checked.is_fit]
        for look in fit:
            for bot in self.wanted.bots:
                own = self.means.caps
                caps = own if bot.iterations is None else replace(own, iterations=bot.iterations)
                yield Attempt(self.source, look, bot, caps, Path(self.wanted.folder))

    def _key(self, attempt: Attempt) -> str:
        return key_of_attempt(self.source, attempt.fix, attempt.bot, self.means)


def line_of(attempt: Attempt, replay: Replay) -> str:
    """An attempt's end in a line."""
    who = f"{attempt.fix.name}, {attempt.bot.name}"
    if replay.is_void:
        return f"{who}: could not be made: {replay.reason}"
    how = "solved" if replay.is_solved else f"not solved ({replay.failure})"
    return f"{who}: {how}; by its own word {replay.outcome}; {replay.seconds:.0f} s"
