"""What is told of the queue."""

from dataclasses import replace

import pytest

from bot.errors import Gone, Refused, Unavailable
from bot.records import TriggerKind
from bot.runs.acting import TOLD_ELSEWHERE_S
from bot.runs.queueing import EVERY_S
from bot.runs.store import run_id_for
from bot.writing.progress import NAMED_PLACES
from tests.runs.builders import STRANGER, at
from tests.runs.desk import Desk

START, RETRY, STOP, DOCTOR = TriggerKind.START, TriggerKind.RETRY, TriggerKind.STOP, TriggerKind.DOCTOR


@pytest.fixture
def busy(desk: Desk) -> list[str]:
    """Two runs of other issues, which take both places."""
    return desk.runs(*(desk.asks(START, issue=desk.another_issue()) for _ in range(2)))


def the_comment(desk: Desk) -> str:
    (comment,) = desk.answers
    return comment


@pytest.mark.parametrize("kind", [START, RETRY, DOCTOR])
def test_who_waits_for_a_place_is_told_which_and_the_run_takes_the_comment_over(
    desk: Desk, busy: list[str], kind: TriggerKind
) -> None:
    waits = desk.asks(START) if kind is START else desk.comments(kind)
    desk.turn(2)
    told = the_comment(desk)
    desk.ends(busy[0])
    desk.turn()

    run_id = run_id_for(waits)
    assert told.startswith("⏳ **selfcode has it**: in the queue, the next one.")
    assert run_id in told
    (comment,) = [said for said in desk.repository.issues[1].comments if said.author.login == desk.github.login]
    assert desk.store.facts(run_id)["comment_id"] == comment.id
    assert desk.store.talk.queue_comment(run_id) is None


def test_who_waits_is_led_to_the_runs_page_where_there_is_one_but_not_to_that_of_a_run_that_never_began(
    desk: Desk, busy: list[str]
) -> None:
    desk.pages = "https://bot.example.com"
    desk.dispatcher = desk.new_dispatcher()
    page = f"{desk.pages}/runs/{run_id_for(desk.asks(START))}"
    desk.turn(2)
    told = the_comment(desk)

    desk.asks(STOP, because="label removed", occurred_at=at(90))
    desk.turn(2)

    assert [page in said for said in (told, the_comment(desk))] == [True, False]
    assert "Not begun" in the_comment(desk)


@pytest.mark.parametrize("kind", [RETRY, TriggerKind.REVIEW])
def test_what_was_asked_on_a_pull_request_waits_on_the_issue_where_its_run_speaks(
    desk: Desk, kind: TriggerKind
) -> None:
    pull = desk.publishes()
    desk.runs(*(desk.asks(START, issue=desk.another_issue()) for _ in range(2)))
    waits = desk.comments(kind, issue=pull, pull_request=pull.number, occurred_at=at(20))

    desk.turn(2)

    [told] = [said for said in desk.said_on(desk.issue) if run_id_for(waits) in said]
    assert "attempt 2" in told
    assert [said for said in desk.said_on(pull) if run_id_for(waits) in said] == []


def test_a_place_that_changes_is_told_at_most_once_a_minute(desk: Desk, busy: list[str]) -> None:
    first, second = desk.asks(START, issue=desk.another_issue()), desk.asks(START)
    desk.turn(5)
    at_first = the_comment(desk)
    desk.ends(busy[0])
    desk.turn(2)
    meanwhile = the_comment(desk)
    desk.clock.now += EVERY_S
    desk.turn()

    assert "number 2" in at_first
    assert meanwhile == at_first
    assert "the next one" in the_comment(desk)
    assert desk.started[-1] == run_id_for(first)
    assert second.key in [each.trigger.key for each in desk.store.waiting()]


def test_a_place_that_stays_is_not_told_again(desk: Desk, busy: list[str]) -> None:
    desk.asks(START)
    desk.turn(3)
    before = list(desk.github.calls)

    desk.clock.now += 10 * EVERY_S
    desk.turn(3)

    assert desk.github.calls == before


def test_one_word_of_the_queue_is_said_a_turn(desk: Desk, busy: list[str]) -> None:
    for _ in range(3):
        desk.asks(START, issue=desk.another_issue())

    said = []
    for _ in range(4):
        desk.turn()
        said.append(desk.github.calls.count("post_comment"))

    assert said == [1, 2, 3, 3]


