"""What ran on the issues that something waits for, asked of the database once for as long as it stays true."""

from collections.abc import Sequence
from dataclasses import dataclass, field

from bot.records import IssueRef
from bot.runs.store import RunRow, Store, Waiting

Place = tuple[int, int]


@dataclass
class Past:
    """The runs of issues. Between two looks, only its owner may begin runs, and says so."""

    store: Store
    _at_work: dict[str, Place] = field(default_factory=dict, init=False)
    _runs: dict[Place, Sequence[RunRow]] = field(default_factory=dict, init=False)

    def look(self, active: Sequence[RunRow], waiting: Sequence[Waiting]) -> None:
        """Forget the issues on which a run has begun or ended since, and those that nothing waits for any more."""
        at_work = {run.id: _place(run.trigger.issue) for run in active}
        changed = {(self._at_work | at_work)[run_id] for run_id in self._at_work.keys() ^ at_work.keys()}
        wanted = {_place(each.trigger.issue) for each in waiting} - changed
        self._runs = {place: runs for place, runs in self._runs.items() if place in wanted}
        self._at_work = at_work

    def forget(self, issue: IssueRef) -> None:
        """A run has begun on it."""
        self._runs.pop(_place(issue), None)

    def runs_of(self, issue: IssueRef) -> Sequence[RunRow]:
        """Every run of an issue, oldest first. Of those at work `active` knows more."""
        place = _place(issue)
        if place not in self._runs:
            self._runs[place] = self.store.runs_of(*place)
        return self._runs[place]


def _place(issue: IssueRef) -> Place:
    return issue.repository.id, issue.number
