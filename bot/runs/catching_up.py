"""Finds out later what could not be heard when it happened: deliveries that failed, labels that nobody told of.

What it finds goes the way of a webhook, into the inbox, where each thing is kept once however it came: so it may be
done at any time, again, and by several workers. Without a public address it is the way in.
"""

import logging
import threading
import time
from collections.abc import Callable
from contextlib import suppress
from dataclasses import dataclass

from bot.errors import Gone, Refused, Unavailable
from bot.runs.missed_deliveries import MissedDeliveries
from bot.runs.missed_labels import MissedLabels

EVERY_S = 15 * 60.0
LISTENS_EVERY_S = 5.0
AWAY_S = 60.0
"""How long to wait where GitHub is away and does not say for how long."""

log = logging.getLogger(__name__)


@dataclass(frozen=True, slots=True)
class CatchingUp:
    """One in a worker, in a thread of its own. `is_ours` says whether this worker is the one to do it now."""

    deliveries: MissedDeliveries
    labels: MissedLabels
    every_s: float = EVERY_S
    is_ours: Callable[[], bool] = lambda: True

    def work(self, until: threading.Event) -> None:
        """Catch up now and from time to time, until the event is set."""
        pause_s = 0.0
        while not self._is_over(until, pause_s):
            try:
                pause_s = self.turn()
            except Exception:  # the outermost frame of its thread: what can't be caught up with must not end it
                log.exception("bug in catching up")
                pause_s = self.every_s

    def _is_over(self, until: threading.Event, pause_s: float) -> bool:
        """Wait for so long, or until an account is to be looked through. Whether the end has come meanwhile."""
        end = time.monotonic() + pause_s
        while (left_s := end - time.monotonic()) > 0:
            if until.wait(min(left_s, LISTENS_EVERY_S)):
                return True
            with suppress(Unavailable):
                if self.labels.is_asked():
                    break
        return until.is_set()

    def turn(self) -> float:
        """Catch up once. Returns the seconds to wait before the next time."""
        if not self.is_ours():
            return self.every_s
        pause_s = self.every_s
        try:
            self.deliveries.catch_up()
        except Unavailable as away:
            log.warning("what was missed is not known yet: %s", away)
            pause_s = max(AWAY_S, away.retry_after_s or 0.0)
        except (Gone, Refused) as problem:
            log.error("what was missed can't be found out: %s", problem)  # noqa: TRY400 - the reason says it all
        self._look_for_labels()
        return pause_s

    def _look_for_labels(self) -> None:
        try:
            self.labels.catch_up()
        except Unavailable as away:
            log.warning("labels are looked for later: %s", away)
        except (Gone, Refused) as problem:
            log.error("labels can't be looked for: %s", problem)  # noqa: TRY400 - the reason says it all
