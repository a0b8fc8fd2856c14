"""What is to become of a trigger, by itself."""

from dataclasses import replace
from datetime import UTC, datetime
from typing import Any

import pytest

from bot.records import Health, Outcome, Trigger, TriggerKind
from bot.runs.deciding import (
    CHEAP_AT_ONCE,
    CHEAP_OF_AN_ACCOUNT,
    DEAF,
    AtOnce,
    Begin,
    Ear,
    Later,
    Settle,
    Tell,
    decide,
    fair,
    has_room,
    spot_of,
)
from bot.runs.store import RunRow, Waiting
from tests.runs.builders import a_trigger, an_issue_ref, at

START, RETRY, REVIEW, ANSWER = TriggerKind.START, TriggerKind.RETRY, TriggerKind.REVIEW, TriggerKind.ANSWER
MEND, CHECKS = TriggerKind.MEND, TriggerKind.CHECKS
ASKED_FOR_THE_MOMENT = 1_790_000_000.0
AFTERWARDS = ASKED_FOR_THE_MOMENT + 105


def a_run(
    kind: TriggerKind = START,
    *,
    outcome: Outcome | Health | None = None,
    finished_at: float | None = None,
    **changed: Any,
) -> RunRow:
    """A run as it is kept: at work, where it has no outcome."""
    is_finished = outcome is not None
    ended = (finished_at or ASKED_FOR_THE_MOMENT) if is_finished else None
    return RunRow("run-1", a_trigger(kind, **changed), is_finished, ASKED_FOR_THE_MOMENT, ended, None, outcome, "")


def decided(
    trigger: Trigger, *runs: RunRow, accepted_at: float | None = None, ear: Ear = DEAF
) -> Begin | Settle | Tell | Later:
    active = [run for run in runs if not run.is_finished]
    return decide(Waiting(9, trigger, accepted_at), active=active, runs=runs, ear=ear)


# --- Answers to a question


ASKING = a_run(outcome=Outcome.NEEDS_INFORMATION)


def an_answer(after_s: float = 100.0) -> Trigger:
    """A comment, so many seconds after the question."""
    moment = datetime.fromtimestamp(ASKED_FOR_THE_MOMENT + after_s, UTC)
    return a_trigger(ANSWER, occurred_at=moment.strftime("%Y-%m-%dT%H:%M:%SZ"), comment_id=900)


def test_an_answer_to_the_question_that_the_newest_work_ended_with_starts_a_run() -> None:
    assert decided(an_answer(), ASKING, accepted_at=ASKED_FOR_THE_MOMENT + 100) == Begin()


@pytest.mark.parametrize("kind", [TriggerKind.DOCTOR, TriggerKind.MOVED, CHECKS, TriggerKind.ACCEPT])
def test_what_is_no_work_leaves_the_question_open(kind: TriggerKind) -> None:
    after = a_run(kind, outcome=Outcome.NOTHING_TO_DO)

    assert decided(an_answer(), ASKING, after, accepted_at=ASKED_FOR_THE_MOMENT + 100) == Begin()


def test_an_answer_waits_for_a_place_like_any_work() -> None:
    assert not has_room(spot_of(an_answer()), under_way(elsewhere(START)), at_once=AtOnce(1))


def test_a_second_answer_is_told_to_the_run_that_the_first_has_started() -> None:
    listening = Ear(is_open=True)

    assert decided(an_answer(105), ASKING, a_run(ANSWER), accepted_at=AFTERWARDS, ear=listening) == Tell()


def test_a_second_answer_whose_run_asks_its_model_no_more_is_a_comment_among_others() -> None:
    assert isinstance(decided(an_answer(105), ASKING, a_run(ANSWER), accepted_at=AFTERWARDS), Settle)


@pytest.mark.parametrize("kind", [START, RETRY, ANSWER])
def test_an_answer_in_the_moment_between_a_question_and_its_runs_end_waits_for_that(kind: TriggerKind) -> None:
    asked = Ear(asked_at=ASKED_FOR_THE_MOMENT + 90)

    assert decided(an_answer(), a_run(kind), accepted_at=AFTERWARDS, ear=asked) == Later()
    ended = a_run(kind, outcome=Outcome.NEEDS_INFORMATION, finished_at=AFTERWARDS + 1)
    assert decided(an_answer(), ended, accepted_at=AFTERWARDS, ear=asked) == Begin()


