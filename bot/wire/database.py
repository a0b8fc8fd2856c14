"""The database of inbox and runs."""

from sqlalchemy import Engine
from sqlalchemy.exc import SQLAlchemyError

from bot.errors import ConfigError
from bot.runs.database import connect
from bot.runs.schema import migrate
from bot.settings import Settings


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
