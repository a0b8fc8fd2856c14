"""All attempts of a backtest: made side by side, within the budget, and gone on with."""

import threading
from collections.abc import Sequence
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from bot.backtest.attempts import Attempts
from bot.backtest.kept import ATTEMPTS, KeptReplay, Lines
from bot.backtest.purse import LEAST_USD, Purse
from bot.backtest.replaying import Attempt, Tried
from bot.records import Caps, Failure, Outcome
from tests.backtest.seams import Played, attempts, came, means_of
from tests.writing.foreign import patiently

SLACK = 1e-9


def made(found: Attempts) -> Attempts:
    found.make()
    return found


def kept_in(folder: Path) -> list[KeptReplay]:
    return list(Lines(folder / ATTEMPTS, KeptReplay))


# --- Which are made


def test_every_bot_is_tried_at_every_fix(tmp_path: Path) -> None:
    played = Played(came)

    done = made(attempts(tmp_path, played, fixes=2, bots=("m", "oracle")))

    assert [bot for _, bot in played.made] == ["m", "oracle", "m", "oracle"]
    assert [(each.fix, each.bot) for each in done.replays()] == played.made
    assert done.stopped == ""


def test_what_was_made_is_not_made_again_and_another_bot_may_be_named(tmp_path: Path) -> None:
    made(attempts(tmp_path, Played(came), fixes=2))
    again = Played(came)

    done = made(attempts(tmp_path, again, fixes=3, bots=("n", "m")))

    assert [bot for _, bot in again.made] == ["n", "n", "n", "m"]
    assert len(done.replays()) == 6


def test_what_was_void_is_made_again(tmp_path: Path) -> None:
    made(attempts(tmp_path, Played(lambda attempt: came(attempt, is_void=True, is_solved=False))))
    again = Played(came)

    done = made(attempts(tmp_path, again))

    assert len(again.made) == 3
    assert [each.is_void for each in done.replays()] == [False] * 3
    assert len(kept_in(tmp_path)) == 6


@pytest.mark.parametrize("jobs", [1, 2, 4])
def test_no_more_than_asked_for_are_made_at_once(tmp_path: Path, jobs: int) -> None:
    together = threading.Barrier(jobs)

    def meet(attempt: Attempt) -> Tried:
        together.wait(60)
        return came(attempt)

    played = Played(meet)

    made(attempts(tmp_path, played, fixes=4, jobs=jobs))

    assert played.at_once == jobs


# --- What ends them


def test_ctrl_c_ends_it_and_what_is_under_way_is_kept_with_its_cost(tmp_path: Path) -> None:
    stopped = threading.Event()
    means = means_of(stop=stopped.is_set)

    def stop_in_the_second(attempt: Attempt) -> Tried:
        if len(played.made) < 2:
            return came(attempt, 0.25)
        stopped.set()
        cut = came(attempt, 0.5, outcome=Outcome.STOPPED, is_void=True, is_solved=False)
        return Tried(cut.replay, is_stopped=True)

    played = Played(stop_in_the_second)
    done = made(attempts(tmp_path, played, means=means, budget=3.0))

    assert done.stopped == "interrupted"
    assert len(done.replays()) == 1
    again = Played(lambda attempt: came(attempt, 0.0))
    assert made(attempts(tmp_path, again, budget=3.0)).stopped == ""
    assert again.made == [(attempt, "m") for attempt in ("020202020202", "030303030303")]
    assert again.caps[0][2] == 1.0
    assert made(attempts(tmp_path, Played(came), fixes=4, budget=0.75)).stopped == "the budget of USD 0.75 is used up"


def test_a_stop_before_the_first_makes_none(tmp_path: Path) -> None:
    played = Played(came)

    done = made(attempts(tmp_path, played, means=means_of(stop=lambda: True)))

    assert (played.made, done.stopped) == ([], "interrupted")


def test_three_services_away_one_behind_the_other_end_it(tmp_path: Path) -> None:
    played = Played(lambda attempt: came(attempt, is_away=True, is_void=True, is_solved=False, reason="no answer"))

    done = made(attempts(tmp_path, played, fixes=9))

    assert len(played.made) == 3
    assert done.stopped == "3 attempts in a row could not be made, the last for: no answer"


def test_a_service_that_comes_back_ends_nothing(tmp_path: Path) -> None:
    def away_but_each_third(attempt: Attempt) -> Tried:
        is_away = len(played.made) % 3 != 0
        return came(attempt, is_away=is_away, is_void=is_away)

    played = Played(away_but_each_third)

    assert made(attempts(tmp_path, played, fixes=9)).stopped == ""
    assert len(played.made) == 9


