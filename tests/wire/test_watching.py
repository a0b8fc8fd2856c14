"""Whether the service works, part by part, and the figures that are asked for when somebody looks."""

import os
import time
from collections.abc import Iterator
from pathlib import Path

import pytest
import requests
from sqlalchemy import Engine, text

from bot.errors import ConfigError
from bot.runs.beat import BEAT, BEAT_STALE_S, beat_text
from bot.runs.store import SqlInbox, Store
from bot.seen.figures import Figures, Reading
from bot.settings import Settings, read_settings
from bot.web.app import watch_pages
from bot.web.beside import served_beside
from bot.wire.database import database_of
from bot.wire.watching import PARTS, Readiness, Readings
from tests.runs.builders import a_trigger
from tests.runs.fellows import Fellow

WELL = dict.fromkeys(PARTS, "")


@pytest.fixture
def settings(tmp_path: Path) -> Settings:
    return read_settings({"SELFCODE_HOME": str(tmp_path)})


@pytest.fixture
def engine(settings: Settings) -> Iterator[Engine]:
    engine = database_of(settings)
    yield engine
    engine.dispose()


def beat(settings: Settings, text: str = "", *, seconds_ago: float = 0.0) -> None:
    """As the worker of the home does."""
    file, moment = settings.home / BEAT, time.time() - seconds_ago
    file.write_text(text)
    os.utime(file, (moment, moment))


def shown(settings: Settings, engine: Engine) -> dict[tuple[str, ...], float]:
    readings: list[Reading] = list(Readings(settings, engine, Readiness(settings, engine))())
    return {(each.name, *each.labels.values()): each.value for each in readings}


def test_all_is_well_where_a_worker_lives_and_ails_nothing(settings: Settings, engine: Engine) -> None:
    beat(settings)

    assert Readiness(settings, engine)() == WELL


@pytest.mark.parametrize("seconds_ago", [None, BEAT_STALE_S + 1])
def test_a_home_without_a_worker_and_one_whose_worker_died_are_not_ready(
    settings: Settings, engine: Engine, seconds_ago: float | None
) -> None:
    if seconds_ago is not None:
        beat(settings, seconds_ago=seconds_ago)

    problems = Readiness(settings, engine)()

    assert problems == {"database": "", "disk": "", "worker": "no worker is running: start `selfcode worker`"}


def test_workers_with_homes_of_their_own_are_known_by_the_database(tmp_path: Path, postgres_url: str) -> None:
    settings = read_settings({"SELFCODE_HOME": str(tmp_path), "SELFCODE_DATABASE_URL": postgres_url})
    database = database_of(settings)
    ann, bob = Fellow(database, "ann"), Fellow(database, "bob")
    ready = Readiness(settings, database)

    assert ready()["worker"] == ""
    for worker in (ann, bob):
        worker.workers.beat("no engine")
    assert ready()["worker"] == "no engine; no engine"
    for worker in (ann, bob):
        worker.is_silent()
    assert ready()["worker"] == "no worker is running: start `selfcode worker`"
    database.dispose()


@pytest.mark.parametrize("text", ["the sandbox: no engine", beat_text(sandbox="the sandbox: no engine", worker="")])
def test_what_the_worker_says_of_its_sandbox_counts_an_older_worker_s_words_too(
    settings: Settings, engine: Engine, text: str
) -> None:
    beat(settings, text)

    assert Readiness(settings, engine)() == WELL | {"sandbox": "the sandbox: no engine"}


def test_a_database_that_answers_and_takes_nothing_is_not_ready(settings: Settings, engine: Engine) -> None:
    beat(settings)
    with engine.begin() as connection:
        connection.execute(text("PRAGMA query_only = ON"))

    problems = Readiness(settings, engine)()

    assert "attempt to write a readonly database" in problems["database"]


def test_a_full_disk_is_told_before_the_database_runs_into_it(settings: Settings, engine: Engine) -> None:
    beat(settings)

    problems = Readiness(settings, engine, disk_least_bytes=1 << 62)()

    assert problems["disk"].endswith(f" MB are left at {settings.home}")


def test_the_figures_say_what_waits_and_which_part_is_not_ready(settings: Settings, engine: Engine) -> None:
    beat(settings, beat_text(sandbox="the sandbox: no engine"), seconds_ago=3)
    for _ in range(2):
        SqlInbox(engine).accept(a_trigger())
    Store(engine).begin_run(Store(engine).waiting()[0])

    found = shown(settings, engine)

    assert found["selfcode_waiting", "start"] == 1
    assert found["selfcode_runs_at_work",] == 1
    assert {part: found["selfcode_ready", part] for part in PARTS} == {
        "database": True,
        "disk": True,
        "worker": True,
        "sandbox": False,
    }
    assert found["selfcode_worker_beat_age_seconds",] >= 3
    assert found["selfcode_disk_free_bytes",] > 0


def test_without_its_database_the_rest_of_the_figures_is_shown(settings: Settings, engine: Engine) -> None:
    with engine.begin() as connection:
        connection.execute(text("ALTER TABLE inbox RENAME TO gone"))

    found = shown(settings, engine)

    assert found["selfcode_ready", "database"] == 0
    assert "selfcode_disk_free_bytes" in {name for name, *_ in found}
    assert "selfcode_waiting" not in {name for name, *_ in found}


def test_a_worker_serves_the_pages_that_watch_over_it_on_a_port_of_its_own(settings: Settings, engine: Engine) -> None:
    beat(settings)
    figures, ready = Figures(), Readiness(settings, engine)
    figures.run_ended("start", "proven")

    pages = watch_pages(ready=ready, figures=figures, readings=list)
    with served_beside(pages, port=0) as port:
        url = f"http://127.0.0.1:{port}"
        answers = [requests.get(f"{url}/{page}", timeout=10) for page in ("healthz", "readyz", "metrics", "webhook")]
        with pytest.raises(ConfigError, match=f"SELFCODE_METRICS_PORT: .*{port}"), served_beside(pages, port=port):
            pytest.fail("two at one port")

    assert [answer.status_code for answer in answers] == [200, 200, 200, 404]
    assert 'selfcode_runs_ended_total{kind="start",outcome="proven"} 1.0' in answers[2].text
