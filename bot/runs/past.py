"""On which issues runs have begun or ended: what waits there may have something else to wait for by now."""

from collections.abc import Sequence
from dataclasses import dataclass, field

from bot.records import IssueRef
from bot.runs.store import RunRow

Place = tuple[int, int]


@dataclass
class Past:
    """What was at work when it was looked last."""

    _at_work: dict[str, Place] = field(default_factory=dict, init=False)

    def changed(self, active: Sequence[RunRow]) -> set[Place]:
        """The issues on which a run has begun or ended since: repository and number."""
        at_work = {run.id: _place(run.trigger.issue) for run in active}
        changed = {(self._at_work | at_work)[run_id] for run_id in self._at_work.keys() ^ at_work.keys()}
        self._at_work = at_work
        return changed

    def begins(self, run_id: str, issue: IssueRef) -> None:
        """A run has begun on it, and what waits there was sorted again."""
        self._at_work[run_id] = _place(issue)


def _place(issue: IssueRef) -> Place:
    return issue.repository.id, issue.number
