"""`selfcode queue` shows what waits and what is at work, and takes the operator's word on it."""

import json
from pathlib import Path
from typing import Any

import pytest
from click.testing import CliRunner, Result
from sqlalchemy import Engine

from bot.cli import commands
from bot.records import OPERATOR, Outcome, Trigger, TriggerKind
from bot.runs.controls import Controls
from bot.runs.store import SqlInbox, Store, run_id_for
from bot.runs.taking import Taking
from bot.runs.workers import Workers, badge_of
from tests.runs.builders import a_database_at, a_trigger, an_issue_ref, begun, database_url
from tests.runs.store.test_controls import NoTeller

DOCTOR, RENEW = TriggerKind.DOCTOR, TriggerKind.RENEW


@pytest.fixture(params=["sqlite", "postgresql"])
def address(request: pytest.FixtureRequest, tmp_path: Path) -> str:
    return database_url(tmp_path) if request.param == "sqlite" else str(request.getfixturevalue("postgres_url"))


@pytest.fixture
def settings(address: str, tmp_path: Path) -> dict[str, str]:
    return {"SELFCODE_HOME": str(tmp_path), "SELFCODE_DATABASE_URL": address, "SELFCODE_SANDBOX": "process"}


def queue(settings: dict[str, str], *arguments: str) -> Result:
    return CliRunner().invoke(commands, ["queue", *arguments], env=settings)


def told(settings: dict[str, str], *arguments: str) -> Any:
    done = queue(settings, *arguments, "--json")
    assert done.exit_code == 0, done.output
    return json.loads(done.stdout)


def waits(engine: Engine, number: int = 8, **changed: Any) -> Trigger:
    trigger = a_trigger(issue=an_issue_ref(number), **changed)
    SqlInbox(engine).accept(trigger)
    return trigger


def a_worker(engine: Engine, home: Path, places: int = 1) -> Workers:
    """One that has taken up what has begun."""
    worker = Workers(engine, badge_of(home, places))
    worker.enter()
    Taking(engine, worker, NoTeller()).turn()
    return worker


def test_what_is_at_work_and_what_waits_is_shown_with_where_and_why(
    address: str, settings: dict[str, str], tmp_path: Path
) -> None:
    with a_database_at(address) as engine:
        run_id = begun(Store(engine), SqlInbox(engine))
        worker = a_worker(engine, tmp_path)
        same_issue, other = waits(engine, 7, kind=TriggerKind.RETRY), waits(engine)
        shown = told(settings)
        text = queue(settings).stdout

    (at_work,), waiting = shown["at_work"], {entry["id"]: entry for entry in shown["waiting"]}
    assert (at_work["id"], at_work["worker"], at_work["number"]) == (run_id, worker.badge.name, 7)
    assert waiting[run_id_for(same_issue)]["why"] == f"run {run_id} is at work on it"
    assert waiting[run_id_for(same_issue)]["place"] is None
    found = waiting[run_id_for(other)]
    assert (found["place"], found["why"], found["key"]) == (1, "all places are taken", other.key)
    assert (found["account"], found["repository"], found["kind"]) == ("octo", "octo/repository-42", "start")
    assert f"worker {worker.badge.name}: 1 of 1 places taken" in text
    assert f"  {run_id_for(other)}  #1  octo/repository-42#8  start" in text


@pytest.mark.parametrize(
    ("name", "why"),
    [
        ("SELFCODE_RUNS_AT_ONCE_REPOSITORY", "its repository has as many runs at work as it may"),
        ("SELFCODE_RUNS_AT_ONCE_INSTALLATION", "its account has as many runs at work as it may"),
        ("SELFCODE_RUNS_AT_ONCE_ALL", "all places are taken"),
        ("SELFCODE_LABEL", ""),
    ],
)
def test_which_limit_keeps_something_waiting_is_said(
    address: str, settings: dict[str, str], tmp_path: Path, name: str, why: str
) -> None:
    with a_database_at(address) as engine:
        begun(Store(engine), SqlInbox(engine))
        a_worker(engine, tmp_path, places=4)
        waits(engine)

        assert told(settings | {name: "1"})["waiting"][0]["why"] == why


def test_without_a_worker_it_is_said_that_there_is_none(address: str, settings: dict[str, str]) -> None:
    with a_database_at(address) as engine:
        waits(engine)
        waits(engine, kind=TriggerKind.STATUS)

        shown, text = told(settings), queue(settings).stdout

    assert [entry["why"] for entry in shown["waiting"]] == ["no worker is alive"] * 2
    assert text.startswith("No worker is alive")


def test_a_long_queue_is_shown_to_a_length_that_can_be_read(address: str, settings: dict[str, str]) -> None:
    with a_database_at(address) as engine:
        for number in range(103):
            waits(engine, number)

        some, whole = queue(settings).stdout, queue(settings, "--all").stdout

    assert "… and 3 more (--all)" in some
    assert len(whole.splitlines()) == len(some.splitlines()) + 2


