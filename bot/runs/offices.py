"""What one worker at a time does for all: each such office is held by a lease of its name."""

from dataclasses import dataclass

from sqlalchemy import ColumnElement, Connection, Engine, and_, select, update

from bot.errors import Unavailable
from bot.runs.leases import LEASE_S, is_shared, seconds_now
from bot.runs.tables import leases
from bot.runs.transactions import insert_new, transaction

DISPATCH = "dispatch"
"""To act on what waits, to begin runs, and to talk with people."""

LAST_WORDS = "last-words"
"""To say what runs could not say at their end."""

HOUSE = "house"
"""To forget what is over."""

CATCHING_UP = "catching-up"
"""To ask GitHub for what was missed."""


@dataclass(frozen=True, slots=True)
class Office:
    """An office in the hands of a worker. Where it is lost, time tells: another worker does what is to be done."""

    name: str
    worker_id: str
    fence: int

    def check(self, connection: Connection) -> None:
        """See `leases.Held`."""
        is_held = and_(self._is_ours, leases.c.until > seconds_now(connection))
        if connection.execute(select(leases.c.name).where(is_held)).first() is None:
            self.lock(connection)

    def lock(self, connection: Connection) -> None:
        """See `leases.Held`."""
        until = seconds_now(connection) + LEASE_S
        if not connection.execute(update(leases).where(self._is_ours).values(until=until)).rowcount:
            raise Unavailable(f"another worker does the {self.name} by now")

    @property
    def _is_ours(self) -> ColumnElement[bool]:
        return and_(leases.c.name == self.name, leases.c.worker_id == self.worker_id, leases.c.fence == self.fence)


class Offices:
    """The offices, as one worker sees them. Safe for any thread. Raises `Unavailable`."""

    def __init__(self, engine: Engine, worker_id: str) -> None:
        self._engine = engine
        self._worker_id = worker_id

    @property
    def are_shared(self) -> bool:
        """Whether there may be other workers."""
        return self._engine.dialect.name != "sqlite"

    def hold(self, name: str) -> Office | None:
        """The office where this worker has it, taken now where nobody does; None where it is another's."""
        with transaction(self._engine) as connection:
            held = connection.execute(select(leases).where(leases.c.name == name)).first()
            if held is not None and held.worker_id == self._worker_id:
                return Office(name, self._worker_id, held.fence)
            values = {"worker_id": self._worker_id, "until": seconds_now(connection) + LEASE_S}
            if held is None:
                is_new = insert_new(connection, leases, name=name, fence=1, **values)
                return Office(name, self._worker_id, 1) if is_new else None
            seen = and_(leases.c.name == name, leases.c.fence == held.fence)
            free = and_(seen, leases.c.until < seconds_now(connection)) if is_shared(connection) else seen
            fence = held.fence + 1
            taken = connection.execute(update(leases).where(free).values(fence=fence, **values)).rowcount
            return Office(name, self._worker_id, fence) if taken else None

    def has(self, name: str) -> bool:
        """Whether this worker has the office, or gets it now."""
        return self.hold(name) is not None

    def renew(self) -> None:
        """Hold on to what is held."""
        with transaction(self._engine) as connection:
            until = seconds_now(connection) + LEASE_S
            connection.execute(update(leases).where(leases.c.worker_id == self._worker_id).values(until=until))

    def leave(self, *names: str) -> None:
        """Let others have these at once; all, where none is named."""
        ours = leases.c.worker_id == self._worker_id
        which = and_(ours, leases.c.name.in_(names)) if names else ours
        with transaction(self._engine) as connection:
            values = {"worker_id": "", "fence": leases.c.fence + 1, "until": 0.0}
            connection.execute(update(leases).where(which).values(**values))
