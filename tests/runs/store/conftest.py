"""Every test here that wants a database runs on both: a SQLite file, and PostgreSQL."""

from pathlib import Path

import pytest

from tests.runs.builders import database_url


@pytest.fixture(params=["sqlite", "postgresql"])
def address(request: pytest.FixtureRequest, tmp_path: Path) -> str:
    """Where a database with our tables is, or will be."""
    return database_url(tmp_path) if request.param == "sqlite" else str(request.getfixturevalue("postgres_url"))


@pytest.fixture(params=["sqlite", "postgresql"])
def new_address(request: pytest.FixtureRequest, tmp_path: Path) -> str:
    """Where a database is, or will be, that nobody has used."""
    return database_url(tmp_path) if request.param == "sqlite" else str(request.getfixturevalue("new_postgres_url"))
