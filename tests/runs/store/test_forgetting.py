"""What is kept is forgotten: after its time, or all of a repository or an installation."""

import os
import time
from collections.abc import Collection
from dataclasses import dataclass, field, replace
from pathlib import Path

import pytest
from sqlalchemy import Engine, select, text, update

from bot.errors import Unavailable
from bot.records import HappeningKind, Outcome, Progress, Receipt, RepositoryRef, TriggerKind
from bot.repository.locking import locked
from bot.runs.acting import TOLD_ELSEWHERE_S
from bot.runs.caches import is_known, remove_unknown
from bot.runs.deciding import AtOnce
from bot.runs.dispatcher import Dispatcher
from bot.runs.forgetting import Forgetting, Forgotten, Whole, compact, repositories_named
from bot.runs.housekeeping import Housekeeping
from bot.runs.inbox import trigger_of
from bot.runs.orders import BECAUSE, Orders
from bot.runs.owed import OWED, Owed, Owing
from bot.runs.store import SqlInbox, Store, run_id_for
from bot.runs.tables import answers, asks, metadata, notes, replies, runs
from bot.runs.tables import inbox as requests
from bot.runs.talk import QueueComment
from tests.agent.fakes import never, says
from tests.github.fake import FakeGitHub
from tests.runs.builders import a_trigger, an_issue_ref, an_iteration, begun
from tests.runs.fakes import RecordingStarter

NOW = 1_800_000_000.0
DAY_S = 86_400.0
APP_GONE = "App uninstalled"


@dataclass
class Steps:
    """What was forgotten of the durable steps."""

    forgotten: list[str] = field(default_factory=list)

    def __call__(self, run_ids: Collection[str]) -> None:
        self.forgotten += run_ids


def refuse(_: Collection[str]) -> None:
    raise Unavailable("the disk is full")


@pytest.fixture
def steps() -> Steps:
    return Steps()


@pytest.fixture
def forgetting(engine: Engine, steps: Steps) -> Forgetting:
    return Forgetting(engine, steps)


@pytest.fixture
def orders(engine: Engine, forgetting: Forgetting) -> Orders:
    return Orders(engine, forgetting)


@pytest.fixture
def housekeeping(engine: Engine, steps: Steps, tmp_path: Path) -> Housekeeping:
    return Housekeeping(engine, steps, tmp_path / "mirrors", lambda is_known: None, 90 * DAY_S, now=lambda: NOW)


def lived(store: Store, inbox: SqlInbox, *, repository: int = 42, installation: int = 1, is_over: bool = True) -> str:
    """A run with everything that there can be of one: its id."""
    ref = an_issue_ref(repository=repository, installation=installation)
    trigger = a_trigger(issue=ref)
    run_id = begun(store, inbox, trigger)
    iteration = an_iteration()
    store.keep_progress(run_id, Progress((iteration,), iteration.spend))
    store.happenings.keep(run_id, HappeningKind.TOLD, "call 1")
    store.happenings.write()
    store.paid.telling_of(run_id, "iteration 2").ask("digest", lambda: says("text"), stop=never)
    store.answer_once(f"seen {trigger.key}")
    store.talk.keep_asked(trigger, is_let_in=True, at=NOW)
    store.talk.keep_answered(trigger.key, ref, moment=NOW)
    store.add_note(trigger)
    if is_over:
        store.finish(run_id, Outcome.PROVEN, "")
    return run_id


def made(engine: Engine, *, at: float) -> None:
    """Let everything that is kept be of then."""
    with engine.begin() as connection:
        connection.execute(update(runs).values(started_at=at))
        connection.execute(update(runs).where(runs.c.state == "finished").values(finished_at=at))
        connection.execute(update(requests).values(accepted_at=at))
        for table in (notes, asks, replies, answers):
            connection.execute(update(table).values(at=at))


def rows(engine: Engine) -> int:
    """How many rows there are, but for orders, and for what was spent."""
    tables = (table for name, table in metadata.tables.items() if name not in ("controls", "spent"))
    with engine.connect() as connection:
        return sum(len(connection.execute(select(table)).all()) for table in tables)


# --- After its time


def test_what_ended_before_the_time_is_forgotten_with_all_that_belongs_to_it(
    engine: Engine, inbox: SqlInbox, store: Store, forgetting: Forgetting, steps: Steps
) -> None:
    old = lived(store, inbox)
    made(engine, at=NOW - 91 * DAY_S)

    gone = forgetting.older_than(NOW - 90 * DAY_S, now=NOW)

    assert gone == Forgotten(runs=1, requests=1)
    assert steps.forgotten == [old]
    assert rows(engine) == 0


