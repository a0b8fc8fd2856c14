"""The worker processes at one database: which of them live, how much room they have, and what ails them."""

import os
import socket
import uuid
from dataclasses import dataclass
from importlib.metadata import version
from pathlib import Path

from sqlalchemy import ColumnElement, Connection, Engine, or_, select, update

from bot.runs.leases import LEASE_S, is_shared, seconds_now
from bot.runs.tables import workers
from bot.runs.transactions import insert_new, transaction

ALIVE_S = LEASE_S
"""How long a worker counts as alive that gives no sign."""


@dataclass(frozen=True, slots=True)
class Badge:
    """One worker process. `name` is for people; `home` is the same after a restart, on this machine alone."""

    id: str
    name: str
    home: str
    version: str
    places: int


def badge_of(home: Path, places: int) -> Badge:
    """A badge for this process, which works in that home and has so many places."""
    host = socket.gethostname()
    return Badge(uuid.uuid4().hex, f"{host}:{os.getpid()}", f"{host}:{home.resolve()}", version("selfcode"), places)


def ails(engine: Engine) -> list[str]:
    """What keeps each worker from working that lives, "" for nothing; none where there can't be several of them.

    Raises `Unavailable`.
    """
    with transaction(engine) as connection:
        if not is_shared(connection):
            return []
        return list(connection.execute(select(workers.c.problem).where(lives(connection))).scalars())


def lives(connection: Connection) -> ColumnElement[bool]:
    """Which workers have given a sign of life lately."""
    return workers.c.beat_at > seconds_now(connection) - ALIVE_S


class Workers:
    """All workers, as one of them sees them. Safe for any thread. Raises `Unavailable`."""

    def __init__(self, engine: Engine, badge: Badge) -> None:
        self._engine = engine
        self.badge = badge

    def enter(self) -> None:
        """Be known from here on. Whoever worked at a SQLite file before is gone."""
        badge = self.badge
        with transaction(self._engine) as connection:
            if not is_shared(connection):
                connection.execute(update(workers).values(beat_at=0.0))
            now_s = connection.execute(select(seconds_now(connection))).scalar_one()
            insert_new(
                connection,
                workers,
                id=badge.id,
                name=badge.name,
                home=badge.home,
                version=badge.version,
                started_at=now_s,
                beat_at=now_s,
                places=badge.places,
                problem="",
                drains=False,
            )

    def beat(self, problem: str) -> None:
        """Show that this worker lives, and what keeps it from working, "" for nothing."""
        with transaction(self._engine) as connection:
            values = {"beat_at": seconds_now(connection), "problem": problem}
            connection.execute(update(workers).where(workers.c.id == self.badge.id).values(**values))

    def leave(self) -> None:
        """Be gone at once."""
        with transaction(self._engine) as connection:
            connection.execute(update(workers).where(workers.c.id == self.badge.id).values(beat_at=0.0))

    def places(self) -> int:
        """How many places there are at all workers that take runs on."""
        with transaction(self._engine) as connection:
            return sum(places for _, places in self._taking(connection))

    def takes_on(self) -> bool:
        """Whether this worker is to take runs on: one that drains does not, one that is ill where nobody is well."""
        with transaction(self._engine) as connection:
            return self.badge.id in [worker_id for worker_id, _ in self._taking(connection)]

    def drains(self) -> bool:
        """Whether this worker is to end once its runs have."""
        with transaction(self._engine) as connection:
            query = select(workers.c.drains).where(workers.c.id == self.badge.id)
            return bool(connection.execute(query).scalar())

    def _taking(self, connection: Connection) -> list[tuple[str, int]]:
        """Who takes runs on, and how many at once: of those that live and don't drain the well ones, or else all."""
        counts = or_(lives(connection), workers.c.id == self.badge.id)
        query = select(workers.c.id, workers.c.places, workers.c.problem).where(counts, ~workers.c.drains)
        found = connection.execute(query).all()
        well = [worker for worker in found if not worker.problem]
        return [(worker.id, worker.places) for worker in well or found]
