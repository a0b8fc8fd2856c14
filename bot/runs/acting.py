"""What is done at once for a trigger: ending, steering, answering, keeping house."""

from dataclasses import dataclass

from bot.errors import Unavailable
from bot.records import Trigger, TriggerKind
from bot.runs.deciding import UNASKED, is_before, same
from bot.runs.errands import Errands
from bot.runs.forgetting import Whole
from bot.runs.listed import moment_of
from bot.runs.placing import Placing
from bot.runs.queueing import Queueing
from bot.runs.ranking import Ranking
from bot.runs.reception import Reception
from bot.runs.rows import run_id_of
from bot.runs.settling import Settling
from bot.runs.standing import CapsOf, standing_on
from bot.runs.store import PROOFS, RUNS, WORK, RunRow, Store, Waiting
from bot.triggers.installing import FOR_GOOD
from bot.writing.replies import help_comment, one_line
from bot.writing.status import InLine, status_comment

NOBODY_LISTENS = (
    "Nothing is at work on this issue, or waits to be, that could hear a note: "
    "`/selfcode retry <text>` starts a run that has these words."
)

DROPPED_AT_ONCE = 1_000
"""How much that waits is dropped in one go where the App was taken off: the rest is, after what else ends runs."""

TOLD_ELSEWHERE_S = 60.0
"""How long it is waited after a repository was taken from an installation, for another one to be told that it has it:
GitHub tells of both, in any order.
"""


