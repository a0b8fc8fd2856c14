"""One trigger acted on, so that none keeps the others waiting, whatever happens with it."""

import logging
import time
from collections.abc import Callable, Collection
from dataclasses import dataclass, field

from bot.errors import Gone, Refused, Unavailable
from bot.runs.errands import Errands, Sent
from bot.runs.shelf import Shelf
from bot.runs.store import Store, Waiting
from bot.seen.about import about, of_trigger

REST_S = 5.0
LONGEST_REST_S = 60.0
"""How long a trigger rests whose service was away: as long as the service asked for, within these two."""

log = logging.getLogger(__name__)


@dataclass(frozen=True, slots=True)
class Settling:
    """Settles triggers with what came of them. `clock` is monotonic."""

    store: Store
    errands: Errands
    clock: Callable[[], float] = time.monotonic
    _rests_until: dict[int, float] = field(default_factory=dict, init=False)

    def is_awake(self, each: Waiting) -> bool:
        """Whether it may be tried now: its service is not away, and GitHub is not being asked what it depends on."""
        return not self.rests(each) and not self.errands.is_busy(each.trigger)

    def rests(self, each: Waiting) -> bool:
        """Whether its service was away, and is not to be tried again yet."""
        now = self.clock()
        return self._rests_until.get(each.seq, now) > now

    def rested(self) -> list[int]:
        """What has rested enough since this was asked, and may lie aside still."""
        now = self.clock()
        found = [seq for seq, until in self._rests_until.items() if until <= now]
        for seq in found:
            del self._rests_until[seq]
        return found

    def is_expected(self, each: Waiting) -> bool:
        """Whether it will be awake in a moment: GitHub is being asked about it, and not for long yet."""
        return self.errands.is_asked_about(each.trigger)

    def act(self, each: Waiting, do: Callable[[Waiting], str | None]) -> str | None:
        """Do what is to be done for a trigger and settle it with the note that this returns; with None it waits on.

        Where GitHub is asked first, it is done again from its start when the answer is there. Returns the note that it
        was settled with.
        """
        with about(**of_trigger(each.trigger)):
            return self._act(each, do)

    def settle(self, each: Waiting, note: str) -> None:
        """Be done with a trigger."""
        self._rests_until.pop(each.seq, None)
        self.errands.forget(each.trigger)
        with about(**of_trigger(each.trigger)):
            log.info("%s on %s: %s", each.trigger.kind, each.trigger.issue, note)
        self.store.shelves.settle([each.seq], note)

    def drop(self, seqs: Collection[int], note: str) -> None:
        """Be done with many of which nothing is being asked."""
        for seq in seqs:
            self._rests_until.pop(seq, None)
        log.info("%d that waited: %s", len(seqs), note)
        self.store.shelves.settle(seqs, note)

    def _act(self, each: Waiting, do: Callable[[Waiting], str | None]) -> str | None:
        self._rests_until.pop(each.seq, None)
        try:
            note = do(each)
        except Sent:
            return None
        except (Refused, Gone) as refusal:
            note = f"not done: {refusal}"
        except Unavailable as away:
            log.warning("%s on %s waits: %s", each.trigger.kind, each.trigger.issue, away)
            rest_s = min(max(away.retry_after_s or 0.0, REST_S), LONGEST_REST_S)
            self._rests_until[each.seq] = self.clock() + rest_s
            self.errands.forget(each.trigger)
            self.store.shelves.put(Shelf.ASIDE, [each.seq])
            return None
        except Exception:  # the outermost frame of one trigger: a bug with it must not keep all others waiting
            log.exception("bug in acting on %s", each.trigger)
            note = "not done: selfcode itself failed"
        self.errands.forget(each.trigger)
        if note is not None:
            self.settle(each, note)
        return note
