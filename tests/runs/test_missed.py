"""What of a list of deliveries was missed."""

import itertools
from collections.abc import Iterator

from bot.records import DeliveryAttempt
from bot.runs.missed import LATE_S, mark_after, missed, unseen

NOON = 1_790_000_000.0


def an_attempt(number: int, *, guid: str = "", event: str = "issues.labeled", taken: bool = False) -> DeliveryAttempt:
    """Each a minute after the one before."""
    name, _, action = event.partition(".")
    return DeliveryAttempt(number, guid or f"guid-{number}", name, action, NOON + 60 * number, taken)


def ids(attempts: list[DeliveryAttempt]) -> list[int]:
    return [each.id for each in attempts]


def read_one_by_one(*attempts: DeliveryAttempt, read: list[int]) -> Iterator[DeliveryAttempt]:
    for each in attempts:
        read.append(each.id)
        yield each


# --- Which were not looked at


def test_what_came_after_the_mark_was_not_looked_at() -> None:
    listed = [an_attempt(number) for number in (103, 102, 101, 50, 49)]

    assert ids(list(unseen(listed, 50)))[:3] == [103, 102, 101]


def test_what_may_have_come_into_the_list_late_is_looked_at_again_and_nothing_older() -> None:
    minutes = int(LATE_S // 60)
    listed = [an_attempt(number) for number in range(100, 0, -1)]

    assert ids(list(unseen(listed, 90))) == list(range(100, 90 - minutes - 1, -1))


def test_the_mark_may_be_one_that_is_kept_no_longer() -> None:
    listed = [an_attempt(number) for number in (103, 102, 40, 20)]

    assert ids(list(unseen(listed, 60))) == [103, 102, 40]


def test_without_a_mark_it_is_looked_back_as_far_as_it_is_told() -> None:
    listed = [an_attempt(number) for number in (3, 2, 1)]

    assert ids(list(unseen(listed, 0, oldest=NOON + 120))) == [3, 2]


def test_no_more_of_the_list_is_asked_for_than_it_takes() -> None:
    read: list[int] = []
    listed = read_one_by_one(an_attempt(1000), an_attempt(900), an_attempt(800), an_attempt(700), read=read)

    list(unseen(listed, 900))

    assert read == [1000, 900, 800]


# --- Which are worth reading


def test_what_nobody_took_was_missed() -> None:
    listed = [an_attempt(3), an_attempt(2, taken=True), an_attempt(1)]

    assert ids(missed(listed, everything=False)) == [1, 3]


def test_where_nothing_is_sent_to_us_everything_is_read_whoever_answered() -> None:
    listed = [an_attempt(2, taken=True), an_attempt(1)]

    assert ids(missed(listed, everything=True)) == [1, 2]


def test_what_was_taken_when_it_was_sent_again_was_not_missed() -> None:
    listed = [an_attempt(2, guid="same", taken=True), an_attempt(1, guid="same")]

    assert missed(listed, everything=False) == []


def test_what_was_taken_and_failed_when_it_was_sent_again_was_not_missed() -> None:
    listed = [an_attempt(2, guid="same"), an_attempt(1, guid="same", taken=True)]

    assert missed(listed, everything=False) == []


def test_what_was_tried_several_times_is_read_once_from_the_try_that_is_kept_longest() -> None:
    listed = [an_attempt(3, guid="same"), an_attempt(2, guid="same"), an_attempt(1, guid="same")]

    assert ids(missed(listed, everything=False)) == [3]


def test_what_can_ask_for_nothing_is_not_read() -> None:
    listed = [an_attempt(3, event="issues.edited"), an_attempt(2, event="star.created"), an_attempt(1, event="ping")]

    assert missed(listed, everything=True) == []


def test_what_people_ask_is_read_before_what_machines_say() -> None:
    events = itertools.cycle(["check_run.completed", "issue_comment.created", "check_suite.completed"])
    listed = [an_attempt(number, event=next(events)) for number in range(1, 7)]

    assert ids(missed(listed, everything=False)) == [2, 5, 1, 3, 4, 6]


# --- How far that comes


def test_all_is_done_up_to_the_newest_that_was_seen() -> None:
    assert mark_after(90, set(), mark=10) == 90


def test_while_some_are_left_to_do_all_is_done_up_to_the_first_of_them() -> None:
    assert mark_after(90, {40, 60}, mark=10) == 39


def test_the_mark_never_goes_back() -> None:
    assert mark_after(0, set(), mark=10) == 10
    assert mark_after(90, {5}, mark=10) == 10
