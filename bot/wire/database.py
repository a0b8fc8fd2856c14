"""The database of inbox and runs."""

from collections.abc import Iterator
from contextlib import contextmanager

from sqlalchemy import Engine
from sqlalchemy.exc import SQLAlchemyError

from bot.errors import ConfigError, Refused
from bot.runs.database import connect
from bot.runs.schema import migrate
from bot.settings import Settings


@contextmanager
def database_there(settings: Settings) -> Iterator[Engine]:
    """The database for one command of an operator's. Raises `Refused` where this home has none."""
    if settings.database_url is None and not settings.database_file.exists():
        raise Refused(f"{settings.home} holds no database: SELFCODE_HOME says where the bot keeps its own.")
    engine = database_of(settings)
    try:
        yield engine
    finally:
        engine.dispose()


def database_of(settings: Settings) -> Engine:
    """The database of inbox and runs, with every table in place."""
    try:
        settings.home.mkdir(parents=True, exist_ok=True, mode=0o700)
    except OSError as problem:
        raise ConfigError(f"SELFCODE_HOME: the folder can't be used: {problem}") from problem
    engine = connect(settings.database)
    try:
        migrate(engine)
    except SQLAlchemyError as problem:
        raise ConfigError(f"SELFCODE_DATABASE_URL: the database can't be used: {problem}") from problem
    return engine
