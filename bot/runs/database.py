"""The engine that reaches the database of inbox and runs: SQLite or PostgreSQL."""

import sqlite3
from typing import Any

from sqlalchemy import URL, Engine, create_engine, event, make_url
from sqlalchemy.exc import ArgumentError
from tenacity import retry, retry_if_exception_type, stop_after_delay, wait_random

from bot.errors import ConfigError

PSYCOPG = "postgresql+psycopg"
"""The driver that comes with selfcode, for an address that names none."""


def connect(url: str) -> Engine:
    """An engine for the URL; a SQLite file is put into WAL mode and waits for other writers.

    Raises `ConfigError` for a URL that names no database we can speak to. Nothing is connected to yet.
    """
    try:
        address = with_driver(url)
        is_file = address.get_backend_name() == "sqlite"
        options: dict[str, Any] = {} if is_file else {"pool_pre_ping": True}
        engine = create_engine(address, connect_args=manners_of(address), **options)
    except ArgumentError as problem:
        raise ConfigError(f"SELFCODE_DATABASE_URL: {problem}") from None
    except ImportError as problem:
        said = "selfcode keeps its runs in PostgreSQL (postgresql://…) or in a file of SQLite (sqlite:///…)"
        raise ConfigError(f"SELFCODE_DATABASE_URL: {problem}: {said}") from problem
    if not is_file:
        return engine

    @event.listens_for(engine, "connect")
    def _prepare(connection: Any, _record: Any) -> None:
        _into_wal_mode(connection)
        connection.execute("PRAGMA synchronous=FULL")

    return engine


def manners_of(address: URL) -> dict[str, Any]:
    """How a connection is made: a server that is cut off is known to be so in seconds, not in a quarter of an hour.

    What the address says itself, it says.
    """
    if address.get_backend_name() == "sqlite":
        return {"timeout": 30}
    return {name: value for name, value in _WATCHFUL.items() if name not in address.query} if _is_ours(address) else {}


_WATCHFUL = {
    "connect_timeout": 10,
    "keepalives_idle": 5,
    "keepalives_interval": 2,
    "keepalives_count": 3,
    "tcp_user_timeout": 10_000,
}
"""Source: https://www.postgresql.org/docs/current/libpq-connect.html#LIBPQ-PARAMKEYWORDS"""


def _is_ours(address: URL) -> bool:
    return address.drivername == PSYCOPG


def with_driver(url: str) -> URL:
    """The address with a driver that we have, where it names none: `postgres://` as hosting services write it, too.

    Raises `ArgumentError` for what is no address.
    """
    address = make_url(url)
    return address.set(drivername=PSYCOPG) if address.drivername in ("postgres", "postgresql") else address


@retry(
    retry=retry_if_exception_type(sqlite3.OperationalError),
    wait=wait_random(0.01, 0.1),
    stop=stop_after_delay(30),
    reraise=True,
)
def _into_wal_mode(connection: sqlite3.Connection) -> None:
    """SQLite does not wait here by itself where two want it at once, as it does for other locks: it says “locked”."""
    connection.execute("PRAGMA journal_mode=WAL")