def test_what_waits_is_cancelled_by_its_key_or_by_the_beginning_of_its_runs_id(
    address: str, settings: dict[str, str]
) -> None:
    with a_database_at(address) as engine:
        by_key, by_run = waits(engine, 1), waits(engine, 2)
        told(settings, "cancel", by_key.key)
        told(settings, "cancel", run_id_for(by_run)[:10])

        assert Controls(engine).wanted().cancelled.keys() == {run_id_for(by_key), run_id_for(by_run)}
        assert {entry["why"] for entry in told(settings)["waiting"]} == {"is being cancelled"}


def test_what_is_at_work_is_stopped_at_once(address: str, settings: dict[str, str]) -> None:
    with a_database_at(address) as engine:
        run_id = begun(Store(engine), SqlInbox(engine))

        assert told(settings, "cancel", run_id) == {"outcome": "cancelled", "run": run_id}
        assert Store(engine).stop_because(run_id) == "cancelled by the operator"
        assert told(settings)["at_work"][0]["why"] == "stops: cancelled by the operator"


@pytest.mark.parametrize("command", ["cancel", "retry"])
def test_a_name_that_is_nothing_or_several_things_is_refused(
    address: str, settings: dict[str, str], command: str
) -> None:
    with a_database_at(address) as engine:
        for _ in range(20):
            begun(Store(engine), SqlInbox(engine))

        nothing, several = queue(settings, command, "no-such-run"), queue(settings, command, "")

    assert (nothing.exit_code, several.exit_code) == (2, 2)
    assert "Nothing of the name no-such-run" in nothing.stderr
    assert "give more of it" in several.stderr


def test_an_ended_run_is_asked_for_again_once_with_the_words_that_it_had(
    address: str, settings: dict[str, str]
) -> None:
    with a_database_at(address) as engine:
        hinted = a_trigger(TriggerKind.RETRY, text="mind the BOM")
        run_id = begun(Store(engine), SqlInbox(engine), hinted)
        Store(engine).finish(run_id, Outcome.ERROR, "")
        first, second = told(settings, "retry", run_id[:8]), told(settings, "retry", run_id)

        (again,) = [each.trigger for each in Store(engine).waiting()]
    assert (first["outcome"], second["outcome"]) == ("queued", "known")
    assert first["run"] == second["run"] == run_id_for(again)
    assert (again.kind, again.sender, again.issue) == (TriggerKind.RETRY, OPERATOR, hinted.issue)
    assert (again.text, again.because) == ("mind the BOM", "retry by the operator")


def test_an_examination_is_one_again_and_a_proof_is_not_taken_from_here(address: str, settings: dict[str, str]) -> None:
    with a_database_at(address) as engine:
        runs = {kind: begun(Store(engine), SqlInbox(engine), a_trigger(kind)) for kind in (DOCTOR, RENEW)}
        for run_id in runs.values():
            Store(engine).finish(run_id, Outcome.ERROR, "")
        told(settings, "retry", runs[DOCTOR])
        refused = queue(settings, "retry", runs[RENEW])

        assert [each.trigger.kind for each in Store(engine).waiting()] == [DOCTOR]
    assert refused.exit_code == 2
    assert "“Re-run” on the check" in refused.stderr


def test_a_run_that_has_not_ended_is_not_asked_for_again(address: str, settings: dict[str, str]) -> None:
    with a_database_at(address) as engine:
        run_id = begun(Store(engine), SqlInbox(engine))
        refused = queue(settings, "retry", run_id)

        assert Store(engine).waiting() == []
    assert refused.exit_code == 2
    assert "has not ended" in refused.stderr


def test_a_pause_is_shown_and_ends_when_it_is_told_to(address: str, settings: dict[str, str]) -> None:
    with a_database_at(address) as engine:
        waits(engine)
        assert told(settings, "pause") == {"outcome": "paused"}
        assert "already" in queue(settings, "pause").stderr
        paused, text = told(settings), queue(settings).stdout
        told(settings, "resume")

        assert told(settings)["paused_at"] is None
    assert paused["paused_at"] is not None
    assert [entry["why"] for entry in paused["waiting"]] == ["new runs are paused"]
    assert "nothing new begins until `selfcode queue resume`" in text


def test_workers_are_drained_by_name_or_all_and_shown_so(
    address: str, settings: dict[str, str], tmp_path: Path
) -> None:
    with a_database_at(address) as engine:
        worker = a_worker(engine, tmp_path)
        waits(engine)
        by_name = told(settings, "drain", worker.badge.name)
        shown = told(settings)

        assert worker.drains()
    assert by_name == {"outcome": "draining", "workers": [worker.badge.name]}
    assert [entry["why"] for entry in shown["waiting"]] == ["every worker drains"]
    assert "drains: it ends" in queue(settings).stdout


def test_where_no_such_worker_is_alive_it_is_said(address: str, settings: dict[str, str]) -> None:
    with a_database_at(address):
        alone, named = queue(settings, "drain"), queue(settings, "drain", "elsewhere:1")

    assert (alone.exit_code, named.exit_code) == (2, 2)
    assert "No worker elsewhere:1 is alive." in named.stderr


def test_where_there_is_no_database_none_is_made(tmp_path: Path) -> None:
    done = CliRunner().invoke(commands, ["queue"], env={"SELFCODE_HOME": str(tmp_path / "home")})

    assert done.exit_code == 2
    assert not (tmp_path / "home").exists()