def test_an_error_of_one_loses_no_other(tmp_path: Path) -> None:
    others = threading.Event()

    def fail_first(attempt: Attempt) -> Tried:
        if attempt.bot.name in ("a", "b"):
            raise LookupError(attempt.bot.name)
        others.wait(60)
        return came(attempt)

    played = Played(fail_first)
    found = attempts(tmp_path, played, fixes=1, bots=("a", "b", "c", "d"), jobs=4)
    threading.Timer(0.2, others.set).start()

    with pytest.raises(LookupError):
        found.make()

    assert sorted(each.replay.bot for each in kept_in(tmp_path)) == ["c", "d"]


# --- The budget

costs = st.lists(st.one_of(st.none(), st.floats(0, 1)), min_size=1, max_size=12)


@patiently
@given(shares=costs, jobs=st.integers(1, 4), budget=st.floats(0.001, 5), own=st.one_of(st.none(), st.floats(0.01, 3)))
def test_a_budget_is_never_exceeded(
    tmp_path_factory: pytest.TempPathFactory,
    shares: Sequence[float | None],
    jobs: int,
    budget: float,
    own: float | None,
) -> None:
    """However much of what it may cost each one costs, or where that is not known; and not when it is gone on with."""
    folder = tmp_path_factory.mktemp("b")
    means = means_of(caps=Caps(cost_usd=own))
    spent: list[float] = []

    def cost_a_share(attempt: Attempt) -> Tried:
        share, cap = shares[len(played.made) % len(shares)], attempt.caps.cost_usd
        assert cap is not None
        spent.append(cap if share is None else cap * share)
        return came(attempt, None if share is None else cap * share, is_void=len(spent) % 2 == 0)

    played = Played(cost_a_share)
    for _ in range(2):
        made(attempts(folder, played, fixes=6, jobs=jobs, budget=budget, means=means))

    assert sum(spent) <= budget + SLACK
    assert all(cap is not None and LEAST_USD <= cap <= (own or cap) for _, _, cap in played.caps)


def test_the_budget_is_said_to_be_used_up(tmp_path: Path) -> None:
    played = Played(lambda attempt: came(attempt, 1.0))

    done = made(attempts(tmp_path, played, budget=2.0))

    assert len(played.made) == 2
    assert done.stopped == "the budget of USD 2.00 is used up"


def test_players_go_on_costing_nothing(tmp_path: Path) -> None:
    played = Played(came)

    assert made(attempts(tmp_path, played, bots=("oracle",), budget=LEAST_USD / 2)).stopped == ""


def test_players_go_on_where_the_budget_is_used_up(tmp_path: Path) -> None:
    played = Played(lambda attempt: came(attempt, 0.0 if attempt.bot.player else 1.0))

    done = made(attempts(tmp_path, played, bots=("m", "oracle"), budget=1.0))

    assert [bot for _, bot in played.made] == ["m", "oracle", "oracle", "oracle"]
    assert done.stopped == "the budget of USD 1.00 is used up"


def test_an_attempt_that_a_kill_cut_off_counts_as_all_that_it_might_have_cost(tmp_path: Path) -> None:
    class Killed(BaseException):
        pass

    def die(attempt: Attempt) -> Tried:
        raise Killed

    with pytest.raises(Killed):
        attempts(tmp_path, Played(die), budget=2.5).make()
    again = Played(lambda attempt: came(attempt, 1.0))

    done = made(attempts(tmp_path, again, budget=2.5))

    assert [cap for _, _, cap in again.caps] == [1.0, 0.5]
    assert len(done.replays()) == 2


def test_an_attempt_that_the_budget_has_cut_short_does_not_count(tmp_path: Path) -> None:
    def spend_all(attempt: Attempt) -> Tried:
        spent, limit = attempt.caps.cost_usd, Failure.LIMIT
        return came(attempt, spent, outcome=Outcome.UNSOLVED, failure=limit, is_solved=False)

    done = made(attempts(tmp_path, Played(spend_all), fixes=2, budget=1.5))

    own, lowered = done.replays()
    assert (own.is_void, lowered.is_void) == (False, True)
    assert lowered.reason.startswith("the budget left it USD 0.50")


def test_a_purse_without_a_budget_has_no_end() -> None:
    purse = Purse(None)

    purse.settle(purse.set_aside(None), 100.0)

    assert (purse.left_usd, purse.cap(None, free_jobs=1), purse.cap(3.0, free_jobs=1)) == (None, None, 3.0)
    assert purse.is_enough(None)
