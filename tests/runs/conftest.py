"""One real database file for each test."""

from collections.abc import Iterator
from pathlib import Path

import pytest
from sqlalchemy import Engine

from bot.runs.store import SqlInbox, Store
from tests.runs.builders import a_database
from tests.runs.desk import Desk


@pytest.fixture
def engine(tmp_path: Path) -> Iterator[Engine]:
    with a_database(tmp_path) as opened:
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
