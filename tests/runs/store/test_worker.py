"""What a worker holds on to, and what it leaves to others."""

import threading
from pathlib import Path

import pytest
from sqlalchemy import Engine

from bot.runs.beat import STUCK_S, Pulse
from bot.runs.database import connect
from bot.runs.deciding import AtOnce
from bot.runs.offices import DISPATCH
from bot.runs.store import SqlInbox, Store
from bot.runs.worker import Worker
from tests.github.fake import FakeGitHub
from tests.runs.builders import a_house, begun
from tests.runs.fellows import Fellow

among_several = pytest.mark.parametrize("address", ["postgresql"], indirect=True)


def worker_of(fellow: Fellow, home: Path) -> Worker:
    return Worker(
        house=a_house(Store(fellow.engine), FakeGitHub(), home),
        database=fellow.engine,
        steps_url="",
        workers=fellow.workers,
        offices=fellow.offices,
        allowed_owners=frozenset(),
        at_once=AtOnce(),
        pulse=Pulse(fellow.clock),
    )


def renews_once(worker: Worker, fellow: Fellow) -> None:
    at_its_end = threading.Event()
    at_its_end.set()
    worker._renew(fellow.taking, at_its_end)


@among_several
def test_a_worker_that_is_stuck_keeps_its_runs_and_leaves_what_it_does_for_all(
    engine: Engine, store: Store, inbox: SqlInbox, tmp_path: Path
) -> None:
    ann, bob = Fellow(engine, "ann"), Fellow(engine, "bob")
    worker, run = worker_of(ann, tmp_path), begun(store, inbox)
    ann.takes()
    ann.offices.hold(DISPATCH)
    ann.is_silent()
    renews_once(worker, ann)
    assert not bob.offices.has(DISPATCH)

    ann.clock.now += STUCK_S
    ann.is_silent()
    renews_once(worker, ann)

    assert bob.offices.has(DISPATCH)
    assert bob.takes() == []
    assert store.run(run).worker_id == "ann"


@among_several
def test_a_worker_whose_database_is_away_goes_on_and_renews_later(engine: Engine, tmp_path: Path) -> None:
    ann = Fellow(engine, "ann")
    ann.taking.engine = cut_off = connect("postgresql://selfcode@/selfcode?host=/nowhere")

    renews_once(worker_of(ann, tmp_path), ann)

    cut_off.dispose()
