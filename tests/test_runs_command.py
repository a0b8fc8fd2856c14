"""`selfcode runs` lists runs, and `selfcode trace` follows one that has not ended."""

import json
import os
import signal
import subprocess
import sys
from collections import Counter
from collections.abc import Iterator
from pathlib import Path

import pytest
from click.testing import CliRunner, Result
from sqlalchemy import Engine, update

from bot.cli import commands
from bot.records import HappeningKind, Outcome, Progress, Spend, Task, dump
from bot.runs.happenings import Happenings
from bot.runs.leases import Nothing
from bot.runs.store import SqlInbox, Store, run_id_for
from bot.runs.tables import runs
from bot.runs.transactions import transaction
from tests.runs.builders import STRANGER, a_database, a_trigger, an_issue_ref, an_iteration, begun


@pytest.fixture
def engine(tmp_path: Path) -> Iterator[Engine]:
    with a_database(tmp_path) as engine:
        yield engine


def selfcode(home: Path, *arguments: str) -> Result:
    return CliRunner().invoke(commands, arguments, env={"SELFCODE_HOME": str(home), "SELFCODE_DATABASE_URL": ""})


def listed(home: Path, *arguments: str) -> list[str]:
    done = selfcode(home, "runs", *arguments, "--json")
    assert done.exit_code == 0, done.output
    return [run["id"] for run in json.loads(done.stdout)["runs"]]


def a_solved_run(engine: Engine, number: int = 7) -> str:
    store = Store(engine)
    run_id = begun(store, SqlInbox(engine), a_trigger(issue=an_issue_ref(number)))
    store.learn(run_id, task=dump(Task("Totals are\x1b[2J too small", "…")))
    store.keep_progress(run_id, Progress((an_iteration(),), Spend(1, 100, 10, 0.25, 3.5)))
    store.learn(run_id, pull_request=12)
    store.finish(run_id, Outcome.PROVEN, "")
    return run_id


def test_a_run_is_a_line_that_says_how_it_stands_and_what_it_has_cost(engine: Engine, tmp_path: Path) -> None:
    run_id = a_solved_run(engine)

    head, line, _, below = selfcode(tmp_path, "runs").stdout.splitlines()

    assert head.startswith("run ")
    assert line.startswith(f"{run_id}  Proven         octo/repository-42#7  grace ")
    assert line.endswith("1           110 tokens, USD 0.25  #12 open      Totals are too small")
    assert below == "1 run, USD 0.25 together"


def test_runs_are_chosen_as_on_the_page(engine: Engine, tmp_path: Path) -> None:
    solved = a_solved_run(engine)
    working = begun(Store(engine), SqlInbox(engine), a_trigger(issue=an_issue_ref(8, repository=43), sender=STRANGER))
    with transaction(engine) as connection:
        connection.execute(update(runs).where(runs.c.id == solved).values(started_at=1_700_000_000.0))

    assert listed(tmp_path) == [working, solved]
    assert listed(tmp_path, "--state", "ended") == listed(tmp_path, "--outcome", "proven") == [solved]
    assert listed(tmp_path, "--repository", "octo/repository-43") == listed(tmp_path, "--who", "@mallory") == [working]
    assert listed(tmp_path, "--since", "2024-01-01") == listed(tmp_path, "-n", "1") == [working]
    assert "2 runs, USD 0.25 together; 1 more of them" in selfcode(tmp_path, "runs", "-n", "1").stdout
    assert "No run is kept that fits." in selfcode(tmp_path, "runs", "--state", "held").stdout


def test_without_a_database_it_is_said_what_names_it(tmp_path: Path) -> None:
    done = selfcode(tmp_path, "runs")

    assert (done.exit_code, done.stdout) == (2, "")
    assert "SELFCODE_HOME says where" in done.stderr


def test_the_queue_names_what_ended_last(engine: Engine, tmp_path: Path) -> None:
    run_id = a_solved_run(engine)

    text, told = selfcode(tmp_path, "queue").stdout, json.loads(selfcode(tmp_path, "queue", "--json").stdout)

    assert "Ended last (all of them: `selfcode runs`):" in text
    assert f"  {run_id}  Proven  octo/repository-42#7" in text
    assert [run["id"] for run in told["ended"]] == [run_id]


