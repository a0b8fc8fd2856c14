"""A backtest: fixes of a repository's past done again with their tests hidden, and what came of each."""

from dataclasses import dataclass, field
from enum import StrEnum

from bot.records.outcomes import Outcome
from bot.records.spending import Spend


class FixSource(StrEnum):
    """Where a fix is known from."""

    PULL_REQUEST = "pull request"
    COMMIT = "commit"
    TASK = "task"


@dataclass(frozen=True, slots=True)
class PastFix:
    """A fix that was merged. `base` is the commit before it, `head` the one with it; `name` is what people call it.

    `title` and `body` are the issue: what was said before the fix was known. `left_out` says what was taken out of
    them, as it gives the answer away. `at` is when it was merged, in seconds since the epoch.
    """

    id: str
    name: str
    base: str
    head: str
    title: str
    body: str
    source: FixSource
    at: float
    url: str = ""
    left_out: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class CheckedFix:
    """A fix that was looked at without a model. `reason` says why it can't be asked for again; "" where it can.

    `judges` are the ids of the tests that fail on the base and pass with the fix; `judge_paths` the files that are
    laid over a change for them to run. `seconds` is what looking at it took.
    """

    fix: PastFix
    judges: tuple[str, ...] = ()
    judge_paths: tuple[str, ...] = ()
    reason: str = ""
    seconds: float = 0.0

    @property
    def is_fit(self) -> bool:
        return not self.reason


class Failure(StrEnum):
    """Why a fix was not solved."""

    ENVIRONMENT = "environment"
    NOT_REPRODUCED = "not reproduced"
    WRONG_FIX = "wrong fix"
    LIMIT = "limit"
    REFUSED = "refused"
    NO_CHANGE = "no change"


@dataclass(frozen=True, slots=True)
class Replay:
    """What one bot made of one fix. `bot` names model and settings as they were asked for.

    `steps` says of each iteration whether the judge's tests passed after it; `is_solved` whether they pass on what was
    left. `outcome` and `reason` are the bot's own word, by its own proof. `is_void`: through no fault of the bot (the
    model's endpoint, the sandbox), so that it counts for nothing and is done again. `at` is when it ended, in seconds
    since the epoch; `trace` the path of all that happened in it, below the backtest's folder.
    """

    fix: str
    bot: str
    outcome: Outcome
    reason: str
    is_solved: bool
    steps: tuple[bool, ...] = ()
    failure: Failure | None = None
    spend: Spend = field(default_factory=Spend)
    seconds: float = 0.0
    at: float = 0.0
    is_void: bool = False
    trace: str = ""

    @property
    def is_proven(self) -> bool:
        return self.outcome is Outcome.PROVEN

    @property
    def is_falsely_proven(self) -> bool:
        return self.is_proven and not self.is_solved

    def is_solved_at(self, iteration: int) -> bool:
        """Whether the judge's tests pass after so many iterations; from the last one on, on what was left."""
        return self.steps[iteration - 1] if iteration < len(self.steps) else self.is_solved


@dataclass(frozen=True, slots=True)
class Backtest:
    """All that is known of a backtest so far. `bots` are in the order in which they were asked for.

    `repository` is as people call it; `stopped` says why it ended before everything was done, or "".
    """

    repository: str
    version: str
    bots: tuple[str, ...]
    fixes: tuple[CheckedFix, ...]
    replays: tuple[Replay, ...] = ()
    stopped: str = ""
