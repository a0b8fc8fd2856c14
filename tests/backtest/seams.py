"""A backtest without repository and sandbox: fixes that are known to be fit, and attempts that a test plays."""

import threading
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path

from bot.agent import Agent
from bot.backtest.attempts import Attempts
from bot.backtest.bots import Bot, bot_named
from bot.backtest.checking import Look
from bot.backtest.replaying import Attempt, Tried
from bot.backtest.wanted import Means, Tell, Wanted
from bot.records import Caps, CheckedFix, Outcome, PastFix, Replay, Spend, StopCheck
from bot.repository import Mirror
from bot.runs.doctor import Given
from bot.runs.doctor import Means as Sight
from bot.runs.house import Crew, Prepared
from bot.runs.lanes import places_of
from sandbox import Limits, Sandbox
from sandbox.process import ProcessSandbox
from tests.writing.backtests import a_fix


def means_of(
    *,
    sandbox: Sandbox | None = None,
    stop: StopCheck = lambda: False,
    has_price: Callable[[str], bool] = lambda _: True,
    caps: Caps | None = None,
) -> Means:
    sandbox, limits = sandbox or ProcessSandbox(), Limits(wall_s=60)

    def agent_for(crew: object, instead_of: object) -> Agent:
        raise AssertionError("no model is asked here")

    sight = Sight(
        sandbox=sandbox,
        prepare_image=lambda _setup, _stop: Prepared(None),
        image="",
        images=(),
        limits=limits,
        places=places_of(sandbox, limits),
        stop=stop,
        any_image=True,
        has_images=False,
    )
    return Means(sight, agent_for, Crew("none"), (), caps or Caps(cost_usd=1.0), has_price, "0")


@dataclass(frozen=True, slots=True)
class Known:
    """A source of fixes that are known."""

    path: Path
    found: Sequence[CheckedFix]

    def fixes(self) -> Iterator[CheckedFix]:
        yield from self.found

    def bring_base(self, mirror: Mirror, fix: PastFix, *, stop: StopCheck) -> None:
        raise AssertionError("nothing is brought here")

    bring_both = bring_base

    def judge_paths(self, fix: PastFix, changed: Iterator[str]) -> tuple[str, ...]:
        return ()

    def given(self, fix: PastFix) -> Given:
        return Given()

    def judge_test(self, fix: PastFix) -> str:
        return ""


@dataclass
class Played:
    """Makes attempts as a test says, and notes each: its fix and bot, and the most that it might have cost."""

    come_to: Callable[[Attempt], Tried]
    caps: list[tuple[str, str, float | None]] = field(default_factory=list)
    at_once: int = 0
    _now: int = 0
    _lock: threading.Lock = field(default_factory=threading.Lock)

    def __call__(self, attempt: Attempt, means: Means, *, tell: Tell) -> Tried:
        with self._lock:
            self._now += 1
            self.at_once = max(self.at_once, self._now)
            self.caps.append((attempt.fix.id, attempt.bot.name, attempt.caps.cost_usd))
        try:
            return self.come_to(attempt)
        finally:
            with self._lock:
                self._now -= 1

    @property
    def made(self) -> list[tuple[str, str]]:
        return [(fix, bot) for fix, bot, _ in self.caps]


def came(attempt: Attempt, cost_usd: float | None = 0.0, *, is_away: bool = False, **changed: object) -> Tried:
    """What an attempt came to: solved and proven, where a test says nothing else."""
    begun = Replay(attempt.fix.id, attempt.bot.name, Outcome.PROVEN, "", is_solved=True, spend=Spend(cost_usd=cost_usd))
    return Tried(replace(begun, **changed), is_away=is_away)  # type: ignore[arg-type]


def attempts(
    folder: Path,
    played: Callable[..., Tried],
    *,
    fixes: int = 3,
    bots: Sequence[str] = ("m",),
    jobs: int = 1,
    budget: float | None = None,
    means: Means | None = None,
    tell: Tell = lambda _: None,
) -> Attempts:
    """The attempts at so many fixes, all of them fit."""
    found = [a_fix(number) for number in range(1, fixes + 1)]
    asked: tuple[Bot, ...] = tuple(map(bot_named, bots))
    wanted = Wanted(name="calc", folder=folder, tasks=folder, bots=asked, budget_usd=budget, jobs=jobs)
    looks = [Look(each) for each in found]
    return Attempts(wanted, means or means_of(), Known(folder, found), looks, tell, played)