def test_what_was_said_before_the_question_was_shown_is_no_answer_to_it() -> None:
    asked = Ear(asked_at=AFTERWARDS + 1)

    assert isinstance(decided(an_answer(), a_run(), accepted_at=AFTERWARDS, ear=asked), Settle)


@pytest.mark.parametrize("outcome", [outcome for outcome in Outcome if outcome is not Outcome.NEEDS_INFORMATION])
def test_a_comment_answers_nothing_where_no_question_is_open(outcome: Outcome) -> None:
    ended = a_run(outcome=outcome)

    assert isinstance(decided(an_answer(), ASKING, ended, accepted_at=ASKED_FOR_THE_MOMENT + 100), Settle)


def test_a_comment_answers_nothing_where_nothing_ran_or_a_run_is_at_work() -> None:
    assert isinstance(decided(an_answer()), Settle)
    assert isinstance(decided(an_answer(), ASKING, a_run(RETRY), accepted_at=ASKED_FOR_THE_MOMENT + 100), Settle)


@pytest.mark.parametrize(("written_s", "came_in_s"), [(100.0, -1.0), (-100.0, 100.0)])
def test_who_could_not_have_seen_the_question_has_not_answered_it(written_s: float, came_in_s: float) -> None:
    answer = an_answer(written_s)

    assert isinstance(decided(answer, ASKING, accepted_at=ASKED_FOR_THE_MOMENT + came_in_s), Settle)


# --- Reviews


def test_a_review_during_a_run_waits_for_its_end() -> None:
    assert decided(a_trigger(REVIEW), a_run()) == Later()
    assert decided(a_trigger(REVIEW), a_run(outcome=Outcome.PROVEN)) == Begin()


def test_a_review_of_a_pull_request_that_is_not_known_here_starts_nothing() -> None:
    unplaced = a_trigger(REVIEW, issue=an_issue_ref(12), pull_request=12)

    assert decided(unplaced) == Settle("no pull request of ours")


# --- Checks


def a_check(conclusion: str = "failure", head: str = "2a9b") -> Trigger:
    return a_trigger(CHECKS, text=conclusion, head_sha=head)


WORKED = a_run(outcome=Outcome.PROVEN)


@pytest.mark.parametrize("conclusion", ["failure", "timed_out"])
def test_checks_that_failed_are_told(conclusion: str) -> None:
    assert decided(a_check(conclusion), WORKED) == Begin()


def test_checks_on_a_branch_that_only_looks_like_ours_are_not_told() -> None:
    assert decided(a_check()) == Settle("no run of ours")


@pytest.mark.parametrize("conclusion", ["success", "neutral", "skipped"])
def test_that_checks_pass_is_told_where_it_was_told_that_they_failed(conclusion: str) -> None:
    told = a_run(CHECKS, outcome=Outcome.NOTHING_TO_DO, head_sha="2a9b")

    assert decided(a_check(conclusion), WORKED, told) == Begin()
    assert isinstance(decided(a_check(conclusion), WORKED), Settle)
    assert isinstance(decided(a_check(conclusion, head="77"), WORKED, told), Settle)


def test_checks_wait_for_the_work_on_their_issue_whose_head_they_are_not_of() -> None:
    assert decided(a_check(), a_run()) == Later()


# --- Mending what fails


def test_checks_are_mended_unless_somebody_works_on_it_already() -> None:
    mend = a_trigger(MEND, occurred_at=at(50))

    assert decided(mend, WORKED) == Begin()
    assert isinstance(decided(mend, WORKED, a_run(RETRY)), Settle)


def test_checks_of_before_the_newest_run_are_not_mended() -> None:
    assert isinstance(
        decided(a_trigger(MEND, occurred_at=at(5)), a_run(outcome=Outcome.PROVEN, occurred_at=at(9))), Settle
    )


