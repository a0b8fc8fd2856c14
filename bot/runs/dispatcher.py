"""Takes waiting triggers in turn: what is done at once, and what starts a run when there is room."""

import logging
import time
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, field, replace

from bot.records import Caps, GitHub, RepositoryRef, TriggerKind
from bot.runs.acting import Acting, Queue
from bot.runs.admission import Gate
from bot.runs.controls import CANCELLED, Wanted
from bot.runs.deciding import AtOnce
from bot.runs.errands import Errands
from bot.runs.filling import Filling, Starter
from bot.runs.lines import Send, at_once
from bot.runs.queueing import Queueing
from bot.runs.reception import Reception
from bot.runs.settling import Settling
from bot.runs.standing import CapsOf
from bot.runs.store import RUNS, Store, Waiting, run_id_for

ENDING = (TriggerKind.STOP, TriggerKind.UNINSTALLED)
"""What ends runs goes before everything else."""

STEERING = (TriggerKind.NOTE,)
TALKING = (TriggerKind.STATUS, TriggerKind.HELP, TriggerKind.INSTALLED)

NOT_OURS = "Commands are read on issues, and on selfcode's own pull requests: this is another one."

log = logging.getLogger(__name__)


@dataclass
class Dispatcher:
    """Acts on waiting triggers: one over all workers. `allowed_owners` are lower case; empty means nobody.

    One thread alone calls it, and it waits for nobody: what GitHub is asked and told, `send` has done elsewhere.
    `clock` is monotonic, `now` is seconds since the epoch.
    """

    store: Store
    github: GitHub
    starter: Starter
    allowed_owners: frozenset[str]
    label: str
    min_permission: str
    limits: Callable[[], AtOnce]
    trusted_bots: frozenset[str] = frozenset()
    caps_of: CapsOf = field(default=lambda _: Caps())
    secrets: tuple[str, ...] = field(default=(), repr=False)
    send: Send = at_once
    clock: Callable[[], float] = time.monotonic
    now: Callable[[], float] = time.time
    _known: dict[int, Waiting] = field(default_factory=dict, init=False)
    _wanted: Wanted = field(default_factory=Wanted, init=False)

    def __post_init__(self) -> None:
        store, errands = self.store, Errands(self.github, self.send, self.clock)
        gate = Gate(store, errands.permission_of, self.min_permission, self.trusted_bots, self.now)
        reception = Reception(store, errands, gate, self.secrets, self.now)
        settling, queueing = Settling(store, errands, self.clock), Queueing(store, errands, self.clock)
        self._errands, self._settling, self._queueing = errands, settling, queueing
        self._filling = Filling(store, self.starter, reception, settling, queueing, self._room)
        self._acting = Acting(store, errands, reception, settling, queueing, self.label, self.caps_of)

    def wait(self, seconds: float) -> None:
        """Wait until GitHub has answered something, but no longer than this: then another turn is worth while."""
        self._errands.wait(seconds)

    def turn(self) -> None:
        """Look once at everything that waits.

        Notes come first, then places are filled, then answers are given and one word is said of the queue. An account
        gets one of each at a time: GitHub wants pauses between writes, and people come before housekeeping. What ends
        runs waits for none of it, nor for a place: it goes before each.
        """
        self._heed_the_operator()
        if not self._waiting():
            return
        for each in _first_of_each_account(self._awake(self._after_ends(STEERING))):
            self._act(each)
        while (filled := self._filling.fill(self._after_ends(RUNS))).is_more:
            pass
        for each in _first_of_each_account(sorted(self._awake(self._after_ends(TALKING)), key=_keeps_house)):
            self._act(each, filled.places)
        self._queueing.tell_one(filled.places, is_paused=self._wanted.is_paused)

    def _heed_the_operator(self) -> None:
        """Know whether anything may begin, and drop or stop what is to be cancelled."""
        controls = self.store.controls
        self._wanted = controls.wanted()
        for run_id in self._wanted.cancelled:
            for each in self._waiting():
                if run_id_for(each.trigger) == run_id:
                    self._settling.settle(each, f"dropped: {CANCELLED}")
                    self._queueing.take_back(each, CANCELLED)
            self.store.request_stop_of_run(run_id, CANCELLED)
            controls.cancelled(run_id)

    def _room(self) -> AtOnce:
        return replace(self.limits(), is_paused=self._wanted.is_paused)

    def _after_ends(self, kinds: Sequence[TriggerKind]) -> list[Waiting]:
        """What of these waits once everything has ended that is to end."""
        for each in self._awake(self._those_of(ENDING)):
            self._act(each)
        return self._those_of(kinds)

    def _awake(self, waiting: Iterable[Waiting]) -> list[Waiting]:
        return [each for each in waiting if self._settling.is_awake(each)]

    def _act(self, each: Waiting, places: Sequence[Waiting] = ()) -> None:
        queue = Queue(self._waiting(), places, is_paused=self._wanted.is_paused)
        self._settling.act(each, lambda each: self._acting.act(each, queue))

    def _those_of(self, kinds: Sequence[TriggerKind]) -> list[Waiting]:
        return [each for each in self._allowed() if each.trigger.kind in kinds]

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
        found = (each if each.seq in known else self._placed(each) for each in self.store.waiting(known))
        waiting = [each for each in found if each is not None]
        self._known = {each.seq: each for each in waiting}
        return waiting

    def _placed(self, each: Waiting) -> Waiting | None:
        """The trigger where it belongs; None as long as nobody can tell."""
        trigger = each.trigger
        if trigger.pull_request is None:
            return each
        run = self.store.published_as(trigger.issue.repository.id, trigger.pull_request)
        if run is not None:
            issue = replace(trigger.issue, number=run.trigger.issue.number)
            return replace(each, trigger=replace(trigger, issue=issue))
        if self._is_opening_one(trigger.issue.repository):
            return None
        if trigger.kind in (TriggerKind.REVIEW, TriggerKind.ANSWER):  # no command: it is settled without a word
            return each
        return replace(each, trigger=replace(trigger, kind=TriggerKind.HELP, text=NOT_OURS))

    def _is_opening_one(self, repository: RepositoryRef) -> bool:
        """Whether a run has pushed there, and does not know by which number its pull request goes."""
        at_work = (run.id for run in self.store.unfinished() if run.trigger.issue.repository.id == repository.id)
        kept = (self.store.facts(run_id) for run_id in at_work)
        return any(facts.get("head_sha") and facts.get("pull_request") is None for facts in kept)


def _keeps_house(each: Waiting) -> bool:
    return each.trigger.kind is TriggerKind.INSTALLED


def _first_of_each_account(waiting: Iterable[Waiting]) -> list[Waiting]:
    firsts: dict[int, Waiting] = {}
    for each in waiting:
        firsts.setdefault(each.trigger.issue.repository.installation_id, each)
    return list(firsts.values())
