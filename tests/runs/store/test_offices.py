"""What one worker at a time does for all, and how much room all of them have."""

import pytest
from sqlalchemy import Engine, update

from bot.errors import Unavailable
from bot.runs.offices import DISPATCH, HOUSE
from bot.runs.store import SqlInbox, Store
from bot.runs.tables import workers
from tests.runs.builders import a_trigger
from tests.runs.fellows import Fellow

among_several = pytest.mark.parametrize("address", ["postgresql"], indirect=True)
alone = pytest.mark.parametrize("address", ["sqlite"], indirect=True)


@among_several
def test_an_office_is_one_workers_until_it_is_silent(engine: Engine) -> None:
    ann, bob = Fellow(engine, "ann"), Fellow(engine, "bob")

    assert (ann.offices.has(DISPATCH), bob.offices.has(DISPATCH), bob.offices.has(HOUSE)) == (True, False, True)
    ann.is_silent()
    ann.offices.renew()
    assert not bob.offices.has(DISPATCH)
    ann.is_silent()
    assert bob.offices.has(DISPATCH)
    assert not ann.offices.has(DISPATCH)


def test_an_office_that_is_left_is_anothers_at_once(engine: Engine) -> None:
    ann, bob = Fellow(engine, "ann"), Fellow(engine, "bob")
    ann.offices.hold(DISPATCH)

    ann.offices.leave()

    assert bob.offices.has(DISPATCH)


@alone
def test_the_next_worker_of_a_sqlite_home_has_every_office_at_once(engine: Engine) -> None:
    Fellow(engine, "ann").offices.hold(DISPATCH)

    assert Fellow(engine, "bob").offices.has(DISPATCH)


def test_a_dispatcher_that_has_lost_its_office_begins_and_settles_nothing(
    engine: Engine, store: Store, inbox: SqlInbox
) -> None:
    ann, bob = Fellow(engine, "ann"), Fellow(engine, "bob")
    office = ann.offices.hold(DISPATCH)
    assert office is not None
    inbox.accept(a_trigger())
    (waiting,) = store.waiting()
    ann.offices.leave()
    bob.offices.hold(DISPATCH)
    late = store.holding(office)

    begin, settle = lambda: late.begin_run(waiting), lambda: late.shelves.settle([waiting.seq], "dropped")
    for write in (begin, settle, late.require_held):
        with pytest.raises(Unavailable, match="another worker does the dispatch by now"):
            write()

    assert store.waiting() == [waiting]
    assert not store.unfinished()


@among_several
def test_there_are_as_many_places_as_workers_have_that_live_and_take_runs_on(engine: Engine) -> None:
    ann, bob, cyd = (Fellow(engine, name, places=places) for name, places in (("ann", 2), ("bob", 3), ("cyd", 5)))
    assert ann.workers.places() == 10

    cyd.is_silent()
    assert ann.workers.places() == 5

    bob.workers.beat("no engine")
    assert ann.workers.places() == 2

    ann.workers.beat("no engine")
    assert ann.workers.places() == 5

    with engine.begin() as connection:
        connection.execute(update(workers).where(workers.c.id == "bob").values(drains=True))
    assert (ann.workers.places(), ann.workers.takes_on(), bob.workers.takes_on()) == (2, True, False)

    bob.workers.leave()
    cyd.workers.beat("")
    assert bob.workers.places() == 5


@alone
def test_where_one_worker_came_after_another_its_places_alone_count(engine: Engine) -> None:
    Fellow(engine, "ann", places=2)

    assert Fellow(engine, "bob", places=3).workers.places() == 3