def test_what_is_younger_waits_or_is_at_work_is_kept(
    engine: Engine, inbox: SqlInbox, store: Store, forgetting: Forgetting
) -> None:
    at_work = lived(store, inbox, is_over=False)
    inbox.accept(a_trigger())
    made(engine, at=NOW - 91 * DAY_S)
    young = lived(store, inbox)
    with engine.begin() as connection:
        connection.execute(update(runs).where(runs.c.id == young).values(finished_at=NOW))

    forgetting.older_than(NOW - 90 * DAY_S, now=NOW)

    assert [run.id for run in store.unfinished()] == [at_work]
    assert store.run(young).is_finished
    assert store.progress(young).iterations
    assert len(store.waiting()) == 1


def test_that_something_was_asked_lately_is_remembered_without_its_words_however_short_the_time(
    inbox: SqlInbox, store: Store, forgetting: Forgetting, engine: Engine
) -> None:
    trigger = a_trigger(TriggerKind.RETRY, text="Keep the API.")
    store.finish(begun(store, inbox, trigger), Outcome.PROVEN, "")
    made(engine, at=NOW - 7 * DAY_S)

    gone = [forgetting.older_than(NOW, now=NOW) for _ in range(2)]
    again = inbox.accept(trigger)
    with engine.connect() as connection:
        [kept] = connection.execute(select(requests.c.trigger)).scalars()
    later = forgetting.older_than(NOW, now=NOW + 2 * DAY_S)

    assert gone == [Forgotten(runs=1, requests=1), Forgotten()]
    assert again is Receipt.DUPLICATE
    assert trigger_of(kept) == replace(trigger, text="")
    assert (later.requests, rows(engine)) == (1, 0)


def test_what_was_said_to_a_run_is_kept_as_long_as_it_is_at_work_or_waits(
    inbox: SqlInbox, store: Store, forgetting: Forgetting, engine: Engine
) -> None:
    run_id = begun(store, inbox)
    asked_for, moment = store.run(run_id).trigger, NOW - 91 * DAY_S
    store.add_note(a_trigger(TriggerKind.NOTE, key="note", issue=asked_for.issue, text="Keep the API."))
    made(engine, at=moment)

    forgetting.older_than(NOW, now=NOW)
    kept = [note.text for note in store.notes_since(run_id)], store.accepted_at(asked_for.key)
    store.finish(run_id, Outcome.PROVEN, "")
    made(engine, at=moment)
    forgetting.older_than(NOW, now=NOW)

    assert kept == (["Keep the API."], moment)
    assert rows(engine) == 0


def test_a_run_that_owes_words_is_kept_until_they_are_said(
    inbox: SqlInbox, store: Store, forgetting: Forgetting, engine: Engine
) -> None:
    run_id = begun(store, inbox)
    store.learn(run_id, **{OWED: {"result": Owing.UNSAID}})
    store.finish(run_id, Outcome.PROVEN, "")
    made(engine, at=NOW - 91 * DAY_S)

    before = forgetting.older_than(NOW - 90 * DAY_S, now=NOW)
    Owed(engine).settle(run_id)
    after = forgetting.older_than(NOW - 90 * DAY_S, now=NOW)

    assert (before.runs, after.runs) == (0, 1)


def test_many_are_forgotten_in_transactions_of_a_size_that_others_can_wait_for(
    engine: Engine, inbox: SqlInbox, store: Store, forgetting: Forgetting
) -> None:
    run_id = lived(store, inbox)
    with engine.begin() as connection:
        columns = ", ".join(column.name for column in runs.columns if column.name != "id")
        numbers = "with recursive n(i) as (select 1 union all select i + 1 from n where i < 450)"
        connection.execute(
            text(f"{numbers} insert into runs (id, {columns}) select 'run-' || n.i, {columns} from runs, n")
            if engine.dialect.name == "postgresql"
            else text(f"insert into runs (id, {columns}) {numbers} select 'run-' || n.i, {columns} from runs, n")
        )
    made(engine, at=NOW - 91 * DAY_S)

    assert forgetting.older_than(NOW - 90 * DAY_S, now=NOW).runs == 451
    assert store.run_ids(run_id) == []


def test_where_nothing_can_be_written_what_takes_up_room_goes_all_the_same(
    inbox: SqlInbox, store: Store, housekeeping: Housekeeping, engine: Engine, tmp_path: Path
) -> None:
    lived(store, inbox)
    made(engine, at=NOW - 91 * DAY_S)
    (tmp_path / "mirrors" / "1-99.git").mkdir(parents=True)
    tidied: list[bool] = []
    full = replace(housekeeping, forget_steps=refuse, tidy_images=lambda is_known: tidied.append(is_known(42)))

    with pytest.raises(Unavailable, match="the disk is full"):
        full.turn()

    assert not (tmp_path / "mirrors" / "1-99.git").exists()
    assert tidied == [True]


