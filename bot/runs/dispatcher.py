"""Takes waiting triggers in turn: what ends or answers something at once, what starts a run when there is room."""

import logging
import time
from collections import Counter
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field, replace
from typing import Protocol

from bot.errors import Gone, Refused, Unavailable
from bot.records import GitHub, Trigger, TriggerKind
from bot.runs.reading import at_least
from bot.runs.store import PROOFS, RUNS, WORK, RunRow, Store, Waiting
from bot.writing.replies import help_comment, reply_marker

REST_S = 5.0
LONGEST_REST_S = 60.0
"""How long a trigger rests whose service was away: as long as the service asked for, within these two."""

ENDING = (TriggerKind.STOP, TriggerKind.UNINSTALLED)
"""What ends runs goes before everything else."""

log = logging.getLogger(__name__)


@dataclass(frozen=True, slots=True)
class Begin:
    """Start a run for it."""


@dataclass(frozen=True, slots=True)
class Settle:
    """Nothing is to be done; `note` says why."""

    note: str


@dataclass(frozen=True, slots=True)
class Later:
    """Leave it waiting."""


NOT_OURS = "Commands are read on issues, and on selfcode's own pull requests: this is another one."


def decide(waiting: Waiting, *, active: Sequence[RunRow], last: RunRow | None, free: bool) -> Begin | Settle | Later:
    """What is to become of a trigger that asks for a run or an examination. `last` is the issue's newest run.

    Neither keeps the other waiting; each of them is done once at a time on an issue. Of which commit a proof is asked
    for again is known when its turn comes, not here. That a proof is stale takes
    seconds to say, and no place.
    """
    trigger = waiting.trigger
    same_issue = [
        run
        for run in active
        if _issue(run.trigger) == _issue(trigger) and _is_on_issue(run.trigger) == _is_on_issue(trigger)
    ]
    at_work = [run for run in same_issue if _is_work(run.trigger) and run.stop_because is None]
    if trigger.kind is TriggerKind.START and at_work:
        return Settle(f"run {at_work[0].id} is at work on the issue already")
    if trigger.kind is TriggerKind.START and last is not None and trigger.occurred_at <= last.trigger.occurred_at:
        return Settle(f"asked for before run {last.id} was")
    if same_issue or not (free or trigger.kind is TriggerKind.MOVED):
        return Later()
    return Begin()


def fair(waiting: Sequence[Waiting], active: Sequence[RunRow]) -> list[Waiting]:
    """The triggers as they get free places: fewest active runs of the installation, of the repository, then age."""
    by_installation = Counter(run.trigger.issue.repository.installation_id for run in active)
    by_repository = Counter(run.trigger.issue.repository.id for run in active)

    def rank(each: Waiting) -> tuple[int, int, int]:
        repository = each.trigger.issue.repository
        return by_installation[repository.installation_id], by_repository[repository.id], each.seq

    return sorted(waiting, key=rank)


class Starter(Protocol):
    """Starts the durable workflow of a run; the same run twice is once."""

    def start(self, run_id: str) -> None: ...

    def is_to_start_again(self, run_id: str) -> bool:
        """Whether a started run is under way no more, though it has not ended."""
        ...


