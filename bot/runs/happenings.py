"""What happens in a run, kept for who looks on: lines that cost little, and that nothing depends on."""

import logging
import threading
import time
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from itertools import groupby
from typing import Any

from sqlalchemy import Connection, Engine, and_, func, insert, or_, select, update

from bot.errors import Unavailable
from bot.records import Happening, HappeningKind
from bot.runs.leases import Held, LeaseLost
from bot.runs.tables import happenings, runs
from bot.runs.transactions import transaction

EVERY_S = 0.25
"""How often one run's happenings are written at most: what comes sooner is written together."""

TOLD_AT_MOST = 5_000
"""From this number on no more lines of a run are kept; its steps and its end are."""

LONGEST = 400
AT_ONCE = 500
"""How many are read at once: of a run whose page is opened the newest."""

log = logging.getLogger(__name__)


@dataclass
class Happenings:
    """What happens in runs, written by who holds them. Any thread may tell."""

    engine: Engine
    held: Held
    _kept: dict[str, list[tuple[float, HappeningKind, str]]] = field(default_factory=dict, init=False)
    _lock: threading.Lock = field(default_factory=threading.Lock, init=False)
    _timer: threading.Timer | None = field(default=None, init=False)
    _written_at: float = field(default=float("-inf"), init=False)

    def keep(self, run_id: str, kind: HappeningKind, text: str) -> None:
        """Keep that something happened, now or in a moment. What can't be kept is not: no run fails by it."""
        with self._lock:
            self._kept.setdefault(run_id, []).append((time.time(), kind, text[:LONGEST]))
            wait_s = self._written_at + EVERY_S - time.monotonic()
            if kind is not HappeningKind.ENDED and wait_s > 0:
                if self._timer is None:
                    self._timer = threading.Timer(wait_s, self.write)
                    self._timer.daemon = True
                    self._timer.start()
                return
        self.write()

    def write(self) -> None:
        """Write what is kept and not written yet."""
        with self._lock:
            kept, self._kept, self._timer = self._kept, {}, None
            self._written_at = time.monotonic()
            for run_id, new in kept.items():
                try:
                    with transaction(self.engine) as connection:
                        self.held.lock(connection)
                        _write(connection, run_id, new)
                except (Unavailable, LeaseLost) as problem:
                    log.debug("run %s: what happened is not kept: %s", run_id, problem)


def happened_in(connection: Connection, run_id: str) -> tuple[Happening, ...]:
    """What happened in a run: of many lines the newest, and every step."""
    of_run = happenings.c.run_id == run_id
    last = select(func.max(happenings.c.seq)).where(of_run).scalar_subquery()
    is_step = happenings.c.kind != str(HappeningKind.TOLD)
    query = select(happenings).where(of_run, or_(is_step, happenings.c.seq > last - AT_ONCE)).order_by(happenings.c.seq)
    return tuple(map(_happening, connection.execute(query)))


def happened_since(connection: Connection, followed: Mapping[str, int]) -> dict[str, tuple[Happening, ...]]:
    """What happened in these runs after the happening of this number, in its order; of much the rest comes next."""
    if not followed:
        return {}
    new = or_(*(and_(happenings.c.run_id == run_id, happenings.c.seq > seq) for run_id, seq in followed.items()))
    query = select(happenings).where(new).order_by(happenings.c.run_id, happenings.c.seq).limit(AT_ONCE)
    by_run = groupby(connection.execute(query), key=lambda row: str(row.run_id))
    return {run_id: tuple(map(_happening, rows)) for run_id, rows in by_run}


def _happening(row: Any) -> Happening:
    return Happening(row.seq, row.at, HappeningKind(row.kind), row.text)


def _write(connection: Connection, run_id: str, new: Sequence[tuple[float, HappeningKind, str]]) -> None:
    steps = [text for _, kind, text in new if kind is HappeningKind.BEGAN]
    # the run's row is written first: of two that write, one waits here, and counts on from the other
    step = {"step": steps[-1]} if steps else {"state": runs.c.state}
    if not connection.execute(update(runs).where(runs.c.id == run_id).values(**step)).rowcount:
        return
    last = connection.execute(select(func.max(happenings.c.seq)).where(happenings.c.run_id == run_id)).scalar() or 0
    wanted = [each for each in new if last < TOLD_AT_MOST or each[1] is not HappeningKind.TOLD]
    rows = [
        {"run_id": run_id, "seq": last + place, "at": at, "kind": str(kind), "text": text}
        for place, (at, kind, text) in enumerate(wanted, 1)
    ]
    if rows:
        connection.execute(insert(happenings), rows)
