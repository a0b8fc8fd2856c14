"""The durable steps of runs that are forgotten: they hold what each step came to."""

from collections.abc import Collection, Iterator
from contextlib import contextmanager
from pathlib import Path

from dbos import DBOSClient
from sqlalchemy import Engine, create_engine, inspect
from sqlalchemy.exc import OperationalError

from bot.errors import Unavailable
from bot.runs.database import manners_of, with_driver
from bot.runs.engine import JsonSerializer

_SCHEMA = "dbos"


def forget_steps(url: str, run_ids: Collection[str]) -> None:
    """Remove the steps of these runs from the database of steps, if there is one. Raises `Unavailable`."""
    with steps_database(url) as engine:
        if engine is None:
            return
        client = DBOSClient(system_database_engine=engine, serializer=JsonSerializer(), retry_connection_errors=False)
        found = client.list_workflows(workflow_id_prefix=list(run_ids), load_input=False, load_output=False)
        if found:
            client.delete_workflows([each.workflow_id for each in found])
        client.destroy()


@contextmanager
def steps_database(url: str) -> Iterator[Engine | None]:
    """The database of steps, as the engine of steps has set it up; None where it never has. Raises `Unavailable`."""
    address = with_driver(url)
    is_file = address.get_backend_name() == "sqlite"
    if is_file and not Path(address.database or "").is_file():
        yield None
        return
    engine = create_engine(address, connect_args=manners_of(address))
    try:
        is_there = inspect(engine).has_table("workflow_status", schema=None if is_file else _SCHEMA)
        yield engine if is_there else None
    except OperationalError as problem:
        raise Unavailable(f"the database of steps does not answer: {problem.orig}") from problem
    finally:
        engine.dispose()
