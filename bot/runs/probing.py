"""Whether the database would keep what comes in: tried now and then, for each try waits among those who write."""

import threading
import time
from collections.abc import Callable

from sqlalchemy import Engine, Executable, select, update
from sqlalchemy.exc import DBAPIError, SQLAlchemyError

from bot.errors import Unavailable
from bot.runs.tables import inbox
from bot.runs.transactions import transaction

KEPT_S = 5.0
"""How long it counts that a write would have been taken. That the database answers is looked at each time."""


class Probe:
    """Looks at the database, for any number of threads."""

    def __init__(self, engine: Engine, clock: Callable[[], float] = time.monotonic) -> None:
        self._engine = engine
        self._clock = clock
        self._took_at: float | None = None
        self._turn = threading.Lock()

    def problem(self) -> str:
        """What keeps it from keeping a trigger, in words for the operator; "" where nothing does."""
        with self._turn:
            try:
                if self._took_at is not None and self._clock() - self._took_at < KEPT_S:
                    _try(self._engine, select(inbox.c.seq).limit(1), "can't be read")
                else:
                    try_to_keep(self._engine)
                    self._took_at = self._clock()
            except Unavailable as problem:
                self._took_at = None
                return str(problem)
        return ""


def try_to_keep(engine: Engine) -> None:
    """Do what it takes to keep a trigger, and keep nothing. Raises `Unavailable` where none could be kept."""
    _try(engine, update(inbox).where(inbox.c.seq == 0).values(state=inbox.c.state), "takes nothing")


def _try(engine: Engine, statement: Executable, otherwise: str) -> None:
    try:
        with transaction(engine) as connection:
            connection.execute(statement)
    except SQLAlchemyError as problem:
        said = problem.orig if isinstance(problem, DBAPIError) else problem
        raise Unavailable(f"the database {otherwise}: {said}") from problem
