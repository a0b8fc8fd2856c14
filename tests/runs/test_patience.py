"""How long a service that is away is waited for, and where."""

import time
from dataclasses import replace

import pytest

from bot.errors import Unavailable
from bot.runs.patience import (
    HERE_S,
    LONGEST_WAIT_S,
    PATIENCE,
    PAUSES_S,
    REPEATED_S,
    WAITED_AT_MOST_S,
    Elsewhere,
    Enough,
    Here,
    Outage,
    Waits,
    is_worth_repeating,
    patiently,
)

NOW = 1_000_000.0
AWAY = Unavailable("no answer")


def waits(**changed: object) -> Waits:
    """A step of a run that can leave its place."""
    whole: dict[str, object] = {"step": "push 1", "patience": iter(PATIENCE), "can_leave": True}
    return Waits(**(whole | changed))  # type: ignore[arg-type]


def test_a_run_keeps_its_place_at_first_and_leaves_it_when_patience_ends() -> None:
    step = waits()

    said = [step.after(AWAY, now=NOW) for _ in range(4)]

    assert said == [Here(2.0), Here(10.0), Here(30.0), Elsewhere(Outage("push 1", "no answer", NOW), PAUSES_S[0])]


def test_a_service_that_hangs_before_it_fails_is_not_waited_for_longer_in_place() -> None:
    step = waits()
    step.after(AWAY, now=NOW)

    assert step.after(AWAY, now=NOW + HERE_S) == Elsewhere(Outage("push 1", "no answer", NOW), PAUSES_S[0])


@pytest.mark.parametrize(("named_s", "waited_s"), [(31.0, 60.0), (900.0, 900.0), (LONGEST_WAIT_S * 9, LONGEST_WAIT_S)])
def test_who_names_a_long_wait_is_believed_and_the_place_is_left_at_once(named_s: float, waited_s: float) -> None:
    said = waits().after(Unavailable("a secondary rate limit", named_s), now=NOW)

    assert said == Elsewhere(Outage("push 1", "a secondary rate limit", NOW), waited_s)


def test_a_short_pause_that_is_asked_for_is_one_of_the_tries() -> None:
    step = waits(can_leave=False)

    assert [step.after(Unavailable("busy", 5.0), now=NOW) for _ in range(2)] == [Here(5.0), Here(10.0)]


def test_the_place_is_left_longer_each_time_and_for_five_minutes_at_most() -> None:
    outage, pauses = Outage("push 1", "no answer", NOW), [PAUSES_S[0]]
    for _ in range(5):
        said = waits(before=outage).after(AWAY, now=NOW + 1000)
        assert isinstance(said, Elsewhere)
        outage = said.outage
        pauses.append(said.seconds)

    assert pauses == [60.0, 120.0, 240.0, 300.0, 300.0, 300.0]
    assert outage == Outage("push 1", "no answer", NOW, times=6)


def test_a_step_is_waited_for_a_day_and_then_says_what_for() -> None:
    outage = Outage("push 1", "no answer", NOW)

    said = waits(before=outage).after(AWAY, now=NOW + WAITED_AT_MOST_S)

    assert said == Enough("It was waited for a day, and is away still: no answer")


@pytest.mark.parametrize("before", [None, Outage("iteration 1", "no answer", NOW)])
def test_what_only_the_operator_can_mend_is_not_waited_for(before: Outage | None) -> None:
    assert waits(before=before).after(replace(AWAY, passes=False), now=NOW) == Enough("no answer")


def test_what_ends_without_a_loss_is_waited_for_a_minute_alone() -> None:
    step, engine = waits(), Unavailable("no engine answers", briefly=True)

    said = [step.after(engine, now=NOW) for _ in range(4)]

    assert said == [Here(2.0), Here(10.0), Here(30.0), Enough("no engine answers")]


@pytest.mark.parametrize("away", [AWAY, Unavailable("a secondary rate limit", 900.0)])
def test_what_has_no_place_to_leave_waits_no_longer_than_patience(away: Unavailable) -> None:
    assert waits(can_leave=False, patience=iter(())).after(away, now=NOW) == Enough(away.reason)


@pytest.mark.parametrize(
    ("outage", "is_worth_it"),
    [
        (None, True),
        (Outage("iteration 2", "no answer", NOW - REPEATED_S + 1), True),
        (Outage("iteration 2", "no answer", NOW - REPEATED_S), False),
        (Outage("iteration 1", "no answer", NOW - 2 * REPEATED_S), True),
    ],
)
def test_an_iteration_is_made_again_for_an_hour(outage: Outage | None, *, is_worth_it: bool) -> None:
    assert is_worth_repeating(outage, "iteration 2", now=NOW) is is_worth_it


def test_what_a_run_can_not_do_without_is_had_in_the_end() -> None:
    failing = [AWAY, OSError(28, "No space left on device")]

    def read() -> str:
        if failing:
            raise failing.pop(0)
        return "kept"

    began = time.monotonic()

    assert patiently(read) == "kept"
    assert time.monotonic() - began >= 2.5
