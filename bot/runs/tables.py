"""The tables of inbox and runs, and the engine that reaches them (SQLite or PostgreSQL)."""

import sqlite3
from typing import Any

from sqlalchemy import (
    BigInteger,
    Boolean,
    Column,
    Dialect,
    Engine,
    Float,
    Integer,
    MetaData,
    String,
    Table,
    Text,
    TypeDecorator,
    UniqueConstraint,
    create_engine,
    event,
)
from sqlalchemy.exc import ArgumentError
from sqlalchemy.schema import CreateIndex, CreateTable
from tenacity import retry, retry_if_exception_type, stop_after_delay, wait_random

from bot.errors import ConfigError
from bot.records import storable

metadata = MetaData()


class Plain(TypeDecorator[str]):
    """Text from outside (a test's name, a service's words), kept without what no database takes in a text.

    PostgreSQL refuses NUL, both refuse half of a surrogate pair: “�” stands for each.
    """

    impl = Text
    cache_ok = True

    def process_bind_param(self, value: str | None, dialect: Dialect) -> str | None:  # noqa: ARG002 - SQLAlchemy's
        return None if value is None else storable(value)


inbox = Table(
    "inbox",
    metadata,
    Column("seq", Integer, primary_key=True, autoincrement=True),
    Column("key", String(300), nullable=False, unique=True),
    Column("kind", String(20), nullable=False),
    Column("installation_id", BigInteger, nullable=False),
    Column("repository_id", BigInteger, nullable=False),
    Column("number", Integer, nullable=False),
    Column("trigger", Text, nullable=False),
    Column("accepted_at", Float, nullable=False),
    Column("state", String(10), nullable=False, default="waiting", index=True),
    Column("note", Plain, nullable=False, default=""),
)
"""`state`: waiting or done. `note` says what came of it."""

runs = Table(
    "runs",
    metadata,
    Column("id", String(40), primary_key=True),
    Column("installation_id", BigInteger, nullable=False),
    Column("repository_id", BigInteger, nullable=False, index=True),
    Column("number", Integer, nullable=False),
    Column("trigger", Text, nullable=False),
    Column("state", String(10), nullable=False, index=True),
    Column("started_at", Float, nullable=False),
    Column("finished_at", Float),
    Column("stop_because", Plain),
    Column("cost_usd", Float, nullable=False, default=0.0),
    Column("facts", Text, nullable=False, default="{}"),
    Column("outcome", String(20)),
    Column("reason", Plain),
)
"""`state`: running or finished. `facts` is JSON: what the steps found out (base commit, plan, comment ids …)."""

iterations = Table(
    "iterations",
    metadata,
    Column("run_id", String(40), nullable=False),
    Column("number", Integer, nullable=False),
    Column("iteration", Text, nullable=False),
    Column("verdict", String(40)),
    Column("why", Plain, nullable=False, default=""),
    UniqueConstraint("run_id", "number"),
)
"""One row an iteration: the trace, and what a crashed run goes on from."""

answers = Table("answers", metadata, Column("key", String(300), primary_key=True), Column("at", Float, nullable=False))
"""What was answered, so that nothing is answered twice."""

notes = Table(
    "notes",
    metadata,
    Column("seq", Integer, primary_key=True, autoincrement=True),
    Column("key", String(300), nullable=False, unique=True),
    Column("repository_id", BigInteger, nullable=False, index=True),
    Column("number", Integer, nullable=False),
    Column("author", String(100), nullable=False),
    Column("text", Plain, nullable=False),
    Column("at", Float, nullable=False),
)
"""What people said to runs at work, in order. `at` is when it was kept, by our own clock."""

asks = Table(
    "asks",
    metadata,
    Column("key", String(300), primary_key=True),
    Column("repository_id", BigInteger, nullable=False, index=True),
    Column("login", String(100), nullable=False),
    Column("is_let_in", Boolean, nullable=False),
    Column("at", Float, nullable=False),
)
"""Who asked for something, and whether they might: what strangers can have us do is counted here."""

replies = Table(
    "replies",
    metadata,
    Column("key", String(300), primary_key=True),
    Column("repository_id", BigInteger, nullable=False, index=True),
    Column("number", Integer, nullable=False),
    Column("at", Float, nullable=False),
)
"""Which triggers were answered in words, and in which thread."""

queue_comments = Table(
    "queue_comments",
    metadata,
    Column("run_id", String(40), primary_key=True),
    Column("comment_id", BigInteger, nullable=False),
    Column("said", String(100), nullable=False),
)
"""The comment of each run that waits to begin, and what it says of its place."""

dialects = Table(
    "dialects",
    metadata,
    Column("model", Text, primary_key=True),
    Column("dialect", String(20), nullable=False),
    Column("found_at", Float, nullable=False),
)
"""Which dialect a model at an endpoint was found to speak."""


def connect(url: str) -> Engine:
    """An engine for the URL; a SQLite file is put into WAL mode and waits for other writers.

    Raises `ConfigError` for a URL that names no database we can speak to. Nothing is connected to yet.
    """
    options: dict[str, Any] = {"connect_args": {"timeout": 30}} if url.startswith("sqlite") else {"pool_pre_ping": True}
    try:
        engine = create_engine(url, **options)
    except ArgumentError as problem:
        raise ConfigError(f"SELFCODE_DATABASE_URL: {problem}") from None
    except ImportError as problem:
        raise ConfigError(f"SELFCODE_DATABASE_URL: its driver is not installed: {problem}") from problem
    if not url.startswith("sqlite"):
        return engine

    @event.listens_for(engine, "connect")
    def _prepare(connection: Any, _record: Any) -> None:
        _into_wal_mode(connection)
        connection.execute("PRAGMA synchronous=FULL")

    return engine


@retry(
    retry=retry_if_exception_type(sqlite3.OperationalError),
    wait=wait_random(0.01, 0.1),
    stop=stop_after_delay(30),
    reraise=True,
)
def _into_wal_mode(connection: sqlite3.Connection) -> None:
    """SQLite does not wait here by itself where two want it at once, as it does for other locks: it says “locked”."""
    connection.execute("PRAGMA journal_mode=WAL")


def migrate(engine: Engine) -> None:
    """Create what is not there yet. Safe from several processes at once."""
    with engine.begin() as connection:
        for table in metadata.sorted_tables:
            connection.execute(CreateTable(table, if_not_exists=True))
        for table in metadata.sorted_tables:
            for index in table.indexes:
                connection.execute(CreateIndex(index, if_not_exists=True))
