"""Backup and restore, with the very commands of docs/operations.md, while the database is in use."""

import os
import re
import subprocess
from pathlib import Path

import pytest
from dbos import DBOS

from bot.records import Receipt
from bot.runs.engine import Engine as Steps
from bot.runs.leases import Lease
from bot.runs.old_steps import steps_database
from bot.runs.steps import step
from bot.runs.store import SqlInbox, Store
from bot.settings import Settings, read_settings
from bot.wire.database import database_of
from tests.runs.builders import a_trigger, begun

DOCS = Path(__file__).parents[3] / "docs" / "operations.md"


def run_commands(word: str, settings: Settings, backup: Path) -> None:
    """Run the block of commands in the docs in which the word stands, as an operator would."""
    section = DOCS.read_text(encoding="utf-8").partition("## Back up and restore")[2].partition("\n## ")[0]
    (found,) = [block for block in re.findall(r"```sh\n(.*?)```", section, re.DOTALL) if word in block]
    environment = {
        "PATH": os.environ["PATH"],
        "SELFCODE_HOME": str(settings.home),
        "SELFCODE_DATABASE_URL": settings.database_url or "",
        "BACKUP": str(backup),
    }
    done = subprocess.run(["sh", "-euc", found], env=environment, check=False, capture_output=True, text=True)
    assert done.returncode == 0, done.stderr


def do_a_step(settings: Settings, words: str) -> None:
    """Let a run's step come to these words."""
    with Steps(
        settings.workflow_database, "worker", lambda _: step("first", lambda: words, stop=lambda: False)
    ) as steps:
        steps.start(Lease(words))
        for each in DBOS.list_workflows():
            DBOS.retrieve_workflow(each.workflow_id).get_result()


def steps_in(settings: Settings) -> str:
    with steps_database(settings.workflow_database) as engine:
        assert engine is not None
        schema = "" if engine.dialect.name == "sqlite" else "dbos."
        with engine.connect() as connection:
            return str(connection.exec_driver_sql(f"select * from {schema}operation_outputs").all())


def is_whole_again(settings: Settings, save: str, restore: str, backup: Path) -> None:
    """What there was at the backup is there after the restore, and nothing of what came later."""
    backup.mkdir()
    settings.home.mkdir(exist_ok=True)
    engine = database_of(settings)
    store, inbox = Store(engine), SqlInbox(engine)
    before, later = a_trigger(), a_trigger()
    run_id = begun(store, inbox, before)
    do_a_step(settings, "before")

    with engine.connect() as reader:  # somebody is at work with it
        reader.exec_driver_sql("select * from runs").all()
        run_commands(save, settings, backup)
    later_id = begun(store, inbox, later)
    do_a_step(settings, "later")
    engine.dispose()
    run_commands(restore, settings, backup)

    engine = database_of(settings)
    store, inbox = Store(engine), SqlInbox(engine)
    assert (store.run_ids(run_id), store.run_ids(later_id)) == ([run_id], [])
    assert (inbox.accept(before), inbox.accept(later)) == (Receipt.DUPLICATE, Receipt.ACCEPTED)
    assert "before" in (kept := steps_in(settings))
    assert "later" not in kept
    do_a_step(settings, "again")
    engine.dispose()


def test_files_of_sqlite_are_saved_and_put_back(tmp_path: Path) -> None:
    settings = read_settings({"SELFCODE_HOME": str(tmp_path / "home")})

    is_whole_again(settings, ".backup(", "rm -f", tmp_path / "backup")


def test_a_database_of_postgresql_is_saved_and_put_back(tmp_path: Path, new_postgres_url: str) -> None:
    home = str(tmp_path / "home")
    settings = read_settings({"SELFCODE_HOME": home, "SELFCODE_DATABASE_URL": new_postgres_url})

    is_whole_again(settings, "pg_dump", "pg_restore", tmp_path / "backup")


@pytest.mark.parametrize("word", [".backup(", "rm -f", "pg_dump", "pg_restore"])
def test_each_command_stands_in_the_docs_once(word: str) -> None:
    text = DOCS.read_text(encoding="utf-8")

    assert len([block for block in re.findall(r"```sh\n(.*?)```", text, re.DOTALL) if word in block]) == 1
