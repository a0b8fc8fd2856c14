"""What is new is laid on the shelf of those that wait for the same: once, and again when that has changed."""

import logging
from collections import defaultdict
from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from bot.records import Trigger, TriggerKind
from bot.runs.deciding import CHEAP, UNASKED, Begin, Later, Settle, Tell
from bot.runs.judging import Judge
from bot.runs.placing import Placing
from bot.runs.queueing import Queueing
from bot.runs.rounds import Rounds
from bot.runs.settling import Settling
from bot.runs.shelf import Shelf
from bot.runs.store import RUNS, Store, Waiting

AT_ONCE = 100
"""How many are sorted before anything else is looked at again."""

log = logging.getLogger(__name__)


@dataclass(frozen=True, slots=True)
class Sorting:
    """Sorts what is new. What owners ask for whom the operator does not allow is settled, as is what is needless."""

    store: Store
    placing: Placing
    judge: Judge
    settling: Settling
    queueing: Queueing
    rounds: Rounds
    allowed_owners: frozenset[str]

    def ends(self) -> None:
        """Sort what ends runs."""
        self._sort(self.rounds.some(Shelf.ENDS, AT_ONCE))

    def new(self) -> int:
        """Sort some of what is new. Returns how much."""
        found = self.rounds.some(Shelf.NEW, AT_ONCE)
        self._sort(found)
        return len(found)

    def _sort(self, found: Sequence[Waiting]) -> None:
        if not found:
            return
        sorted_: defaultdict[Shelf, list[int]] = defaultdict(list)
        asks_for_runs = []
        for each in found:
            shelf, placed = self._first_look(each)
            if shelf is not None:
                sorted_[shelf].append(each.seq)
            elif placed is not None:
                asks_for_runs.append(placed)
        for shelf, seq in self._judged(asks_for_runs):
            sorted_[shelf].append(seq)
        for shelf, seqs in sorted_.items():
            self.store.shelves.put(shelf, seqs)

    def _first_look(self, each: Waiting) -> tuple[Shelf | None, Waiting | None]:
        """Where it is to lie; where it asks for a run, it is returned where it belongs. Neither where it is settled."""
        owner = each.trigger.issue.repository.owner
        if owner.lower() not in self.allowed_owners:
            log.warning("%s is not in SELFCODE_ALLOWED_OWNERS: %s is ignored", owner, each.trigger.issue)
            self.settling.settle(each, "owner not allowed")
            return None, None
        if self.settling.rests(each):
            return Shelf.ASIDE, None
        placed = self.placing.placed(each)
        if placed is None:
            return Shelf.UNPLACED, None
        if placed.trigger.kind in RUNS:
            return None, placed
        return _shelf_of(placed.trigger), None

    def _judged(self, waiting: Sequence[Waiting]) -> Iterator[tuple[Shelf, int]]:
        """Where those are to lie that ask for runs; what is needless is settled."""
        if not waiting:
            return
        active = self.store.unfinished()
        let_in = self.store.talk.let_in({each.trigger.key for each in waiting})
        runs = self.store.runs_of_all({_place(each) for each in waiting})
        for each in waiting:
            kind = each.trigger.kind
            is_shown = kind in UNASKED or each.trigger.key in let_in
            match self.judge.decision_on(each, active, runs[_place(each)]):
                case Begin() if kind in CHEAP:
                    yield Shelf.CHEAP, each.seq
                case Begin():
                    yield Shelf.PLACES if is_shown else Shelf.UNSEEN, each.seq
                case Later():
                    yield Shelf.ASIDE if is_shown else Shelf.BEHIND, each.seq
                case Tell():
                    yield Shelf.NOTES, each.seq
                case Settle(note=note):
                    self.settling.settle(each, note)
                    self.queueing.take_back(each, note)


def _place(each: Waiting) -> tuple[int, int]:
    return each.trigger.issue.repository.id, each.trigger.issue.number


def _shelf_of(trigger: Trigger) -> Shelf:
    """Where that is to lie which asks for no run."""
    match trigger.kind:
        case TriggerKind.STOP | TriggerKind.UNINSTALLED:
            return Shelf.FACTS if trigger.subject is None else Shelf.STOPS
        case TriggerKind.REOPENED:
            return Shelf.FACTS
        case TriggerKind.NOTE:
            return Shelf.NOTES
        case TriggerKind.INSTALLED:
            return Shelf.HOUSE
        case _:
            return Shelf.TALK
