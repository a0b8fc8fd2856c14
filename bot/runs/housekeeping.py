"""What a worker does beside its runs, so that neither its home nor the database grows without end."""

import logging
import threading
import time
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path

from sqlalchemy import Engine

from bot.errors import Unavailable
from bot.runs.caches import is_known, remove_unknown
from bot.runs.forgetting import ForgetSteps, Forgetting
from bot.runs.orders import Orders
from bot.runs.sessions import SqlSessions

ORDERS_EVERY_S = 60.0
ALL_EVERY_S = 3600.0

TidyImages = Callable[[Callable[[int], bool]], None]
"""Removes prepared images that are too old, or of repositories that are not known. Raises `Unavailable`."""

log = logging.getLogger(__name__)


@dataclass(frozen=True, slots=True)
class Housekeeping:
    """One in a worker, for its home; the database is tidied where that `is_ours`.

    `retention_s`: how long is kept what has ended; 0 for ever. `now`: seconds since the epoch.
    """

    engine: Engine
    forget_steps: ForgetSteps
    mirrors: Path
    tidy_images: TidyImages
    retention_s: float
    now: Callable[[], float] = time.time
    is_ours: Callable[[], bool] = lambda: True

    def keep(self, until: threading.Event) -> None:
        """Keep house until the event is set: what was ordered to be forgotten within a minute, all else hourly."""
        turns = 0
        while not until.wait(ORDERS_EVERY_S):
            everything = turns % int(ALL_EVERY_S / ORDERS_EVERY_S) == 0
            turns += 1
            try:
                self.turn(everything=everything)
            except Unavailable as away:
                log.warning("housekeeping waits: %s", away)
            except Exception:  # the outermost frame of its thread: house is kept again in a minute
                log.exception("bug in housekeeping")

    def turn(self, *, everything: bool = True) -> None:
        """Keep house once. Raises `Unavailable`, when what can be done is: on a full disk that makes the room."""
        away: Unavailable | None = None
        forgot = False
        try:
            forgot = self._forget(everything=everything)
        except Unavailable as problem:
            away = problem
        if everything or forgot:
            remove_unknown(self.mirrors, self.engine)
        if everything:
            self.tidy_images(lambda repository_id: is_known(self.engine, repository_id))
        if away is not None:
            raise away

    def _forget(self, *, everything: bool) -> bool:
        """Forget in the database, and say whether anything was ordered to be forgotten."""
        if not self.is_ours():
            return False
        forgetting = Forgetting(self.engine, self.forget_steps)
        ordered = Orders(self.engine, forgetting).carry_out()
        now = self.now()
        if everything:
            forgetting.spent_long_ago(now=now)
            SqlSessions(self.engine).forget_what_is_over(now)
        if everything and self.retention_s:
            gone = forgetting.older_than(now - self.retention_s, now=now)
            if gone.runs or gone.requests:
                log.info("forgotten after their time: %d runs, %d requests", gone.runs, gone.requests)
        return bool(ordered)