def test_house_is_kept_by_the_operators_time(
    engine: Engine, inbox: SqlInbox, store: Store, housekeeping: Housekeeping
) -> None:
    lived(store, inbox)
    made(engine, at=NOW - 89 * DAY_S)
    housekeeping.turn()
    before = rows(engine)
    made(engine, at=NOW - 91 * DAY_S)

    housekeeping.turn()

    assert before > 0
    assert rows(engine) == 0


# --- All of a repository


def test_a_repository_is_forgotten_whole_and_no_other(
    engine: Engine, inbox: SqlInbox, store: Store, orders: Orders
) -> None:
    lived(store, inbox, repository=42)
    other = lived(store, inbox, repository=43)
    before = rows(engine)

    orders.give(Whole(42), NOW * 2)
    done = orders.carry_out()

    assert done == {Whole(42): Forgotten(runs=1, requests=1)}
    assert rows(engine) == before / 2
    assert store.run(other).is_finished
    assert orders.carry_out() == {}


def test_what_waits_for_a_repository_goes_with_it(
    inbox: SqlInbox, store: Store, orders: Orders, engine: Engine
) -> None:
    trigger = a_trigger()
    inbox.accept(trigger)
    store.talk.keep_queue_comment(run_id_for(trigger), QueueComment(5, "1 of 1"))

    orders.give(Whole(42), NOW * 2)
    orders.carry_out()

    assert store.waiting() == []
    assert rows(engine) == 0


def test_any_number_may_wait_for_a_repository_that_is_forgotten(
    inbox: SqlInbox, store: Store, orders: Orders, engine: Engine
) -> None:
    waiting = [a_trigger(key=f"start:{number}") for number in range(450)]
    for trigger in waiting:
        inbox.accept(trigger)
    for trigger in (waiting[0], waiting[-1]):
        store.talk.keep_queue_comment(run_id_for(trigger), QueueComment(5, "1 of 450"))

    orders.give(Whole(42), NOW * 2)

    assert orders.carry_out()[Whole(42)].requests == 450
    assert rows(engine) == 0


def test_what_is_at_work_is_asked_to_stop_and_goes_when_it_has(
    engine: Engine, inbox: SqlInbox, store: Store, orders: Orders
) -> None:
    run_id = lived(store, inbox, is_over=False)

    orders.give(Whole(42), NOW * 2)
    first = orders.carry_out()
    because = store.stop_because(run_id)
    store.finish(run_id, Outcome.STOPPED, BECAUSE)
    second = orders.carry_out()

    assert (because, first[Whole(42)].at_work) == (BECAUSE, 1)
    assert second == {Whole(42): Forgotten(runs=1)}
    assert rows(engine) == 0


def test_what_came_after_the_order_stays(inbox: SqlInbox, store: Store, orders: Orders) -> None:
    orders.give(Whole(42), 1.0)
    run_id = lived(store, inbox)

    orders.carry_out()

    assert store.run(run_id).is_finished


def test_up_to_when_a_repository_is_forgotten_is_known_ever_after(orders: Orders) -> None:
    orders.give(Whole(42), 10.0)
    orders.carry_out()
    orders.give(Whole(installation_id=1), 20.0)
    orders.give(Whole(42), 5.0)

    known = [orders.forgotten_until(RepositoryRef(installation, 42, "octo", "cat")) for installation in (1, 2)]

    assert known == [20.0, 10.0]
    assert orders.forgotten_until(RepositoryRef(2, 43, "octo", "cat")) is None


# --- All of an installation


def taken_off(inbox: SqlInbox, store: Store, *, repository: int, because: str = APP_GONE) -> Receipt:
    """The App is taken off, which a worker has acted on."""
    ref = an_issue_ref(0, repository=repository)
    receipt = inbox.accept(
        a_trigger(TriggerKind.UNINSTALLED, key=f"uninstalled:{repository}", issue=ref, because=because)
    )
    Dispatcher(
        store=store,
        github=FakeGitHub(),
        starter=RecordingStarter(),
        allowed_owners=frozenset({"octo"}),
        label="selfcode",
        min_permission="write",
        limits=AtOnce,
        now=lambda: time.time() + TOLD_ELSEWHERE_S,
    ).turn()
    return receipt


