"""The durable steps of a run are forgotten with it."""

from collections.abc import Iterator
from pathlib import Path

import pytest
from dbos import DBOS

from bot.runs.engine import Engine
from bot.runs.leases import Lease
from bot.runs.old_steps import forget_steps, steps_database
from bot.runs.steps import step
from bot.runs.store import run_id_for
from tests.runs.builders import a_trigger


@pytest.fixture
def steps_url(new_address: str) -> Iterator[str]:
    """A database of steps, with a run that has ended and another."""

    def tell(lease: Lease) -> None:
        step("fetch", lambda: f"secret of {lease.run_id}", stop=lambda: False)

    with Engine(new_address, "worker", tell) as engine:
        for run_id in ("one-run", "two-run"):
            engine.start(Lease(run_id))
        for each in DBOS.list_workflows():
            DBOS.retrieve_workflow(each.workflow_id).get_result()
        yield new_address


def kept(url: str) -> str:
    """Everything that the tables of steps hold, as text."""
    with steps_database(url) as engine:
        assert engine is not None
        schema = "" if engine.dialect.name == "sqlite" else "dbos."
        tables = ("workflow_status", "operation_outputs", "workflow_input", "workflow_output")
        with engine.connect() as connection:
            found = [connection.exec_driver_sql(f"select * from {schema}{table}").all() for table in tables]
    return str(found)


def test_what_steps_came_to_goes_while_the_engine_works_and_others_stay(steps_url: str) -> None:
    before = kept(steps_url)

    forget_steps(steps_url, ["one-run"])

    assert "secret of one-run" in before
    assert "one-run" not in kept(steps_url)
    assert "secret of two-run" in kept(steps_url)


def test_no_database_of_steps_is_made_to_forget_some(tmp_path: Path) -> None:
    forget_steps(f"sqlite:///{tmp_path / 'steps.sqlite'}", [run_id_for(a_trigger())])

    assert not (tmp_path / "steps.sqlite").exists()


def test_a_database_where_no_engine_ever_was_has_no_steps(new_postgres_url: str) -> None:
    forget_steps(new_postgres_url, [run_id_for(a_trigger())])

    with steps_database(new_postgres_url) as engine:
        assert engine is None
