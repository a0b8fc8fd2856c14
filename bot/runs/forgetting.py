"""What is kept is forgotten: after its time, or because all of a repository or an installation is to go.

Small transactions, for others write meanwhile; what is cut short is done when it is asked for again. Moments are
seconds since the epoch, by our own clock.
"""

from collections.abc import Callable, Collection, Sequence
from dataclasses import dataclass, replace
from typing import Any

from sqlalchemy import (
    ColumnElement,
    Connection,
    Engine,
    Table,
    and_,
    delete,
    exists,
    literal,
    or_,
    select,
    text,
    union_all,
    update,
)
from sqlalchemy.exc import OperationalError

from bot.errors import Unavailable
from bot.records import dump
from bot.runs.inbox import trigger_of
from bot.runs.rows import run_id_of
from bot.runs.spent import forget_spent
from bot.runs.tables import (
    answers,
    asks,
    happenings,
    inbox,
    iterations,
    notes,
    paid,
    queue_comments,
    replies,
    runs,
    workers,
)
from bot.runs.transactions import leave_no_trace, transaction

ForgetSteps = Callable[[Collection[str]], None]
"""Forgets the durable steps of runs, by their ids."""

REMEMBERED_S = 8 * 86_400.0
"""How long it is remembered at least that something was asked: GitHub keeps deliveries for a week at most, and what
is found there again, or on an issue's label, is no news."""

_AT_ONCE = 200
"""Rows in one transaction."""


@dataclass(frozen=True, slots=True)
class Whole:
    """All that is kept of a repository, or of an installation: one of the two, by GitHub's number."""

    repository_id: int | None = None
    installation_id: int | None = None

    def __str__(self) -> str:
        if self.repository_id is None:
            return f"installation {self.installation_id}"
        return f"repository {self.repository_id}"

    def among(self, table: Table) -> ColumnElement[bool]:
        """Which rows of `inbox` or `runs` are its own."""
        if self.repository_id is None:
            return table.c.installation_id == self.installation_id
        return table.c.repository_id == self.repository_id


@dataclass(frozen=True, slots=True)
class Forgotten:
    """How much went: runs, each with its trace; requests. Runs `at_work` have to end before they can go."""

    runs: int = 0
    requests: int = 0
    at_work: int = 0


class Forgetting:
    """Forgets. Any number of processes may do so at once."""

    def __init__(self, engine: Engine, forget_steps: ForgetSteps) -> None:
        self._engine = engine
        self._forget_steps = forget_steps

    def older_than(self, moment: float, *, now: float) -> Forgotten:
        """Forget what ended before. What waits, is at work or owes words stays, however old, with what was said to it.

        Of requests that came lately it stays that they were made, without their words.
        """
        gone = self._runs(and_(runs.c.finished_at < moment, runs.c.resumes_at.is_(None)))
        done = and_(inbox.c.state == "done", inbox.c.accepted_at < moment, ~_is_needed(inbox))
        lately = inbox.c.accepted_at >= now - REMEMBERED_S
        requests = self._rows(inbox.c.seq, inbox, and_(done, ~lately)) + self._words_of(and_(done, lately))
        self._rows(notes.c.seq, notes, and_(notes.c.at < moment, ~_is_needed(notes)))
        for table in (asks, replies, answers):
            self._rows(table.c.key, table, table.c.at < moment)
        self._rows(workers.c.id, workers, workers.c.beat_at < moment)
        return Forgotten(gone, requests)

    def spent_long_ago(self, *, now: float) -> None:
        """Forget what was spent so long ago that no budget asks for it."""
        with transaction(self._engine) as connection:
            forget_spent(connection, now=now)

    def whole(self, what: Whole, until: float) -> Forgotten:
        """Forget all of it up to a moment; what came later stays, for an App may be installed again.

        Runs at work are left alone: they end first. What tells that the App was taken off stays for its time, without
        which a delivery of it that comes once more would be news.
        """
        gone = self._runs(and_(what.among(runs), runs.c.started_at <= until))
        asked = and_(what.among(inbox), inbox.c.accepted_at <= until, inbox.c.kind != "uninstalled")
        with transaction(self._engine) as connection:
            _forget_talk(connection, what, asked, until)
        requests = self._rows(inbox.c.seq, inbox, asked)
        left = select(runs.c.id).where(and_(what.among(runs), runs.c.started_at <= until))
        return Forgotten(gone, requests, at_work=len(self._chosen(left)))

    def _runs(self, condition: ColumnElement[bool]) -> int:
        """Forget finished runs: their steps first, so that none is left whose run nobody knows any more."""
        chosen = select(runs.c.id).where(and_(runs.c.state == "finished", condition)).limit(_AT_ONCE)
        count = 0
        while ids := self._chosen(chosen):
            self._forget_steps(ids)
            with transaction(self._engine) as connection:
                leave_no_trace(connection)
                for table in (iterations, happenings, paid, queue_comments):
                    connection.execute(delete(table).where(table.c.run_id.in_(ids)))
                connection.execute(delete(runs).where(runs.c.id.in_(ids)))
            count += len(ids)
        return count

    def _rows(self, key: ColumnElement[Any], table: Table, condition: ColumnElement[bool]) -> int:
        count = 0
        while keys := self._chosen(select(key).where(condition).limit(_AT_ONCE)):
            with transaction(self._engine) as connection:
                leave_no_trace(connection)
                connection.execute(delete(table).where(key.in_(keys)))
            count += len(keys)
        return count

    def _words_of(self, condition: ColumnElement[bool]) -> int:
        """Forget what requests say. Returns how many said anything."""
        seq, count = 0, 0
        while chosen := self._chosen(_IN_ORDER.where(and_(condition, inbox.c.seq > seq))):
            seq = chosen[-1]
            said = select(inbox.c.seq, inbox.c.trigger).where(inbox.c.seq.in_(chosen))
            with transaction(self._engine) as connection:
                leave_no_trace(connection)
                for row in connection.execute(said).all():
                    trigger = trigger_of(row.trigger)
                    if trigger.text:
                        wordless = dump(replace(trigger, text=""))
                        connection.execute(update(inbox).where(inbox.c.seq == row.seq).values(trigger=wordless))
                        count += 1
        return count

    def _chosen(self, query: Any) -> Sequence[Any]:
        with transaction(self._engine) as connection:
            return connection.execute(query).scalars().all()


