"""However much waits: what a turn costs, whose turn it is, and that nothing hides what is behind it."""

from collections import Counter
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

import pytest
from sqlalchemy import Connection, Engine, update

from bot.errors import Unavailable
from bot.records import IssueRef, Outcome, Trigger, TriggerKind
from bot.runs.placing import Placing
from bot.runs.shelf import Shelf
from bot.runs.store import SqlInbox, Store, Waiting, run_id_for
from bot.runs.tables import inbox as inbox_table
from tests.runs.builders import a_trigger, an_issue_ref, at
from tests.runs.desk import HEAD, Desk

START, RETRY, STOP = TriggerKind.START, TriggerKind.RETRY, TriggerKind.STOP
SPREE = 10_000


def a_spree(desk: Desk, engine: Engine, count: int = SPREE) -> list[Trigger]:
    """So many issues of one repository that were labelled, let in, and wait for a place.

    What is kept at the same time comes in the order of its keys.
    """
    numbers = range(1, count + 1)
    spree = [a_trigger(issue=an_issue_ref(number, repository=42), key=f"spree:{number:06}") for number in numbers]
    desk._know(spree[0].issue.repository)
    desk.inbox.accept_all(spree)
    with engine.begin() as connection:
        connection.execute(update(inbox_table).values(shelf=str(Shelf.PLACES)))
    return spree


def at_work(desk: Desk) -> Counter[int]:
    """How many runs are at work in which repository."""
    return Counter(run.trigger.issue.repository.id for run in desk.store.unfinished())


# --- Whose turn it is


def test_a_labelling_spree_takes_what_its_repository_may_have_and_each_account_gets_its_turn(
    inbox: SqlInbox, store: Store, engine: Engine, tmp_path: Path
) -> None:
    desk = Desk(inbox, store, tmp_path, places=6, of_repository=2, of_installation=3)
    spree = a_spree(desk, engine)
    for repository, installation in ((43, 1), (44, 2), (45, 3)):
        for number in (1, 2, 3):
            desk.asks(START, issue=an_issue_ref(number, repository=repository, installation=installation))

    desk.turn(2)
    first = at_work(desk)
    desk.ends(*desk.started)
    desk.turn(2)

    assert first == {42: 1, 43: 1, 44: 2, 45: 2}
    assert at_work(desk) == {42: 2, 43: 1, 44: 1, 45: 1}
    assert desk.started[0] == run_id_for(spree[0])


def test_a_spree_alone_is_kept_within_the_limits_of_its_repository_and_its_account(
    inbox: SqlInbox, store: Store, engine: Engine, tmp_path: Path
) -> None:
    desk = Desk(inbox, store, tmp_path, places=6, of_repository=2, of_installation=3)
    spree = a_spree(desk, engine, 100)

    desk.turn(2)

    assert desk.started == [run_id_for(trigger) for trigger in spree[:2]]


def test_many_labels_taken_off_in_one_repository_keep_no_stop_in_another_waiting(desk: Desk) -> None:
    elsewhere = desk.asks(START, issue=an_issue_ref(1, repository=43))
    (run,) = desk.runs(elsewhere)
    spree = [
        a_trigger(STOP, issue=an_issue_ref(number, repository=42), because="label removed") for number in range(300)
    ]
    desk.inbox.accept_all(spree)
    desk.asks(STOP, issue=elsewhere.issue, because="issue closed", occurred_at=at(9))

    desk.dispatcher._end()

    assert desk.store.stop_because(run) == "issue closed"


# --- What a turn costs


@dataclass
class Effort:
    """What SQLite has done, in hundreds of its instructions."""

    steps: int = 0

    def step(self) -> int:
        self.steps += 1
        return 0


@contextmanager
def effort(engine: Engine) -> Iterator[Effort]:
    """What is done in the meantime. One thread uses one connection, again and again."""
    found = Effort()
    raw: Any = engine.raw_connection()
    raw.dbapi_connection.set_progress_handler(found.step, 100)
    raw.close()
    yield found