# --- What takes no place


def elsewhere(kind: TriggerKind, number: int = 7, *, account: int = 1, repository: int = 1) -> Trigger:
    return a_trigger(kind, issue=an_issue_ref(number, repository=repository, installation=account))


def under_way(*triggers: Trigger) -> list[RunRow]:
    return [replace(a_run(), trigger=trigger) for trigger in triggers]


@pytest.mark.parametrize("kind", [CHECKS, TriggerKind.MOVED])
def test_what_is_short_needs_no_place_and_takes_none(kind: TriggerKind) -> None:
    full = under_way(elsewhere(START), elsewhere(RETRY, 8))
    short = under_way(elsewhere(kind, 9))

    assert has_room(spot_of(elsewhere(kind)), full, at_once=AtOnce(2))
    assert has_room(spot_of(elsewhere(START)), short, at_once=AtOnce(1))
    assert not has_room(spot_of(elsewhere(START)), full, at_once=AtOnce(2))


def test_a_repository_and_an_account_may_have_limits_of_their_own() -> None:
    at_work = under_way(elsewhere(START, 7, account=1, repository=1), elsewhere(RETRY, 8, account=1, repository=2))
    same_repository = elsewhere(START, 9, account=1, repository=1)
    same_account = elsewhere(START, 9, account=1, repository=3)
    other = elsewhere(START, 9, account=2, repository=4)

    def have_room(at_once: AtOnce) -> list[bool]:
        asked = (same_repository, same_account, other)
        return [has_room(spot_of(trigger), at_work, at_once=at_once) for trigger in asked]

    assert have_room(AtOnce(3)) == [True, True, True]
    assert have_room(AtOnce(3, of_repository=1)) == [False, True, True]
    assert have_room(AtOnce(3, of_installation=2)) == [False, False, True]
    assert have_room(AtOnce(of_repository=2, of_installation=3).within(2)) == [False, False, False]


def test_what_waits_for_a_service_takes_no_place() -> None:
    waits = [replace(run, resumes_at=1.0) for run in under_way(elsewhere(START))]

    assert has_room(spot_of(elsewhere(START, 8)), waits, at_once=AtOnce(1, of_repository=1, of_installation=1))


def test_accounts_that_github_hushed_take_no_room_from_the_failed_checks_of_others() -> None:
    hushed = under_way(*(elsewhere(CHECKS, number, account=number) for number in range(CHEAP_AT_ONCE)))
    waits = [replace(run, resumes_at=1.0) for run in hushed]

    assert has_room(spot_of(elsewhere(CHECKS, 99, account=99)), waits, at_once=AtOnce(2))


def test_a_storm_of_failed_checks_is_told_a_few_at_a_time_and_no_account_has_all_the_room() -> None:
    of_one = under_way(*(elsewhere(CHECKS, number) for number in range(CHEAP_OF_AN_ACCOUNT)))
    of_all = under_way(*(elsewhere(CHECKS, number, account=number) for number in range(CHEAP_AT_ONCE)))

    assert not has_room(spot_of(elsewhere(CHECKS, 99)), of_one, at_once=AtOnce(2))
    assert has_room(spot_of(elsewhere(CHECKS, 99, account=2)), of_one, at_once=AtOnce(2))
    assert not has_room(spot_of(elsewhere(CHECKS, 99, account=99)), of_all, at_once=AtOnce(2))


def test_room_goes_first_to_who_has_the_least_of_the_same_kind() -> None:
    at_work = under_way(elsewhere(CHECKS, 1, account=1), elsewhere(START, 2, account=2, repository=2))
    waiting = [
        Waiting(seq, trigger)
        for seq, trigger in enumerate(
            [
                elsewhere(CHECKS, 3, account=1),
                elsewhere(CHECKS, 4, account=2, repository=2),
                elsewhere(START, 5, account=1),
                elsewhere(START, 6, account=2, repository=2),
            ]
        )
    ]

    assert [each.trigger.issue.number for each in fair(waiting, at_work)] == [4, 5, 3, 6]
