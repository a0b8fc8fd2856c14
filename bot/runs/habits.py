"""Which dialect each model was found to speak, kept for all workers and over restarts."""

import time
from contextlib import suppress

from sqlalchemy import Engine, delete, insert, select
from sqlalchemy.exc import IntegrityError

from bot.agent import Dialect
from bot.runs.store import DAY_S
from bot.runs.tables import dialects
from bot.runs.transactions import transaction

KEPT_DAYS = 30
"""A server may be given another model, or another version, under the same name."""


class SqlHabits:
    """Habits in the database."""

    def __init__(self, engine: Engine) -> None:
        self._engine = engine

    def dialect_of(self, key: str) -> Dialect | None:
        """The dialect that was found out in the last 30 days."""
        is_fresh = dialects.c.found_at > time.time() - KEPT_DAYS * DAY_S
        query = select(dialects.c.dialect).where(dialects.c.model == key, is_fresh)
        with transaction(self._engine) as connection:
            found = connection.execute(query).scalar()
        return Dialect(found) if found else None

    def keep(self, key: str, dialect: Dialect) -> None:
        """Keep what was found out just now, in place of what was. Of two workers at once one stands."""
        with suppress(IntegrityError), transaction(self._engine) as connection:
            connection.execute(delete(dialects).where(dialects.c.model == key))
            connection.execute(insert(dialects).values(model=key, dialect=str(dialect), found_at=time.time()))
