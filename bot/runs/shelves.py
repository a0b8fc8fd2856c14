"""The shelves in the database: what a turn looks at, found by an index however much waits beside it."""

from collections.abc import Collection
from dataclasses import dataclass

from sqlalchemy import (
    ColumnElement,
    Engine,
    Row,
    Select,
    and_,
    case,
    func,
    literal_column,
    select,
    text,
    tuple_,
    update,
)

from bot.runs.forgetting import Whole
from bot.runs.inbox import Waiting, trigger_of
from bot.runs.leases import Held
from bot.runs.rows import run_id_of
from bot.runs.shelf import ENDING, Shelf
from bot.runs.tables import inbox
from bot.runs.transactions import batched, transaction

REPOSITORIES_AT_ONCE = 500
"""Of how many repositories what waits is looked at in one go."""

_ROWS_AT_ONCE = 500


@dataclass(frozen=True, slots=True)
class Front:
    """What a repository has on a shelf, by the first of it."""

    installation_id: int
    repository_id: int
    seq: int


@dataclass(frozen=True, slots=True)
class Count:
    """How much a repository has on a shelf, and how much of it came before something."""

    installation_id: int
    repository_id: int
    all: int
    before: int


class Shelves:
    """What waits, by the shelf that it lies on. Whoever moves something must hold what `held` says."""

    def __init__(self, engine: Engine, held: Held) -> None:
        self._engine = engine
        self._held = held

    # --- Looking

    def filled(self) -> frozenset[Shelf]:
        """The shelves on which something lies."""
        with transaction(self._engine) as connection:
            found = connection.execute(_FILLED).one()
        return frozenset(shelf for shelf, lies in zip(Shelf, found, strict=True) if lies)

    def fronts(self, shelf: Shelf, *, after: int = -1, most: int = REPOSITORIES_AT_ONCE) -> list[Front]:
        """Of each repository the first on the shelf: of those whose numbers come after one, in their order.

        0 is the number of an account as a whole.
        """
        given = {"shelf": str(shelf), "after": after, "most": most}
        with transaction(self._engine) as connection:
            return [Front(*row) for row in connection.execute(_FRONTS, given)]

    def first(self, shelf: Shelf, repository_id: int, most: int) -> list[Waiting]:
        """The first that a repository has on the shelf, oldest first."""
        there = and_(_lies_on(shelf), inbox.c.repository_id == repository_id)
        return self._read(_TRIGGERS.where(there).order_by(inbox.c.seq).limit(most))

    def after(self, shelf: Shelf, place: tuple[int, int], most: int) -> list[Waiting]:
        """What lies on the shelf behind a place: that of a repository's number and a trigger's, in this order."""
        order = (inbox.c.repository_id, inbox.c.seq)
        behind = tuple_(*order) > tuple_(*place)
        return self._read(_TRIGGERS.where(and_(_lies_on(shelf), behind)).order_by(*order).limit(most))

    def of_issue(self, repository_id: int, numbers: Collection[int]) -> list[Waiting]:
        """Whatever waits on these issues and pull requests of a repository, oldest first."""
        there = and_(WAITS, inbox.c.repository_id == repository_id, inbox.c.number.in_(numbers))
        return self._read(_TRIGGERS.where(there).order_by(inbox.c.seq))

    def counts(self, shelf: Shelf, *, before: int) -> list[Count]:
        """How much each repository has on the shelf, and how much of it came before a trigger, by its `seq`."""
        columns = (inbox.c.installation_id, inbox.c.repository_id)
        came_before = func.sum(case((inbox.c.seq < before, 1), else_=0))
        query = select(*columns, func.count(), came_before).where(_lies_on(shelf)).group_by(*columns)
        with transaction(self._engine) as connection:
            return [Count(*row) for row in connection.execute(query)]

    def lies_on(self, shelf: Shelf, seq: int) -> bool:
        """Whether it lies there."""
        with transaction(self._engine) as connection:
            it = connection.execute(select(inbox.c.seq).where(and_(_lies_on(shelf), inbox.c.seq == seq)))
            return it.first() is not None

    def all(self) -> list[Waiting]:
        """All that waits, oldest first."""
        return self._read(_TRIGGERS.where(WAITS).order_by(inbox.c.seq))

    def within(self, what: Whole, *, before: int, most: int) -> list[tuple[int, str]]:
        """Seq and key of what waits there and came before. That the App was taken off is no part of it."""
        older = and_(WAITS, what.among(inbox), inbox.c.seq < before, inbox.c.kind != "uninstalled")
        with transaction(self._engine) as connection:
            rows = connection.execute(select(inbox.c.seq, inbox.c.key).where(older).limit(most))
            return [(row.seq, row.key) for row in rows]

    def named(self, run_ids: Collection[str]) -> list[Waiting]:
        """What would become these runs. It looks through all that waits: for what operators ask alone."""
        with transaction(self._engine) as connection:
            rows = connection.execution_options(yield_per=_ROWS_AT_ONCE).execute(
                select(inbox.c.seq, inbox.c.key).where(WAITS)
            )
            found = [row.seq for row in rows if run_id_of(row.key) in run_ids]
        return self._read(_TRIGGERS.where(and_(WAITS, inbox.c.seq.in_(found))))

    # --- Moving

    def put(self, shelf: Shelf, seqs: Collection[int]) -> None:
        """Lay these on a shelf."""
        for some in batched(seqs):
            with transaction(self._engine) as connection:
                self._held.lock(connection)
                connection.execute(update(inbox).where(inbox.c.seq.in_(some)).values(shelf=str(shelf)))

    def sort_again(self, seqs: Collection[int]) -> None:
        """Lay these where what is new lies."""
        for some in batched(seqs):
            with transaction(self._engine) as connection:
                self._held.lock(connection)
                connection.execute(_AS_NEW.where(and_(WAITS, inbox.c.seq.in_(some))))

    def sort_again_of_issue(self, repository_id: int, numbers: Collection[int]) -> None:
        """The same with all that waits on these issues and pull requests."""
        there = and_(WAITS, inbox.c.repository_id == repository_id, inbox.c.number.in_(numbers))
        with transaction(self._engine) as connection:
            if connection.execute(select(inbox.c.seq).where(there).limit(1)).first() is not None:
                self._held.lock(connection)
                connection.execute(_AS_NEW.where(there))

    def sort_again_of_shelf(self, shelf: Shelf, repository_id: int | None = None) -> None:
        """The same with all on a shelf, or what a repository has there."""
        there = _lies_on(shelf)
        if repository_id is not None:
            there = and_(there, inbox.c.repository_id == repository_id)
        with transaction(self._engine) as connection:
            self._held.lock(connection)
            connection.execute(_AS_NEW.where(there))

    def settle(self, seqs: Collection[int], note: str) -> None:
        """Be done with these; the note says what came of them."""
        for some in batched(seqs):
            with transaction(self._engine) as connection:
                self._held.lock(connection)
                connection.execute(update(inbox).where(inbox.c.seq.in_(some)).values(state="done", note=note))

    def _read(self, query: Select[tuple[int, str, float]]) -> list[Waiting]:
        with transaction(self._engine) as connection:
            return [_waiting(row) for row in connection.execute(query)]


