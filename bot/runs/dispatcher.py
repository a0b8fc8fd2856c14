"""Takes waiting triggers in turn: what is done at once, and what starts a run when there is room."""

import logging
import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field, replace

from bot.records import Caps, GitHub, TriggerKind
from bot.runs.acting import Acting, Queue
from bot.runs.admission import Gate
from bot.runs.filling import Filling, Starter
from bot.runs.queueing import Queueing
from bot.runs.reception import Reception
from bot.runs.settling import Settling
from bot.runs.standing import CapsOf
from bot.runs.store import RUNS, Store, Waiting

ENDING = (TriggerKind.STOP, TriggerKind.UNINSTALLED)
"""What ends runs goes before everything else."""

STEERING = (TriggerKind.NOTE,)
TALKING = (TriggerKind.STATUS, TriggerKind.HELP, TriggerKind.INSTALLED)

NOT_OURS = "Commands are read on issues, and on selfcode's own pull requests: this is another one."

log = logging.getLogger(__name__)


@dataclass
class Dispatcher:
    """Acts on waiting triggers: one in a process. `allowed_owners` are lower case; empty means nobody.

    `clock` is monotonic, `now` is seconds since the epoch.
    """

    store: Store
    github: GitHub
    starter: Starter
    allowed_owners: frozenset[str]
    label: str
    min_permission: str
    runs_at_once: int
    trusted_bots: frozenset[str] = frozenset()
    caps_of: CapsOf = field(default=lambda _: Caps())
    secrets: tuple[str, ...] = field(default=(), repr=False)
    clock: Callable[[], float] = time.monotonic
    now: Callable[[], float] = time.time
    _known: dict[int, Waiting] = field(default_factory=dict, init=False)

    def __post_init__(self) -> None:
        store, github = self.store, self.github
        gate = Gate(store, github, self.min_permission, self.trusted_bots, self.now)
        reception = Reception(store, github, gate, self.secrets, self.now)
        self._settling, self._queueing = Settling(store, self.clock), Queueing(store, github, self.clock)
        self._filling = Filling(
            store, github, self.starter, reception, self._settling, self._queueing, self.runs_at_once
        )
        self._acting = Acting(store, github, reception, self._settling, self._queueing, self.label, self.caps_of)

    def resume(self) -> None:
        """Start every unfinished run that was not started in this process: left by an earlier worker, or cut off."""
        self._filling.resume()

    def turn(self) -> None:
        """Look once at everything that waits.

        A note comes first, then places are filled, then one answer is given and one word said of the queue: GitHub
        wants pauses between writes, and people come before housekeeping. What ends runs waits for none of it, nor for a
        place: it goes before each.
        """
        self.resume()
        for each in self._awake_after_ends(STEERING)[:1]:
            self._act(each)
        while (filled := self._filling.fill(self._awake_after_ends(RUNS))).has_begun:
            pass
        for each in sorted(self._awake_after_ends(TALKING), key=_keeps_house)[:1]:
            self._act(each, filled.places)
        self._queueing.tell_one(filled.places)

    def _awake_after_ends(self, kinds: Sequence[TriggerKind]) -> list[Waiting]:
        """What of these waits once everything has ended that is to end."""
        for each in self._awake(ENDING):
            self._act(each)
        return self._awake(kinds)

    def _act(self, each: Waiting, places: Sequence[Waiting] = ()) -> None:
        self._settling.act(each, lambda each: self._acting.act(each, Queue(self._waiting(), places)))

    def _awake(self, kinds: Sequence[TriggerKind]) -> list[Waiting]:
        return [each for each in self._allowed() if each.trigger.kind in kinds and self._settling.is_awake(each)]

    def _allowed(self) -> list[Waiting]:
        """What waits, of owners that the operator allows; what others ask for is settled."""
        allowed = []
        for each in self._waiting():
            owner = each.trigger.issue.repository.owner
            if owner.lower() in self.allowed_owners:
                allowed.append(each)
            else:
                log.warning("%s is not in SELFCODE_ALLOWED_OWNERS: %s is ignored", owner, each.trigger.issue)
                self._settling.settle(each, "owner not allowed")
        return allowed

    def _waiting(self) -> list[Waiting]:
        """What waits. What was asked on a pull request is asked for its issue; where it is not ours, it is answered."""
        known = self._known
        waiting = [each if each.seq in known else self._placed(each) for each in self.store.waiting(known)]
        self._known = {each.seq: each for each in waiting}
        return waiting

    def _placed(self, each: Waiting) -> Waiting:
        trigger = each.trigger
        if trigger.pull_request is None:
            return each
        run = self.store.published_as(trigger.issue.repository.id, trigger.pull_request)
        if run is not None:
            issue = replace(trigger.issue, number=run.trigger.issue.number)
            return replace(each, trigger=replace(trigger, issue=issue))
        if trigger.kind is TriggerKind.REVIEW:  # nobody gave a command: it is settled without a word
            return each
        return replace(each, trigger=replace(trigger, kind=TriggerKind.HELP, text=NOT_OURS))


def _keeps_house(each: Waiting) -> bool:
    return each.trigger.kind is TriggerKind.INSTALLED
