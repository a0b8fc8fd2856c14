"""GitHub's limits: what we keep by ourselves, and what we do where the stand-in server says that it is enough."""

from dataclasses import replace

import pytest

from bot.errors import Unavailable
from bot.github.pace import Pace, creates_content
from tests.github.stages import HubStage, a_door


class Clock:
    """Seconds since the epoch, moved by hand."""

    def __init__(self) -> None:
        self.now_s = 1_000_000.0

    def __call__(self) -> float:
        return self.now_s


def created(pace: Pace, count: int, installation_id: int = 1) -> None:
    for _ in range(count):
        pace.create(installation_id)


def test_no_more_is_created_in_a_minute_than_github_takes() -> None:
    clock = Clock()
    pace = Pace(clock)
    created(pace, 80)
    clock.now_s += 10

    with pytest.raises(Unavailable, match="80") as refused:
        pace.create(1)

    assert refused.value.retry_after_s == 50.0
    created(pace, 1, installation_id=2)
    clock.now_s += 50
    created(pace, 1)


def test_labels_and_reactions_are_no_texts() -> None:
    assert creates_content("/repos/octo/calc/issues/1/comments")
    assert not creates_content("/repos/octo/calc/issues/comments/900/reactions")
    assert not creates_content("/repos/octo/calc/labels")


def test_no_more_is_created_in_an_hour_than_github_takes() -> None:
    clock = Clock()
    pace = Pace(clock)
    for _ in range(10):
        created(pace, 50)
        clock.now_s += 120

    with pytest.raises(Unavailable, match="500") as refused:
        pace.create(1)

    assert refused.value.retry_after_s == 3600 - 1200
    clock.now_s += 2400
    created(pace, 50)


def test_while_github_wants_no_requests_an_installation_sends_none() -> None:
    clock = Clock()
    pace = Pace(clock)
    pace.hush(1, 60)
    pace.hush(1, 30)
    clock.now_s += 20

    with pytest.raises(Unavailable) as refused:
        pace.ask(1)

    assert refused.value.retry_after_s == 40.0
    pace.ask(2)
    clock.now_s += 40
    pace.ask(1)


def test_while_github_takes_no_texts_what_is_urgent_may_be_asked() -> None:
    clock = Clock()
    pace = Pace(clock)
    pace.hush(1, 60, texts_alone=True)

    pace.ask(1, is_urgent=True)
    with pytest.raises(Unavailable):
        pace.ask(1)

    pace.hush(1, 30)
    with pytest.raises(Unavailable) as refused:
        pace.ask(1, is_urgent=True)
    assert refused.value.retry_after_s == 30.0


def test_who_is_shut_out_of_making_content_is_still_told_who_may_stop_a_run(scene: HubStage) -> None:
    at = scene.open_issue()
    scene.give_role("ada", "write")
    words = "You have exceeded a secondary rate limit and have been temporarily blocked from content creation."
    headers = {"Retry-After": "600"}
    scene.hub.fail_next("POST", f"{scene.repository.full_name}/issues/", 403, {"message": words}, headers=headers)
    with pytest.raises(Unavailable):
        scene.github.post_comment(at, "hello", marker="<!-- m -->")

    with pytest.raises(Unavailable):
        scene.github.issue(at)
    assert scene.github.permission(scene.ref, "ada") == "write"


def test_after_a_secondary_limit_nothing_is_sent_until_its_time_is_over(scene: HubStage) -> None:
    clock = Clock()
    door = a_door(scene.hub, scene.app, scene.slept, clock=clock)
    at = scene.open_issue()
    door.issue(at)
    scene.hub.fail_next("POST", f"{scene.repository.full_name}/issues/", 429, {"message": "Too many requests"})
    with pytest.raises(Unavailable) as away:
        door.post_comment(at, "hello", marker="<!-- m -->")
    sent = len(scene.asked())

    for call in (lambda: door.issue(at), lambda: door.react(at, "eyes")):
        with pytest.raises(Unavailable):
            call()

    assert (away.value.retry_after_s, len(scene.asked())) == (60.0, sent)
    clock.now_s += 61
    door.post_comment(at, "hello", marker="<!-- m -->")
    assert len(scene.said(at)) == 1


@pytest.mark.parametrize("says_how_long", [True, False])
def test_where_the_server_says_that_we_write_too_much_the_caller_is_told_for_how_long(
    scene: HubStage, says_how_long: bool
) -> None:
    at = scene.open_issue()
    before = replace(scene.hub.limits)
    scene.hub.limits.created_a_minute, scene.hub.limits.says_how_long = 2, says_how_long
    try:
        scene.github.post_comment(at, "one", marker="<!-- 1 -->")
        scene.github.post_comment(at, "two", marker="<!-- 2 -->")
        with pytest.raises(Unavailable, match="secondary rate limit") as away:
            scene.github.post_comment(at, "three", marker="<!-- 3 -->")
    finally:
        scene.hub.limits.created_a_minute, scene.hub.limits.says_how_long = before.created_a_minute, True

    assert away.value.retry_after_s == 60.0
    assert len(scene.said(at)) == 2


def test_where_the_hour_is_used_up_the_caller_is_told_when_the_next_begins(scene: HubStage) -> None:
    at = scene.open_issue()
    scene.github.issue(at)
    before = scene.hub.limits.requests_an_hour
    scene.hub.limits.requests_an_hour = 1
    try:
        with pytest.raises(Unavailable, match="rate limit exceeded") as away:
            scene.github.issue(at)
    finally:
        scene.hub.limits.requests_an_hour = before

    assert away.value.retry_after_s
    assert 3000 < away.value.retry_after_s <= 3600
