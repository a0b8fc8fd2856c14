"""Takes up runs that nobody holds: those that have begun, whose wait is over, or whose worker is gone."""

import logging
import time
from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Any, Protocol

from sqlalchemy import ColumnElement, Connection, Engine, and_, or_, select, update

from bot.runs.deciding import CHEAP
from bot.runs.leases import LEASE_S, RENEW_EVERY_S, Lease, end_of_lease, is_shared, seconds_now
from bot.runs.rows import RunRow, add_facts, read_facts, read_runs
from bot.runs.steps import STEPS_VERSION
from bot.runs.tables import runs
from bot.runs.transactions import transaction
from bot.runs.workers import Workers

TOLD = "told"
"""The fact that says by which steps a run was told last, in which home, and since which fence there."""

log = logging.getLogger(__name__)


class Teller(Protocol):
    """Tells runs."""

    def start(self, lease: Lease) -> None:
        """Have the run told; the same lease twice is once."""
        ...

    def is_to_start_again(self, run_id: str) -> bool:
        """Whether a started run is under way no more, though it has not ended."""
        ...


@dataclass
class Taking:
    """Takes runs up for one worker, as far as it has places, and has them told. `clock` is monotonic.

    One thread takes up, another one renews.
    """

    engine: Engine
    workers: Workers
    teller: Teller
    steps_version: str = STEPS_VERSION
    clock: Callable[[], float] = time.monotonic
    is_done: bool = field(default=False, init=False)
    """This worker drains, and holds nothing any more: it is to end."""
    _leases: dict[str, Lease] = field(default_factory=dict, init=False)
    _started: set[Lease] = field(default_factory=set, init=False)
    _too_new: set[str] = field(default_factory=set, init=False)
    _renewed_at: float = field(init=False)
    _steady_from: float = field(init=False)

    def __post_init__(self) -> None:
        self._renewed_at = self._steady_from = self.clock()

    def start(self, run_id: str) -> None:
        """A run has begun: take it up at once, where there is room here."""
        log.debug("run %s is to be taken up", run_id)
        self.turn()

    def turn(self) -> None:
        """Take up what there is room for, and have everything told that this worker holds. Raises `Unavailable`."""
        for run in self._free_ones():
            if self._has_room(run):
                self._take(run)
        self._leases = {lease.run_id: lease for lease in self._held()}
        self._started &= set(self._leases.values())
        for lease in self._leases.values():
            if lease not in self._started or self.teller.is_to_start_again(lease.run_id):
                self.teller.start(lease)
                self._started.add(lease)
        self.is_done = not self._leases and self.workers.drains()

    def renew(self) -> None:
        """Hold on to everything that is held. Raises `Unavailable`: then nothing is taken from others for a while.

        Who was cut off with them, by a database that was away, would see leases that nobody could renew.
        """
        with transaction(self.engine) as connection:
            if is_shared(connection):
                connection.execute(update(runs).where(self._is_ours).values(leased_until=end_of_lease(connection)))
        now = self.clock()
        if now - self._renewed_at > 2 * RENEW_EVERY_S:
            self._steady_from = now + LEASE_S
        self._renewed_at = now

    def leave(self) -> None:
        """Hand over all runs at once: whatever this worker does yet, it has lost them."""
        with transaction(self.engine) as connection:
            connection.execute(update(runs).where(self._is_ours).values(fence=runs.c.fence + 1, leased_until=0.0))

    @property
    def _id(self) -> str:
        return self.workers.badge.id

    @property
    def _is_steady(self) -> bool:
        now = self.clock()
        return now >= self._steady_from and now - self._renewed_at <= 2 * RENEW_EVERY_S

    def _free_ones(self) -> list[RunRow]:
        """Those that were at work already first, then by age."""
        with transaction(self.engine) as connection:
            ids = connection.execute(select(runs.c.id).where(self._is_free(connection))).scalars().all()
        if not ids or not self.workers.takes_on():
            return []
        found = [run for run in read_runs(self.engine, runs.c.id.in_(ids)) if self._is_known(run)]
        return sorted(found, key=lambda run: (run.fence == 0, run.started_at))

    def _is_free(self, connection: Connection) -> ColumnElement[bool]:
        """That nobody holds it, and it need not wait."""
        other = and_(runs.c.worker_id.is_not(None), runs.c.worker_id != self._id)
        if not is_shared(connection):
            is_left = other
        elif self._is_steady:
            is_left = and_(other, or_(runs.c.leased_until.is_(None), runs.c.leased_until < seconds_now(connection)))
        else:
            is_left = and_(other, runs.c.leased_until == 0.0)
        at_work = and_(runs.c.resumes_at.is_(None), or_(runs.c.worker_id.is_(None), is_left))
        is_due = or_(runs.c.resumes_at <= seconds_now(connection), runs.c.stop_because.is_not(None))
        waits_no_more = and_(runs.c.resumes_at.is_not(None), is_due)
        return and_(runs.c.state == "running", or_(at_work, waits_no_more))

    def _is_known(self, run: RunRow) -> bool:
        """Whether it can be told here: what newer steps have begun is left to a worker that knows them."""
        with transaction(self.engine) as connection:
            told = read_facts(connection, run.id).get(TOLD, {})
        is_known = int(told.get("steps", 0)) <= int(self.steps_version)
        if not is_known and run.id not in self._too_new:
            self._too_new.add(run.id)
            log.warning("run %s was begun by a newer selfcode, and waits for a worker of that", run.id)
        return is_known

    def _has_room(self, run: RunRow) -> bool:
        """Whether there is a place for it; what is cheap needs none, nor does what is only to be ended."""
        if run.trigger.kind in CHEAP or run.stop_because is not None:
            return True
        at_work = [each for each in read_runs(self.engine, self._is_ours) if each.trigger.kind not in CHEAP]
        return len(at_work) < self.workers.badge.places

    def _take(self, run: RunRow) -> None:
        """Take it, unless another was quicker."""
        home, fence = self.workers.badge.home, run.fence + 1
        with transaction(self.engine) as connection:
            seen = and_(runs.c.id == run.id, runs.c.fence == run.fence, self._is_free(connection))
            values: dict[str, Any] = {
                "worker_id": self._id,
                "fence": fence,
                "leased_until": end_of_lease(connection),
                "resumes_at": None,
                "waits_for": None,
            }
            if not connection.execute(update(runs).where(seen).values(**values)).rowcount:
                return
            told = read_facts(connection, run.id).get(TOLD, {})
            is_here = told.get("home") == home or not is_shared(connection)
            since = int(told.get("since", 0)) if is_here else fence
            add_facts(connection, run.id, {TOLD: {"steps": int(self.steps_version), "home": home, "since": since}})
        if run.fence:
            log.info("run %s is taken up: its worker is gone, or its wait is over", run.id)

    def _held(self) -> list[Lease]:
        """What this worker holds. What became of taking something is known by this, even where nobody could say so."""
        query = select(runs.c.id, runs.c.fence).where(self._is_ours).order_by(runs.c.started_at, runs.c.id)
        with transaction(self.engine) as connection:
            return [
                known
                if (known := self._leases.get(row.id)) is not None and known.fence == row.fence
                else Lease(row.id, self._id, row.fence, int(read_facts(connection, row.id)[TOLD]["since"]))
                for row in connection.execute(query).all()
            ]

    @property
    def _is_ours(self) -> ColumnElement[bool]:
        return and_(runs.c.worker_id == self._id, runs.c.state == "running", runs.c.resumes_at.is_(None))
