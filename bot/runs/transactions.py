"""One transaction on the database of inbox and runs."""

from collections.abc import Iterator
from contextlib import contextmanager

from sqlalchemy import Connection, Engine
from sqlalchemy.exc import OperationalError

from bot.errors import Unavailable


@contextmanager
def transaction(engine: Engine) -> Iterator[Connection]:
    """One transaction. Raises `Unavailable` where the database does not answer, or stays locked."""
    try:
        with engine.begin() as connection:
            yield connection
    except OperationalError as problem:
        raise Unavailable(f"the database does not answer: {problem.orig}") from problem
