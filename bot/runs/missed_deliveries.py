"""Fetches the deliveries that nobody took, and hears them."""

import logging
import time
from collections import Counter
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field, replace

from bot.errors import DeliveryRejected, Gone, Refused, Unavailable
from bot.records import DeliveryAttempt, Hindsight
from bot.runs.caught_up import CaughtUp
from bot.runs.hearing import Hearing
from bot.runs.missed import mark_after, missed, unseen
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
    """One in a process: it remembers what it has read of those that it comes across again.

    `everything`: nothing is sent to us, so that whatever was answered was not answered by us.
    """

    hindsight: Hindsight
    hearing: Hearing
    caught_up: CaughtUp
    app_id: int
    everything: bool = False
    now: Callable[[], float] = time.time
    _read_before: set[int] = field(default_factory=set, init=False)
    _bugs: Counter[int] = field(default_factory=Counter, init=False)

    def catch_up(self) -> None:
        """Read what was missed since the last time. How far that came is kept, however it ends.

        Raises `Unavailable`, as all of it does.
        """
        mark = self.caught_up.mark(self.app_id).delivery_id
        oldest = 0.0 if mark else self.now() - FIRST_LOOK_S
        newest, listed = mark, []
        for attempt in unseen(self._attempts(), mark, oldest=oldest):
            newest = max(newest, attempt.id)
            if can_matter(attempt.event, attempt.action):
                listed.append(attempt)
        self._read_before &= {each.id for each in listed}
        found = missed(listed, everything=self.everything)
        self._read([each for each in found if each.id not in self._read_before], newest)

    def _attempts(self) -> Iterator[DeliveryAttempt]:
        """What GitHub delivered or tried to, the newest first; asks for a page when it is needed."""
        cursor: str | None = None
        while True:
            page = self.hindsight.deliveries(cursor)
            yield from page.attempts
            cursor = page.before
            if not page.attempts or cursor is None:
                return

    def _read(self, attempts: list[DeliveryAttempt], newest: int) -> None:
        undone, heard = {each.id for each in attempts}, 0
        try:
            for count, attempt in enumerate(attempts, start=1):
                new = self._take(attempt)
                if new is not None:
                    heard += new
                    undone.remove(attempt.id)
                    self._read_before.add(attempt.id)
                if count % _KEEP_EVERY == 0:
                    self._keep_mark(newest, undone)
        finally:
            self._keep_mark(newest, undone)
        if attempts:
            log.info("fetched %d deliveries: %d triggers that were not known", len(attempts), heard)

    def _take(self, attempt: DeliveryAttempt) -> int | None:
        """Keep what it asks for. Returns how much of that was not known; None where it is to be tried again."""
        try:
            event = parse(attempt.event, self.hindsight.body(attempt.id), "application/json")
            return self.hearing.hear(event, attempt.guid)
        except (Gone, Refused, DeliveryRejected) as problem:
            log.warning("delivery %s, %s, can't be heard: %s", attempt.guid, attempt.event, problem)
        except Unavailable:
            raise
        except Exception:  # the outermost frame of a delivery: a bug over one must not keep all others unheard
            log.exception("bug in hearing delivery %s, %s", attempt.guid, attempt.event)
            self._bugs[attempt.id] += 1
            return None if self._bugs[attempt.id] < TRIES else 0
        return 0

    def _keep_mark(self, newest: int, undone: set[int]) -> None:
        mark = self.caught_up.mark(self.app_id)
        reached = mark_after(newest, undone, mark=mark.delivery_id)
        if reached != mark.delivery_id:
            self.caught_up.keep(self.app_id, replace(mark, delivery_id=reached))
