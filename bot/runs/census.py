"""What the database says of the work as a whole, for figures: a few small questions, asked when somebody looks."""

from collections.abc import Iterator, Mapping
from dataclasses import dataclass

from sqlalchemy import Engine, func, select, update
from sqlalchemy.exc import DBAPIError, SQLAlchemyError

from bot.errors import Unavailable
from bot.runs.store import DAY_S
from bot.runs.tables import inbox, runs
from bot.runs.transactions import transaction


@dataclass(frozen=True, slots=True)
class Tally:
    """How many of something there are, and since when the oldest, in seconds since the epoch; None where not known."""

    count: int = 0
    oldest_at: float | None = None


@dataclass(frozen=True, slots=True)
class Census:
    """What waits, by the kind of its trigger; the runs at work; and of those that began within a day how they ended.

    `cost_usd` is what these have cost by now, as far as prices are known.
    """

    waiting: Mapping[str, Tally]
    at_work: Tally
    ended: Mapping[str, int]
    cost_usd: float


def take_census(engine: Engine, *, now: float) -> Census:
    """Count. `now` is in seconds since the epoch. Raises `Unavailable` where the database does not answer."""
    waits = (
        select(inbox.c.kind, func.count(), func.min(inbox.c.accepted_at))
        .where(inbox.c.state == "waiting")
        .group_by(inbox.c.kind)
    )
    works = select(func.count(), func.min(runs.c.started_at)).where(runs.c.state == "running")
    began = (
        select(runs.c.outcome, func.count(), func.sum(runs.c.cost_usd))
        .where(runs.c.started_at > now - DAY_S)
        .group_by(runs.c.outcome)
    )
    with transaction(engine) as connection:
        waiting = {kind: Tally(count, oldest) for kind, count, oldest in connection.execute(waits)}
        count, oldest = connection.execute(works).one()
        day = connection.execute(began).all()
    return Census(
        waiting=waiting,
        at_work=Tally(count, oldest),
        ended={outcome: count for outcome, count, _ in day if outcome},
        cost_usd=float(sum(cost or 0.0 for _, _, cost in day)),
    )


def try_to_keep(engine: Engine) -> None:
    """Do what it takes to keep a trigger, and keep nothing. Raises `Unavailable` where none could be kept."""
    try:
        with transaction(engine) as connection:
            connection.execute(update(inbox).where(inbox.c.seq == 0).values(state=inbox.c.state))
    except SQLAlchemyError as problem:
        said = problem.orig if isinstance(problem, DBAPIError) else problem
        raise Unavailable(f"the database takes nothing: {said}") from problem


def ages(tallies: Mapping[str, Tally], *, now: float) -> Iterator[tuple[str, float]]:
    """How old the oldest of each is, in seconds, where that is known."""
    for name, tally in tallies.items():
        if tally.oldest_at is not None:
            yield name, max(now - tally.oldest_at, 0.0)
