"""One bot at one fix: by the path of a run up to publishing, in a mirror that holds the base and nothing later.

Judged is what each iteration left, once the run is over: nothing of the judge is there before.
"""

import time
from dataclasses import dataclass, replace
from pathlib import Path

from bot.agent import Agent
from bot.backtest.bots import Bot
from bot.backtest.checking import Look, both_sides, judge_of
from bot.backtest.players import agent_playing
from bot.backtest.plays import Played
from bot.backtest.sources import Source, as_name
from bot.backtest.wanted import Means, Tell
from bot.errors import Gone, Refused, Stopped, Unavailable
from bot.proof import FileKind, kind_of
from bot.records import (
    Aim,
    Caps,
    Failure,
    Outcome,
    PastFix,
    Replay,
    Reproduce,
    RunResult,
    Task,
    Verdict,
    dump,
)
from bot.repository import GitFailed, RepositoryConfig, read_config
from bot.runs.house import AgentFor, Crew
from bot.runs.local import Local, solve_in
from bot.runs.solving import Author
from bot.runs.subjects import mirror_for_once
from bot.writing.masking import mask_secrets

TRACES = "traces"


@dataclass(frozen=True, slots=True)
class Tried:
    """What came of an attempt. `is_away`: a service failed, as it may fail all others too.

    `is_stopped`: it was ended midway, and what it had spent is known.
    """

    replay: Replay
    is_away: bool = False
    is_stopped: bool = False


@dataclass(frozen=True, slots=True)
class Attempt:
    """One fix for one bot. `caps` are the run's limits; `folder` is the backtest's, for the trace."""

    source: Source
    seen: Look
    bot: Bot
    caps: Caps
    folder: Path

    @property
    def fix(self) -> PastFix:
        return self.seen.checked.fix

    @property
    def trace(self) -> str:
        """The path of what is kept of it, below the backtest's folder."""
        return f"{TRACES}/{as_name(self.fix.id)}/{as_name(self.bot.name)}.json"


def tried(attempt: Attempt, means: Means, *, tell: Tell) -> Tried:
    """Do it, then judge it. Whatever goes wrong is in what comes back, with what was spent until then."""
    began = time.monotonic()
    begun = Replay(attempt.fix.id, attempt.bot.name, Outcome.ERROR, "", is_solved=False, is_void=True)
    try:
        agent_for = _agents(attempt, means)
        if isinstance(agent_for, str):
            return Tried(_ended(begun, agent_for, began))
        result = _result(attempt, means, agent_for, tell)
        seconds = round(time.monotonic() - began, 2)
        begun = replace(begun, spend=result.progress.spend)  # whatever comes now, that was spent
        if (spoilt := _spoilt(begun, result, began)) is not None:
            return spoilt
        judged = _judged(attempt, means, result)
    except Stopped:
        return _stopped(begun, began)
    except Unavailable as away:
        return Tried(_ended(begun, str(away), began), is_away=True)
    except (Refused, Gone, GitFailed) as refused:
        unfit = replace(begun, outcome=Outcome.BASELINE_BROKEN, failure=Failure.ENVIRONMENT, is_void=False)
        return Tried(_ended(unfit, str(refused), began))
    _keep(attempt, means, result)
    return Tried(replace(judged, seconds=seconds, at=time.time(), trace=attempt.trace))


def failure_of(result: RunResult) -> Failure:
    """Why a run whose change the judge does not accept has failed. Pure."""
    if result.outcome is Outcome.UNSOLVED and result.progress.verdict is Verdict.LIMIT:
        return Failure.LIMIT
    if result.outcome is Outcome.UNSOLVED and not result.progress.change.is_empty:
        return Failure.WRONG_FIX
    return _FAILURES.get(result.outcome, Failure.NO_CHANGE)


_FAILURES = {
    Outcome.PROVEN: Failure.WRONG_FIX,
    Outcome.UNPROVEN: Failure.WRONG_FIX,
    Outcome.NOT_REPRODUCED: Failure.NOT_REPRODUCED,
    Outcome.BASELINE_BROKEN: Failure.ENVIRONMENT,
    Outcome.REFUSED: Failure.REFUSED,
}


