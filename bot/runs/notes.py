"""What people say to runs at work."""

import time
from collections.abc import Sequence

from sqlalchemy import Engine, and_, select

from bot.records import Note, Trigger
from bot.runs.rows import RunRow
from bot.runs.tables import notes
from bot.runs.transactions import insert_new, transaction

NOTES_AT_MOST = 30
"""Notes that one run is given: they go into a prompt."""


class Notes:
    """The notes on all issues, in the order in which they came in."""

    def __init__(self, engine: Engine) -> None:
        self._engine = engine

    def add(self, trigger: Trigger) -> None:
        """Keep a note for whatever works on its issue, or waits to; the same one twice is one."""
        row = {
            "key": trigger.key,
            "repository_id": trigger.issue.repository.id,
            "number": trigger.issue.number,
            "author": trigger.sender.login[:100],
            "text": trigger.text,
            "at": time.time(),
        }
        with transaction(self._engine) as connection:
            insert_new(connection, notes, **row)

    def since(self, run: RunRow, asked_at: float | None) -> Sequence[tuple[int, Note]]:
        """The notes that people gave since the run was asked for, to its end, oldest first; of many the newest.

        Each with its number: later ones have higher ones.
        """
        issue, since = run.trigger.issue, run.started_at if asked_at is None else asked_at
        condition = and_(notes.c.repository_id == issue.repository.id, notes.c.number == issue.number)
        condition = and_(condition, notes.c.at >= since)
        if run.finished_at is not None:
            condition = and_(condition, notes.c.at <= run.finished_at)
        query = select(notes.c.seq, notes.c.author, notes.c.text).where(condition)
        with transaction(self._engine) as connection:
            rows = connection.execute(query.order_by(notes.c.seq.desc()).limit(NOTES_AT_MOST)).all()
        return [(row.seq, Note(row.author, row.text)) for row in reversed(rows)]
