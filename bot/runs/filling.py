"""Free places filled with runs that people may ask for; whoever has to wait is told so."""

import logging
from collections.abc import Collection, Sequence
from dataclasses import dataclass, field
from typing import Protocol

from bot.records import GitHub, TriggerKind
from bot.runs.deciding import CHEAP, UNASKED, Begin, Later, Settle, Tell, decide, fair
from bot.runs.past import Past
from bot.runs.queueing import Queueing
from bot.runs.reception import UNHEARD, Reception
from bot.runs.settling import Settling
from bot.runs.store import RunRow, Store, Waiting
from bot.writing.replies import one_line

CLOSED = "This is closed, so that nothing runs. Open it again, or comment `/selfcode retry` on the issue that is open."

UNHEARD_AT_MOST = 100
"""How many, of people who are not listened to, are settled in one look: they keep nobody waiting, and no stop."""

log = logging.getLogger(__name__)


class Starter(Protocol):
    """Starts the durable workflow of a run; the same run twice is once."""

    def start(self, run_id: str) -> None: ...

    def is_to_start_again(self, run_id: str) -> bool:
        """Whether a started run is under way no more, though it has not ended."""
        ...


@dataclass(frozen=True, slots=True)
class Filled:
    """What came of one look: whether a run has begun; where none was to, who waits for a free place, next first."""

    has_begun: bool = False
    places: Sequence[Waiting] = ()


@dataclass(frozen=True, slots=True)
class Filling:
    """Begins runs, up to `runs_at_once`, and starts them."""

    store: Store
    github: GitHub
    starter: Starter
    reception: Reception
    settling: Settling
    queueing: Queueing
    runs_at_once: int
    _started: set[str] = field(default_factory=set, init=False)
    _past: Past = field(init=False)

    def __post_init__(self) -> None:
        object.__setattr__(self, "_past", Past(self.store))

    def resume(self) -> None:
        """Start every unfinished run that was not started in this process: left by an earlier worker, or cut off."""
        for run in self.store.unfinished():
            self._start(run.id)

    def fill(self, waiting: Sequence[Waiting]) -> Filled:
        """Begin one run that can begin, and settle what is needless.

        GitHub is asked for little in one go, so that a stop never waits for long: for one run that is to begin, or,
        where none can, for one request that was not seen yet.
        """
        active, seen = self.store.unfinished(), self.store.talk.let_in()
        self._past.look(active, waiting)
        begins: list[Waiting] = []
        later: list[tuple[Waiting, bool]] = []
        for each in fair([each for each in waiting if self.settling.is_awake(each)], active):
            match self._decision_on(each, active):
                case Begin():
                    begins.append(each)
                    later.append((each, True))
                case Settle(note=note):
                    self.settling.settle(each, note)
                    self.queueing.take_back(each, note)
                case Tell():
                    self.settling.act(each, self._tell)
                case Later() as decision:
                    later.append((each, decision.for_a_place))
        if begins:
            next_ = self._first_heard(begins)
            return Filled(has_begun=next_ is not None and self._begin(next_))
        unseen = self._first_heard([each for each, _ in later if not _is_seen(each, seen)])
        if unseen is not None:
            self.settling.act(unseen, self._see)
            seen = self.store.talk.let_in()
        return Filled(places=[each for each, for_a_place in later if for_a_place and _is_seen(each, seen)])

    def _decision_on(self, each: Waiting, active: Sequence[RunRow]) -> Begin | Settle | Tell | Later:
        in_places = [run for run in active if run.trigger.kind not in CHEAP]
        runs = self._past.runs_of(each.trigger.issue)
        return decide(each, active=active, runs=runs, free=len(in_places) < self.runs_at_once)

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
                self.queueing.take_back(each, obstacle)
                return obstacle
            begun.append(self.store.begin_run(each))
            self._past.forget(each.trigger.issue)
            self.queueing.hand_over(each)
            return None

        self.settling.act(each, do)
        for run_id in begun:
            log.info("run %s begins: %s, %s", run_id, each.trigger.issue, each.trigger.because)
            self._start(run_id)
        return bool(begun)

    def _obstacle(self, each: Waiting) -> str:
        """Why the run may not begin, which whoever asked was told; "" where it may, which they see too."""
        trigger = each.trigger
        if trigger.kind in UNASKED:
            return ""
        if refusal := self.reception.refusal(trigger):
            return refusal
        if trigger.kind is TriggerKind.RETRY and not self.github.issue(trigger.asked_at).is_open:
            self.reception.react(trigger, "confused")
            return f"closed: {self.reception.answer(trigger, one_line(CLOSED, key=trigger.key))}"
        self.reception.react(trigger, "eyes")
        return ""

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

    def _start(self, run_id: str) -> None:
        if run_id not in self._started or self.starter.is_to_start_again(run_id):
            self.starter.start(run_id)
            self._started.add(run_id)


def _is_seen(each: Waiting, seen: Collection[str]) -> bool:
    """Whether it was let in before: that is looked up again when its turn comes, not while it waits."""
    return each.trigger.kind in UNASKED or each.trigger.key in seen
