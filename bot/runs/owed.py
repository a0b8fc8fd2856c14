"""Last words that could not be said: kept with the run, which has ended, until they are.

An ended run with `resumes_at` owes words; that is when they are to be tried again.
"""

from collections.abc import Mapping, Sequence
from enum import StrEnum

from sqlalchemy import Connection, Engine, and_, select, update

from bot.runs.leases import seconds_now
from bot.runs.rows import RunRow, add_facts, read_facts, read_runs
from bot.runs.tables import runs
from bot.runs.transactions import transaction

OWED = "owed"
"""The fact that says which last words are owed, each by its name."""

FIRST_AFTER_S = 60.0


class Owing(StrEnum):
    """What is owed of a word. AGAIN: it was said, but before one that it tells of."""

    UNSAID = "unsaid"
    AGAIN = "again"


class Owed:
    """What ended runs owe."""

    def __init__(self, engine: Engine) -> None:
        self._engine = engine

    def due(self) -> Sequence[RunRow]:
        """The runs whose words are to be tried now."""
        with transaction(self._engine) as connection:
            now_s = connection.execute(select(seconds_now(connection))).scalar_one()
        return read_runs(self._engine, and_(runs.c.state == "finished", runs.c.resumes_at <= now_s))

    def put_off(self, run_id: str, words: Mapping[str, Owing], *, wait_s: float, why: str) -> None:
        """Keep what is owed still, and try it in so many seconds."""
        with transaction(self._engine) as connection:
            add_facts(connection, run_id, {OWED: dict(words)})
            then = {"resumes_at": seconds_now(connection) + wait_s, "waits_for": why}
            connection.execute(update(runs).where(runs.c.id == run_id).values(**then))

    def settle(self, run_id: str) -> None:
        """Nothing is owed any more."""
        with transaction(self._engine) as connection:
            connection.execute(update(runs).where(runs.c.id == run_id).values(resumes_at=None, waits_for=None))


def owes(connection: Connection, run_id: str) -> bool:
    """Whether a run that ends now leaves words unsaid."""
    return bool(read_facts(connection, run_id).get(OWED))
