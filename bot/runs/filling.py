"""Free places filled with runs that people may ask for; whoever has to wait is shown that it was seen."""

import logging
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from functools import partial
from typing import Protocol

from bot.records import Trigger, TriggerKind
from bot.runs.bots_turn import A_PERSONS_TURN, persons_turn
from bot.runs.checks import may_concern
from bot.runs.deciding import (
    UNASKED,
    AtOnce,
    Begin,
    Later,
    Settle,
    Spot,
    Tell,
    has_room,
    in_the_way_of,
    ranks,
    spot_of,
)
from bot.runs.judging import Judge
from bot.runs.past import Past
from bot.runs.placing import Placing
from bot.runs.queueing import Queueing
from bot.runs.ranking import spot_at
from bot.runs.reception import UNHEARD, Reception
from bot.runs.rounds import Rounds
from bot.runs.settling import Settling
from bot.runs.shelf import Shelf
from bot.runs.store import RunRow, Store, Waiting
from bot.seen.about import about, of_trigger
from bot.writing.replies import one_line

CLOSED = "This is closed, so that nothing runs. Open it again, or comment `/selfcode retry` on the issue that is open."
ISSUE_CLOSED = (
    "The issue of this pull request is closed, so that nothing runs. Open it again, then comment `/selfcode retry`."
)
WANTS_OPEN = (TriggerKind.RETRY, TriggerKind.REVIEW, TriggerKind.ANSWER)
"""What may have been asked where everything is over."""

LOOKED_AT = 10
"""How many of a repository are looked at in one go."""

ANYWHERE = Spot(-1, -1)
"""Where nothing else is at work: there is room here where there is any."""

_MAY_BEGIN = (Shelf.CHEAP, Shelf.UNSEEN, Shelf.PLACES)
_UNSEEN = (Shelf.UNSEEN, Shelf.BEHIND)

log = logging.getLogger(__name__)


class Starter(Protocol):
    """Has begun runs taken up, at once or when a worker has room."""

    def start(self, run_id: str) -> None: ...


@dataclass(frozen=True, slots=True)
class Filled:
    """What came of one look: whether another one may lead to more, and how much was put away in it."""

    is_more: bool = False
    put_away: int = 0


@dataclass(frozen=True, slots=True)
class Lying:
    """A trigger, where it belongs, and on which shelf it lies."""

    shelf: Shelf
    each: Waiting


