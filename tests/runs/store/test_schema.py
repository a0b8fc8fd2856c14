"""The schema: made new, brought up to date from every older one, left alone where a newer program has been."""

import json
import time
from collections.abc import Iterator
from pathlib import Path

import pytest
from alembic.autogenerate import compare_metadata
from alembic.migration import MigrationContext
from alembic.script import ScriptDirectory
from sqlalchemy import Connection, Engine, inspect, text

from bot.errors import ConfigError
from bot.records import Outcome, RunChoice, dump
from bot.runs import schema
from bot.runs.database import connect
from bot.runs.schema import NEWEST, migrate
from bot.runs.store import SqlInbox, Store, run_id_for
from bot.runs.tables import metadata
from bot.runs.viewing import SqlViewing
from tests.runs.builders import a_trigger, an_iteration, begun

OLD = sorted({path.name.partition(".")[0] for path in (Path(__file__).parent / "schemas").glob("*.sql")})
"""Every schema that a program has written. `0000-…` are of before schemas had versions; what lists
show of runs is kept since 0004.
"""


@pytest.fixture
def new(new_address: str) -> Iterator[Engine]:
    """A database that nobody has used."""
    engine = connect(new_address)
    yield engine
    engine.dispose()


def make_as_then(engine: Engine, name: str) -> None:
    """The tables as the program of then made them."""
    statements = (Path(__file__).parent / "schemas" / f"{name}.{engine.dialect.name}.sql").read_text()
    with engine.begin() as connection:
        for statement in statements.split(";"):
            if statement.strip():
                connection.execute(text(statement))


def keep_as_then(engine: Engine) -> str:
    """A run with an iteration, and a trigger that waits, in the columns that there always were: the run's id."""
    trigger, waiting = a_trigger(), a_trigger()
    run_id = run_id_for(trigger)
    place = "installation_id, repository_id, number"
    with engine.begin() as connection:
        connection.execute(
            text(
                f"insert into runs (id, {place}, trigger, state, started_at, cost_usd, facts) "
                "values (:id, 1, 42, 7, :trigger, 'running', 5.0, 0.0, :facts)"
            ),
            {"id": run_id, "trigger": dump(trigger), "facts": json.dumps({"base": "abc", "pull_request": 12})},
        )
        connection.execute(
            text(
                "insert into iterations (run_id, number, iteration, verdict, why) values (:id, 1, :iteration, null, '')"
            ),
            {"id": run_id, "iteration": dump(an_iteration())},
        )
        connection.execute(
            text(
                f"insert into inbox (key, kind, {place}, trigger, accepted_at, state, note) "
                "values (:key, 'start', 1, 42, 7, :trigger, 5.0, 'waiting', '')"
            ),
            {"key": waiting.key, "trigger": dump(waiting)},
        )
    return run_id


def differences(engine: Engine) -> list[object]:
    """What the database has that the tables of this program don't, and the other way round. SQLite minds no type."""
    with engine.connect() as connection:
        options = {"compare_type": connection.dialect.name != "sqlite", "compare_server_default": True}
        return list(compare_metadata(MigrationContext.configure(connection, opts=options), metadata))


def version_of(connection: Connection) -> object:
    return connection.execute(text("select version_num from alembic_version")).scalar()


def test_a_new_database_has_every_table_and_the_newest_version(new: Engine) -> None:
    migrate(new)

    assert set(inspect(new).get_table_names()) == {*metadata.tables, "alembic_version"}
    assert differences(new) == []
    with new.connect() as connection:
        assert version_of(connection) == NEWEST


def test_the_newest_version_is_that_of_the_last_migration() -> None:
    scripts = ScriptDirectory(str(Path(schema.__file__).parent / "migrations"))

    assert scripts.get_heads() == [NEWEST]


@pytest.mark.parametrize("old", OLD)
def test_a_database_of_before_becomes_the_same_as_a_new_one_and_keeps_what_it_holds(new: Engine, old: str) -> None:
    make_as_then(new, old)
    run_id = keep_as_then(new)

    migrate(new)

    store = Store(new)
    assert differences(new) == []
    assert store.facts(run_id) == {"base": "abc", "pull_request": 12}
    assert [iteration.number for iteration in store.progress(run_id).iterations] == [1]
    assert len(store.waiting()) == 1
    store.finish(run_id, Outcome.PROVEN, "")
    assert store.unfinished() == []
    assert begun(store, SqlInbox(new))


@pytest.mark.parametrize("old", [old for old in OLD if old < "0004"])
def test_lists_of_runs_know_the_runs_of_before(new: Engine, old: str) -> None:
    make_as_then(new, old)
    run_id = keep_as_then(new)

    migrate(new)

    [run] = SqlViewing(new).runs(RunChoice(repository="octo/repository-42", who="Grace")).runs
    assert (run.id, run.iterations, run.tokens, run.model, run.pull_request) == (run_id, 1, 110, "small", 12)
    story = SqlViewing(new).story(run_id)
    assert story is not None
    assert [(line.counts, line.tokens) for line in story.iterations] == [("0 passed, 1 failed", 110)]


def test_what_was_spent_before_there_were_hours_counts_still(new: Engine) -> None:
    make_as_then(new, "0002")
    keep_as_then(new)
    now = time.time()
    with new.begin() as connection:
        connection.execute(text(f"update runs set started_at = {now}, cost_usd = 0.5"))

    migrate(new)

    assert Store(new).spent_today(repository_id=42) == 0.5


def test_a_program_of_the_version_before_goes_on_with_the_upgraded_tables(new: Engine) -> None:
    make_as_then(new, OLD[-1])
    migrate(new)

    run_id = keep_as_then(new)

    assert [run.id for run in Store(new).unfinished()] == [run_id]


def test_tables_that_are_there_keep_what_they_hold(engine: Engine, inbox: SqlInbox, store: Store) -> None:
    inbox.accept(a_trigger())

    migrate(engine)

    assert len(store.waiting()) == 1


def test_a_migration_that_fails_leaves_everything_as_it_was(new: Engine) -> None:
    make_as_then(new, OLD[0])
    with new.begin() as connection:
        connection.execute(text("create table workers (odd integer)"))

    with pytest.raises(Exception, match="workers"):
        migrate(new)

    assert set(inspect(new).get_table_names()) == {"inbox", "runs", "iterations", "answers", "workers"}
    assert "fence" not in {column["name"] for column in inspect(new).get_columns("runs")}


def test_a_database_that_a_newer_program_upgraded_is_left_alone_and_says_so(engine: Engine) -> None:
    with engine.begin() as connection:
        connection.execute(text("update alembic_version set version_num = '9999'"))

    with pytest.raises(ConfigError, match=f"newer selfcode: its schema is 9999, and this program knows {NEWEST}"):
        migrate(engine)

    with engine.begin() as connection:
        assert version_of(connection) == "9999"
        connection.execute(text(f"update alembic_version set version_num = '{NEWEST}'"))


@pytest.mark.parametrize("url", ["nonsense", "nosuchdb://here/there", "mysql+nodriver://u:secret@h/d"])
def test_a_database_address_that_means_nothing_is_the_operators_to_mend(url: str) -> None:
    with pytest.raises(ConfigError, match="SELFCODE_DATABASE_URL") as caught:
        migrate(connect(url))

    assert "secret" not in str(caught.value)
