"""Free places filled with runs that people may ask for; whoever has to wait is told so."""

import logging
from collections.abc import Callable, Collection, Sequence
from dataclasses import dataclass, field
from typing import Protocol

from bot.records import Trigger, TriggerKind
from bot.runs.bots_turn import A_PERSONS_TURN, persons_turn
from bot.runs.checks import may_concern
from bot.runs.deciding import CHEAP, DEAF, UNASKED, AtOnce, Begin, Ear, Later, Settle, Tell, decide, fair, has_room
from bot.runs.earlier import question_shown_at
from bot.runs.past import Past
from bot.runs.queueing import Queueing
from bot.runs.reception import UNHEARD, Reception
from bot.runs.settling import Settling
from bot.runs.store import WORK, RunRow, Store, Waiting
from bot.seen.about import about, of_trigger
from bot.writing.replies import one_line

CLOSED = "This is closed, so that nothing runs. Open it again, or comment `/selfcode retry` on the issue that is open."
ISSUE_CLOSED = (
    "The issue of this pull request is closed, so that nothing runs. Open it again, then comment `/selfcode retry`."
)
WANTS_OPEN = (TriggerKind.RETRY, TriggerKind.REVIEW, TriggerKind.ANSWER)
"""What may have been asked where everything is over."""

UNHEARD_AT_MOST = 100
"""How many, of people who are not listened to, are settled in one look: they keep nobody waiting, and no stop."""

log = logging.getLogger(__name__)


class Starter(Protocol):
    """Has begun runs taken up, at once or when a worker has room."""

    def start(self, run_id: str) -> None: ...


@dataclass(frozen=True, slots=True)
class Filled:
    """What came of one look: whether another one may lead to more, and who waits for a free place, the next first."""

    is_more: bool = False
    places: Sequence[Waiting] = ()


@dataclass(frozen=True, slots=True)
class Filling:
    """Begins runs, up to its `limits`, and has them taken up."""

    store: Store
    starter: Starter
    reception: Reception
    settling: Settling
    queueing: Queueing
    limits: Callable[[], AtOnce]
    _past: Past = field(init=False)

    def __post_init__(self) -> None:
        object.__setattr__(self, "_past", Past(self.store))

    def fill(self, waiting: Sequence[Waiting]) -> Filled:
        """Begin one run that can begin, and settle what is needless.

        GitHub is asked for little in one go: for one run that is to begin, or, where none can, for one request that was
        not seen yet, of each account. While it is asked about a run, a free place is kept for it, though not for long.
        """
        active, seen = self.store.unfinished(), self.store.talk.let_in()
        self._past.look(active, waiting)
        begins: list[Waiting] = []
        later: list[tuple[Waiting, bool]] = []
        room = self.limits()
        for each in fair(waiting, active):
            is_awake = self.settling.is_awake(each)
            match self._decision_on(each, active, room):
                case Begin() if is_awake:
                    begins.append(each)
                    later.append((each, each.trigger.kind not in CHEAP))
                case Begin():
                    room = self._left_beside(each, room)
                case Settle(note=note):
                    self.settling.settle(each, note)
                    self.queueing.take_back(each, note)
                case Tell():
                    if is_awake:
                        self.settling.act(each, self._tell)
                case Later() as decision:
                    later.append((each, decision.for_a_place))
        if begins:
            next_ = self._first_heard(begins)
            is_more = next_ is not None and (self._begin(next_) or self._is_dealt_with(next_))
            return Filled(is_more, [each for each, it in later if it and each != next_ and _is_seen(each, seen)])
        unknown = [each for each, _ in later if not _is_seen(each, seen) and self.settling.is_awake(each)]
        unseen = self._first_heard(unknown)
        if unseen is not None:
            self.settling.act(unseen, self._see)
            seen = self.store.talk.let_in()
        is_more = unseen is not None and self.settling.is_expected(unseen)
        return Filled(is_more, [each for each, for_a_place in later if for_a_place and _is_seen(each, seen)])

    def _left_beside(self, each: Waiting, room: AtOnce) -> AtOnce:
        """What room there is for others, where one may begin of which GitHub is being asked."""
        is_kept = each.trigger.kind not in CHEAP and self.settling.is_expected(each)
        return room.with_one_less() if is_kept else room

    def _is_dealt_with(self, each: Waiting) -> bool:
        """Whether one that has not begun leaves the turn to the next: GitHub is asked about it, or need not be."""
        return each.trigger.kind in UNASKED or self.settling.is_expected(each)

    def _decision_on(self, each: Waiting, active: Sequence[RunRow], room: AtOnce) -> Begin | Settle | Tell | Later:
        runs = self._past.runs_of(each.trigger.issue)
        free = has_room(each.trigger, active, at_once=room)
        ear = self._ear_of(runs) if each.trigger.kind is TriggerKind.ANSWER else DEAF
        return decide(each, active=active, runs=runs, free=free, ear=ear)

    def _ear_of(self, runs: Sequence[RunRow]) -> Ear:
        """How the newest work of an issue listens."""
        work = [run for run in runs if run.trigger.kind in WORK]
        if not work:
            return DEAF
        last = work[-1]
        asked_at = question_shown_at(self.store, last.id)
        is_at_work = asked_at is None and not last.is_finished
        return Ear(asked_at, is_open=is_at_work and self.store.progress(last.id).verdict is None)

    def _first_heard(self, waiting: Sequence[Waiting]) -> Waiting | None:
        """The first whose sender may be listened to; those before it are settled."""
        for each in waiting[:UNHEARD_AT_MOST]:
            if each.trigger.kind in UNASKED or not self.reception.gate.is_unheard(each.trigger):
                return each
            self.settling.settle(each, UNHEARD)
            self.queueing.take_back(each, UNHEARD)
        return None

    def _begin(self, each: Waiting) -> bool:
        """Whether the run began. Where not, it was settled, or waits until its service is back."""
        begun: list[str] = []

        def do(each: Waiting) -> str | None:
            if obstacle := self._obstacle(each):
                return obstacle
            begun.append(self.store.begin_run(each))
            self._past.forget(each.trigger.issue)
            self.queueing.hand_over(each)
            return None

        if note := self.settling.act(each, do):
            self.queueing.take_back(each, note)
        for run_id in begun:
            with about(run=run_id), about(**of_trigger(each.trigger)):
                log.info("run %s begins: %s, %s", run_id, each.trigger.issue, each.trigger.because)
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
        if key := persons_turn(trigger, self._past.runs_of(trigger.issue)):
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

    def _see(self, each: Waiting) -> str | None:
        """Look whether a request that has to wait may be made, and show that it was seen."""
        if refusal := self.reception.refusal(each.trigger):
            return refusal
        self.reception.react(each.trigger, "eyes")
        return None

    def _tell(self, each: Waiting) -> str:
        """Keep it as a note for the run at work."""
        if refusal := self.reception.refusal(each.trigger):
            return refusal
        self.store.add_note(each.trigger)
        self.reception.react(each.trigger, "eyes")
        return "told to the run at work"


def _is_seen(each: Waiting, seen: Collection[str]) -> bool:
    """Whether it was let in before: that is looked up again when its turn comes, not while it waits."""
    return each.trigger.kind in UNASKED or each.trigger.key in seen
