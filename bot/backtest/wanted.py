"""What is wanted of a backtest, and what it is made with."""

from collections.abc import Callable, Iterable
from dataclasses import dataclass, field
from pathlib import Path

from bot.backtest.bots import Bot
from bot.records import Caps, PastFix, StopCheck
from bot.runs.doctor import Given
from bot.runs.doctor import Means as Sight
from bot.runs.house import AgentFor, Crew

LAST = 10
"""How many fixes are done again where nobody says."""


@dataclass(frozen=True, slots=True)
class Wanted:
    """A backtest as it was asked for. `name` is the repository as people call it; `folder` is where its results lie.

    The fixes are from `repository`, a git repository on this machine: the newest `last` ones that are fit, or with
    `span` (A..B) all in that range; or from `tasks`, a folder in the simple format. `pulls` are merged pull requests
    that close an issue, newest first, with `head` as the commit that brought them into the branch (`base` may be "":
    found here); where they are given, commits are not looked at. It is asked again only as far as it is needed, so
    that pages of it may be fetched one by one.

    `budget_usd` None: no limit on all together. `given` is in place of what the repository says of its tests.
    """

    name: str
    folder: Path
    repository: Path | None = None
    tasks: Path | None = None
    pulls: Iterable[PastFix] | None = None
    last: int = LAST
    span: str = ""
    bots: tuple[Bot, ...] = ()
    budget_usd: float | None = None
    jobs: int = 1
    given: Given = field(default_factory=Given)


@dataclass(frozen=True, slots=True)
class Means:
    """What a backtest is made with.

    `sight` is what a repository is examined with, the sandbox among it, and the stop. `crew`, `models` and `caps` are
    the operator's. `has_price` says of a model's name whether its price is known. `version` is selfcode's.
    """

    sight: Sight
    agent_for: AgentFor
    crew: Crew
    models: tuple[str, ...]
    caps: Caps
    has_price: Callable[[str], bool]
    version: str
    secrets: tuple[str, ...] = field(default=(), repr=False)

    @property
    def stop(self) -> StopCheck:
        return self.sight.stop


Tell = Callable[[str], None]
"""A line for whoever looks on."""
