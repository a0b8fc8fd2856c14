"""One run whole, as far as it has come, and what happens in it."""

from dataclasses import dataclass
from enum import StrEnum

from bot.records.conversation import Note
from bot.records.examination import Examination
from bot.records.issues import Task
from bot.records.plans import TestPlan
from bot.records.proof import Proof
from bot.records.reports import TestReport
from bot.records.run_lists import RunLine
from bot.records.work import Aim, Verdict


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
