"""Fetches the deliveries that nobody took, and hears them."""

import logging
import time
from collections import Counter
from collections.abc import Callable
from dataclasses import dataclass, field, replace

from bot.errors import DeliveryRejected, Gone, Refused, Unavailable
from bot.records import DeliveryAttempt, Hindsight
from bot.runs.caught_up import CaughtUp
from bot.runs.hearing import Hearing
from bot.runs.listing import Listing
from bot.runs.missed import mark_after, missed
from bot.triggers.events import parse
from bot.triggers.mattering import can_matter

FIRST_LOOK_S = 3 * 86_400.0
"""How far it is looked back where it never was: as far as GitHub keeps deliveries."""

TRIES = 3
"""How often it is tried to hear a delivery that a bug is met over."""

_KEEP_EVERY = 50

log = logging.getLogger(__name__)


@dataclass
class MissedDeliveries:
    """One in a process: it remembers what it has listed, and what it has read of that.

    `everything`: nothing is sent to us, so that whatever was answered was not answered by us.
    """

    hindsight: Hindsight
    hearing: Hearing
    caught_up: CaughtUp
    app_id: int
    everything: bool = False
    now: Callable[[], float] = time.time
    _found: dict[int, DeliveryAttempt] = field(default_factory=dict, init=False)
    """What was listed and can matter, since all was last done."""
    _done: set[int] = field(default_factory=set, init=False)
    _bugs: Counter[int] = field(default_factory=Counter, init=False)
    _listing: Listing = field(init=False)

    def __post_init__(self) -> None:
        self._listing = Listing(self.hindsight)

    def catch_up(self) -> None:
        """Read what was missed since the last time. It goes on where it was interrupted, in the list too.

        How far all is done is kept, however it ends: another process goes on from there. Raises `Unavailable`, as all
        of it does.
        """
        mark = self.caught_up.mark(self.app_id).delivery_id
        listed = set[int]()
        for attempt in self._listing.attempts(mark, oldest=0.0 if mark else self.now() - FIRST_LOOK_S):
            if can_matter(attempt.event, attempt.action):
                self._found[attempt.id] = attempt
                listed.add(attempt.id)
        found = missed(self._found.values(), everything=self.everything)
        if self._read([each for each in found if each.id not in self._done], self._listing.top):
            self._found.clear()
            self._done &= listed

    def _read(self, attempts: list[DeliveryAttempt], newest: int) -> bool:
        """Read them, as far as that goes. Returns whether all is done."""
        undone, heard = {each.id for each in attempts}, 0
        try:
            for count, attempt in enumerate(attempts, start=1):
                new = self._take(attempt)
                if new is not None:
                    heard += new
                    undone.remove(attempt.id)
                    self._done.add(attempt.id)
                if count % _KEEP_EVERY == 0:
                    self._keep_mark(newest, undone)
        finally:
            self._keep_mark(newest, undone)
        if attempts:
            log.info("fetched %d deliveries: %d triggers that were not known", len(attempts), heard)
        return not undone

    def _take(self, attempt: DeliveryAttempt) -> int | None:
        """Keep what it asks for. Returns how much of that was not known; None where it is to be tried again."""
        try:
            event = parse(attempt.event, self.hindsight.body(attempt.id), "application/json")
            return self.hearing.hear(event, attempt.guid, delivered_at=self._first_told_at(attempt))
        except (Gone, Refused, DeliveryRejected) as problem:
            log.warning("delivery %s, %s, can't be heard: %s", attempt.guid, attempt.event, problem)
        except Unavailable:
            raise
        except Exception:  # the outermost frame of a delivery: a bug over one must not keep all others unheard
            log.exception("bug in hearing delivery %s, %s", attempt.guid, attempt.event)
            self._bugs[attempt.id] += 1
            return None if self._bugs[attempt.id] < TRIES else 0
        return 0

    def _first_told_at(self, attempt: DeliveryAttempt) -> float:
        """When it was told first, as far as that was listed: it may have been sent again since."""
        return min(each.delivered_at for each in (attempt, *self._found.values()) if each.guid == attempt.guid)

    def _keep_mark(self, newest: int, undone: set[int]) -> None:
        mark = self.caught_up.mark(self.app_id)
        reached = mark_after(newest, undone, mark=mark.delivery_id)
        if reached != mark.delivery_id:
            self.caught_up.keep(self.app_id, replace(mark, delivery_id=reached))
