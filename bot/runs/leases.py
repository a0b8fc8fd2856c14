"""Whose a run is: the worker's that holds its lease. Who has lost it writes nothing more of the run.

The database's clock alone counts, so that those of machines need not agree. At a SQLite file there is one worker, by
the lock of its home: there a lease lasts until another worker comes.
"""

import time
from dataclasses import dataclass
from typing import Protocol

from sqlalchemy import ColumnElement, Connection, Float, and_, cast, extract, func, literal, select, update

from bot.runs.tables import runs

LEASE_S = 10.0
"""How long a lease lasts where nobody renews it."""

RENEW_EVERY_S = 3.0


class LeaseLost(BaseException):
    """Another worker has the run: here it ends, and nothing of it is written any more.

    It is no `Exception`: no step may keep it as what it came to, and nobody is to be told of it.
    """


class Held(Protocol):
    """Something that may be lost. Each raises `LeaseLost`, or `Unavailable` where it may be had again."""

    def check(self, connection: Connection) -> None:
        """Raise unless it is held: before what is written elsewhere. Some seconds of it are left then."""
        ...

    def lock(self, connection: Connection) -> None:
        """Raise unless it is held, and keep it until the transaction ends: before what is written in it."""
        ...


class Nothing:
    """What is held where nothing has to be: by a program alone, or in no worker."""

    def check(self, connection: Connection) -> None:
        """Go on."""

    def lock(self, connection: Connection) -> None:
        """Go on."""


@dataclass(frozen=True, slots=True)
class Lease:
    """A run in the hands of a worker. Each that takes it up raises `fence` by one.

    `home_since` is the fence from which on it has been told in this worker's home: what was brought to another one,
    a mirror, is not here.
    """

    run_id: str
    worker_id: str = ""
    fence: int = 1
    home_since: int = 0

    def check(self, connection: Connection) -> None:
        """See `Held`."""
        left = connection.execute(select(runs.c.leased_until - seconds_now(connection)).where(self._is_held)).first()
        if left is None:
            raise LeaseLost(self.run_id)
        if left[0] is not None and left[0] < LEASE_S / 2:
            self.lock(connection)

    def lock(self, connection: Connection) -> None:
        """See `Held`. It is renewed by that: who was away for long may go on where nobody else has taken the run."""
        renewed = update(runs).where(self._is_held).values(leased_until=end_of_lease(connection))
        if not connection.execute(renewed).rowcount:
            raise LeaseLost(self.run_id)

    @property
    def _is_held(self) -> ColumnElement[bool]:
        return and_(runs.c.id == self.run_id, runs.c.worker_id == self.worker_id, runs.c.fence == self.fence)


def give_back(connection: Connection, run_id: str, *, wait_s: float, waits_for: str) -> None:
    """Leave the run's place to others: in so many seconds it is taken up again, by any worker that has room."""
    connection.execute(
        update(runs)
        .where(runs.c.id == run_id, runs.c.state == "running")
        .values(
            fence=runs.c.fence + 1,
            leased_until=None,
            resumes_at=seconds_now(connection) + wait_s,
            waits_for=waits_for,
        )
    )


def seconds_now(connection: Connection) -> ColumnElement[float]:
    """The moment, in seconds since the epoch, by the database's clock: where that is a file, by our own."""
    if is_shared(connection):
        return cast(extract("epoch", func.clock_timestamp()), Float)
    return literal(time.time(), Float)


def end_of_lease(connection: Connection) -> ColumnElement[float] | None:
    """Until when what is taken or renewed now is held; None where nothing but the home's lock says so."""
    return seconds_now(connection) + LEASE_S if is_shared(connection) else None


def is_shared(connection: Connection) -> bool:
    """Whether several workers may be at this database."""
    return connection.dialect.name != "sqlite"
