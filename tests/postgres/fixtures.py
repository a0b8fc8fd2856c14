"""What tests have of PostgreSQL."""

import os
from collections.abc import Iterator
from contextlib import ExitStack
from pathlib import Path

import pytest
from sqlalchemy import Engine, text

from bot.runs.database import connect
from bot.runs.schema import migrate
from bot.runs.tables import metadata
from tests.left_out import leave_out
from tests.postgres.server import ADDRESS, CannotStart, Server, is_installed, private_server


@pytest.fixture(scope="session")
def postgres() -> Iterator[Server]:
    """A server: the one that `tests.postgres` started for the session, or, in a single test process, one of our own.

    Without one the test is left out, and counted, or fails where CI promises one.
    """
    if folder := os.environ.get(ADDRESS):
        yield Server(Path(folder))
        return
    if not is_installed():
        leave_out("PostgreSQL")
    with ExitStack() as stack:
        try:
            server = stack.enter_context(private_server())
        except CannotStart as error:
            pytest.fail(str(error))
        yield server


@pytest.fixture(scope="session")
def _postgres_tables(postgres: Server) -> Iterator[Engine]:
    """The tables, in a database of this test process."""
    name = f"selfcode-{os.getpid()}"
    engine = connect(postgres.create(name))
    migrate(engine)
    yield engine
    engine.dispose()
    postgres.drop(name)


@pytest.fixture
def postgres_url(_postgres_tables: Engine) -> str:
    """The address of a database with the tables, which are empty."""
    names = ", ".join(metadata.tables)
    with _postgres_tables.begin() as connection:
        connection.execute(text(f"TRUNCATE {names} RESTART IDENTITY"))
    return _postgres_tables.url.render_as_string(hide_password=False)


@pytest.fixture
def new_postgres_url(postgres: Server) -> Iterator[str]:
    """The address of a database with nothing in it."""
    name = f"selfcode-new-{os.getpid()}"
    yield postgres.create(name)
    postgres.drop(name)
