"""Several processes at one database, at the same time."""

import json
import subprocess
import sys
from collections.abc import Iterator, Sequence
from contextlib import ExitStack
from typing import Any

import pytest
from sqlalchemy import Engine, inspect

from bot.runs.database import connect
from bot.runs.store import SqlInbox, Store
from bot.runs.tables import metadata
from tests.runs.builders import begun
from tests.runs.contender import EACH, a_start

PROCESSES = 4


@pytest.fixture(scope="module")
def contenders() -> Iterator[Sequence[subprocess.Popen[str]]]:
    """Processes that do the same thing at the same time."""
    with ExitStack() as stack:
        processes = [
            stack.enter_context(
                subprocess.Popen(
                    [sys.executable, "-m", "tests.runs.contender", f"process-{number}"],
                    stdin=subprocess.PIPE,
                    stdout=subprocess.PIPE,
                    text=True,
                )
            )
            for number in range(PROCESSES)
        ]
        assert [process.stdout.readline() for process in processes if process.stdout] == ["ready\n"] * PROCESSES
        yield processes


def all_at_once(contenders: Sequence[subprocess.Popen[str]], what: str, address: str) -> list[Any]:
    """What each of them answered."""
    for process in contenders:
        assert process.stdin
        process.stdin.write(f"{what} {address}\n")
        process.stdin.flush()
    return [json.loads(process.stdout.readline()) for process in contenders if process.stdout]


def test_the_same_triggers_at_several_processes_at_once_are_accepted_once_each(
    contenders: Sequence[subprocess.Popen[str]], address: str, engine: Engine
) -> None:
    answers = all_at_once(contenders, "accept", address)

    shared = [receipt for shared, _ in answers for receipt in shared]
    own = [receipt for _, own in answers for receipt in own]
    assert (shared.count("accepted"), shared.count("duplicate")) == (EACH, EACH * (PROCESSES - 1))
    assert own == ["accepted"] * EACH * PROCESSES
    assert len(Store(engine).waiting()) == EACH * (1 + PROCESSES)


def test_several_dispatchers_begin_each_run_once(
    contenders: Sequence[subprocess.Popen[str]], address: str, inbox: SqlInbox, store: Store
) -> None:
    for number in range(1, EACH + 1):
        inbox.accept(a_start(f"shared:{number}", number))

    answers = all_at_once(contenders, "begin", address)

    assert all(ids == answers[0] for ids in answers)
    assert sorted(run.id for run in store.unfinished()) == sorted(answers[0])


def test_facts_kept_at_the_same_time_are_all_kept(
    contenders: Sequence[subprocess.Popen[str]], address: str, inbox: SqlInbox, store: Store
) -> None:
    run_id = begun(store, inbox)

    all_at_once(contenders, "learn", address)

    assert len(store.facts(run_id)) == EACH * PROCESSES


def test_several_processes_may_create_the_tables_at_once(
    contenders: Sequence[subprocess.Popen[str]], new_address: str
) -> None:
    all_at_once(contenders, "create", new_address)

    engine = connect(new_address)
    assert set(inspect(engine).get_table_names()) >= set(metadata.tables)
    engine.dispose()
