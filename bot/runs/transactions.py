"""One transaction on the database of inbox and runs, and a row that is written once."""

from collections.abc import Collection, Iterator, Mapping, Sequence
from contextlib import contextmanager
from functools import cache
from typing import Any, TypeVar

from sqlalchemy import Column, ColumnElement, Connection, Engine, Table, text
from sqlalchemy.dialects import postgresql, sqlite
from sqlalchemy.exc import InterfaceError, InternalError, OperationalError
from sqlalchemy.exc import TimeoutError as PoolTimeout
from sqlalchemy.sql.selectable import TypedReturnsRows

from bot.errors import Unavailable
from bot.runs.space import AGAIN_S

T = TypeVar("T")

_AT_ONCE = 500

_FULL = ("disk is full", "No space left on device")
"""How SQLite and PostgreSQL say so."""

_AWAY = ("25006", "25P03", "25P04")
"""PostgreSQL's codes for one that may only be read, as after another has taken its place, and for connections that it
ended for their idleness. Source: https://www.postgresql.org/docs/current/errcodes-appendix.html
"""


@contextmanager
def transaction(engine: Engine) -> Iterator[Connection]:
    """One transaction. Raises `Unavailable` where the database does not answer, stays locked, or its disk is full."""
    try:
        with engine.begin() as connection:
            yield connection
    except (OperationalError, InterfaceError) as problem:
        is_full = any(words in str(problem.orig) for words in _FULL)
        raise Unavailable(f"the database does not answer: {problem.orig}", AGAIN_S if is_full else None) from problem
    except InternalError as problem:
        if getattr(problem.orig, "sqlstate", None) not in _AWAY:
            raise
        engine.dispose()  # its address may lead to another server by now
        raise Unavailable(f"the database takes nothing: {problem.orig}") from problem
    except PoolTimeout as problem:
        raise Unavailable(f"the database does not answer: {problem}") from problem


def leave_no_trace(connection: Connection) -> None:
    """Have what is deleted overwritten: SQLite leaves it in the file, else, until the place is needed."""
    if connection.dialect.name == "sqlite":
        connection.execute(text("PRAGMA secure_delete = ON"))


def inserting(table: Table, dialect: str) -> postgresql.Insert | sqlite.Insert:
    """An INSERT that can say what becomes of a row whose key is there."""
    return (postgresql.insert if dialect == "postgresql" else sqlite.insert)(table)


def insert_new(connection: Connection, table: Table, **values: Any) -> bool:
    """Insert a row where none has its key, and say whether that was so: of several at once, one is new."""
    statement = (
        inserting(table, connection.dialect.name)
        .values(**values)
        .on_conflict_do_nothing()
        .execution_options(preserve_rowcount=True)
    )
    return connection.execute(statement).rowcount == 1


def put(connection: Connection, table: Table, *, over: ColumnElement[bool] | None = None, **values: Any) -> None:
    """Write a row: where one has its key, over that, if it is one of those that may be written `over`."""
    key = [column.name for column in table.primary_key]
    others = {name: value for name, value in values.items() if name not in key}
    statement = inserting(table, connection.dialect.name).values(**values)
    connection.execute(statement.on_conflict_do_update(index_elements=key, set_=others, where=over))


def insert_many_new(connection: Connection, key: Column[str], rows: Sequence[Mapping[str, Any]]) -> set[str]:
    """Insert those of the rows whose key no row has yet, and say which these were.

    The rows have the same columns, and stand in an order that goes by what they are: two that insert at the same time
    then wait for each other, where else each might wait for the other.
    """
    statement = _inserting_new(key, connection.dialect.name)
    return {str(found) for found in connection.execute(statement, rows).scalars()}


@cache
def _inserting_new(key: Column[str], dialect: str) -> TypedReturnsRows[tuple[str]]:
    """Built once: that takes longer than to execute it."""
    return inserting(key.table, dialect).on_conflict_do_nothing().returning(key)


def batched(values: Collection[T]) -> Iterator[Sequence[T]]:
    """The values, some at a time: as many as a statement takes."""
    every = list(values)
    for first in range(0, len(every), _AT_ONCE):
        yield every[first : first + _AT_ONCE]
