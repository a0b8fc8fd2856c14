"""What operators ask of all workers: to begin nothing new, to drop a request, to end once their work is done."""

from collections.abc import Mapping
from dataclasses import dataclass, field

from sqlalchemy import Engine, and_, delete, or_, select, update

from bot.runs.tables import controls, workers
from bot.runs.transactions import insert_new, transaction
from bot.runs.workers import lives

CANCELLED = "cancelled by the operator"
"""Why something ends that an operator cancels."""

_NO_REASON = "asked for"
_PAUSE = "pause"
_CANCEL = "cancel "


@dataclass(frozen=True, slots=True)
class Wanted:
    """What is asked for at a moment: `cancelled` has the runs that something is, or would become, with the why."""

    paused_at: float | None = None
    cancelled: Mapping[str, str] = field(default_factory=dict)

    @property
    def is_paused(self) -> bool:
        return self.paused_at is not None


@dataclass(frozen=True, slots=True)
class SeenWorker:
    """A worker process that has not been forgotten. `name` is host:pid; `problem` is "" for nothing."""

    id: str
    name: str
    places: int
    problem: str
    drains: bool
    is_alive: bool


class Controls:
    """The operator's word, as any process may give and read it. Moments are seconds since the epoch."""

    def __init__(self, engine: Engine) -> None:
        self._engine = engine

    def wanted(self) -> Wanted:
        """All that is asked for."""
        query = select(controls).where(or_(controls.c.key == _PAUSE, controls.c.key.startswith(_CANCEL)))
        with transaction(self._engine) as connection:
            found = {row.key: row for row in connection.execute(query)}
        paused = found.pop(_PAUSE, None)
        cancelled = {key.removeprefix(_CANCEL): _reason(row.value) for key, row in found.items()}
        return Wanted(float(paused.at) if paused else None, cancelled)

    # --- That nothing new begins

    def pause(self, moment: float) -> bool:
        """Let nothing new begin. False where it was so already."""
        return self._keep(_PAUSE, moment)

    def resume(self) -> bool:
        """Let it begin again, and workers that drain take runs on again. False where neither was asked for."""
        with transaction(self._engine) as connection:
            paused = connection.execute(delete(controls).where(controls.c.key == _PAUSE)).rowcount
            draining = update(workers).where(and_(lives(connection), workers.c.drains)).values(drains=False)
            return bool(paused + connection.execute(draining).rowcount)

    # --- That one request is dropped

    def cancel(self, run_id: str, moment: float, because: str = CANCELLED) -> bool:
        """Have a worker drop what would become this run, and stop it where it has begun. False where that is asked."""
        return self._keep(_CANCEL + run_id, moment, because)

    def cancelled(self, run_id: str) -> None:
        """It was done."""
        with transaction(self._engine) as connection:
            connection.execute(delete(controls).where(controls.c.key == _CANCEL + run_id))

    # --- That workers end

    def drain(self, name: str | None = None) -> list[str]:
        """Have a worker end once its runs have: of this name, or whose id begins so; all, where none is named.

        Returns the names of those that were found alive.
        """
        with transaction(self._engine) as connection:
            chosen = lives(connection)
            if name is not None:
                named = or_(workers.c.name == name, workers.c.id.startswith(name, autoescape=True))
                chosen = and_(chosen, named)
            names = [str(found) for found in connection.execute(select(workers.c.name).where(chosen)).scalars()]
            connection.execute(update(workers).where(chosen).values(drains=True))
        return names

    def workers(self) -> list[SeenWorker]:
        """Every worker that is known still, the oldest first."""
        with transaction(self._engine) as connection:
            query = select(workers, lives(connection).label("lives")).order_by(workers.c.started_at)
            rows = connection.execute(query).all()
        return [
            SeenWorker(row.id, row.name, row.places, row.problem, bool(row.drains), bool(row.lives)) for row in rows
        ]

    def _keep(self, key: str, moment: float, because: str = _NO_REASON) -> bool:
        with transaction(self._engine) as connection:
            return insert_new(connection, controls, key=key, value=because, at=moment)


def _reason(value: str) -> str:
    return CANCELLED if value == _NO_REASON else value