def test_where_the_app_is_taken_off_all_is_forgotten(
    engine: Engine, inbox: SqlInbox, store: Store, orders: Orders
) -> None:
    lived(store, inbox, repository=42)
    lived(store, inbox, repository=43)
    elsewhere = lived(store, inbox, repository=44, installation=2)

    taken_off(inbox, store, repository=0)
    orders.carry_out()

    with engine.connect() as connection:
        left = set(connection.execute(select(runs.c.id)).scalars())
        said = [connection.execute(select(table)).all() for table in (notes, asks, replies, answers)]
    assert left == {elsewhere}
    assert [len(found) for found in said] == [1, 1, 1, 1]


def test_where_it_sees_one_repository_less_that_one_is_forgotten(inbox: SqlInbox, store: Store, orders: Orders) -> None:
    lived(store, inbox, repository=42)
    other = lived(store, inbox, repository=43)

    taken_off(inbox, store, repository=42)
    orders.carry_out()

    assert store.runs_of(42, 7) == []
    assert store.run(other).is_finished


def test_a_suspension_forgets_nothing(inbox: SqlInbox, store: Store, orders: Orders) -> None:
    run_id = lived(store, inbox)

    taken_off(inbox, store, repository=0, because="App suspended")

    assert orders.carry_out() == {}
    assert store.run(run_id).is_finished


def test_the_same_news_once_more_forgets_nothing_of_what_came_since(
    inbox: SqlInbox, store: Store, orders: Orders
) -> None:
    taken_off(inbox, store, repository=0)
    orders.carry_out()
    run_id = lived(store, inbox)

    again = taken_off(inbox, store, repository=0)

    assert again is Receipt.DUPLICATE
    assert orders.carry_out() == {}
    assert store.run(run_id).is_finished


# --- By its name


def test_a_repository_is_found_by_the_name_that_it_had_last(inbox: SqlInbox, engine: Engine, store: Store) -> None:
    def named(key: str, id_: int, name: str) -> None:
        issue = an_issue_ref(repository=id_)
        ref = RepositoryRef(1, id_, "octo", name)
        inbox.accept(a_trigger(key=key, issue=type(issue)(ref, 7)))

    named("1", 42, "cat")
    named("2", 42, "dog")
    named("3", 43, "cat")
    named("4", 44, "c_t")

    found = {name: repositories_named(engine, name) for name in ("octo/cat", "Octo/DOG", "octo/c_t", "octo/none")}

    assert found == {"octo/cat": [43], "Octo/DOG": [42], "octo/c_t": [44], "octo/none": []}


# --- Caches


@pytest.fixture
def mirrors(tmp_path: Path) -> Path:
    for name in ("1-42.git", "2-42.git", "1-43.git", "notes"):
        (tmp_path / "mirrors" / name / "objects").mkdir(parents=True)
    return tmp_path / "mirrors"


def test_a_mirror_is_kept_as_long_as_a_run_or_a_request_of_its_repository(
    mirrors: Path, engine: Engine, inbox: SqlInbox, store: Store
) -> None:
    lived(store, inbox, repository=42)
    inbox.accept(a_trigger(issue=an_issue_ref(repository=43)))

    gone = remove_unknown(mirrors, engine)

    assert gone == 1
    assert {path.name for path in mirrors.iterdir() if path.is_dir()} == {"1-42.git", "1-43.git", "notes"}
    assert is_known(engine, 42)
    assert not is_known(engine, 44)


def test_a_mirror_that_is_worked_with_stays(mirrors: Path, engine: Engine) -> None:
    with locked(mirrors / "1-42.git.lock"):
        gone = remove_unknown(mirrors, engine)

    assert gone == 2
    assert (mirrors / "1-42.git").is_dir()


def test_what_a_killed_process_was_making_is_cleared_after_a_day(mirrors: Path, engine: Engine) -> None:
    old, young = mirrors / ".1-42.git-old", mirrors / ".1-42.git-young"
    for folder in (old, young):
        folder.mkdir()
    os.utime(old, (1.0, 1.0))

    remove_unknown(mirrors, engine)

    assert (old.exists(), young.exists()) == (False, True)


def test_space_is_given_back_and_no_copy_is_left_in_the_file(
    tmp_path: Path, engine: Engine, inbox: SqlInbox, store: Store, forgetting: Forgetting
) -> None:
    run_id = lived(store, inbox)
    store.learn(run_id, said="a word that nobody may read again")
    forgetting.whole(Whole(42), NOW * 2)

    compact(engine)

    assert not any(b"nobody may read" in path.read_bytes() for path in tmp_path.glob("selfcode.sqlite*"))
