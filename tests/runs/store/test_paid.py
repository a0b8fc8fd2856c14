"""Replies that were paid for are given again where their step is told again, and what they cost is counted once."""

from dataclasses import replace

import pytest
from sqlalchemy import Engine, func, select

from bot.agent import Reply
from bot.agent.llm import user
from bot.errors import Unavailable
from bot.records import Caps, Outcome, Progress, Spend, Usage
from bot.runs.leases import Lease, LeaseLost
from bot.runs.paid import Telling
from bot.runs.store import SqlInbox, Store
from bot.runs.tables import paid
from tests.agent.fakes import ScriptedModel, never, says
from tests.runs.builders import an_iteration, begun

STEP = "iteration 1"


def costs(text: str, usd: float = 0.5) -> Reply:
    return replace(says(text), usage=Usage(100, 10, cost_usd=usd))


def no_call() -> Reply:
    raise AssertionError("it is paid for already")


def kept(engine: Engine) -> int:
    with engine.connect() as connection:
        return int(connection.execute(select(func.count()).select_from(paid)).scalar_one())


def test_a_step_that_is_told_again_gets_what_was_paid_for(inbox: SqlInbox, store: Store) -> None:
    run_id = begun(store, inbox)
    first = store.paid.telling_of(run_id, STEP)
    given = [first.ask("one", lambda: costs("1"), stop=never), first.ask("one", lambda: costs("2"), stop=never)]

    again = store.paid.telling_of(run_id, STEP)
    other = store.paid.telling_of(run_id, "iteration 2")

    is_repeating = [again.is_repeating]
    assert [again.ask("one", no_call, stop=never), again.ask("one", no_call, stop=never)] == given
    assert [*is_repeating, again.is_repeating] == [True, False]
    assert other.ask("one", lambda: costs("3"), stop=never).text == "3"
    assert store.spent_today(repository_id=42) == pytest.approx(1.5)


def test_once_it_is_kept_what_they_led_to_they_are_kept_no_more(inbox: SqlInbox, store: Store, engine: Engine) -> None:
    run_id = begun(store, inbox)
    store.paid.telling_of(run_id, STEP).ask("one", lambda: costs("1"), stop=never)
    iteration = an_iteration(spend=replace(an_iteration().spend, cost_usd=0.5))

    for _ in range(2):
        store.keep_progress(run_id, Progress((iteration,), iteration.spend))

    assert kept(engine) == 0
    assert store.spent_today() == pytest.approx(0.5)


def test_they_go_with_the_end_of_the_run(inbox: SqlInbox, store: Store, engine: Engine) -> None:
    run_id = begun(store, inbox)
    store.paid.telling_of(run_id, STEP).ask("one", lambda: costs("1"), stop=never)

    store.finish(run_id, Outcome.STOPPED, "")

    assert kept(engine) == 0
    assert store.spent_today() == pytest.approx(0.5)


def test_who_has_lost_the_run_keeps_none(inbox: SqlInbox, store: Store, engine: Engine) -> None:
    run_id = begun(store, inbox)
    late = store.holding(Lease(run_id, "a worker that was cut off", fence=1))

    with pytest.raises(LeaseLost):
        late.paid.telling_of(run_id, STEP).ask("one", lambda: costs("1"), stop=never)

    assert kept(engine) == 0


def test_what_was_paid_for_in_vain_is_spent_all_the_same(inbox: SqlInbox, store: Store) -> None:
    run_id = begun(store, inbox)
    store.paid.telling_of(run_id, STEP).ask("one", lambda: costs("1"), stop=never)
    again = store.paid.telling_of(run_id, STEP)
    again.ask("another", lambda: costs("2", usd=0.25), stop=never)
    made = an_iteration(spend=replace(an_iteration().spend, calls=1, cost_usd=0.25))

    whole = again.with_unused(Progress((made,), made.spend))
    store.keep_progress(run_id, whole)

    assert (whole.spend.calls, whole.spend.cost_usd) == (2, 0.75)
    assert store.progress(run_id).spend == whole.spend
    assert store.spent_today() == pytest.approx(0.75)


def test_a_step_that_is_never_told_alike_is_not_paid_for_without_end(inbox: SqlInbox, store: Store) -> None:
    run_id, caps = begun(store, inbox), Caps(cost_usd=1.0)

    def tell(request: str) -> None:
        telling = store.paid.telling_of(run_id, STEP, before=Spend(cost_usd=0.2), caps=caps)
        telling.ask(request, lambda: costs("1", usd=0.4), stop=never)

    tell("one")
    tell("two")
    with pytest.raises(Unavailable, match=r"limit of USD 1\.00 is reached \(USD 1\.00 spent\)"):
        tell("three")
    tell("two")

    assert store.spent_today() == pytest.approx(0.8)


def test_a_model_is_asked_once_for_what_differs_in_nothing_but_time(inbox: SqlInbox, store: Store) -> None:
    run_id, model = begun(store, inbox), ScriptedModel([says("1"), says("2")])

    def ask(said: str) -> str | None:
        telling = store.paid.telling_of(run_id, STEP)
        return telling.in_place_of(model).complete([user(said)], temperature=0.2, max_tokens=10, stop=never).text

    assert [ask("1 failed in 0.1s"), ask("1 failed in 0.2s"), ask("2 failed in 0.1s")] == ["1", "1", "2"]
    assert len(model.asked) == 2


def test_errors_are_not_kept(inbox: SqlInbox, store: Store, engine: Engine) -> None:
    telling = store.paid.telling_of(begun(store, inbox), STEP)

    def away() -> Reply:
        raise Unavailable("the model is away")

    with pytest.raises(Unavailable):
        telling.ask("one", away, stop=never)

    assert kept(engine) == 0


def test_a_reply_that_can_not_be_kept_is_held_on_to_until_it_can() -> None:
    full = iter([Unavailable("the disk is full")])
    held: list[str | None] = []

    def keep(_: object, reply: Reply) -> None:
        for problem in full:
            raise problem
        held.append(reply.text)

    assert Telling({}, keep).ask("one", lambda: says("1"), stop=never).text == "1"
    assert held == ["1"]


def test_a_stop_waits_for_no_room() -> None:
    def keep(_: object, __: Reply) -> None:
        raise Unavailable("the disk is full")

    assert Telling({}, keep).ask("one", lambda: says("1"), stop=lambda: True).text == "1"
