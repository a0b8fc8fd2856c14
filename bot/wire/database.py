"""The database of inbox and runs."""

from collections.abc import Iterator
from contextlib import contextmanager

from sqlalchemy import Engine
from sqlalchemy.exc import DBAPIError, SQLAlchemyError

from bot.demo.kept import kept_homes
from bot.errors import ConfigError, Refused, Unavailable
from bot.runs.database import connect
from bot.runs.schema import migrate
from bot.runs.unreached import passes
from bot.settings import Settings


@contextmanager
def database_there(settings: Settings) -> Iterator[Engine]:
    """The database for one command of an operator's. Raises `Refused` where this home has none."""
    if not has_database(settings):
        raise Refused(no_database(settings))
    engine = database_of(settings)
    try:
        yield engine
    finally:
        engine.dispose()


def has_database(settings: Settings) -> bool:
    """Whether there is one that may hold something."""
    return settings.database_url is not None or settings.database_file.exists()


def no_database(settings: Settings) -> str:
    """That this home has none, what says where it is, and where one is that may be meant."""
    demos = [f" The demo that is kept running has its own: SELFCODE_HOME={home}" for home in kept_homes()[:1]]
    return "".join([f"{settings.home} holds no database: SELFCODE_HOME says where the bot keeps its own.", *demos])


def database_of(settings: Settings) -> Engine:
    """The database of inbox and runs, with every table in place.

    Raises `Unavailable` where it may be there later, `ConfigError` where the operator has to act.
    """
    engine = database_or_not(settings)
    try:
        migrate(engine)
    except SQLAlchemyError as problem:
        engine.dispose()
        if passes(problem):
            raise Unavailable(f"the database at SELFCODE_DATABASE_URL does not answer: {_cause(problem)}") from problem
        raise ConfigError(f"SELFCODE_DATABASE_URL: the database can't be used: {_cause(problem)}") from problem
    return engine


def database_or_not(settings: Settings) -> Engine:
    """The database, whether it is there or not, and as it is: to look at, or once somebody has seen to its tables."""
    try:
        settings.home.mkdir(parents=True, exist_ok=True, mode=0o700)
    except OSError as problem:
        raise ConfigError(f"SELFCODE_HOME: the folder can't be used: {problem}") from problem
    return connect(settings.database)


def _cause(problem: SQLAlchemyError) -> object:
    """What went wrong, without the statement that it happened at."""
    return problem.orig if isinstance(problem, DBAPIError) else problem
