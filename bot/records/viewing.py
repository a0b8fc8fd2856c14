"""Runs as they are looked at: lists of them, one whole, what happens in it, and what they come to in numbers."""

from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass, field
from enum import StrEnum
from typing import Protocol

from bot.records.conversation import Note
from bot.records.examination import Examination, Health
from bot.records.issues import Task
from bot.records.outcomes import Outcome
from bot.records.places import Person
from bot.records.plans import TestPlan
from bot.records.proof import Proof
from bot.records.reports import TestReport
from bot.records.triggers import TriggerKind
from bot.records.work import Aim, Iteration, Verdict


class RunState(StrEnum):
    """How a run stands. HELD: it waits for a service, and has left its place until then."""

    WORKING = "at work"
    HELD = "held up"
    ENDED = "ended"


class PullState(StrEnum):
    """How a pull request of ours stands."""

    OPEN = "open"
    MERGED = "merged"
    CLOSED = "closed"


class HappeningKind(StrEnum):
    """What happened. BEGAN, DONE: a step, by its name. TOLD: a line of what is done. ENDED: the run, by its outcome."""

    BEGAN = "began"
    DONE = "done"
    TOLD = "told"
    ENDED = "ended"


@dataclass(frozen=True, slots=True)
class Happening:
    """Something that happened in a run, at a moment in seconds since the epoch. `seq` counts from 1 in each run."""

    seq: int
    at: float
    kind: HappeningKind
    text: str


@dataclass(frozen=True, slots=True)
class RunLine:
    """A run in a list. Moments are seconds since the epoch, by our own clock, but `asked_at`, which is GitHub's.

    None is what is not known: of runs of older versions, or not yet. `step` is the one that it is in, or was last.
    """

    id: str
    repository_id: int
    repository: str
    number: int
    kind: TriggerKind
    because: str
    asked_by: str
    state: RunState
    started_at: float
    asked_at: float | None = None
    finished_at: float | None = None
    title: str = ""
    outcome: Outcome | Health | None = None
    reason: str = ""
    step: str = ""
    waits_for: str = ""
    stop_because: str | None = None
    cost_usd: float = 0.0
    tokens: int | None = None
    iterations: int | None = None
    model: str = ""
    pull_request: int | None = None
    pull_state: PullState | None = None


@dataclass(frozen=True, slots=True)
class RunChoice:
    """Which runs are wanted; None and "" are no limit. `since` is when they began, in seconds since the epoch.

    `among` are the repositories that may be seen at all. `facts`: those too that nobody asked for, which tell a
    pull request what became of its proof. `before` is the cursor of the page before.
    """

    state: RunState | None = None
    outcome: Outcome | None = None
    repository: str = ""
    who: str = ""
    since: float | None = None
    facts: bool = False
    among: frozenset[int] | None = None
    before: str = ""
    limit: int = 50


@dataclass(frozen=True, slots=True)
class RunList:
    """A page of runs, newest first. `count` and `cost_usd` are of all that were chosen; `older` is the next cursor."""

    runs: tuple[RunLine, ...]
    count: int
    cost_usd: float
    older: str = ""


@dataclass(frozen=True, slots=True)
class WaitingLine:
    """What waits to become a run. `place` counts from 1; None where it waits for something else. `why` is that."""

    run_id: str
    repository_id: int
    repository: str
    number: int
    kind: TriggerKind
    asked_by: str
    since: float | None
    place: int | None = None
    why: str = ""


@dataclass(frozen=True, slots=True)
class Queue:
    """What waits, the next first. `paused_at` is set while nothing is to begin."""

    waiting: tuple[WaitingLine, ...] = ()
    paused_at: float | None = None
    workers: int = 0
    places: int = 0


@dataclass(frozen=True, slots=True)
class IterationLine:
    """An iteration at a glance. `counts` is what its tests came to in words, "" where none ran."""

    number: int
    summary: str
    aim: Aim
    counts: str
    passed: int | None
    failed: int | None
    prompt_tokens: int
    completion_tokens: int
    cached_tokens: int
    is_estimated: bool
    cost_usd: float | None
    duration_s: float
    why_next: str
    calls: int
    others: int
    paths: int
    added_lines: int
    removed_lines: int
    is_green: bool = False

    @property
    def tokens(self) -> int:
        return self.prompt_tokens + self.completion_tokens


@dataclass(frozen=True, slots=True)
class RunStory:
    """One run as far as it has come, without what is long: that is had by iteration and by call."""

    run: RunLine
    text: str = ""
    task: Task | None = None
    plan: TestPlan | None = None
    baseline: TestReport | None = None
    iterations: tuple[IterationLine, ...] = ()
    verdict: Verdict | None = None
    why: str = ""
    doubts: str = ""
    proof: Proof | None = None
    base_sha: str = ""
    head_sha: str = ""
    notes: tuple[Note, ...] = ()
    happenings: tuple[Happening, ...] = ()
    examination: Examination | None = None
    others: tuple[RunLine, ...] = ()


@dataclass(frozen=True, slots=True)
class Choices:
    """What there is to choose among."""

    repositories: tuple[str, ...] = ()
    people: tuple[str, ...] = ()
    models: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class NumbersChoice:
    """Of which work numbers are wanted: what began since a moment, in a repository, by a model."""

    since: float
    repository: str = ""
    model: str = ""
    among: frozenset[int] | None = None


@dataclass(frozen=True, slots=True)
class WorkedIssue:
    """An issue that was worked on, over all runs of it that were chosen.

    `asked_at` is the first request; `published_at` when its first pull request was opened. `pull_state` is that of the
    newest one; None where there is none, or where nobody knows. `is_proven`: a run of it ended so.
    """

    repository: str
    number: int
    model: str
    runs: int
    iterations: int
    cost_usd: float
    first_at: float
    asked_at: float | None
    published_at: float | None
    pull_request: int | None
    pull_state: PullState | None
    is_proven: bool


@dataclass(frozen=True, slots=True)
class News:
    """What is new since it was asked for last: of the runs that are followed, and a mark of how all of them stand."""

    mark: str
    happenings: Mapping[str, tuple[Happening, ...]] = field(default_factory=dict)


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

    def news(self, followed: Mapping[str, int]) -> News:
        """What happened in these runs after the happening of this number."""
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
