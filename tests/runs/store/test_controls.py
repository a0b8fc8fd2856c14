"""What operators ask of all workers."""

from pathlib import Path

import pytest
from sqlalchemy import Engine

from bot.records import Outcome
from bot.runs.controls import Controls, Wanted
from bot.runs.store import SqlInbox, Store
from bot.runs.taking import Taking
from bot.runs.workers import Workers, badge_of
from tests.runs.builders import begun


class NoTeller:
    """Tells nothing."""

    def start(self, lease: object) -> None: ...

    def is_to_start_again(self, run_id: str) -> bool:
        return False


@pytest.fixture
def controls(engine: Engine) -> Controls:
    return Controls(engine)


def a_worker(engine: Engine, home: Path, places: int = 2) -> Workers:
    worker = Workers(engine, badge_of(home, places))
    worker.enter()
    return worker


def test_nothing_is_asked_for_at_first(controls: Controls) -> None:
    assert controls.wanted() == Wanted()
    assert not controls.resume()


def test_a_pause_lasts_from_the_first_time_that_it_is_asked_for_until_the_end_of_it(controls: Controls) -> None:
    first, second = controls.pause(10.0), controls.pause(20.0)
    paused = controls.wanted()

    assert (first, second, paused.paused_at) == (True, False, 10.0)
    assert controls.resume()
    assert not controls.wanted().is_paused


def test_what_is_to_be_cancelled_is_known_until_it_is_done(controls: Controls) -> None:
    controls.cancel("run-1", 1.0)
    controls.cancel("run-1", 2.0)
    controls.cancel("run-2", 3.0)
    controls.cancelled("run-1")

    controls.cancel("run-3", 4.0, "stopped by mona")

    assert controls.wanted().cancelled == {"run-2": "cancelled by the operator", "run-3": "stopped by mona"}


def test_an_order_to_forget_is_no_business_of_these(controls: Controls, engine: Engine) -> None:
    controls._keep("forget repository 7", 1.0)

    assert controls.wanted() == Wanted()


def test_a_worker_that_drains_takes_nothing_on_and_gives_its_places_away(
    controls: Controls, engine: Engine, tmp_path: Path
) -> None:
    worker = a_worker(engine, tmp_path)
    before = worker.places()
    names = controls.drain()

    assert names == [worker.badge.name]
    assert (before, worker.places()) == (2, 0)
    assert (worker.takes_on(), worker.drains()) == (False, True)
    assert [each.drains for each in controls.workers()] == [True]


def test_one_worker_is_drained_by_its_name_and_one_that_is_gone_by_none(
    controls: Controls, engine: Engine, tmp_path: Path
) -> None:
    worker = a_worker(engine, tmp_path)
    nobody, by_id = controls.drain("nobody:1"), controls.drain(worker.badge.id[:8])
    worker.leave()

    assert (nobody, by_id) == ([], [worker.badge.name])
    assert controls.drain(worker.badge.name) == []
    assert [each.is_alive for each in controls.workers()] == [False]


def test_a_worker_that_drains_may_be_asked_to_go_on(controls: Controls, engine: Engine, tmp_path: Path) -> None:
    worker = a_worker(engine, tmp_path)
    controls.drain()

    assert controls.resume()
    assert worker.takes_on()


def test_a_worker_that_drains_is_done_once_its_runs_have_ended(
    controls: Controls, engine: Engine, inbox: SqlInbox, store: Store, tmp_path: Path
) -> None:
    taking = Taking(engine, a_worker(engine, tmp_path), NoTeller())
    first = begun(store, inbox)
    taking.turn()
    controls.drain()
    second = begun(store, inbox)
    taking.turn()
    with_a_run = taking.is_done
    store.finish(first, Outcome.PROVEN, "")
    taking.turn()

    assert (with_a_run, taking.is_done) == (False, True)
    assert store.run(second).worker_id is None


def test_a_worker_that_is_idle_is_done_at_no_ones_word_but_the_operators(engine: Engine, tmp_path: Path) -> None:
    taking = Taking(engine, a_worker(engine, tmp_path), NoTeller())
    taking.turn()

    assert not taking.is_done
