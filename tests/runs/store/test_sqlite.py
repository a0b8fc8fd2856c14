"""A SQLite file: how writers wait, and what becomes of one whose disk is full."""

from pathlib import Path

import pytest
from sqlalchemy import Engine, text

from bot.errors import Unavailable
from bot.records import Receipt
from bot.runs.database import connect
from bot.runs.store import SqlInbox, Store
from tests.runs.builders import a_database, a_trigger, begun, database_url


@pytest.fixture
def address(tmp_path: Path) -> str:
    return database_url(tmp_path)


def test_a_database_that_stays_locked_is_a_service_that_is_away(tmp_path: Path) -> None:
    with a_database(tmp_path) as holder, a_database(tmp_path) as engine, holder.connect() as held:
        held.execute(text("begin immediate"))
        with engine.connect() as impatient:
            impatient.execute(text("pragma busy_timeout = 50"))

        with pytest.raises(Unavailable, match="locked"):
            SqlInbox(engine).accept(a_trigger())


def test_readers_of_the_file_do_not_wait_for_writers(engine: Engine, store: Store) -> None:
    with engine.connect() as writer:
        writer.execute(text("begin immediate"))

        waiting = store.waiting()

    assert waiting == []


def test_a_full_disk_is_a_service_that_is_away_and_what_was_kept_stays_whole(
    engine: Engine, inbox: SqlInbox, store: Store
) -> None:
    run_id = begun(store, inbox)
    with engine.connect() as connection:
        pages = connection.execute(text("pragma page_count")).scalar_one()
        connection.execute(text(f"pragma max_page_count = {pages}"))
    big = "x" * 100_000

    with pytest.raises(Unavailable, match="disk is full"):
        store.learn(run_id, big=big)
    with pytest.raises(Unavailable, match="disk is full"):
        inbox.accept(a_trigger(text=big))

    with engine.connect() as connection:
        connection.execute(text("pragma max_page_count = 1000000"))
        assert connection.execute(text("pragma integrity_check")).scalar() == "ok"
    assert store.facts(run_id) == {}
    assert inbox.accept(a_trigger(text=big)) is Receipt.ACCEPTED


def test_a_file_is_reached_by_the_address_that_names_it(tmp_path: Path) -> None:
    engine = connect(database_url(tmp_path))

    with engine.connect() as connection:
        journal = connection.execute(text("pragma journal_mode")).scalar()

    assert journal == "wal"
    engine.dispose()
