"""The schema of the database, brought to what this program knows. One process at a time, all or nothing."""

import logging
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from sqlalchemy import Connection, Engine, inspect, text

from bot.errors import ConfigError
from bot.runs.tables import metadata

NEWEST = "0006"
"""The version of the schema that `bot/runs/tables.py` describes: of the newest module in `migrations/versions/`."""

_VERSION_TABLE = "alembic_version"
_LOCK = 7_305_797_442
"""The advisory lock of those who change the schema: any number that nobody else takes."""

_LOCK_WAIT_S = 60

log = logging.getLogger(__name__)


def migrate(engine: Engine) -> None:
    """Make the tables, or bring those of an older version up to date. Any number of processes may do it at once.

    Raises `ConfigError` where a newer program has been here.
    """
    with engine.connect() as connection:
        if _version(connection) == NEWEST:
            return
    with _exclusively(engine) as connection:
        found = _version(connection)
        if found == NEWEST:
            return
        if found is None and _is_new(connection):
            _make(connection)
        else:
            _upgrade(connection, found)


def schema_of(engine: Engine) -> str | None:
    """The version of the schema that is there; None where there is none."""
    with engine.connect() as connection:
        return _version(connection)


def _make(connection: Connection) -> None:
    """Every table at once. That it comes to the same as all migrations in a row is tested."""
    metadata.create_all(connection)
    connection.execute(text(f"CREATE TABLE {_VERSION_TABLE} (version_num VARCHAR(32) NOT NULL PRIMARY KEY)"))
    connection.execute(text(f"INSERT INTO {_VERSION_TABLE} VALUES (:version)"), {"version": NEWEST})  # noqa: S608 - ours


def _upgrade(connection: Connection, found: str | None) -> None:
    logging.getLogger("alembic").setLevel(logging.WARNING)
    from alembic import command  # noqa: PLC0415 - half a second, and most starts need none of it
    from alembic.config import Config  # noqa: PLC0415
    from alembic.script import ScriptDirectory  # noqa: PLC0415

    config = Config()
    config.set_main_option("script_location", str(Path(__file__).parent / "migrations").replace("%", "%%"))
    config.set_main_option("path_separator", "os")
    config.attributes["connection"] = connection
    known = {script.revision for script in ScriptDirectory.from_config(config).walk_revisions()}
    if found is not None and found not in known:
        raise ConfigError(
            f"The database was upgraded by a newer selfcode: its schema is {found}, and this program knows {NEWEST} at "
            "most. Install the newer version again, or restore the backup that was made before the upgrade."
        )
    command.upgrade(config, "head")
    log.info("the database was upgraded from schema %s to %s", found or "0000", NEWEST)


@contextmanager
def _exclusively(engine: Engine) -> Iterator[Connection]:
    """One transaction, while no other process changes the schema."""
    with engine.begin() as connection:
        match connection.dialect.name:
            case "sqlite":
                connection.exec_driver_sql("BEGIN IMMEDIATE")
            case "postgresql":
                connection.execute(text(f"SET LOCAL lock_timeout = '{_LOCK_WAIT_S}s'"))
                connection.execute(text("SELECT pg_advisory_xact_lock(:lock)"), {"lock": _LOCK})
        yield connection


def _version(connection: Connection) -> str | None:
    """The version of the schema; None where it has none: a new database, or one from before there were versions."""
    if not inspect(connection).has_table(_VERSION_TABLE):
        return None
    found: str | None = connection.execute(text(f"SELECT version_num FROM {_VERSION_TABLE}")).scalar()  # noqa: S608 - ours
    return found


def _is_new(connection: Connection) -> bool:
    """Whether none of our tables is there."""
    return set(metadata.tables).isdisjoint(inspect(connection).get_table_names())
