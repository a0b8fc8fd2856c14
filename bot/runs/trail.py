"""The trace of a run, iteration by iteration: what a crashed run goes on from."""

from sqlalchemy import Connection, Engine, and_, insert, select, update

from bot.records import Iteration, IterationLine, Progress, Spend, Verdict, dump, load
from bot.runs.leases import Held
from bot.runs.listed import line_of, of_progress
from bot.runs.paid import let_go
from bot.runs.rows import add_facts, read_facts
from bot.runs.spent import spend_up_to
from bot.runs.tables import iterations, runs
from bot.runs.transactions import transaction


def lines_of(connection: Connection, run_id: str) -> tuple[IterationLine, ...]:
    """All iterations of a run at a glance. What an older version kept is read whole."""
    of_run = iterations.c.run_id == run_id
    query = select(iterations.c.number, iterations.c.summary).where(of_run).order_by(iterations.c.number)
    lines = []
    for row in connection.execute(query).all():
        if row.summary:
            lines.append(load(IterationLine, row.summary))
        else:
            whole = select(iterations.c.iteration).where(of_run, iterations.c.number == row.number)
            lines.append(line_of(load(Iteration, connection.execute(whole).scalar_one())))
    return tuple(lines)


class Trail:
    """The iterations of all runs."""

    def __init__(self, engine: Engine, held: Held) -> None:
        self._engine = engine
        self._held = held

    def keep(self, run_id: str, progress: Progress) -> None:
        """Keep the newest iteration of a progress, once, and what the run has cost by now.

        The replies that it was made of stand in it now, and are kept apart no more.
        """
        if not progress.iterations:
            return
        newest = progress.iterations[-1]
        row = {
            "iteration": dump(newest),
            "verdict": str(progress.verdict) if progress.verdict else None,
            "why": progress.why,
            "summary": dump(line_of(newest)),
        }
        with transaction(self._engine) as connection:
            self._held.lock(connection)
            spend_up_to(connection, run_id, progress.spend.cost_usd or 0.0)
            connection.execute(update(runs).where(runs.c.id == run_id).values(**of_progress(progress)))
            place = and_(iterations.c.run_id == run_id, iterations.c.number == newest.number)
            if connection.execute(update(iterations).where(place).values(**row)).rowcount == 0:
                connection.execute(insert(iterations).values(run_id=run_id, number=newest.number, **row))
            if progress.doubts:
                add_facts(connection, run_id, {"doubts": progress.doubts})
            let_go(connection, run_id)

    def progress(self, run_id: str) -> Progress:
        """The agent's state as last kept: what a crashed run goes on from."""
        query = select(iterations).where(iterations.c.run_id == run_id).order_by(iterations.c.number)
        with transaction(self._engine) as connection:
            rows = connection.execute(query).all()
            doubts = str(read_facts(connection, run_id).get("doubts", "")) if rows else ""
        if not rows:
            return Progress()
        done = tuple(load(Iteration, row.iteration) for row in rows)
        last = rows[-1]
        spend: Spend = done[-1].spend
        return Progress(done, spend, Verdict(last.verdict) if last.verdict else None, last.why, doubts)
