"""What the database says of the work as a whole."""

import time

from sqlalchemy import Engine, update

from bot.records import Outcome, Progress, Spend, TriggerKind
from bot.runs.census import Shape, ages, take_census
from bot.runs.owed import OWED
from bot.runs.store import DAY_S, SqlInbox, Store
from bot.runs.tables import inbox as inbox_table
from bot.runs.tables import runs, workers
from tests.runs.builders import a_trigger, an_issue_ref, an_iteration
from tests.runs.fellows import Fellow


def begun(inbox: SqlInbox, store: Store, number: int) -> str:
    inbox.accept(a_trigger(issue=an_issue_ref(number)))
    return store.begin_run(store.waiting()[-1])


def test_what_waits_is_counted_by_kind_with_the_age_of_the_oldest(engine: Engine, inbox: SqlInbox) -> None:
    for kind in (TriggerKind.START, TriggerKind.START, TriggerKind.STOP):
        inbox.accept(a_trigger(kind))
    with engine.begin() as connection:
        connection.execute(update(inbox_table).where(inbox_table.c.seq == 1).values(accepted_at=1000.0))
        connection.execute(update(inbox_table).where(inbox_table.c.seq > 1).values(accepted_at=1090.0))

    census = take_census(engine, now=1100.0)

    assert {kind: tally.count for kind, tally in census.waiting.items()} == {"start": 2, "stop": 1}
    assert dict(ages(census.waiting, now=1100.0)) == {"start": 100.0, "stop": 10.0}


def test_runs_are_counted_while_they_work_and_those_of_a_day_by_how_they_ended(
    engine: Engine, inbox: SqlInbox, store: Store
) -> None:
    ids = [begun(inbox, store, number) for number in range(4)]
    store.finish(ids[0], Outcome.PROVEN, "")
    store.finish(ids[1], Outcome.PROVEN, "")
    store.finish(ids[2], Outcome.ERROR, "")
    store.keep_progress(ids[0], Progress((an_iteration(),), Spend(cost_usd=0.5)))
    store.keep_progress(ids[3], Progress((an_iteration(),), Spend(cost_usd=0.25)))
    now = time.time()
    with engine.begin() as connection:
        connection.execute(update(runs).where(runs.c.id == ids[1]).values(started_at=now - DAY_S - 1))

    census = take_census(engine, now=now)

    assert census.at_work.count == 1
    assert census.at_work.oldest_at == store.run(ids[3]).started_at
    assert census.ended == {"proven": 1, "error": 1}
    assert census.cost_usd == 0.75


def test_where_nothing_happens_there_is_nothing_to_count(engine: Engine) -> None:
    census = take_census(engine, now=time.time())

    assert (census.waiting, census.at_work.count, census.ended, census.cost_usd) == ({}, 0, {}, 0)
    assert list(ages({"": census.at_work}, now=time.time())) == []


# --- What waits for a service, what is owed, who works


def test_runs_that_wait_for_a_service_and_words_that_are_owed_are_counted(
    engine: Engine, inbox: SqlInbox, store: Store
) -> None:
    at_work, away, owing, done = (begun(inbox, store, number) for number in range(4))
    store.give_back(away, wait_s=60.0, waits_for="the model")
    store.learn(owing, **{OWED: {"result": "unsaid"}})
    for run_id in (owing, done):
        store.finish(run_id, Outcome.UNSOLVED, "")

    census = take_census(engine, now=time.time())

    assert (census.at_work.count, census.away, census.owing.count) == (2, 1, 1)
    assert census.owing.oldest_at == store.run(owing).finished_at
    assert store.run(at_work).resumes_at is None


def test_workers_that_live_are_counted_by_how_they_are(engine: Engine) -> None:
    well, drains, ill, gone = (Fellow(engine, name) for name in ("ann", "bob", "cleo", "dan"))
    for fellow, problem in ((well, ""), (drains, ""), (ill, "the sandbox is away"), (gone, "")):
        fellow.workers.beat(problem)
    gone.is_silent()
    with engine.begin() as connection:
        connection.execute(update(workers).where(workers.c.id == drains.name).values(drains=True))

    found = take_census(engine, now=time.time()).workers

    assert found == {Shape.ALIVE: 1, Shape.DRAINING: 1, Shape.ILL: 1}
