"""Which runs are chosen to be looked at, and how one of them is read from its row."""

from collections.abc import Collection
from typing import Any

from sqlalchemy import ColumnElement, and_, func, or_, true

from bot.records import PullState, RunChoice, RunLine, RunState
from bot.runs.deciding import CHEAP
from bot.runs.inbox import trigger_of
from bot.runs.listed import moment_of
from bot.runs.rows import WORK, outcome_of
from bot.runs.tables import runs

LINE = (
    runs.c.id, runs.c.repository_id, runs.c.number, runs.c.trigger, runs.c.state, runs.c.started_at, runs.c.finished_at,
    runs.c.title, runs.c.outcome, runs.c.reason, runs.c.step, runs.c.resumes_at, runs.c.waits_for, runs.c.stop_because,
    runs.c.cost_usd, runs.c.tokens, runs.c.iteration_count, runs.c.model, runs.c.pull_request, runs.c.pull_state,
)  # fmt: skip

IS_ASKED_FOR = or_(runs.c.kind.is_(None), runs.c.kind.not_in([str(each) for each in CHEAP]))
IS_WORK = or_(runs.c.kind.is_(None), runs.c.kind.in_([str(each) for each in WORK]))


def chosen_by(choice: RunChoice) -> ColumnElement[bool]:
    """That a run is among those that are wanted, on whichever page."""
    wanted = [may_be_seen(choice.among)]
    if not choice.facts:
        wanted.append(IS_ASKED_FOR)
    match choice.state:
        case None:
            pass
        case RunState.ENDED:
            wanted.append(runs.c.state == "finished")
        case RunState.HELD:
            wanted.append(and_(runs.c.state == "running", runs.c.resumes_at.is_not(None)))
        case RunState.WORKING:
            wanted.append(and_(runs.c.state == "running", runs.c.resumes_at.is_(None)))
    if choice.outcome is not None:
        wanted.append(runs.c.outcome == str(choice.outcome))
    if choice.repository:
        wanted.append(runs.c.repository == choice.repository)
    if choice.who:
        wanted.append(func.lower(runs.c.asked_by) == choice.who.lower())
    if choice.since is not None:
        wanted.append(runs.c.started_at >= choice.since)
    return and_(*wanted)


def may_be_seen(among: Collection[int] | None) -> ColumnElement[bool]:
    """That a run is of one of these repositories; None is no limit."""
    return true() if among is None else runs.c.repository_id.in_(among)


def behind(cursor: str) -> ColumnElement[bool]:
    """That a run comes behind the one that a page ended with. A cursor that is none is the first page's."""
    moment, _, run_id = cursor.partition("~")
    try:
        at = float(moment)
    except ValueError:
        return true()
    return or_(runs.c.started_at < at, and_(runs.c.started_at == at, runs.c.id < run_id))


def line_of_row(row: Any) -> RunLine:
    """A run of the columns of `LINE`."""
    trigger = trigger_of(row.trigger)
    at_work = RunState.WORKING if row.resumes_at is None else RunState.HELD
    return RunLine(
        id=row.id,
        repository_id=row.repository_id,
        repository=trigger.issue.repository.full_name,
        number=row.number,
        kind=trigger.kind,
        because=trigger.because,
        asked_by=trigger.sender.login,
        state=RunState.ENDED if row.state == "finished" else at_work,
        started_at=row.started_at,
        asked_at=moment_of(trigger.occurred_at),
        finished_at=row.finished_at,
        title=row.title or "",
        outcome=outcome_of(row.outcome),
        reason=row.reason or "",
        step=row.step or "",
        waits_for=row.waits_for or "",
        stop_because=row.stop_because,
        cost_usd=row.cost_usd,
        tokens=row.tokens,
        iterations=row.iteration_count,
        model=row.model or "",
        pull_request=row.pull_request,
        pull_state=PullState(row.pull_state) if row.pull_state else None,
    )
