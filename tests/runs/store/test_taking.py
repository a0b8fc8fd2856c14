"""Who tells a run: one worker at a time, and another one where that is gone."""

from collections.abc import Callable

import pytest
from sqlalchemy import Engine, update

from bot.errors import Unavailable
from bot.records import Outcome, Progress, TriggerKind
from bot.runs.database import connect
from bot.runs.leases import LEASE_S, RENEW_EVERY_S, LeaseLost
from bot.runs.store import SqlInbox, Store
from bot.runs.tables import runs
from tests.runs.builders import a_trigger, an_issue_ref, an_iteration, begun
from tests.runs.fellows import Fellow

among_several = pytest.mark.parametrize("address", ["postgresql"], indirect=True)
alone = pytest.mark.parametrize("address", ["sqlite"], indirect=True)


@pytest.fixture
def run(store: Store, inbox: SqlInbox) -> str:
    return begun(store, inbox)


def another(store: Store, inbox: SqlInbox, number: int, kind: TriggerKind = TriggerKind.START) -> str:
    return begun(store, inbox, a_trigger(kind, issue=an_issue_ref(number)))


# --- Taking up


def test_a_run_that_has_begun_is_taken_up_and_told_once(engine: Engine, run: str) -> None:
    ann = Fellow(engine)

    ann.takes()
    ann.takes()

    assert ann.told == [run]


@among_several
def test_a_run_that_one_worker_holds_is_not_anothers(engine: Engine, run: str) -> None:
    ann, bob = Fellow(engine, "ann"), Fellow(engine, "bob")
    ann.takes()

    assert bob.takes() == []


def test_a_run_waits_for_a_place_what_is_cheap_or_only_to_be_ended_does_not(
    engine: Engine, store: Store, inbox: SqlInbox, run: str
) -> None:
    ann = Fellow(engine, places=1)
    waits, cheap = another(store, inbox, 8), another(store, inbox, 9, TriggerKind.CHECKS)

    assert [lease.run_id for lease in ann.takes()] == [run, cheap]

    ended = another(store, inbox, 10)
    store.request_stop(42, 10, "/selfcode stop", asked_at="2026-05-04T12:00:00Z")
    assert [lease.run_id for lease in ann.takes()] == [ended]

    store.finish(run, Outcome.PROVEN, "")
    store.finish(ended, Outcome.STOPPED, "")
    assert [lease.run_id for lease in ann.takes()] == [waits]


def test_a_run_that_the_engine_did_not_take_is_offered_again(engine: Engine, run: str) -> None:
    ann = Fellow(engine)
    ann.teller.broken = True
    with pytest.raises(RuntimeError):
        ann.takes()
    ann.teller.broken = False

    assert [lease.run_id for lease in ann.takes()] == [run]


def test_a_run_whose_story_broke_off_is_told_again_under_the_same_lease(engine: Engine, run: str) -> None:
    ann = Fellow(engine)
    first = ann.takes()

    ann.teller.broken_off.add(run)

    assert ann.takes() == first


def test_a_finished_run_is_nobodys(engine: Engine, store: Store, run: str) -> None:
    Fellow(engine, "ann").takes()
    store.finish(run, Outcome.PROVEN, "")

    assert Fellow(engine, "bob").takes() == []


@among_several
def test_a_worker_that_drains_takes_nothing_on_nor_does_an_ill_one_where_another_is_well(
    engine: Engine, run: str
) -> None:
    ann, bob = Fellow(engine, "ann"), Fellow(engine, "bob")
    ann.workers.beat("no engine")
    assert ann.takes() == []

    bob.is_silent()

    assert [lease.run_id for lease in ann.takes()] == [run]


# --- Taking over


@alone
def test_the_next_worker_of_a_sqlite_home_goes_on_at_once(engine: Engine, run: str) -> None:
    Fellow(engine, "ann").takes()

    (lease,) = Fellow(engine, "bob").takes()

    assert (lease.run_id, lease.fence, lease.home_since) == (run, 2, 0)


@among_several
def test_the_runs_of_a_silent_worker_go_on_elsewhere_under_a_higher_fence(engine: Engine, run: str) -> None:
    ann, bob = Fellow(engine, "ann"), Fellow(engine, "bob")
    ann.takes()

    ann.is_silent()

    (lease,) = bob.takes()
    assert (lease.run_id, lease.worker_id, lease.fence) == (run, "bob", 2)


@among_several
def test_what_is_renewed_is_kept(engine: Engine, run: str) -> None:
    ann, bob = Fellow(engine, "ann"), Fellow(engine, "bob")
    ann.takes()
    ann.is_silent()

    ann.taking.renew()

    assert bob.takes() == []


WRITES: dict[str, Callable[[Store, str], object]] = {
    "learn": lambda store, run: store.learn(run, head_sha="2a9b"),
    "finish": lambda store, run: store.finish(run, Outcome.PROVEN, ""),
    "keep progress": lambda store, run: store.keep_progress(run, Progress((an_iteration(),))),
    "give back": lambda store, run: store.give_back(run, wait_s=5, waits_for="GitHub"),
    "publish": lambda store, _: store.require_held(),
    "go on": lambda store, run: store.stop_because(run),
}