@dataclass(frozen=True, slots=True)
class Filling:
    """Begins runs, up to its `limits`, and has them taken up."""

    store: Store
    starter: Starter
    reception: Reception
    settling: Settling
    queueing: Queueing
    placing: Placing
    judge: Judge
    past: Past
    rounds: Rounds
    limits: Callable[[], AtOnce]

    def fill(self) -> Filled:
        """Begin one run that can begin, and put away what can't.

        GitHub is asked for little in one go: for one run that is to begin, or, where none can, for one request that was
        not seen yet, of each account. While it is asked about a run, a free place is kept for it, though not for long.
        """
        active, room, put_away = self.store.unfinished(), self.limits(), 0
        is_full = not has_room(ANYWHERE, active, at_once=AtOnce(room.all, is_paused=room.is_paused))
        for spot in self._spots(_MAY_BEGIN[:1] if is_full else _MAY_BEGIN, active):
            if not has_room(spot, active, at_once=room):
                continue
            if asked := self.settling.errands.run_asked_about(spot.installation_id):
                room = self._left_beside(asked, spot, active, room)
                continue
            for lying in self._there(_MAY_BEGIN, spot):
                if not self._can_begin(lying, active):
                    put_away += self.settling.is_awake(lying.each)
                elif self._is_heard(lying.each):
                    return Filled(self._begin(lying.each) or self._is_dealt_with(lying.each), put_away)
                else:
                    put_away += 1
        return self._show_one(active, put_away)

    def tell(self, each: Waiting) -> None:
        """Tell the run at work what was said, if it is for it still."""
        match self.judge.decision_on(each, self.store.unfinished()):
            case Tell():
                self.settling.act(each, self._tell)
            case _:
                self.store.shelves.sort_again([each.seq])

    # --- Looking

    def _spots(self, shelves: Sequence[Shelf], active: Sequence[RunRow]) -> list[Spot]:
        """Where something may begin, or is to be shown that it was seen: in the order in which they have room."""
        first: dict[Spot, int] = {}
        for shelf in shelves:
            for front in self.rounds.fronts(shelf):
                spot = spot_at(front, is_cheap=shelf is Shelf.CHEAP)
                first[spot] = min(front.seq, first.get(spot, front.seq))
        rank = ranks(active)
        return sorted(first, key=lambda spot: (*rank(spot), first[spot]))

    def _there(self, shelves: Sequence[Shelf], spot: Spot) -> Iterator[Lying]:
        """The oldest that lie there. What can't be told where it belongs is put away."""
        found = [
            Lying(shelf, each)
            for shelf in shelves
            if (shelf is Shelf.CHEAP) == spot.is_cheap
            for each in self.store.shelves.first(shelf, spot.repository_id, LOOKED_AT)
        ]
        for lying in sorted(found, key=lambda lying: lying.each.seq)[:LOOKED_AT]:
            placed = self.placing.placed(lying.each)
            if placed is None:
                self.store.shelves.put(Shelf.UNPLACED, [lying.each.seq])
            else:
                yield Lying(lying.shelf, placed)

    def _left_beside(self, asked: Trigger, spot: Spot, active: Sequence[RunRow], room: AtOnce) -> AtOnce:
        """What room there is for others, where one may begin there of which GitHub is being asked."""
        is_kept = not spot.is_cheap and spot_of(asked) == spot and not in_the_way_of(asked, active)
        return room.with_one_less() if is_kept and self.settling.errands.is_asked_about(asked) else room

    def _can_begin(self, lying: Lying, active: Sequence[RunRow]) -> bool:
        """Whether it may begin now; where something else is to become of it, that is done."""
        each = lying.each
        match self.judge.decision_on(each, active):
            case Begin():
                return self.settling.is_awake(each)
            case Settle(note=note):
                self.settling.settle(each, note)
                self.queueing.take_back(each, note)
            case Tell():
                self.store.shelves.put(Shelf.NOTES, [each.seq])
            case Later():
                is_shown = lying.shelf is not Shelf.UNSEEN
                self.store.shelves.put(Shelf.ASIDE if is_shown else Shelf.BEHIND, [each.seq])
        return False

    def _is_heard(self, each: Waiting) -> bool:
        """Whether its sender may be listened to; where not, it is settled."""
        if each.trigger.kind in UNASKED or not self.reception.gate.is_unheard(each.trigger):
            return True
        self.settling.settle(each, UNHEARD)
        self.queueing.take_back(each, UNHEARD)
        return False

    # --- Showing that it was seen

    def _show_one(self, active: Sequence[RunRow], put_away: int) -> Filled:
        """Look into one request that was not seen yet, and show that it was."""
        for spot in self._spots(_UNSEEN, active):
            if self.settling.errands.run_asked_about(spot.installation_id):
                continue
            for lying in self._there(_UNSEEN, spot):
                if not self.settling.is_awake(lying.each):
                    continue
                if self._is_heard(lying.each):
                    self.settling.act(lying.each, partial(self._see, lying.shelf))
                    return Filled(self.settling.is_expected(lying.each), put_away)
                put_away += 1
        return Filled(put_away > 0, put_away)

    def _see(self, shelf: Shelf, each: Waiting) -> str | None:
        """Look whether a request that has to wait may be made, and show that it was seen."""
        if refusal := self.reception.refusal(each.trigger):
            return refusal
        self.reception.react(each.trigger, "eyes")
        self.store.shelves.put(Shelf.PLACES if shelf is Shelf.UNSEEN else Shelf.ASIDE, [each.seq])
        return None

    # --- Beginning

    def _is_dealt_with(self, each: Waiting) -> bool:
        """Whether one that has not begun leaves the turn to the next: GitHub is asked about it, or need not be."""
        return each.trigger.kind in UNASKED or self.settling.is_expected(each)

    def _begin(self, each: Waiting) -> bool:
        """Whether the run began. Where not, it was settled, or waits until its service is back."""
        begun: list[str] = []

        def do(each: Waiting) -> str | None:
            if obstacle := self._obstacle(each):
                return obstacle
            begun.append(self.store.begin_run(each))
            self.queueing.hand_over(each)
            return None

        if note := self.settling.act(each, do):
            self.queueing.take_back(each, note)
        for run_id in begun:
            with about(run=run_id), about(**of_trigger(each.trigger)):
                log.info("run %s begins: %s, %s", run_id, each.trigger.issue, each.trigger.because)
            self.past.begins(run_id, each.trigger.issue)
            self.placing.sort_again(each.trigger.issue.repository.id, each.trigger.issue.number)
            self.starter.start(run_id)
        return bool(begun)

    def _obstacle(self, each: Waiting) -> str:
        """Why the run may not begin, which whoever asked was told; "" where it may, which they see too."""
        trigger = each.trigger
        if trigger.kind is TriggerKind.CHECKS and not may_concern(self.store, trigger.issue, trigger.head_sha):
            return "no proof of ours is of that commit"
        if trigger.kind in UNASKED:
            return ""
        if refusal := self.reception.refusal(trigger):
            return refusal
        if trigger.kind in WANTS_OPEN and (closed := self._closed(trigger)):
            return closed
        if key := persons_turn(trigger, self.store.runs_of(trigger.issue.repository.id, trigger.issue.number)):
            return f"a person's turn: {self._leave_to_a_person(trigger, key)}"
        self.reception.react(trigger, "eyes")
        return ""

    def _closed(self, trigger: Trigger) -> str:
        """That where it was asked, or its issue, is closed, which whoever asked for something was told; else ""."""
        if not self.reception.is_open(trigger, trigger.asked_at):
            told = CLOSED
        elif trigger.asked_at != trigger.issue and not self.reception.is_open(trigger, trigger.issue):
            told = ISSUE_CLOSED
        else:
            return ""
        if trigger.kind is TriggerKind.ANSWER:  # “never mind, I close this” asks for nothing
            return "closed"
        self.reception.react(trigger, "confused")
        return f"closed: {self.reception.answer(trigger, one_line(told, key=trigger.key))}"

    def _leave_to_a_person(self, trigger: Trigger, key: str) -> str:
        """Say to bots that a person must ask, once for each row of their runs. Returns what came of it."""
        self.reception.react(trigger, "confused")
        talk = self.store.talk
        if talk.is_answered(key):
            return "said before"
        said = self.reception.answer(trigger, one_line(A_PERSONS_TURN, key=trigger.key))
        if talk.is_answered(trigger.key):
            talk.keep_answered(key, trigger.asked_at, moment=self.reception.clock())
        return said

    def _tell(self, each: Waiting) -> str:
        """Keep it as a note for the run at work."""
        if refusal := self.reception.refusal(each.trigger):
            return refusal
        self.store.add_note(each.trigger)
        self.reception.react(each.trigger, "eyes")
        return "told to the run at work"
