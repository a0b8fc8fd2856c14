"""What the database says of the work as a whole, for figures: a few small questions, asked when somebody looks."""

from collections import Counter
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from enum import StrEnum

from sqlalchemy import Connection, Engine, and_, func, select

from bot.runs.shelves import WAITS
from bot.runs.spent import spent_in_a_day
from bot.runs.store import DAY_S
from bot.runs.tables import inbox, runs, workers
from bot.runs.transactions import transaction
from bot.runs.workers import lives


@dataclass(frozen=True, slots=True)
class Tally:
    """How many of something there are, and since when the oldest, in seconds since the epoch; None where not known."""

    count: int = 0
    oldest_at: float | None = None


COUNTED_AT_MOST = 100_000
"""How much that waits is counted: it costs the same, then, however much more there is."""


class Shape(StrEnum):
    """How a worker process is: it is told by the first of these that holds."""

    ILL = "ill"
    DRAINING = "draining"
    ALIVE = "alive"


@dataclass(frozen=True, slots=True)
class Census:
    """What waits, by the kind of its trigger; the runs at work; and of those that began within a day how they ended.

    Of what waits no more is counted than `COUNTED_AT_MOST`. `away` are the runs that have left their places and wait
    for a service, `owing` those that have ended and owe their last words. `cost_usd` is what was spent within a day, as
    far as prices are known. `workers` are the processes that live, by how they are.
    """

    waiting: Mapping[str, Tally]
    at_work: Tally
    ended: Mapping[str, int]
    cost_usd: float
    away: int
    owing: Tally
    workers: Mapping[Shape, int]


def take_census(engine: Engine, *, now: float) -> Census:
    """Count. `now` is in seconds since the epoch. Raises `Unavailable` where the database does not answer."""
    works = select(func.count(), func.min(runs.c.started_at), func.count(runs.c.resumes_at)).where(
        runs.c.state == "running"
    )
    owing = select(func.count(), func.min(runs.c.finished_at)).where(
        and_(runs.c.state == "finished", runs.c.resumes_at.is_not(None))
    )
    began = select(runs.c.outcome, func.count()).where(runs.c.started_at > now - DAY_S).group_by(runs.c.outcome)
    with transaction(engine) as connection:
        waiting = _waiting(connection)
        count, oldest, away = connection.execute(works).one()
        owed = connection.execute(owing).one()
        ended = {outcome: number for outcome, number in connection.execute(began) if outcome}
        cost_usd = spent_in_a_day(connection, now=now)
        how = select(workers.c.problem, workers.c.drains).where(lives(connection))
        shapes = Counter(_shape(row.problem, drains=row.drains) for row in connection.execute(how))
    return Census(
        waiting=waiting,
        at_work=Tally(count, oldest),
        ended=ended,
        cost_usd=cost_usd,
        away=away,
        owing=Tally(*owed),
        workers={shape: shapes[shape] for shape in Shape},
    )


def _waiting(connection: Connection) -> dict[str, Tally]:
    """What waits, by kind: counted in an index, and the oldest of each by the number that it came in with."""
    some = select(inbox.c.kind, inbox.c.seq).where(WAITS).limit(COUNTED_AT_MOST).subquery()
    counted = select(some.c.kind, func.count(), func.min(some.c.seq)).group_by(some.c.kind)
    found = {kind: (count, seq) for kind, count, seq in connection.execute(counted)}
    came = select(inbox.c.kind, inbox.c.accepted_at).where(inbox.c.seq.in_([seq for _, seq in found.values()]))
    moments = {row.kind: row.accepted_at for row in connection.execute(came)}
    return {kind: Tally(count, moments.get(kind)) for kind, (count, _) in found.items()}


def _shape(problem: str, *, drains: bool) -> Shape:
    if problem:
        return Shape.ILL
    return Shape.DRAINING if drains else Shape.ALIVE


def ages(tallies: Mapping[str, Tally], *, now: float) -> Iterator[tuple[str, float]]:
    """How old the oldest of each is, in seconds, where that is known."""
    for name, tally in tallies.items():
        if tally.oldest_at is not None:
            yield name, max(now - tally.oldest_at, 0.0)