@pytest.mark.parametrize("places", [0, 1])
def test_a_turn_does_the_same_however_much_waits(
    inbox: SqlInbox, store: Store, engine: Engine, tmp_path: Path, places: int
) -> None:
    desk = Desk(inbox, store, tmp_path, places=places)
    a_spree(desk, engine, 100)
    desk.turn(6)
    with effort(engine) as with_a_hundred:
        desk.ends(*desk.started[-1:])
        desk.turn()
    a_spree(desk, engine, 3_000)
    desk.turn(2)
    with effort(engine) as with_thousands:
        desk.ends(*desk.started[-1:])
        desk.turn()

    assert 0 < with_thousands.steps < 2 * with_a_hundred.steps


# --- What hides nothing


def test_those_whose_service_was_away_hide_nobody_behind_them(desk: Desk) -> None:
    for number in range(1, 16):
        desk.asks(RETRY, issue=an_issue_ref(number, repository=desk.repository.ref.id))
        desk.github.fail_next("permission", Unavailable("no answer", retry_after_s=60))
    desk.turn(15)
    ready = desk.asks(START, issue=IssueRef(desk.repository.ref, 99))

    desk.turn()

    assert desk.started == [run_id_for(ready)]
    assert len(desk.store.waiting()) == 15


def test_those_whose_service_was_away_have_their_turn_when_they_have_rested(desk: Desk) -> None:
    retry = desk.asks(RETRY)
    desk.github.fail_next("permission", Unavailable("no answer", retry_after_s=60))
    desk.turn(2)
    before = list(desk.started)
    desk.clock.now += 60
    desk.turn()

    assert (before, desk.started) == ([], [run_id_for(retry)])


def test_what_rests_when_the_worker_dies_is_taken_up_by_the_next(desk: Desk) -> None:
    retry = desk.asks(RETRY)
    desk.github.fail_next("permission", Unavailable("no answer", retry_after_s=60))
    desk.turn()

    desk.dispatcher = desk.new_dispatcher()
    desk.turn()

    assert desk.started == [run_id_for(retry)]


@dataclass
class Wavering:
    """What must be held, which the database can't say at times."""

    is_away: bool = False

    def check(self, connection: Connection) -> None: ...

    def lock(self, connection: Connection) -> None:
        if self.is_away:
            raise Unavailable("the database does not answer")


def test_what_waits_behind_a_run_that_ended_while_the_database_was_away_is_not_forgotten(desk: Desk) -> None:
    held = Wavering()
    desk.store, ended = desk.store.holding(held), desk.store
    desk.dispatcher = desk.new_dispatcher()
    (run,) = desk.runs()
    retry = desk.comments(RETRY, occurred_at=at(9))
    desk.turn()

    ended.finish(run, Outcome.UNSOLVED, "")
    held.is_away = True
    with pytest.raises(Unavailable):
        desk.turn()
    held.is_away = False
    desk.turn()

    assert desk.started == [run, run_id_for(retry)]


def test_what_was_placed_is_known_by_what_it_is_though_another_has_its_number_by_now(desk: Desk) -> None:
    pull = desk.publishes()
    asked, other = (a_trigger(STOP, issue=pull, pull_request=pull.number) for _ in range(2))
    moved = replace(other, issue=replace(pull, repository=replace(pull.repository, installation_id=2)))
    placing = Placing(desk.store)

    placed = [placing.placed(Waiting(7, each)) for each in (asked, other, moved)]

    at_issue = [replace(each, issue=replace(each.issue, number=desk.issue.number)) for each in (asked, other, moved)]
    assert [each and each.trigger for each in placed] == at_issue


def test_what_can_not_be_placed_yet_hides_nothing_behind_it(desk: Desk) -> None:
    (run,) = desk.runs(occurred_at=at(0))
    other = desk.pulls("feature")
    desk.store.learn(run, branch="selfcode/issue-1", head_sha=HEAD)
    for _ in range(20):
        desk.comments(STOP, issue=other, pull_request=other.number, occurred_at=at(9))
    desk.asks(STOP, because="issue closed", occurred_at=at(9))

    desk.turn()

    assert desk.store.stop_because(run) == "issue closed"
    assert len(desk.store.waiting()) == 20


def test_what_waits_behind_its_own_issue_hides_nobody_of_its_repository(desk: Desk) -> None:
    (run,) = desk.runs()
    for _ in range(30):
        desk.comments(RETRY, occurred_at=at(9))
    other = desk.asks(START, issue=desk.another_issue())

    desk.turn()

    assert desk.started == [run, run_id_for(other)]
