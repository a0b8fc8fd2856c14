"""What was spent, by the hour: it outlives the runs, so that a day's budget is not had back by forgetting them."""

import time

from sqlalchemy import Connection, delete, func, select, update

from bot.runs.tables import runs, spent
from bot.runs.transactions import inserting

HOUR_S = 3600
HOURS = 24
KEPT_HOURS = 8 * 24

_NOISE_USD = 1e-9
"""Two sums of the same amounts, taken in another order, differ by less."""


def spend(connection: Connection, run_id: str, usd: float) -> None:
    """Add what a run has just spent: to what it cost, and to its hour. Once, with whatever else is in the transaction.

    The run's row is written first, by everyone: so nobody waits for somebody who waits for them.
    """
    if usd <= 0:
        return
    connection.execute(update(runs).where(runs.c.id == run_id).values(cost_usd=runs.c.cost_usd + usd))
    whose = select(runs.c.installation_id, runs.c.repository_id).where(runs.c.id == run_id)
    place = connection.execute(whose).one()
    added = inserting(spent, connection.dialect.name).values(
        hour=_hour(time.time()), installation_id=place.installation_id, repository_id=place.repository_id, usd=usd
    )
    key = (spent.c.hour, spent.c.installation_id, spent.c.repository_id)
    connection.execute(added.on_conflict_do_update(index_elements=key, set_={"usd": spent.c.usd + added.excluded.usd}))


def spend_up_to(connection: Connection, run_id: str, usd: float) -> None:
    """Add what is missing of what a run has spent in all."""
    known: float = connection.execute(select(runs.c.cost_usd).where(runs.c.id == run_id)).scalar_one()
    if usd - known > _NOISE_USD:
        spend(connection, run_id, usd - known)


def spent_in_a_day(
    connection: Connection, *, now: float, repository_id: int | None = None, installation_id: int | None = None
) -> float:
    """USD that were spent in the last 24 hours and the part of an hour before them: by these, else by all."""
    total = select(func.coalesce(func.sum(spent.c.usd), 0.0)).where(spent.c.hour >= _hour(now) - HOURS)
    if repository_id is not None:
        total = total.where(spent.c.repository_id == repository_id)
    if installation_id is not None:
        total = total.where(spent.c.installation_id == installation_id)
    return float(connection.execute(total).scalar_one())


def forget_spent(connection: Connection, *, now: float) -> None:
    """Let old hours go."""
    connection.execute(delete(spent).where(spent.c.hour < _hour(now) - KEPT_HOURS))


def _hour(moment: float) -> int:
    return int(moment // HOUR_S)
