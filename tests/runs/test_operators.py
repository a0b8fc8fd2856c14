"""What the dispatcher does at the operator's word."""

import pytest

from bot.records import OPERATOR, Outcome, TriggerKind
from bot.runs.controls import CANCELLED
from bot.runs.queueing import EVERY_S
from bot.runs.store import run_id_for
from tests.runs.builders import MAINTAINER, a_trigger
from tests.runs.desk import Desk

START, RETRY, STATUS, NOTE = TriggerKind.START, TriggerKind.RETRY, TriggerKind.STATUS, TriggerKind.NOTE


# --- Pausing


def test_while_it_is_paused_nothing_begins_and_who_asked_is_told_so(desk: Desk) -> None:
    desk.store.controls.pause(1.0)
    waits = desk.asks(START)
    desk.turn(3)

    (told,) = desk.answers
    assert desk.started == []
    assert told.startswith("⏳ **selfcode has it**: in the queue, which the operator has paused.")
    assert "what is asked for is kept" in told
    assert desk.reactions_on(waits) == ["eyes"]


def test_what_is_cheap_does_not_begin_either(desk: Desk) -> None:
    pull = desk.publishes()
    desk.store.controls.pause(1.0)
    desk.asks(TriggerKind.MOVED, issue=pull, pull_request=pull.number)
    desk.turn()
    while_paused = len(desk.started)
    desk.store.controls.resume()
    desk.turn()

    assert (while_paused, len(desk.started)) == (1, 2)


def test_what_is_at_work_goes_on_and_hears_notes_while_it_is_paused(desk: Desk) -> None:
    (run_id,) = desk.runs(desk.asks(START))
    desk.store.controls.pause(1.0)
    note = desk.comments(NOTE, text="keep the BOM")
    desk.turn()

    assert [each.text for each in desk.store.notes_since(run_id)] == ["keep the BOM"]
    assert desk.reactions_on(note) == ["eyes"]


def test_status_says_that_it_is_paused(desk: Desk) -> None:
    desk.store.controls.pause(1.0)
    desk.comments(STATUS)
    desk.turn()

    assert "⏸️ **Paused**: the operator lets no new run begin for now." in desk.answers[-1]


def test_once_it_goes_on_what_waited_begins_and_takes_its_comment_over(desk: Desk) -> None:
    desk.store.controls.pause(1.0)
    waits = desk.asks(START)
    desk.turn(2)
    desk.store.controls.resume()
    desk.turn()

    assert desk.started == [run_id_for(waits)]
    assert desk.store.facts(run_id_for(waits))["comment_id"]


def test_where_all_places_are_taken_the_place_is_told_again_after_the_pause(desk: Desk) -> None:
    desk.runs(*(desk.asks(START, issue=desk.another_issue()) for _ in range(2)))
    desk.store.controls.pause(1.0)
    desk.asks(START)
    desk.turn(2)
    desk.store.controls.resume()
    desk.clock.now += EVERY_S
    desk.turn()

    assert "in the queue, the next one." in desk.answers[0]


# --- Cancelling


def test_what_waits_is_dropped_and_its_comment_says_by_whom(desk: Desk) -> None:
    desk.runs(*(desk.asks(START, issue=desk.another_issue()) for _ in range(2)))
    waits = desk.asks(START)
    desk.turn(2)
    desk.store.controls.cancel(run_id_for(waits), 1.0)
    desk.turn()

    (told,) = desk.answers
    assert desk.store.waiting() == []
    assert CANCELLED in told
    assert not desk.store.controls.wanted().cancelled


def test_what_began_meanwhile_is_stopped(desk: Desk) -> None:
    first, other = desk.runs(desk.asks(START), desk.asks(START, issue=desk.another_issue()))
    desk.store.controls.cancel(first, 1.0)
    desk.turn()

    assert desk.store.stop_because(first) == CANCELLED
    assert desk.store.stop_because(other) is None


# --- Retrying


def test_a_retry_of_the_operators_begins_though_github_knows_no_such_person(desk: Desk) -> None:
    retry = desk.asks(RETRY, sender=OPERATOR, because="retry by the operator")
    desk.turn()

    assert desk.started == [run_id_for(retry)]
    assert desk.reactions_on(retry) == ["eyes"]


def test_one_that_waits_keeps_nobody_else_from_being_seen(desk: Desk) -> None:
    desk.runs(*(desk.asks(START, issue=desk.another_issue()) for _ in range(2)))
    desk.asks(RETRY, sender=OPERATOR)
    person = desk.comments(RETRY, issue=desk.another_issue())
    desk.turn(3)

    assert desk.reactions_on(person) == ["eyes"]


@pytest.mark.parametrize("name", ["operator", "the-operator", OPERATOR.login.replace(" ", "")])
def test_no_account_on_github_passes_for_the_operator(desk: Desk, name: str) -> None:
    desk.asks(RETRY, sender=type(MAINTAINER)(name))
    desk.turn(2)

    assert desk.started == []


def test_the_operators_word_ends_nothing_that_has_ended(desk: Desk) -> None:
    (run_id,) = desk.runs(desk.asks(START))
    desk.store.finish(run_id, Outcome.PROVEN, "")
    desk.store.controls.cancel(run_id, 1.0)
    desk.turn()

    assert desk.store.run(run_id).stop_because is None
    assert a_trigger().sender != OPERATOR
