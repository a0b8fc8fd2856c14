"""How many runs in a row may be for bots."""

from dataclasses import replace

import pytest

from bot.records import Outcome, Person, TriggerKind
from bot.runs.bots_turn import RUNS_BY_BOTS, persons_turn
from bot.runs.store import RunRow
from tests.runs.builders import MAINTAINER, a_trigger
from tests.runs.desk import Desk

REVIEWER = Person("reviewer[bot]", is_bot=True)
BY_BOT = a_trigger(TriggerKind.REVIEW, sender=REVIEWER)


def a_run(number: int, kind: TriggerKind = TriggerKind.REVIEW, *, by: Person = REVIEWER) -> RunRow:
    return RunRow(f"run-{number}", a_trigger(kind, sender=by), True, 0, 1, None, Outcome.PROVEN, "")


ROW = [a_run(1, TriggerKind.START, by=MAINTAINER), *(a_run(number) for number in range(2, 2 + RUNS_BY_BOTS))]


def test_after_some_runs_that_bots_asked_for_it_is_a_persons_turn() -> None:
    assert persons_turn(BY_BOT, ROW)
    assert not persons_turn(BY_BOT, ROW[:-1])


@pytest.mark.parametrize("kind", [TriggerKind.START, TriggerKind.RETRY, TriggerKind.ANSWER])
def test_no_bot_gets_around_it_by_another_word(kind: TriggerKind) -> None:
    other = a_trigger(kind, sender=Person("other[bot]", is_bot=True))

    assert persons_turn(other, ROW) == persons_turn(BY_BOT, ROW)


def test_a_person_may_always_and_their_run_begins_a_new_row() -> None:
    assert not persons_turn(a_trigger(TriggerKind.RETRY), ROW)
    assert not persons_turn(BY_BOT, [*ROW, a_run(9, TriggerKind.RETRY, by=MAINTAINER)])


def test_what_is_no_work_and_what_nobody_asked_for_is_no_persons_word() -> None:
    since = [a_run(7, TriggerKind.MEND, by=MAINTAINER), a_run(8, TriggerKind.DOCTOR, by=MAINTAINER)]

    assert persons_turn(BY_BOT, [*ROW, *since])
    assert not persons_turn(replace(BY_BOT, kind=TriggerKind.MEND), ROW)
    assert not persons_turn(replace(BY_BOT, kind=TriggerKind.DOCTOR), ROW)


def test_it_is_said_once_for_a_row() -> None:
    longer = [*ROW, a_run(8, TriggerKind.MEND, by=MAINTAINER)]
    again = [*ROW, a_run(9, TriggerKind.RETRY, by=MAINTAINER), *(a_run(number) for number in range(10, 13))]

    assert persons_turn(BY_BOT, longer) == persons_turn(BY_BOT, ROW)
    assert persons_turn(BY_BOT, again) not in ("", persons_turn(BY_BOT, ROW))


# --- As they are met


def test_bots_are_told_once_that_a_person_must_ask_and_then_nothing_begins_for_them(desk: Desk) -> None:
    desk.trusted_bots = frozenset({"reviewer"})
    desk.dispatcher = desk.new_dispatcher()
    for _ in range(RUNS_BY_BOTS):
        desk.ends(*desk.runs(desk.comments(TriggerKind.RETRY, by=REVIEWER)))

    held_back = [desk.comments(TriggerKind.RETRY, by=REVIEWER) for _ in range(2)]
    desk.turn(4)

    assert len(desk.started) == RUNS_BY_BOTS
    assert [answer.count("A person goes on with") for answer in desk.answers] == [1]
    assert [desk.reactions_on(each) for each in held_back] == [["confused"], ["confused"]]
    desk.ends(*desk.runs(desk.comments(TriggerKind.RETRY)))
    assert len(desk.runs(desk.comments(TriggerKind.RETRY, by=REVIEWER))) == 1
    assert len(desk.started) == RUNS_BY_BOTS + 2
