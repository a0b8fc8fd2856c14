"""Runs in lists: which are wanted, each at a glance, what waits to become one, and what they come to in numbers."""

from dataclasses import dataclass
from enum import StrEnum

from bot.records.examination import Health
from bot.records.outcomes import Outcome
from bot.records.triggers import PullState, TriggerKind


class RunState(StrEnum):
    """How a run stands. HELD: it waits for a service, and has left its place until then."""

    WORKING = "at work"
    HELD = "held up"
    ENDED = "ended"


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