@dataclass(frozen=True, slots=True)
class Acting:
    """Does it. `label` is the one that starts runs, `pages` is as in `House`."""

    store: Store
    errands: Errands
    reception: Reception
    settling: Settling
    queueing: Queueing
    placing: Placing
    ranking: Ranking
    label: str
    caps_of: CapsOf
    pages: str = ""

    def act(self, each: Waiting, *, is_paused: bool = False) -> str | None:
        """Do what the trigger asks for. Returns what came of it, None where more is to be done. May be repeated.

        `is_paused`: no run begins. Raises `Sent` where it is to be repeated once GitHub has answered, and what GitHub
        raises.
        """
        trigger, repository = each.trigger, each.trigger.issue.repository
        match trigger.kind:
            case TriggerKind.STOP:
                note = self._stop(each)
            case TriggerKind.NOTE:
                note = self._note(trigger)
            case TriggerKind.STATUS:
                note = self._status(each, is_paused=is_paused)
            case TriggerKind.HELP:
                note = self._help(trigger)
            case TriggerKind.INSTALLED if repository.id == 0:
                self.store.let_in_again(repository.installation_id)
                note = "gone on with"
            case TriggerKind.INSTALLED:
                self.store.transfers.take_on(repository)
                github = self.errands.github
                self.errands.ask(trigger, "label", lambda: github.ensure_label(repository, self.label))
                note = "label is there"
            case TriggerKind.UNINSTALLED:
                return self._leave(each)
            case TriggerKind.REOPENED:
                self._know_pull(trigger)
                note = "open again"  # what its closing has stopped goes on once somebody asks for it
            case _:
                raise AssertionError(trigger.kind)
        return note

    def _stop(self, each: Waiting) -> str:
        """End what runs or waits for the issue. Facts (closed, label removed) need no permission, a comment does.

        Facts end what is about the issue; an examination, which is of the repository, is ended by a comment alone.
        """
        trigger = each.trigger
        issue, asked = trigger.issue, trigger.subject is not None
        self._know_pull(trigger)
        if asked and (refusal := self.reception.refusal(trigger)):
            return refusal
        kinds = RUNS if asked else (*WORK, *PROOFS)
        stopped = self.store.request_stop(
            issue.repository.id, issue.number, trigger.because, asked_at=trigger.occurred_at, kinds=kinds
        )
        older = [
            other for other in self.placing.all_on(issue) if other.trigger.kind in kinds and is_before(other, each)
        ]
        for other in older:
            self.settling.settle(other, f"dropped: {trigger.because}")
        if asked:
            self.reception.react(trigger, "eyes" if older or self._is_stopping(trigger) else "confused")
        for other in older:
            self.queueing.take_back(other, trigger.because)
        return f"{stopped} run asked to stop, {len(older)} waiting dropped"

    def _know_pull(self, trigger: Trigger) -> None:
        """Know how our pull request stands, where that is told."""
        if (turn := trigger.pull_turn) is not None:
            told_at = moment_of(trigger.occurred_at)
            self.store.pulls.turn(trigger.issue.repository.id, turn.number, turn.state, told_at=told_at)

    def _is_stopping(self, trigger: Trigger) -> bool:
        """Whether something on the issue was asked to stop and has not ended: by this request, or before it."""
        return any(run.stop_because is not None and same(run.trigger, trigger) for run in self.store.unfinished())

    def _leave(self, each: Waiting) -> str | None:
        """End what runs or waits where the App may see nothing any more: GitHub is told nothing, nor asked.

        Where it was taken off for good, all that is kept of it is ordered to be forgotten.
        """
        left, because = each.trigger.issue.repository, each.trigger.because
        if left.id and self.store.transfers.is_gone_over(left):
            return "another installation sees the repository"
        if left.id:
            self._wait_for_another_account(each)
        whole = Whole(left.id) if left.id else Whole(installation_id=left.installation_id)
        stopped = self.store.request_stop_of_all(whole, because)
        waiting = self.store.shelves.within(whole, before=each.seq, most=DROPPED_AT_ONCE)
        if waiting:
            self.settling.drop([seq for seq, _ in waiting], f"dropped: {because}")
            self.queueing.forget(each.trigger, [run_id_of(key) for _, key in waiting])
        if len(waiting) == DROPPED_AT_ONCE:
            return None
        if because == FOR_GOOD:
            self.store.order_to_forget(whole, each.accepted_at)
        return f"{stopped} runs asked to stop, {len(waiting)} waiting dropped"

    def _wait_for_another_account(self, each: Waiting) -> None:
        """Raise `Unavailable` as long as it may yet be told that the repository was given to another account of ours.

        GitHub lets us do nothing there meanwhile. Accounts as a whole are given to nobody.
        """
        since_s = self.reception.clock() - (each.accepted_at or 0.0)
        if since_s < TOLD_ELSEWHERE_S:
            raise Unavailable("another account may have the repository by now", TOLD_ELSEWHERE_S - since_s)

    def _note(self, trigger: Trigger) -> str:
        """Keep a note for the run at work, or those that wait; where there is none, say what to do instead."""
        if refusal := self.reception.refusal(trigger):
            return refusal
        at_work = [run.trigger for run in self.store.unfinished() if self._asks_its_model(run)]
        listening = [*at_work, *self._about_to_run(trigger)]
        if any(found.kind in WORK and same(found, trigger) for found in listening):
            self.store.add_note(trigger)
            self.reception.react(trigger, "eyes")
            return "kept"
        self.reception.react(trigger, "confused")
        return self.reception.answer(trigger, one_line(NOBODY_LISTENS, key=trigger.key))

    def _about_to_run(self, asked: Trigger) -> list[Trigger]:
        """What waits on its issue and may be expected to run: not what a stranger asks for, which hears nothing."""
        waiting = [each.trigger for each in self.placing.all_on(asked.issue)]
        let_in = self.store.talk.let_in({each.key for each in waiting})
        return [
            each
            for each in waiting
            if each.key in let_in or each.kind in UNASKED or each.is_insider or each.sender == asked.sender
        ]

    def _asks_its_model(self, run: RunRow) -> bool:
        """Whether the run's model may be asked still: what is being proven or published hears nothing any more."""
        return run.stop_because is None and self.store.progress(run.id).verdict is None

    def _status(self, each: Waiting, *, is_paused: bool) -> str:
        trigger = each.trigger
        if refusal := self.reception.refusal(trigger):
            return refusal
        self.reception.react(trigger, "eyes")
        waiting = [other for other in self.placing.all_on(trigger.issue) if other.trigger.kind in RUNS]
        in_line = [InLine(other.trigger.kind, *self.ranking.place_of(other)) for other in waiting]
        standing = standing_on(self.store, each, in_line, self.caps_of, is_paused=is_paused)
        said = status_comment(standing, key=trigger.key, label=self.label, pages=self.pages)
        return self.reception.answer(trigger, said)

    def _help(self, trigger: Trigger) -> str:
        if refusal := self.reception.refusal(trigger):
            return refusal
        self.reception.react(trigger, "confused" if trigger.text else "eyes")
        text = help_comment(key=trigger.key, label=self.label, complaint=trigger.text)
        return self.reception.answer(trigger, text)
