"""PostgreSQL: how it is reached, and what becomes of a connection that is cut."""

from collections.abc import Callable, Iterator
from pathlib import Path

import pytest
from sqlalchemy import Engine, text

from bot.errors import Unavailable
from bot.runs.database import connect
from bot.runs.schema import migrate
from bot.runs.store import SqlInbox, Store
from bot.runs.transactions import transaction
from bot.settings import read_settings
from bot.wire.database import database_of
from tests.postgres.server import Server
from tests.runs.builders import a_database_at, a_trigger


@pytest.fixture
def address(postgres_url: str) -> str:
    return postgres_url


@pytest.mark.parametrize("scheme", ["postgres", "postgresql", "postgresql+psycopg"])
def test_it_is_reached_by_any_usual_address(postgres: Server, scheme: str) -> None:
    engine = connect(postgres.url().replace("postgresql", scheme, 1))

    with engine.connect() as connection:
        assert connection.execute(text("select 1")).scalar() == 1
    engine.dispose()


def test_a_server_that_may_only_be_read_is_a_service_that_is_away(address: str) -> None:
    read_only = f"{address}{'&' if '?' in address else '?'}options=-c%20default_transaction_read_only%3Don"

    with a_database_at(read_only) as engine, pytest.raises(Unavailable, match="read-only"):
        Store(engine).answer_once("comment:1")


@pytest.fixture
def other(address: str) -> Iterator[Engine]:
    """Another process at the same database."""
    with a_database_at(address) as engine:
        yield engine


def cut(other: Engine) -> None:
    """End every other connection to the database, as a restart of the server does."""
    with other.connect() as connection:
        connection.execute(
            text(
                "select pg_terminate_backend(pid) from pg_stat_activity "
                "where datname = current_database() and pid <> pg_backend_pid()"
            )
        )


def answer_twice(engine: Engine, between: Callable[[], None]) -> None:
    """Two answers in one transaction, and something that happens between them."""
    with transaction(engine) as connection:
        connection.execute(text("insert into answers values ('comment:1', 1.0)"))
        between()
        connection.execute(text("insert into answers values ('comment:2', 1.0)"))


def test_a_connection_that_is_cut_in_mid_transaction_leaves_nothing_and_is_a_service_that_is_away(
    engine: Engine, other: Engine, store: Store
) -> None:
    with pytest.raises(Unavailable, match="does not answer"):
        answer_twice(engine, between=lambda: cut(other))

    assert store.answer_once("comment:1")


def test_a_connection_that_was_cut_meanwhile_is_made_anew_unseen(inbox: SqlInbox, other: Engine, store: Store) -> None:
    inbox.accept(a_trigger())

    cut(other)

    assert len(store.waiting()) == 1


def test_a_server_that_is_not_there_at_the_start_is_away(tmp_path: Path) -> None:
    address = f"postgresql://selfcode:hush-hush-hush@/selfcode?host={tmp_path}"
    settings = read_settings({"SELFCODE_HOME": str(tmp_path), "SELFCODE_DATABASE_URL": address})

    with pytest.raises(Unavailable, match="SELFCODE_DATABASE_URL") as caught:
        database_of(settings)

    assert "hush-hush-hush" not in str(caught.value)


def test_whoever_changes_the_schema_waits_for_another_who_does(other: Engine, engine: Engine) -> None:
    with other.begin() as connection:
        connection.execute(text("update alembic_version set version_num = '0001' where version_num = '0002'"))

        migrate(engine)  # what is not committed is not seen: there is nothing to do

        connection.rollback()
