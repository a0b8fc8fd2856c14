"""What is to become of a trigger that asks for a run, by what is kept of its issue."""

from collections.abc import Sequence
from dataclasses import dataclass

from bot.records import TriggerKind
from bot.runs.deciding import DEAF, Begin, Ear, Later, Settle, Tell, decide
from bot.runs.earlier import question_shown_at
from bot.runs.store import WORK, RunRow, Store, Waiting


@dataclass(frozen=True, slots=True)
class Judge:
    """Decides, with the runs of the issue as they are now."""

    store: Store

    def decision_on(
        self, each: Waiting, active: Sequence[RunRow], runs: Sequence[RunRow] | None = None
    ) -> Begin | Settle | Tell | Later:
        """What is to become of it where there is room. `runs` are all of its issue, where they are known."""
        issue = each.trigger.issue
        if runs is None:
            runs = self.store.runs_of(issue.repository.id, issue.number)
        ear = self._ear_of(runs) if each.trigger.kind is TriggerKind.ANSWER else DEAF
        return decide(each, active=active, runs=runs, ear=ear)

    def _ear_of(self, runs: Sequence[RunRow]) -> Ear:
        """How the newest work of an issue listens."""
        work = [run for run in runs if run.trigger.kind in WORK]
        if not work:
            return DEAF
        last = work[-1]
        asked_at = question_shown_at(self.store, last.id)
        is_at_work = asked_at is None and not last.is_finished
        return Ear(asked_at, is_open=is_at_work and self.store.progress(last.id).verdict is None)
