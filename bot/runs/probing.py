"""Whether the database would keep what comes in: tried now and then, for each try waits among those who write."""

import threading
import time
from collections.abc import Callable

from sqlalchemy import Engine, select
from sqlalchemy.exc import DBAPIError, SQLAlchemyError

from bot.errors import Unavailable
from bot.runs.census import try_to_keep
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
                    _read(self._engine)
                else:
                    try_to_keep(self._engine)
                    self._took_at = self._clock()
            except Unavailable as problem:
                self._took_at = None
                return str(problem)
        return ""


def _read(engine: Engine) -> None:
    try:
        with transaction(engine) as connection:
            connection.execute(select(inbox.c.seq).limit(1)).first()
    except SQLAlchemyError as problem:
        said = problem.orig if isinstance(problem, DBAPIError) else problem
        raise Unavailable(f"the database can't be read: {said}") from problem
