"""The agent's work: calls, iterations, and how its loop stands."""

from dataclasses import dataclass, field
from enum import StrEnum

from bot.records.changes import Change
from bot.records.conversation import Answer
from bot.records.reports import TestReport
from bot.records.spending import Spend, Usage


@dataclass(frozen=True, slots=True)
class ActionTaken:
    """One action that the model asked for and what it was answered. `arguments` is JSON text, bounded like `result`."""

    name: str
    arguments: str
    result: str
    ok: bool


@dataclass(frozen=True, slots=True)
class Call:
    """One model call, whole: the exact prompt, the whole reply, what was extracted from it, what it cost.

    `messages` and `reply` are JSON text in the shape of OpenAI's chat completions. `problem` is what was wrong with
    the reply, or "".
    """

    model: str
    prompt_version: str
    messages: str
    reply: str
    actions: tuple[ActionTaken, ...]
    usage: Usage
    duration_s: float
    temperature: float | None = None
    problem: str = ""


class Reproduce(StrEnum):
    """How a run deals with a test that shows the issue.

    FIRST: a test of its own that fails on the base, before anything is changed. TOGETHER: test and change at once. ASK:
    as FIRST, then a person is asked whether the test says what the issue says. OFF: no test is asked for.
    """

    FIRST = "first"
    TOGETHER = "together"
    ASK = "ask"
    OFF = "off"


class Aim(StrEnum):
    """What an iteration was for: the test that shows the issue, on the base's own source, or the change."""

    TEST = "test"
    CHANGE = "change"


@dataclass(frozen=True, slots=True)
class Candidate:
    """A change that was drawn for an iteration and not gone on with, and `why` in a few words.

    `change` is everything since the base. `report` is None where it was not tested.
    """

    change: Change
    report: TestReport | None
    calls: tuple[Call, ...]
    why: str


@dataclass(frozen=True, slots=True)
class Iteration:
    """The model calls between two runs of the test command, and that run.

    `summary` says in one line what changed; `why_next` why the loop went on, or why it ended. `change` is everything
    since the base, not since the last iteration. `others` are the candidates that were drawn beside this one.
    """

    number: int
    summary: str
    calls: tuple[Call, ...]
    change: Change
    report: TestReport | None
    spend: Spend
    duration_s: float
    why_next: str
    aim: Aim = Aim.CHANGE
    others: tuple[Candidate, ...] = ()

    def is_good_beside(self, baseline: TestReport | None) -> bool:
        """Whether there is a change, and nothing fails with it but what failed in the baseline already."""
        return self.report is not None and not self.change.is_empty and self.report.is_good_beside(baseline)


class Verdict(StrEnum):
    """How the agent's loop ended."""

    SOLVED = "solved"
    NOTHING_TO_DO = "nothing to do"
    LIMIT = "a limit was reached"
    STUCK = "no progress"
    GAVE_UP = "no usable reply"
    NOT_REPRODUCED = "not reproduced"
    ASKING = "a person is asked about the test"
    QUESTION = "a person is asked a question"
    ANSWERED = "answered without code"
    STOPPED = "stopped"


@dataclass(frozen=True, slots=True)
class Progress:
    """The agent's whole state between two iterations: what a crashed run goes on from.

    `verdict` is None while there is more to do; `why` explains it (which limit, what was wrong, the model's closing
    words, its question, its answer to the issue). `doubts` are the critic's words on the final change, "" where it has
    none, or there is none. `answers` are the model's to what a review asks, the last word on each. `start` is what the
    work goes on from where it does not begin at the base: what a branch held already.
    """

    iterations: tuple[Iteration, ...] = ()
    spend: Spend = field(default_factory=Spend)
    verdict: Verdict | None = None
    why: str = ""
    doubts: str = ""
    answers: tuple[Answer, ...] = ()
    start: Change = field(default_factory=Change)

    @property
    def change(self) -> Change:
        return self.iterations[-1].change if self.iterations else self.start