def _is_needed(table: Table) -> ColumnElement[bool]:
    """That something is at work on the issue of a row, or waits to be: it is told what was said since it was asked."""
    other = inbox.alias()
    at_work = and_(runs.c.repository_id == table.c.repository_id, runs.c.number == table.c.number)
    waits = and_(other.c.repository_id == table.c.repository_id, other.c.number == table.c.number)
    return or_(
        exists(select(runs.c.id).where(at_work, runs.c.state == "running")),
        exists(select(other.c.seq).where(waits, other.c.state == "waiting")),
    )


_IN_ORDER = select(inbox.c.seq).order_by(inbox.c.seq).limit(_AT_ONCE)


def _forget_talk(connection: Connection, what: Whole, asked: ColumnElement[bool], until: float) -> None:
    """What was said: known by the requests, and where it is all of a repository, by that too."""
    leave_no_trace(connection)
    keys = select(inbox.c.key).where(asked)
    seen = select(literal("seen ") + inbox.c.key).where(asked)
    connection.execute(delete(answers).where(or_(answers.c.key.in_(keys), answers.c.key.in_(seen))))
    for table in (notes, asks, replies):
        said: ColumnElement[bool] = table.c.key.in_(keys)
        if what.repository_id is not None:
            said = or_(said, and_(table.c.repository_id == what.repository_id, table.c.at <= until))
        connection.execute(delete(table).where(said))
    waiting = [run_id_of(key) for key in connection.execute(keys.where(inbox.c.state == "waiting")).scalars()]
    for start in range(0, len(waiting), _AT_ONCE):
        some = waiting[start : start + _AT_ONCE]
        connection.execute(delete(queue_comments).where(queue_comments.c.run_id.in_(some)))


def repositories_named(engine: Engine, full_name: str) -> Sequence[int]:
    """The ids of repositories that had this name when they were heard of last, in whatever letters."""
    owner, _, name = full_name.casefold().partition("/")
    found: set[int] = set()
    for table in (runs, inbox):
        like = and_(
            table.c.trigger.icontains(f'"owner":"{owner}"', autoescape=True),
            table.c.trigger.icontains(f'"name":"{name}"', autoescape=True),
        )
        with transaction(engine) as connection:
            found |= set(connection.execute(select(table.c.repository_id).where(like).distinct()).scalars())
    return [each for each in sorted(found) if _newest_name(engine, each).casefold() == full_name.casefold()]


def is_installation_known(engine: Engine, installation_id: int) -> bool:
    """Whether anything is kept of an installation."""
    with transaction(engine) as connection:
        return any(
            connection.execute(select(exists().where(table.c.installation_id == installation_id))).scalar()
            for table in (runs, inbox)
        )


def _newest_name(engine: Engine, repository_id: int) -> str:
    heard = union_all(
        select(runs.c.trigger, runs.c.started_at.label("at")).where(runs.c.repository_id == repository_id),
        select(inbox.c.trigger, inbox.c.accepted_at.label("at")).where(inbox.c.repository_id == repository_id),
    ).subquery()
    with transaction(engine) as connection:
        newest: str = connection.execute(select(heard.c.trigger).order_by(heard.c.at.desc()).limit(1)).scalar_one()
    return trigger_of(newest).issue.repository.full_name


def compact(engine: Engine) -> None:
    """Give back the space of what was deleted, and leave no copy of it in SQLite's files. Raises `Unavailable`."""
    if engine.dialect.name != "sqlite":
        return
    try:
        with engine.connect().execution_options(isolation_level="AUTOCOMMIT") as connection:
            connection.execute(text("VACUUM"))
            connection.execute(text("PRAGMA wal_checkpoint(TRUNCATE)"))
    except OperationalError as problem:
        raise Unavailable(f"the space of what was deleted is not given back: {problem.orig}") from problem
