"""What is kept of a repository that went to another account is of the installation there."""

from dataclasses import replace

import pytest
from sqlalchemy import Engine, select

from bot.records import IssueRef, TriggerKind
from bot.runs.forgetting import Forgetting, Whole
from bot.runs.orders import Orders
from bot.runs.store import SqlInbox, Store
from bot.runs.tables import runs
from tests.runs.builders import a_trigger, an_issue_ref, begun

HERE = an_issue_ref(installation=1).repository
THERE = replace(HERE, installation_id=2, owner="globex")


def whose(engine: Engine, run_id: str) -> int:
    with engine.connect() as connection:
        return int(connection.execute(select(runs.c.installation_id).where(runs.c.id == run_id)).scalar_one())


def test_what_waits_and_works_is_taken_on(inbox: SqlInbox, store: Store, engine: Engine) -> None:
    at_work = begun(store, inbox)
    inbox.accept(a_trigger(issue=an_issue_ref(8)))
    inbox.accept(a_trigger(issue=an_issue_ref(repository=43)))

    taken = [store.transfers.take_on(THERE) for _ in range(2)]

    moved, other = (each.trigger.issue.repository for each in store.waiting())
    assert taken == [1, 0]
    assert (moved, other.installation_id) == (THERE, 1)
    assert whose(engine, at_work) == 2
    assert store.run(at_work).trigger.issue.repository == HERE, "its mirror is found by that"
    assert store.request_stop_of_all(Whole(installation_id=1), "account gone") == 0


def test_what_an_installation_had_that_was_taken_off_is_not_had_back(
    inbox: SqlInbox, store: Store, engine: Engine
) -> None:
    run_id = begun(store, inbox)
    Orders(engine, Forgetting(engine, lambda _: None)).give(Whole(installation_id=1), 5.0)

    store.transfers.take_on(THERE)

    assert whose(engine, run_id) == 1


@pytest.mark.parametrize(("seen_by", "is_gone_over"), [((1,), False), ((1, 2), True), ((1, 2, 1), False)])
def test_an_installation_loses_nothing_of_what_another_one_has_by_now(
    inbox: SqlInbox, store: Store, seen_by: tuple[int, ...], is_gone_over: bool
) -> None:
    for time, installation in enumerate(seen_by):
        ref = replace(HERE, installation_id=installation)
        inbox.accept(a_trigger(TriggerKind.INSTALLED, key=f"installed {time}", issue=IssueRef(ref, 0)))
    store.transfers.take_on(HERE)

    assert store.transfers.is_gone_over(HERE) is is_gone_over