def test_a_retry_behind_the_run_of_its_own_issue_has_no_comment(desk: Desk) -> None:
    desk.runs()
    desk.comments(RETRY, occurred_at=at(5))

    desk.turn(3)

    assert desk.answers == []


@pytest.mark.parametrize("kind", [TriggerKind.ACCEPT, TriggerKind.RENEW])
def test_a_proof_that_waits_has_no_comment(desk: Desk, busy: list[str], kind: TriggerKind) -> None:
    desk.asks(kind)

    desk.turn(3)

    assert desk.answers == []


def test_a_stranger_has_no_place_to_be_told(desk: Desk, busy: list[str]) -> None:
    desk.comments(RETRY, by=STRANGER)

    desk.turn(3)

    assert (desk.answers, desk.store.waiting()) == ([], [])


def test_what_is_taken_back_while_it_waits_says_so(desk: Desk, busy: list[str]) -> None:
    desk.asks(START, occurred_at=at(1))
    desk.turn(3)
    desk.asks(STOP, because="label removed", occurred_at=at(5))

    desk.turn(2)

    assert the_comment(desk).startswith("⏹️ **Not begun**: label removed. Nothing was spent.")


def test_of_what_waits_where_the_app_may_see_nothing_any_more_no_comment_is_kept(desk: Desk, busy: list[str]) -> None:
    desk.asks(START)
    desk.turn(3)
    before = desk.store.talk.queue_comments()

    desk.asks(TriggerKind.UNINSTALLED, issue=replace(desk.issue, number=0))
    desk.now.now = desk.real_time() + TOLD_ELSEWHERE_S
    desk.turn()

    assert (len(before), len(desk.store.talk.queue_comments())) == (1, 0)


def test_who_loses_access_while_waiting_is_refused_when_the_turn_comes(desk: Desk, busy: list[str]) -> None:
    desk.comments(RETRY)
    desk.turn(3)
    desk.repository.roles.clear()
    desk.now.now += 120
    desk.ends(busy[0])

    desk.turn()

    assert the_comment(desk).startswith("⏹️ **Not begun**: grace has less than write access.")
    assert desk.started == busy


@pytest.mark.parametrize("error", [Refused("blocked"), Gone("deleted")])
def test_who_can_not_be_asked_about_when_the_turn_comes_is_told_that_nothing_began(
    desk: Desk, busy: list[str], error: Exception
) -> None:
    desk.comments(RETRY)
    desk.turn(3)
    desk.now.now += 120
    desk.github.fail_next("permission", error)
    desk.ends(busy[0])

    desk.turn(2)

    assert "**Not begun**: not done" in the_comment(desk)
    assert not desk.store.talk.queue_comments()


def test_a_restarted_worker_goes_on_with_the_same_comment(desk: Desk, busy: list[str]) -> None:
    desk.asks(START, issue=desk.another_issue())
    desk.asks(START)
    desk.turn(5)
    desk.ends(busy[0])

    desk.dispatcher = desk.new_dispatcher()
    desk.turn(2)

    assert "the next one" in the_comment(desk)


@pytest.mark.parametrize("error", [Refused("locked"), Gone("deleted"), Unavailable("rate limit")])
def test_what_can_not_be_said_of_the_queue_is_tried_again_a_minute_later(
    desk: Desk, busy: list[str], error: Exception
) -> None:
    waits = desk.asks(START)
    desk.github.fail_next("post_comment", error)

    desk.turn(4)
    tries = desk.github.calls.count("post_comment")
    desk.clock.now += EVERY_S
    desk.turn()

    assert tries == 1
    assert len(desk.answers) == 1
    assert [each.trigger for each in desk.store.waiting()] == [waits]


def test_far_behind_no_number_is_told_that_would_have_to_change(desk: Desk, busy: list[str]) -> None:
    for _ in range(NAMED_PLACES + 1):
        desk.asks(START, issue=desk.another_issue())
    last = desk.asks(START)
    desk.turn(3 * NAMED_PLACES)
    told, before = the_comment(desk), desk.github.calls.count("edit_comment")
    desk.ends(busy[0])
    desk.clock.now += EVERY_S
    desk.turn(3 * NAMED_PLACES)

    assert "in the queue, further back." in told
    assert the_comment(desk) == told
    assert desk.github.calls.count("edit_comment") - before == NAMED_PLACES
    assert last.key in [each.trigger.key for each in desk.store.waiting()]
