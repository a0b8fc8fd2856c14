"""The values of the benchmark: tasks, what a system made of one, and what was measured of it."""

from dataclasses import dataclass, field
from enum import StrEnum
from typing import Protocol

from bot.agent.checking import SOLUTION
from bot.backtest.tasks import RepositoryTask, State
from sandbox.contract import File


class Kind(StrEnum):
    """What a task asks for: one program, or a change in a repository."""

    PROGRAM = "program"
    REPOSITORY = "repository"


@dataclass(frozen=True, slots=True)
class ProgramTask:
    """A program to write. `judge` are acceptance tests: Python that the system may run but never see.

    `begun` is the program as far as it is given. `solution` is one that is known to pass, for the benchmark's own
    check. Each is "" where there is none.
    """

    id: str
    title: str
    prompt: str
    judge: str
    begun: str = ""
    solution: str = field(default="", repr=False)


Task = ProgramTask | RepositoryTask


def kind_of(task: Task) -> Kind:
    """What a task asks for."""
    return Kind.PROGRAM if isinstance(task, ProgramTask) else Kind.REPOSITORY


def program(code: str) -> State:
    """The state of a program task that holds this program."""
    return {SOLUTION: File(code.encode("utf-8", "surrogateescape"))}


@dataclass(frozen=True, slots=True)
class Budget:
    """The limits of one attempt. `steps` is for systems that know no iterations; `reply_tokens` None: the server's."""

    iterations: int = 5
    steps: int = 15
    tokens: int = 100_000
    seconds: float = 900.0
    reply_tokens: int | None = None


@dataclass(frozen=True, slots=True)
class Endpoint:
    """Where a model answers, by OpenAI's protocol."""

    base_url: str
    model: str
    api_key: str = field(repr=False)


@dataclass(frozen=True, slots=True)
class Tried:
    """What a system made of a task: the state after each iteration (None: nothing that could be judged), and why it
    ended. `failed`: by no fault of the system, so that it has to be measured again.
    """

    states: tuple[State | None, ...]
    ended: str
    failed: bool = False


class System(Protocol):
    """One of those that are compared."""

    @property
    def name(self) -> str: ...

    def attempt(self, task: Task, endpoint: Endpoint, *, seed: int, budget: Budget) -> Tried:
        """Work on a task within the budget. Every model call has to go to the endpoint, where it is counted."""
        ...


@dataclass(frozen=True, slots=True)
class Used:
    """What an attempt used, as the server reported it. `estimated`: some answers came without figures."""

    calls: int = 0
    prompt_tokens: int = 0
    completion_tokens: int = 0
    cached_tokens: int = 0
    estimated: bool = False

    @property
    def tokens(self) -> int:
        return self.prompt_tokens + self.completion_tokens


@dataclass(frozen=True, slots=True)
class Attempt:
    """What was measured of one system on one task. `steps` says for each iteration whether the judge passed after it.

    `at` is ISO 8601 UTC; `cost_usd` None where no price is known; `seconds` without the judging.
    """

    task: str
    kind: Kind
    system: str
    steps: tuple[bool, ...]
    used: Used
    cost_usd: float | None
    seconds: float
    ended: str
    failed: bool
    at: str

    @property
    def solved(self) -> bool:
        """Whether the judge passes on what the system left."""
        return bool(self.steps) and self.steps[-1]

    def solved_at(self, iteration: int) -> bool:
        """Whether the judge passes on the state after so many iterations, or after the last where there were fewer."""
        return bool(self.steps) and self.steps[min(iteration, len(self.steps)) - 1]
