"""What is done at once for a trigger: ending, steering, answering, keeping house."""

from collections.abc import Sequence
from dataclasses import dataclass

from bot.records import Person, Trigger, TriggerKind
from bot.runs.deciding import UNASKED, is_before, same
from bot.runs.errands import Errands
from bot.runs.queueing import Queueing
from bot.runs.reception import Reception
from bot.runs.settling import Settling
from bot.runs.standing import CapsOf, standing_on
from bot.runs.store import PROOFS, RUNS, WORK, RunRow, Store, Waiting
from bot.writing.replies import help_comment, one_line
from bot.writing.status import status_comment

NOBODY_LISTENS = (
    "Nothing is at work on this issue, or waits to be, that could hear a note: "
    "`/selfcode retry <text>` starts a run that has these words."
)


@dataclass(frozen=True, slots=True)
class Queue:
    """All that waits, and of that, what waits for a free place, the next one first. `is_paused`: no run begins."""

    waiting: Sequence[Waiting]
    places: Sequence[Waiting] = ()
    is_paused: bool = False


@dataclass(frozen=True, slots=True)
class Acting:
    """Does it. `label` is the one that starts runs."""

    store: Store
    errands: Errands
    reception: Reception
    settling: Settling
    queueing: Queueing
    label: str
    caps_of: CapsOf

    def act(self, each: Waiting, queue: Queue) -> str:
        """Do what the trigger asks for. Returns what came of it. May be repeated.

        Raises `Sent` where it is to be repeated once GitHub has answered, and what GitHub raises.
        """
        trigger, repository = each.trigger, each.trigger.issue.repository
        match trigger.kind:
            case TriggerKind.STOP:
                note = self._stop(each, queue.waiting)
            case TriggerKind.NOTE:
                note = self._note(trigger, queue.waiting)
            case TriggerKind.STATUS:
                note = self._status(each, queue)
            case TriggerKind.HELP:
                note = self._help(trigger)
            case TriggerKind.INSTALLED:
                github = self.errands.github
                self.errands.ask(trigger, "label", lambda: github.ensure_label(repository, self.label))
                note = "label is there"
            case TriggerKind.UNINSTALLED:
                note = self._leave(each, queue.waiting)
            case _:
                raise AssertionError(trigger.kind)
        return note

    def _stop(self, each: Waiting, waiting: Sequence[Waiting]) -> str:
        """End what runs or waits for the issue. Facts (closed, label removed) need no permission, a comment does.

        Facts end what is about the issue; an examination, which is of the repository, is ended by a comment alone.
        """
        trigger = each.trigger
        issue, asked = trigger.issue, trigger.subject is not None
        if asked and (refusal := self.reception.refusal(trigger)):
            return refusal
        kinds = RUNS if asked else (*WORK, *PROOFS)
        stopped = self.store.request_stop(
            issue.repository.id, issue.number, trigger.because, asked_at=trigger.occurred_at, kinds=kinds
        )
        older = [
            other
            for other in waiting
            if other.trigger.kind in kinds and same(other.trigger, trigger) and is_before(other, each)
        ]
        for other in older:
            self.settling.settle(other, f"dropped: {trigger.because}")
        if asked:
            self.reception.react(trigger, "eyes" if older or self._is_stopping(trigger) else "confused")
        for other in older:
            self.queueing.take_back(other, trigger.because)
        return f"{stopped} run asked to stop, {len(older)} waiting dropped"

    def _is_stopping(self, trigger: Trigger) -> bool:
        """Whether something on the issue was asked to stop and has not ended: by this request, or before it."""
        return any(run.stop_because is not None and same(run.trigger, trigger) for run in self.store.unfinished())

    def _leave(self, each: Waiting, waiting: Sequence[Waiting]) -> str:
        """End what runs or waits where the App may see nothing any more: GitHub is told nothing, nor asked."""
        left, because = each.trigger.issue.repository, each.trigger.because
        if is_account := left.id == 0:
            stopped = self.store.request_stop_of_account(left.installation_id, because)
        else:
            stopped = self.store.request_stop_of_repository(left.id, because)
        dropped = 0
        for other in waiting:
            found = other.trigger.issue.repository
            is_there = found.installation_id == left.installation_id if is_account else found.id == left.id
            if is_there and other.seq < each.seq and other.trigger.kind is not TriggerKind.UNINSTALLED:
                self.settling.settle(other, f"dropped: {because}")
                self.queueing.forget(other)
                dropped += 1
        return f"{stopped} runs asked to stop, {dropped} waiting dropped"

    def _note(self, trigger: Trigger, waiting: Sequence[Waiting]) -> str:
        """Keep a note for the run at work, or those that wait; where there is none, say what to do instead."""
        if refusal := self.reception.refusal(trigger):
            return refusal
        at_work = [run.trigger for run in self.store.unfinished() if self._asks_its_model(run)]
        listening = [*at_work, *self._about_to_run(trigger.sender, waiting)]
        if any(found.kind in WORK and same(found, trigger) for found in listening):
            self.store.add_note(trigger)
            self.reception.react(trigger, "eyes")
            return "kept"
        self.reception.react(trigger, "confused")
        return self.reception.answer(trigger, one_line(NOBODY_LISTENS, key=trigger.key))

    def _about_to_run(self, sender: Person, waiting: Sequence[Waiting]) -> list[Trigger]:
        """What waits and may be expected to run: not what a stranger asks for, which hears nothing in the end."""
        let_in, asked = self.store.talk.let_in(), [each.trigger for each in waiting]
        return [
            each
            for each in asked
            if each.key in let_in or each.kind in UNASKED or each.is_insider or each.sender == sender
        ]

    def _asks_its_model(self, run: RunRow) -> bool:
        """Whether the run's model may be asked still: what is being proven or published hears nothing any more."""
        return run.stop_because is None and self.store.progress(run.id).verdict is None

    def _status(self, each: Waiting, queue: Queue) -> str:
        trigger = each.trigger
        if refusal := self.reception.refusal(trigger):
            return refusal
        self.reception.react(trigger, "eyes")
        standing = standing_on(self.store, each, queue.waiting, queue.places, self.caps_of, is_paused=queue.is_paused)
        return self.reception.answer(trigger, status_comment(standing, key=trigger.key, label=self.label))

    def _help(self, trigger: Trigger) -> str:
        if refusal := self.reception.refusal(trigger):
            return refusal
        self.reception.react(trigger, "confused" if trigger.text else "eyes")
        text = help_comment(key=trigger.key, label=self.label, complaint=trigger.text)
        return self.reception.answer(trigger, text)