def _result(attempt: Attempt, means: Means, agent_for: AgentFor, tell: Tell) -> RunResult:
    sight, fix = means.sight, attempt.fix
    with mirror_for_once() as mirror:
        attempt.source.bring_base(mirror, fix, stop=means.stop)
        config = read_config(lambda path: mirror.read(fix.base, path))
        local = Local(
            repository=attempt.source.path,
            task=Task(title=fix.title, body=fix.body),
            agent_for=agent_for,
            crew=_crew(attempt.bot, means),
            models=(*means.models, config.model or "", *([config.critic_or_none] if attempt.bot.player else [])),
            sandbox=sight.sandbox,
            prepare_image=sight.prepare_image,
            image=sight.image,
            caps=attempt.caps,
            limits=sight.limits,
            places=sight.places,
            author=Author("selfcode", "selfcode@localhost"),
            stop=means.stop,
            tell=tell,
            given=attempt.source.given(fix),
            reproduce=_reproduce(attempt.bot, config),
            secrets=means.secrets,
        )
        return solve_in(local, mirror, fix.base)


def _reproduce(bot: Bot, config: RepositoryConfig) -> Reproduce | None:
    """What the bot or the repository says; nobody is there to be asked."""
    return bot.reproduce or (Reproduce.FIRST if config.reproduce is Reproduce.ASK else None)


def _crew(bot: Bot, means: Means) -> Crew:
    own = means.crew
    if bot.player is not None:
        return Crew(str(bot.player))
    critic = own.critic if bot.critic is None else bot.critic
    return Crew(bot.model, critic, bot.candidates or own.candidates)


def _agents(attempt: Attempt, means: Means) -> AgentFor | str:
    """Who works in the run: what the bot's settings say goes before what the repository chooses."""
    bot = attempt.bot
    if bot.player is not None:
        agent = agent_playing(bot.player, _played(attempt, means))
        return agent if isinstance(agent, str) else _always(agent)

    def agent_for(crew: Crew, instead_of: object) -> Agent:
        chosen = replace(
            crew,
            model=bot.model,
            critic=crew.critic if bot.critic is None else bot.critic,
            candidates=bot.candidates or crew.candidates,
        )
        return means.agent_for(chosen, instead_of)  # type: ignore[arg-type]

    return agent_for


def _always(agent: Agent) -> AgentFor:
    return lambda _crew, _instead_of: agent


def _played(attempt: Attempt, means: Means) -> Played:
    """What a player knows of the fix."""
    fix = attempt.fix
    with both_sides(attempt.source, fix, stop=means.stop) as mirror:
        tests = [path for path in mirror.entries(fix.base) if kind_of(path) is FileKind.TEST]
        return Played(mirror.changed_files(fix.base, fix.head), tests)


def _judged(attempt: Attempt, means: Means, result: RunResult) -> Replay:
    """What the judge says of each iteration's change, and of what was left."""
    changes = [each.change.patch for each in result.progress.iterations if each.aim is Aim.CHANGE]
    with both_sides(attempt.source, attempt.fix, stop=means.stop) as mirror:
        judge = judge_of(attempt.source, attempt.seen, mirror, means.sight)
        steps = tuple(judge.is_solved(patch) for patch in changes)
        is_solved = judge.is_solved(result.progress.change.patch)
    return Replay(
        fix=attempt.fix.id,
        bot=attempt.bot.name,
        outcome=result.outcome,
        reason=result.reason,
        is_solved=is_solved,
        steps=steps,
        failure=None if is_solved else failure_of(result),
        spend=result.progress.spend,
    )


def _spoilt(begun: Replay, result: RunResult, began: float) -> Tried | None:
    """What comes of a run that was ended by something else than the bot; None where the judge has the word."""
    match result.outcome:
        case Outcome.STOPPED:
            return _stopped(begun, began)
        case Outcome.ERROR:
            return Tried(_ended(begun, result.reason, began), is_away=True)
        case _:
            return None


def _stopped(begun: Replay, began: float) -> Tried:
    return Tried(_ended(replace(begun, outcome=Outcome.STOPPED), "it was interrupted", began), is_stopped=True)


def _ended(replay: Replay, reason: str, began: float) -> Replay:
    return replace(replay, reason=reason, seconds=round(time.monotonic() - began, 2), at=time.time())


def _keep(attempt: Attempt, means: Means, result: RunResult) -> None:
    """All that happened in it, in the form of a local run's trace."""
    path = attempt.folder / attempt.trace
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(mask_secrets(dump(result), means.secrets), encoding="utf-8")
