"""How long a service that is away is waited for, and where: at work, or away from the place that a run takes."""

import logging
import time
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from itertools import chain, repeat
from typing import TypeVar

from bot.errors import Unavailable
from bot.runs.space import full_disk_is_away

T = TypeVar("T")

PATIENCE = (2.0, 10.0, 30.0)
"""Seconds to wait before each further try of a step whose service was away and did not say for how long."""

HERE_S = 60.0
"""So long a run keeps its place while it waits."""

NAMED_HERE_S = 30.0
"""A service that names a longer wait is believed: the place is left at once."""

PAUSES_S = (60.0, 120.0, 240.0, 300.0)
"""How long the place is left, the first time and those after it: from the last on always the same."""

LONGEST_WAIT_S = 3600.0
"""GitHub counts what may be written by the hour: no wait that is named is believed beyond it."""

REPEATED_S = 3600.0
"""So long an iteration that was cut off is made again from its beginning; then it may be what it does that fails."""

WAITED_AT_MOST_S = 24 * 3600.0
"""So long one step is waited for, in all."""

log = logging.getLogger(__name__)


@dataclass(frozen=True, slots=True)
class Outage:
    """A service that a run has left its place for, in the step of this name. `what`: what is wrong, in its own words.

    `since` is when it was first found away, in seconds since the epoch; `times`, how often the place was left for it.
    """

    step: str
    what: str
    since: float
    times: int = 1


@dataclass(frozen=True, slots=True)
class Here:
    """Wait so long where the run is, and try again."""

    seconds: float


@dataclass(frozen=True, slots=True)
class Elsewhere:
    """Leave the place to others for so long."""

    outage: Outage
    seconds: float


@dataclass(frozen=True, slots=True)
class Enough:
    """Wait no more; `why` is for people."""

    why: str


@dataclass(slots=True)
class Waits:
    """What is left of the waiting for one step. A run that has left its place `before` for it, leaves it at once."""

    step: str
    patience: Iterator[float]
    can_leave: bool = False
    before: Outage | None = None
    _first_at: float | None = field(default=None, init=False)

    def after(self, away: Unavailable, *, now: float) -> Here | Elsewhere | Enough:
        """What to do after one more try in vain. `now` is in seconds since the epoch."""
        if not away.passes:
            return Enough(str(away))
        named_s = min(away.retry_after_s or 0.0, LONGEST_WAIT_S)
        self._first_at = now if self._first_at is None else self._first_at
        pause_s = None if self.before or named_s > NAMED_HERE_S else next(self.patience, None)
        if pause_s is not None and now - self._first_at + max(pause_s, named_s) <= HERE_S:
            return Here(max(pause_s, named_s))
        can_leave = self.can_leave and not away.briefly
        return self._leave(away, named_s, now) if can_leave else Enough(str(away))

    def _leave(self, away: Unavailable, named_s: float, now: float) -> Elsewhere | Enough:
        times = self.before.times + 1 if self.before else 1
        since = self.before.since if self.before else (self._first_at or now)
        wait_s = max(named_s, PAUSES_S[min(times, len(PAUSES_S)) - 1])
        if now + wait_s - since > WAITED_AT_MOST_S:
            return Enough(f"It was waited for a day, and is away still: {away}")
        return Elsewhere(Outage(self.step, str(away), since, times), wait_s)


def is_worth_repeating(outage: Outage | None, step: str, *, now: float) -> bool:
    """Whether a step is to be done again where a service goes away in its middle. Where not, it ends with what it has.

    `outage` is what the run has left its place for last. `now` is in seconds since the epoch.
    """
    return outage is None or outage.step != step or now - outage.since < REPEATED_S


def patiently(work: Callable[[], T]) -> T:
    """What the work comes to, however long its service is away: for what a run can't do without, such as its store."""
    for pause_s in chain((0.5, 2.0, 10.0), repeat(30.0)):
        try:
            with full_disk_is_away():
                return work()
        except Unavailable as away:
            log.warning("%s; again in %g s", away, pause_s)
            time.sleep(pause_s)
    raise AssertionError("patience has no end")