@pytest.mark.parametrize(
    "arguments",
    [["runs"], ["queue"], ["queue", "pause"], ["queue", "resume"], ["purge", "--older-than", "1"]],
    ids=" ".join,
)
def test_a_result_is_one_object_on_one_line_that_begins_with_its_outcome(
    engine: Engine, tmp_path: Path, arguments: list[str]
) -> None:
    done = selfcode(tmp_path, *arguments, "--json")

    (line,) = done.stdout.splitlines()
    assert next(iter(json.loads(line))) == "outcome"


# --- Following


FOREGROUND = (
    "import signal, sys\n"
    "signal.signal(signal.SIGINT, signal.default_int_handler)\n"  # a shell's background jobs ignore it
    "from bot.cli import main\n"
    "sys.exit(main())\n"
)


def following(home: Path, name: str, *arguments: str) -> "subprocess.Popen[str]":
    environment = {"PATH": os.environ["PATH"], "HOME": str(home), "SELFCODE_HOME": str(home), "PYTHONUNBUFFERED": "1"}
    return subprocess.Popen(
        [sys.executable, "-c", FOREGROUND, "trace", name, *arguments],
        env=environment,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
    )


def line_with(words: str, process: "subprocess.Popen[str]") -> str:
    """Read until there is one."""
    assert process.stdout
    return next(line for line in process.stdout if words in line)


def test_a_run_is_followed_from_the_queue_to_its_end_and_its_calls_shown_then(engine: Engine, tmp_path: Path) -> None:
    store, told, trigger = Store(engine), Happenings(engine, Nothing()), a_trigger()
    SqlInbox(engine).accept(trigger)
    run_id = run_id_for(trigger)

    with following(tmp_path, run_id[:8]) as process:
        waits = line_with("in the queue", process)
        store.begin_run(store.waiting()[-1])
        told.keep(run_id, HappeningKind.BEGAN, "baseline")
        began = line_with("baseline", process)
        told.keep(run_id, HappeningKind.TOLD, "on the base: 3 passed\x1b[2J")
        told.keep(run_id, HappeningKind.DONE, "baseline")
        done = line_with("✓ baseline", process)
        store.keep_progress(run_id, Progress((an_iteration(),), Spend(1, 100, 10, 0.25, 3.5)))
        store.finish(run_id, Outcome.PROVEN, "")
        told.keep(run_id, HappeningKind.ENDED, "proven")
        rest, _ = process.communicate(timeout=60)

    assert "no worker is alive" in waits
    assert began == "   0.0 s  ▸ baseline\n"
    assert "✓ baseline (" in done
    assert "■ Proven" in rest
    assert "iteration 1" in rest
    assert "\x1b" not in rest
    assert process.returncode == 0


def test_who_leaves_a_run_lets_it_go_on(engine: Engine, tmp_path: Path) -> None:
    run_id = begun(Store(engine), SqlInbox(engine))
    Happenings(engine, Nothing()).keep(run_id, HappeningKind.BEGAN, "baseline")

    with following(tmp_path, run_id) as process:
        line_with("baseline", process)
        process.send_signal(signal.SIGINT)
        _, err = process.communicate(timeout=60)

    assert (process.returncode, err) == (130, "")
    assert Store(engine).unfinished()[0].id == run_id


@pytest.mark.parametrize("arguments", [["--no-follow"], ["--json"], ["--prompts"]])
def test_what_there_is_by_now_is_shown_where_nobody_wants_to_wait(
    engine: Engine, tmp_path: Path, arguments: list[str]
) -> None:
    store = Store(engine)
    run_id = begun(store, SqlInbox(engine))
    store.keep_progress(run_id, Progress((an_iteration(),), Spend(1, 100, 10, 0.25, 3.5)))

    done = selfcode(tmp_path, "trace", run_id, *arguments)

    assert done.exit_code == 0
    assert "iteration 1" in done.stdout


def test_a_run_that_there_is_not_or_that_may_be_several_is_not_followed(engine: Engine, tmp_path: Path) -> None:
    nothing = selfcode(tmp_path, "trace", "nothing")
    ids = [begun(Store(engine), SqlInbox(engine), a_trigger(issue=an_issue_ref(number))) for number in range(17)]
    ((shared, _),) = Counter(run_id[0] for run_id in ids).most_common(1)
    several = selfcode(tmp_path, "trace", shared)

    assert (nothing.exit_code, several.exit_code) == (2, 2)
    assert "`selfcode runs` lists them" in nothing.stderr
    assert "Several runs begin with" in several.stderr