@among_several
@pytest.mark.parametrize("what", WRITES)
def test_a_worker_that_comes_back_can_do_nothing_with_a_run_that_another_has(
    engine: Engine, store: Store, run: str, what: str
) -> None:
    ann, bob = Fellow(engine, "ann"), Fellow(engine, "bob")
    (lost,) = ann.takes()
    ann.is_silent()
    (held,) = bob.takes()
    ann.taking.renew()

    with pytest.raises(LeaseLost):
        WRITES[what](ann.store(lost), run)

    assert store.run(run).worker_id == "bob"
    assert "head_sha" not in store.facts(run)
    assert not store.progress(run).iterations
    WRITES[what](bob.store(held), run)


@among_several
def test_a_worker_that_comes_back_before_another_took_its_run_goes_on_with_it(
    engine: Engine, store: Store, run: str
) -> None:
    ann, bob = Fellow(engine, "ann"), Fellow(engine, "bob")
    (lease,) = ann.takes()
    ann.is_silent()

    ann.store(lease).require_held()

    assert bob.takes() == []


@among_several
def test_a_worker_that_can_not_ask_whose_a_run_is_publishes_nothing(engine: Engine, run: str) -> None:
    (lease,) = Fellow(engine).takes()
    cut_off = connect("postgresql://selfcode@/selfcode?host=/nowhere")

    with pytest.raises(Unavailable, match="the database does not answer"):
        Store(cut_off).holding(lease).require_held()


@among_several
def test_a_worker_that_ends_hands_its_runs_over_at_once(engine: Engine, run: str) -> None:
    ann, bob = Fellow(engine, "ann"), Fellow(engine, "bob")
    (left,) = ann.takes()

    ann.taking.leave()

    assert [lease.run_id for lease in bob.takes()] == [run]
    with pytest.raises(LeaseLost):
        ann.store(left).require_held()


@among_several
def test_who_was_cut_off_itself_takes_nothing_from_others_until_they_could_renew(engine: Engine, run: str) -> None:
    ann, bob = Fellow(engine, "ann"), Fellow(engine, "bob")
    ann.takes()
    ann.is_silent()
    bob.clock.now += 4 * RENEW_EVERY_S
    assert bob.takes() == []

    bob.taking.renew()
    assert bob.takes() == []

    for _ in range(int(LEASE_S / RENEW_EVERY_S) + 1):
        bob.clock.now += RENEW_EVERY_S
        bob.taking.renew()
    assert [lease.run_id for lease in bob.takes()] == [run]


@among_several
def test_it_is_known_since_when_a_run_is_told_in_a_home(engine: Engine, run: str) -> None:
    homes = ["ann:/home", "bob:/home", "bob:/home", "ann:/home"]
    taken: list[tuple[int, int]] = []

    for number, home in enumerate(homes):
        worker = Fellow(engine, f"worker {number}", home=home)
        taken += [(lease.fence, lease.home_since) for lease in worker.takes()]
        worker.taking.leave()

    assert taken == [(1, 1), (3, 3), (5, 3), (7, 7)]


# --- Versions


@among_several
def test_what_newer_steps_have_begun_waits_for_a_worker_that_knows_them(engine: Engine, run: str) -> None:
    new = Fellow(engine, "new", steps_version="10")
    new.takes()
    new.taking.leave()

    assert Fellow(engine, "old", steps_version="9").takes() == []
    assert [lease.run_id for lease in Fellow(engine, "newest", steps_version="11").takes()] == [run]


def test_a_run_of_before_there_were_leases_is_taken_up(engine: Engine, store: Store, run: str) -> None:
    store.learn(run, base="2a9b")

    assert [lease.run_id for lease in Fellow(engine).takes()] == [run]


# --- Waiting


def test_a_run_that_was_given_back_is_taken_up_when_it_is_due_and_holds_no_place(
    engine: Engine, store: Store, inbox: SqlInbox, run: str
) -> None:
    ann = Fellow(engine, places=1)
    (lease,) = ann.takes()
    ann.store(lease).give_back(run, wait_s=300, waits_for="the model")
    other = another(store, inbox, 8)

    assert [lease.run_id for lease in ann.takes()] == [other]
    assert store.run(run).waits_for == "the model"

    with engine.begin() as connection:
        connection.execute(update(runs).where(runs.c.id == run).values(resumes_at=runs.c.resumes_at - 301))
    assert ann.takes() == []
    store.finish(other, Outcome.PROVEN, "")

    (again,) = ann.takes()
    assert (again.run_id, again.fence) == (run, lease.fence + 2)
    assert (store.run(run).resumes_at, store.run(run).waits_for) == (None, None)


def test_a_stop_ends_the_wait_of_a_run(engine: Engine, store: Store, run: str) -> None:
    ann = Fellow(engine)
    (lease,) = ann.takes()
    ann.store(lease).give_back(run, wait_s=300, waits_for="the model")

    store.request_stop(42, 7, "/selfcode stop", asked_at="2026-05-04T12:00:00Z")

    assert [lease.run_id for lease in ann.takes()] == [run]
