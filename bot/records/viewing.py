"""Looking at runs, and asking for something of one."""

from collections.abc import Collection, Mapping, Sequence
from typing import Protocol

from bot.records.places import Person
from bot.records.run_lists import Choices, NumbersChoice, Queue, RunChoice, RunLine, RunList, WaitingLine, WorkedIssue
from bot.records.story import Happening, RunStory
from bot.records.work import Iteration


class Viewing(Protocol):
    """What is kept of runs, for who looks at it. Raises `Unavailable` where the database does not answer."""

    def runs(self, choice: RunChoice) -> RunList: ...

    def choices(self, among: Collection[int] | None) -> Choices: ...

    def queue(self, among: Collection[int] | None) -> Queue: ...

    def line(self, run_id: str) -> RunLine | None:
        """One run; None where none is kept."""
        ...

    def waiting(self, run_id: str) -> WaitingLine | None:
        """What waits to become this run."""
        ...

    def story(self, run_id: str) -> RunStory | None: ...

    def iteration(self, run_id: str, number: int) -> tuple[Iteration, int] | None:
        """One iteration whole, and how many calls there were before it."""
        ...

    def iteration_of_call(self, run_id: str, call: int) -> tuple[Iteration, int] | None:
        """The iteration that holds a call, numbered from 1 through the run, and how many calls there were before."""
        ...

    def issues(self, choice: NumbersChoice) -> Sequence[WorkedIssue]: ...

    def news(self, followed: Mapping[str, int]) -> Mapping[str, tuple[Happening, ...]]:
        """What happened in these runs, each after the happening of this number."""
        ...

    def mark(self, among: Collection[int] | None) -> str:
        """How the runs of these repositories stand, None for all, and what waits there: another one once that changes.

        Nothing that happens elsewhere changes it, but for the places in the queue, which are shown.
        """
        ...


class Steering(Protocol):
    """What whoever may can ask for of a run. Raises `Refused` where it can't be done."""

    def stop(self, run_id: str, by: Person) -> None:
        """Have it stopped, or what waits dropped."""
        ...

    def retry(self, run_id: str, by: Person, hint: str, *, is_operator: bool = False) -> str:
        """Have an ended run done again, once however often it is asked. Returns the id of the new run.

        Whether they may is looked up once more when it is acted on, but for an operator.
        """
        ...
