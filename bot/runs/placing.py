"""Where what was asked on a pull request belongs: to the issue that it is for."""

from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field, replace

from bot.records import IssueRef, RepositoryRef, Trigger, TriggerKind
from bot.runs.store import Store, Waiting

NOT_OURS = "Commands are read on issues, and on selfcode's own pull requests: this is another one."

REMEMBERED = 1_000
"""Of how many it is remembered where they belong."""

Opening = frozenset[tuple[str, bool, int | None]]
"""What the runs of a repository have come to that may publish: by this it is told whether anything changed."""


@dataclass
class Placing:
    """Finds out to which issue a trigger belongs."""

    store: Store
    _found: dict[tuple[str, RepositoryRef], Trigger] = field(default_factory=dict, init=False)
    """By the key and where it was asked: a `seq` is given anew once what had it was forgotten."""

    def placed(self, each: Waiting) -> Waiting | None:
        """The trigger where it belongs; None as long as nobody can tell. Where it is not ours, it is to be answered."""
        if each.trigger.pull_request is None:
            return each
        key = each.trigger.key, each.trigger.issue.repository
        if key not in self._found:
            found = self._placed(each)
            if found is None:
                return None
            if len(self._found) >= REMEMBERED:
                self._found.clear()
            self._found[key] = found.trigger
        return replace(each, trigger=self._found[key])

    def all_on(self, issue: IssueRef) -> list[Waiting]:
        """Whatever waits that is about the issue, oldest first."""
        repository_id = issue.repository.id
        numbers = self.store.numbers_of(repository_id, issue.number)
        found = self._those_placed(self.store.shelves.of_issue(repository_id, numbers))
        return [each for each in found if each.trigger.issue.number == issue.number]

    def sort_again(self, repository_id: int, number: int) -> None:
        """Have whatever waits that is about the issue sorted again."""
        self.store.shelves.sort_again_of_issue(repository_id, self.store.numbers_of(repository_id, number))

    def opening_in(self, repository_id: int) -> Opening:
        """What keeps from being known in a repository which pull request is whose."""
        at_work = (run.id for run in self.store.unfinished() if run.trigger.issue.repository.id == repository_id)
        kept = [(run_id, self.store.facts(run_id)) for run_id in at_work]
        return frozenset((run_id, bool(facts.get("head_sha")), facts.get("pull_request")) for run_id, facts in kept)

    def _those_placed(self, waiting: Iterable[Waiting]) -> Iterator[Waiting]:
        for each in waiting:
            found = self.placed(each)
            if found is not None:
                yield found

    def _placed(self, each: Waiting) -> Waiting | None:
        trigger = each.trigger
        assert trigger.pull_request is not None
        run = self.store.published_as(trigger.issue.repository.id, trigger.pull_request)
        if run is not None:
            issue = replace(trigger.issue, number=run.trigger.issue.number)
            return replace(each, trigger=replace(trigger, issue=issue))
        if self._is_opening_one(trigger.issue.repository):
            return None
        if trigger.kind in (TriggerKind.REVIEW, TriggerKind.ANSWER):  # no command: it is settled without a word
            return each
        return replace(each, trigger=replace(trigger, kind=TriggerKind.HELP, text=NOT_OURS))

    def _is_opening_one(self, repository: RepositoryRef) -> bool:
        """Whether a run has pushed there, and does not know by which number its pull request goes."""
        return any(has_pushed and pull is None for _, has_pushed, pull in self.opening_in(repository.id))
