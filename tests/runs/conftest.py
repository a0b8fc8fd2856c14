"""One real database for each test: a SQLite file, where a folder does not say otherwise."""

from collections.abc import Iterator
from pathlib import Path

import pytest
from sqlalchemy import Engine

from bot.runs.store import SqlInbox, Store
from tests.runs.builders import a_database_at, database_url
from tests.runs.desk import Desk


@pytest.fixture
def address(tmp_path: Path) -> str:
    return database_url(tmp_path)


@pytest.fixture
def engine(address: str) -> Iterator[Engine]:
    with a_database_at(address) as opened:
        yield opened


@pytest.fixture
def inbox(engine: Engine) -> SqlInbox:
    return SqlInbox(engine)


@pytest.fixture
def store(engine: Engine) -> Store:
    return Store(engine)


@pytest.fixture
def desk(inbox: SqlInbox, store: Store, tmp_path: Path) -> Desk:
    return Desk(inbox, store, tmp_path / "home")