WAITS = inbox.c.state == literal_column("'waiting'")
"""Written out: an index of what waits alone is used for nothing else."""

_TRIGGERS = select(inbox.c.seq, inbox.c.trigger, inbox.c.accepted_at)

_AS_NEW = update(inbox).values(
    shelf=case((inbox.c.kind.in_([str(kind) for kind in ENDING]), str(Shelf.ENDS)), else_=str(Shelf.NEW))
)

_ONE_LIES_THERE = """(
  SELECT 1 FROM inbox WHERE state = 'waiting' AND shelf = '{0}' AND repository_id >= 0
  ORDER BY repository_id, seq LIMIT 1
) AS "{0}"
"""
"""In the order of the index, so that no database goes through the table for the sake of the first row."""

_FILLED = text(f"SELECT {', '.join(_ONE_LIES_THERE.format(shelf) for shelf in Shelf)}")

_FRONTS = text("""
WITH RECURSIVE found (id, number) AS (
  SELECT min(repository_id), 1 FROM inbox WHERE state = 'waiting' AND shelf = :shelf AND repository_id > :after
  UNION ALL
  SELECT
    (SELECT min(repository_id) FROM inbox WHERE state = 'waiting' AND shelf = :shelf AND repository_id > found.id),
    found.number + 1
  FROM found WHERE found.id IS NOT NULL AND found.number < :most
)
SELECT first.installation_id, first.repository_id, first.seq FROM found JOIN inbox AS first ON first.seq = (
  SELECT min(inbox.seq) FROM inbox WHERE state = 'waiting' AND shelf = :shelf AND repository_id = found.id
)
ORDER BY first.repository_id
""")


def _lies_on(shelf: Shelf) -> ColumnElement[bool]:
    return and_(WAITS, inbox.c.shelf == str(shelf))


def _waiting(row: Row[tuple[int, str, float]]) -> Waiting:
    return Waiting(row.seq, trigger_of(row.trigger), row.accepted_at)
