"""Last words that an ended run owes."""

import pytest
from sqlalchemy import Engine

from bot.records import Outcome, Trigger
from bot.runs.owed import FIRST_AFTER_S, OWED, Owed, Owing
from bot.runs.store import SqlInbox, Store
from tests.runs.builders import a_trigger, an_issue_ref, begun


@pytest.fixture
def owed(engine: Engine) -> Owed:
    return Owed(engine)


def ended(inbox: SqlInbox, store: Store, trigger: Trigger | None = None, /, **facts: object) -> str:
    inbox.accept(trigger or a_trigger())
    run_id = store.begin_run(store.waiting()[-1])
    store.learn(run_id, **facts)
    store.finish(run_id, Outcome.UNSOLVED, "")
    return run_id


def test_a_run_that_has_said_everything_owes_nothing(inbox: SqlInbox, store: Store, owed: Owed) -> None:
    run_id = ended(inbox, store)

    assert store.run(run_id).resumes_at is None
    assert owed.due() == []


def test_what_could_not_be_said_is_tried_a_while_after_the_end(inbox: SqlInbox, store: Store, owed: Owed) -> None:
    run = store.run(ended(inbox, store, **{OWED: {"result": "unsaid"}}))

    assert run.is_finished
    assert run.resumes_at is not None
    assert run.finished_at is not None
    assert abs(run.resumes_at - run.finished_at - FIRST_AFTER_S) < FIRST_AFTER_S / 2
    assert owed.due() == []


def test_what_is_put_off_comes_again_when_it_is_time(inbox: SqlInbox, store: Store, owed: Owed) -> None:
    soon, late = (ended(inbox, store, **{OWED: {"result": "unsaid"}}) for _ in range(2))

    owed.put_off(soon, {"log": Owing.UNSAID, "result": Owing.AGAIN}, wait_s=0.0, why="no answer")
    owed.put_off(late, {"result": Owing.UNSAID}, wait_s=600.0, why="no answer")

    (due,) = owed.due()
    assert (due.id, due.waits_for) == (soon, "no answer")
    assert store.facts(soon)[OWED] == {"log": "unsaid", "result": "again"}


def test_where_the_app_is_let_in_again_what_waits_and_what_is_owed_is_due_at_once(
    inbox: SqlInbox, store: Store, owed: Owed
) -> None:
    there = a_trigger(issue=an_issue_ref(installation=2))
    owing, elsewhere = (ended(inbox, store, each, **{OWED: {"result": "unsaid"}}) for each in (a_trigger(), there))
    left = begun(store, inbox)
    store.give_back(left, wait_s=600.0, waits_for="GitHub")

    store.let_in_again(1)

    assert [run.id for run in owed.due()] == [owing]
    later, soon = store.run(elsewhere).resumes_at, store.run(left).resumes_at
    assert later is not None
    assert soon is not None
    assert soon <= later - FIRST_AFTER_S / 2


def test_what_was_said_is_owed_no_more(inbox: SqlInbox, store: Store, owed: Owed) -> None:
    run_id = ended(inbox, store, **{OWED: {"result": "unsaid"}})
    owed.put_off(run_id, {"result": Owing.UNSAID}, wait_s=0.0, why="")

    owed.settle(run_id)

    assert owed.due() == []
    assert store.run(run_id).resumes_at is None
