import threading
import time

import pytest
from sqlalchemy import Engine, event

from bot.errors import Unavailable
from bot.runs.leases import Lease, LeaseLost
from bot.runs.stopping import StopFlag
from bot.runs.store import SqlInbox, Store
from tests.runs.builders import a_trigger, at


@pytest.fixture
def run_id(inbox: SqlInbox, store: Store) -> str:
    inbox.accept(a_trigger())
    return store.begin_run(store.waiting()[0])


def ask_to_stop(store: Store, because: str = "/selfcode stop") -> None:
    store.request_stop(42, 7, because, asked_at=at(9))


def test_a_run_that_nobody_ended_goes_on(store: Store, run_id: str) -> None:
    flag = StopFlag(store, run_id)

    assert flag() is False
    assert flag.because is None


def test_a_stop_is_seen_soon_and_says_why(store: Store, run_id: str) -> None:
    flag = StopFlag(store, run_id)
    assert not flag()

    ask_to_stop(store)
    asked_at = time.monotonic()
    while not flag():
        time.sleep(0.02)

    assert time.monotonic() - asked_at < 15
    assert flag.because == "/selfcode stop"


def test_a_stop_asked_for_before_the_flag_was_made_is_seen_at_once(store: Store, run_id: str) -> None:
    ask_to_stop(store)

    assert StopFlag(store, run_id)()


def test_the_database_is_read_at_most_twice_a_second_whoever_asks(store: Store, engine: Engine, run_id: str) -> None:
    reads: list[str] = []

    @event.listens_for(engine, "before_cursor_execute")
    def _count(_connection: object, _cursor: object, statement: str, *_: object) -> None:
        reads.append(statement)

    flag, until = StopFlag(store, run_id), time.monotonic() + 1.2

    def ask_all_the_time() -> None:
        while time.monotonic() < until:
            flag()
            time.sleep(0.001)

    threads = [threading.Thread(target=ask_all_the_time) for _ in range(3)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()

    assert 2 <= len(reads) <= 3


def test_a_flag_that_was_seen_stays_without_another_look(store: Store, engine: Engine, run_id: str) -> None:
    ask_to_stop(store)
    flag = StopFlag(store, run_id)
    flag()
    engine.dispose()

    assert flag()
    assert flag.because == "/selfcode stop"


def test_the_reason_for_people_is_the_first_one_given(store: Store, run_id: str) -> None:
    ask_to_stop(store, "issue closed")
    ask_to_stop(store, "label removed")

    assert StopFlag(store, run_id).because == "issue closed"


def test_a_database_that_is_away_stops_no_run(store: Store, run_id: str) -> None:
    class Away(Store):
        def stop_because(self, run_id: str) -> str | None:
            raise Unavailable("the database does not answer")

    assert StopFlag(Away(store._engine), run_id)() is False


def test_a_run_that_another_worker_has_ends_here_and_was_not_stopped(store: Store, run_id: str) -> None:
    lost = store.holding(Lease(run_id, "ann", 1))

    with pytest.raises(LeaseLost):
        StopFlag(lost, run_id)()
