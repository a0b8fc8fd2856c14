"""`selfcode purge` forgets a repository, an installation, or what is old."""

import json
from pathlib import Path

import pytest
from click.testing import CliRunner, Result
from sqlalchemy import Engine

from bot.cli import commands
from bot.records import Outcome, RepositoryRef
from bot.runs.store import SqlInbox, Store
from tests.runs.builders import a_database_at, a_trigger, an_issue_ref, begun, database_url


@pytest.fixture(params=["sqlite", "postgresql"])
def address(request: pytest.FixtureRequest, tmp_path: Path) -> str:
    return database_url(tmp_path) if request.param == "sqlite" else str(request.getfixturevalue("postgres_url"))


@pytest.fixture
def settings(address: str, tmp_path: Path) -> dict[str, str]:
    return {"SELFCODE_HOME": str(tmp_path), "SELFCODE_DATABASE_URL": address, "SELFCODE_SANDBOX": "process"}


def purge(settings: dict[str, str], *arguments: str) -> Result:
    return CliRunner().invoke(commands, ["purge", *arguments, "--json"], env=settings)


def a_run(engine: Engine, name: str, repository: int, *, installation: int = 1, is_over: bool = True) -> str:
    store, inbox = Store(engine), SqlInbox(engine)
    issue = an_issue_ref()
    ref = RepositoryRef(installation, repository, *name.split("/"))
    run_id = begun(store, inbox, a_trigger(issue=type(issue)(ref, 7)))
    if is_over:
        store.finish(run_id, Outcome.PROVEN, "")
    return run_id


def kept(engine: Engine, *run_ids: str) -> list[bool]:
    return [bool(Store(engine).run_ids(run_id)) for run_id in run_ids]


def test_a_repository_is_forgotten_by_its_name_with_its_mirror(
    address: str, settings: dict[str, str], tmp_path: Path
) -> None:
    (tmp_path / "mirrors" / "1-42.git").mkdir(parents=True)
    with a_database_at(address) as engine:
        runs = [a_run(engine, "octo/cat", 42), a_run(engine, "octo/dog", 43)]

        done = purge(settings, "Octo/Cat")

        assert kept(engine, *runs) == [False, True]
    assert (done.exit_code, json.loads(done.stdout)) == (
        0,
        {"outcome": "forgotten", "runs": 1, "requests": 1, "at_work": 0},
    )
    assert not (tmp_path / "mirrors" / "1-42.git").exists()


def test_an_installation_is_forgotten_by_its_number(address: str, settings: dict[str, str]) -> None:
    with a_database_at(address) as engine:
        runs = [a_run(engine, "octo/cat", 42), a_run(engine, "hub/dog", 43, installation=2)]

        done = purge(settings, "--installation", "2")

        assert kept(engine, *runs) == [True, False]
    assert "Forgotten: 1 runs, 1 requests." in done.stderr


def test_what_is_at_work_is_asked_to_stop_and_said_to_go_later(address: str, settings: dict[str, str]) -> None:
    with a_database_at(address) as engine:
        run_id = a_run(engine, "octo/cat", 42, is_over=False)

        done = purge(settings, "octo/cat")

        assert Store(engine).stop_because(run_id) == "forgotten by the operator"
    assert "1 runs were asked to stop; a worker forgets them within a minute of their end." in done.stderr


def test_what_ended_long_ago_is_forgotten_by_its_age(address: str, settings: dict[str, str]) -> None:
    with a_database_at(address) as engine:
        run_id = a_run(engine, "octo/cat", 42)

        young = json.loads(purge(settings, "--older-than", "1").stdout)
        all_of_it = json.loads(purge(settings, "--older-than", "0").stdout)

        assert kept(engine, run_id) == [False]
    assert (young["runs"], all_of_it["runs"]) == (0, 1)


def test_what_is_no_number_of_days_forgets_nothing(address: str, settings: dict[str, str]) -> None:
    with a_database_at(address) as engine:
        run_id = a_run(engine, "octo/cat", 42)

        done = purge(settings, "--older-than", "nan")

        assert kept(engine, run_id) == [True]
    assert done.exit_code == 2


@pytest.mark.parametrize(
    ("named", "told"),
    [
        (("octo/none",), "Nothing is kept of a repository octo/none."),
        (("--installation", "999"), "Nothing is kept of an installation 999."),
    ],
)
def test_what_nothing_is_kept_of_is_told_so(
    address: str, settings: dict[str, str], named: tuple[str, ...], told: str
) -> None:
    with a_database_at(address):
        done = purge(settings, *named)

    assert (done.exit_code, done.stdout) == (2, "")
    assert told in done.stderr


def test_where_there_is_no_database_none_is_made(tmp_path: Path) -> None:
    done = CliRunner().invoke(commands, ["purge", "octo/cat"], env={"SELFCODE_HOME": str(tmp_path / "home")})

    assert done.exit_code == 2
    assert not (tmp_path / "home").exists()