@dataclass(frozen=True, slots=True)
class Dispatcher:
    """Acts on waiting triggers: one in a process. `allowed_owners` are lower case; empty means nobody."""

    store: Store
    github: GitHub
    starter: Starter
    allowed_owners: frozenset[str]
    label: str
    min_permission: str
    runs_at_once: int
    clock: Callable[[], float] = time.monotonic
    _started: set[str] = field(default_factory=set, init=False)
    _rests_until: dict[int, float] = field(default_factory=dict, init=False)
    _of_pulls: dict[int, Waiting] = field(default_factory=dict, init=False)

    def resume(self) -> None:
        """Start every unfinished run that was not started in this process: left by an earlier worker, or cut off."""
        for run in self.store.unfinished():
            self._start(run.id)

    def _start(self, run_id: str) -> None:
        if run_id not in self._started or self.starter.is_to_start_again(run_id):
            self.starter.start(run_id)
            self._started.add(run_id)

    def turn(self) -> None:
        """Look once at everything that waits.

        What ends runs comes first and never waits for a place; then places are filled; then one answer is given, since
        GitHub wants pauses between writes.
        """
        self.resume()
        for each in self._awake(ENDING):
            self._act(each)
        self._fill_places()
        for each in self._awake((TriggerKind.HELP, TriggerKind.INSTALLED))[:1]:
            self._act(each)

    def _awake(self, kinds: Sequence[TriggerKind]) -> list[Waiting]:
        now = self.clock()
        return [
            each
            for each in self._waiting()
            if each.trigger.kind in kinds and self._rests_until.get(each.seq, now) <= now
        ]

    def _waiting(self) -> list[Waiting]:
        """What waits. What was asked on a pull request is asked for its issue; where it is not ours, it is answered."""
        waiting = self.store.waiting()
        placed = {each.seq: self._of_pulls.get(each.seq) or self._placed(each) for each in waiting}
        self._of_pulls.clear()
        self._of_pulls.update({each.seq: each for each in placed.values() if each.trigger.pull_request is not None})
        return list(placed.values())

    def _placed(self, each: Waiting) -> Waiting:
        trigger = each.trigger
        if trigger.pull_request is None:
            return each
        run = self.store.published_as(trigger.issue.repository.id, trigger.pull_request)
        if run is None:
            return replace(each, trigger=replace(trigger, kind=TriggerKind.HELP, text=NOT_OURS))
        return replace(each, trigger=replace(trigger, issue=replace(trigger.issue, number=run.trigger.issue.number)))

    def _fill_places(self) -> None:
        active = self.store.unfinished()
        waiting = [each for each in self._waiting() if each.trigger.kind in RUNS and not self._refuse_owner(each)]
        queue = fair(waiting, active)
        while queue:
            each, *queue = queue
            if self._begin(each, active):
                active = self.store.unfinished()
                queue = fair(queue, active)

    def _begin(self, each: Waiting, active: Sequence[RunRow]) -> bool:
        """Do what is decided of a trigger that asks for a run. Returns whether the run began."""
        issue = each.trigger.issue
        runs = self.store.runs_of(issue.repository.id, issue.number)
        last = next((run for run in reversed(runs) if _is_work(run.trigger)), None)
        in_places = [run for run in active if run.trigger.kind is not TriggerKind.MOVED]
        match decide(each, active=active, last=last, free=len(in_places) < self.runs_at_once):
            case Begin():
                run_id = self.store.begin_run(each)
                log.info("run %s begins: %s, %s", run_id, issue, each.trigger.because)
                self._start(run_id)
                return True
            case Settle(note=note):
                log.info("%s on %s: %s", each.trigger.kind, issue, note)
                self.store.settle(each.seq, note)
            case Later():
                self._see(each)
        return False

    def _see(self, each: Waiting) -> None:
        """Show once that a request was seen which has to wait for its turn."""
        asked = each.trigger.comment_id is not None or each.trigger.kind is TriggerKind.START
        if not asked or not self.store.answer_once(f"seen {each.trigger.key}"):
            return
        try:
            if self._may(each.trigger):
                self._react(each.trigger, "eyes")
        except (Refused, Gone, Unavailable) as problem:
            log.warning("no reaction on %s: %s", each.trigger.issue, problem)

    def _refuse_owner(self, each: Waiting) -> bool:
        owner = each.trigger.issue.repository.owner
        if owner.lower() in self.allowed_owners:
            return False
        log.warning("%s is not in SELFCODE_ALLOWED_OWNERS: %s is ignored", owner, each.trigger.issue)
        self.store.settle(each.seq, "owner not allowed")
        return True

    def _act(self, each: Waiting) -> None:
        if self._refuse_owner(each):
            return
        try:
            note = self._do(each)
        except (Refused, Gone) as refusal:
            note = f"not done: {refusal}"
        except Unavailable as away:
            log.warning("%s on %s waits: %s", each.trigger.kind, each.trigger.issue, away)
            rest_s = min(max(away.retry_after_s or 0.0, REST_S), LONGEST_REST_S)
            self._rests_until[each.seq] = self.clock() + rest_s
            return
        except Exception:  # the outermost frame of one trigger: a bug with it must not keep all others waiting
            log.exception("bug in acting on %s", each.trigger)
            note = "not done: selfcode itself failed"
        self._rests_until.pop(each.seq, None)
        log.info("%s on %s: %s", each.trigger.kind, each.trigger.issue, note)
        self.store.settle(each.seq, note)

    def _do(self, each: Waiting) -> str:
        trigger, repository = each.trigger, each.trigger.issue.repository
        match trigger.kind:
            case TriggerKind.STOP:
                return self._stop(each)
            case TriggerKind.HELP:
                return self._help(trigger)
            case TriggerKind.INSTALLED:
                self.github.ensure_label(repository, self.label)
                return "label is there"
            case TriggerKind.UNINSTALLED if repository.id == 0:
                stopped = self.store.request_stop_of_account(repository.installation_id, trigger.because)
                return f"{stopped} runs asked to stop"
            case TriggerKind.UNINSTALLED:
                stopped = self.store.request_stop_of_repository(repository.id, trigger.because)
                return f"{stopped} runs asked to stop"
            case (
                TriggerKind.START
                | TriggerKind.RETRY
                | TriggerKind.DOCTOR
                | TriggerKind.ACCEPT
                | TriggerKind.RENEW
                | TriggerKind.MOVED
            ):
                raise AssertionError(trigger.kind)

    def _stop(self, each: Waiting) -> str:
        """End what runs or waits for the issue. Facts (closed, label removed) need no permission, a comment does.

        Facts end what is about the issue; an examination, which is of the repository, is ended by a comment alone.
        """
        trigger = each.trigger
        issue, asked = trigger.issue, trigger.comment_id is not None
        if asked and not self._may(trigger):
            self._react(trigger, "-1")
            return "no permission to stop"
        kinds = RUNS if asked else (*WORK, *PROOFS)
        stopped = self.store.request_stop(
            issue.repository.id, issue.number, trigger.because, asked_at=trigger.occurred_at, kinds=kinds
        )
        dropped = self._drop_waiting(each, kinds)
        if asked:
            self._react(trigger, "eyes" if stopped or dropped else "confused")
        return f"{stopped} run asked to stop, {dropped} waiting dropped"

    def _react(self, trigger: Trigger, reaction: str) -> None:
        """React to the comment, where GitHub lets us: what was asked for does not depend on it."""
        try:
            self.github.react(trigger.issue, reaction, comment_id=trigger.comment_id)
        except (Refused, Gone, Unavailable) as problem:
            log.warning("no reaction on %s: %s", trigger.issue, problem)

    def _help(self, trigger: Trigger) -> str:
        if not self._may(trigger):
            return "no permission to be answered"
        text = help_comment(key=trigger.key, label=self.label, complaint=trigger.text)
        self.github.post_comment(trigger.asked_at, text, marker=reply_marker(trigger.key))
        return "answered"

    def _may(self, trigger: Trigger) -> bool:
        permission = self.github.permission(trigger.issue.repository, trigger.sender.login)
        return at_least(permission, self.min_permission)

    def _drop_waiting(self, stop: Waiting, kinds: Sequence[TriggerKind]) -> int:
        older = [
            each
            for each in self._waiting()
            if each.trigger.kind in kinds and _issue(each.trigger) == _issue(stop.trigger) and _is_before(each, stop)
        ]
        for each in older:
            self.store.settle(each.seq, f"dropped: {stop.trigger.because}")
        return len(older)


def _is_before(one: Waiting, other: Waiting) -> bool:
    """By GitHub's clock, which tells seconds alone, and within one second as they came in."""
    return (one.trigger.occurred_at, one.seq) < (other.trigger.occurred_at, other.seq)


def _is_work(trigger: Trigger) -> bool:
    """Whether it asks for work on the issue, not for an examination, nor for a proof once more."""
    return trigger.kind in WORK


def _is_on_issue(trigger: Trigger) -> bool:
    """Whether it is about the issue and its pull request, not about the repository."""
    return trigger.kind in (*WORK, *PROOFS)


def _issue(trigger: Trigger) -> tuple[int, int]:
    return trigger.issue.repository.id, trigger.issue.number
