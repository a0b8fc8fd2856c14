"""What GitHub tells of a pull request may come late, again and in any order: the newest of it is what is known."""

from itertools import permutations

import pytest
from sqlalchemy import Engine, select

from bot.records import PullState, TriggerKind
from bot.runs.store import SqlInbox, Store
from bot.runs.tables import runs
from tests.runs.builders import a_trigger, begun

OPEN, CLOSED, MERGED = PullState.OPEN, PullState.CLOSED, PullState.MERGED
Told = tuple[PullState, float | None]


def published(store: Store, inbox: SqlInbox, number: int = 12) -> str:
    """A run that has opened this pull request, or brought it up to date."""
    run_id = begun(store, inbox, a_trigger(TriggerKind.RETRY))
    store.learn(run_id, pull_request=number)
    return run_id


def told(store: Store, *all_of_it: Told, number: int = 12) -> None:
    for state, told_at in all_of_it:
        store.pulls.turn(42, number, state, told_at=told_at)


def states(engine: Engine) -> set[str | None]:
    with engine.connect() as connection:
        return set(connection.execute(select(runs.c.pull_state)).scalars())


@pytest.mark.parametrize("order", list(permutations([(CLOSED, 10.0), (OPEN, 20.0)])))
def test_what_is_opened_again_is_open_in_whichever_order_it_is_told(
    engine: Engine, store: Store, inbox: SqlInbox, order: tuple[Told, ...]
) -> None:
    published(store, inbox)

    told(store, *order, *order)

    assert states(engine) == {"open"}


@pytest.mark.parametrize("order", list(permutations([(CLOSED, 10.0), (OPEN, 20.0), (CLOSED, 30.0)])))
def test_what_is_closed_once_more_is_closed(
    engine: Engine, store: Store, inbox: SqlInbox, order: tuple[Told, ...]
) -> None:
    published(store, inbox)

    told(store, *order)

    assert states(engine) == {"closed"}


@pytest.mark.parametrize("order", list(permutations([(CLOSED, 10.0), (OPEN, 20.0), (MERGED, 30.0)])))
def test_what_is_merged_stays_merged(engine: Engine, store: Store, inbox: SqlInbox, order: tuple[Told, ...]) -> None:
    published(store, inbox)

    told(store, *order, (OPEN, 40.0), (CLOSED, 50.0))

    assert states(engine) == {"merged"}


@pytest.mark.parametrize("order", list(permutations([(CLOSED, 10.0), (OPEN, 10.0)])))
def test_what_is_closed_and_opened_within_a_second_is_open(
    engine: Engine, store: Store, inbox: SqlInbox, order: tuple[Told, ...]
) -> None:
    published(store, inbox)

    told(store, *order)

    assert states(engine) == {"open"}


def test_a_run_that_came_after_what_was_told_is_not_taken_in_by_what_is_older(
    engine: Engine, store: Store, inbox: SqlInbox
) -> None:
    published(store, inbox)
    told(store, (OPEN, 20.0))
    published(store, inbox)

    told(store, (CLOSED, 10.0))

    assert states(engine) == {"open"}


def test_other_pull_requests_are_left_as_they_are(engine: Engine, store: Store, inbox: SqlInbox) -> None:
    published(store, inbox)
    published(store, inbox, 13)

    told(store, (MERGED, 10.0))
    told(store, (CLOSED, 5.0), number=13)

    assert states(engine) == {"merged", "closed"}


def test_what_has_no_moment_counts_but_for_what_is_merged(engine: Engine, store: Store, inbox: SqlInbox) -> None:
    published(store, inbox)
    told(store, (OPEN, 20.0), (CLOSED, None))
    closed = states(engine)

    told(store, (MERGED, None), (OPEN, None))

    assert (closed, states(engine)) == ({"closed"}, {"merged"})
