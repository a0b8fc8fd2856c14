"""What becomes of what people ask for on pages."""

import pytest

from bot.errors import Refused
from bot.records import OPERATOR, Outcome, Person
from bot.runs.steering import SqlSteering
from bot.runs.store import run_id_for
from tests.runs.builders import MAINTAINER
from tests.runs.desk import START, Desk

STRANGER = Person("mallory")


def steering(desk: Desk) -> SqlSteering:
    return SqlSteering(desk.store._engine)


def ended(desk: Desk) -> str:
    """A run that has come to nothing."""
    (run_id,) = desk.runs(desk.asks(START))
    desk.ends(run_id)
    return run_id


def test_who_may_write_has_a_run_done_again_once(desk: Desk) -> None:
    run_id = ended(desk)

    new = [steering(desk).retry(run_id, MAINTAINER, "mind the rounding") for _ in range(2)]
    desk.turn()

    assert desk.started[1:] == new[:1]
    trigger = desk.store.run(new[0]).trigger
    assert (trigger.sender, trigger.because) == (MAINTAINER, f"retry by {MAINTAINER.login}")


@pytest.mark.parametrize("role", ["none", "read", "triage"])
def test_who_may_not_any_more_when_it_is_acted_on_is_refused_as_for_a_comment(desk: Desk, role: str) -> None:
    run_id = ended(desk)
    desk.repository.roles[STRANGER.login] = role

    steering(desk).retry(run_id, STRANGER, "")
    desk.turn(2)

    assert desk.started == [run_id]
    assert desk.store.waiting() == []


def test_an_operator_needs_no_access_and_the_run_says_who_it_was(desk: Desk) -> None:
    run_id = ended(desk)

    new = steering(desk).retry(run_id, STRANGER, "", is_operator=True)
    desk.turn()

    trigger = desk.store.run(new).trigger
    assert (trigger.sender, trigger.because) == (OPERATOR, "retry by mallory")


def test_what_is_stopped_and_what_is_dropped_says_by_whom(desk: Desk) -> None:
    at_work, _ = desk.runs(*(desk.asks(START, issue=desk.another_issue()) for _ in range(2)))
    waits = run_id_for(desk.asks(START))
    desk.turn(2)

    for run_id in (at_work, waits):
        steering(desk).stop(run_id, MAINTAINER)
    desk.turn()

    assert desk.store.stop_because(at_work) == f"stopped by {MAINTAINER.login}"
    assert desk.store.waiting() == []
    assert f"stopped by {MAINTAINER.login}" in desk.answers[-1]


def test_what_has_ended_is_not_stopped_and_what_is_unknown_is_not_done_again(desk: Desk) -> None:
    run_id = ended(desk)

    with pytest.raises(Refused, match="has ended already"):
        steering(desk).stop(run_id, MAINTAINER)
    with pytest.raises(Refused, match="There is no run"):
        steering(desk).retry("nobody", MAINTAINER, "")
    assert desk.store.run(run_id).outcome is not Outcome.STOPPED
