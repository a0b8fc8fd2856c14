"""The real door on the stand-in server: what only HTTP can show."""

import logging
from collections.abc import Callable
from dataclasses import replace
from threading import Thread

import pytest
import requests

from bot.demo.hub import Hub
from bot.demo.state import App
from bot.errors import ConfigError, Gone, Refused, Unavailable
from bot.github.app import GitHubApp
from bot.github.failures import understand_graph
from bot.records import Annotation, AnnotationLevel, IssueRef, PullRequestText
from tests.github.stages import HubStage, a_door

BRANCH = "selfcode/issue-1"
MARKER = "<!-- m -->"
TOO_FAST = {
    "message": "You have exceeded a secondary rate limit and have been temporarily blocked from content creation."
}
TEXT = PullRequestText(title="Fix it", body="Closes #1", draft=False)


class Clock:
    """Seconds since the epoch, moved by hand; sleeping moves it."""

    def __init__(self) -> None:
        self.now_s = 1_000_000.0

    def __call__(self) -> float:
        return self.now_s

    def sleep(self, seconds: float) -> None:
        self.now_s += seconds


# --- Ourselves


def test_the_app_knows_its_own_name_and_owner(hub: Hub, app: App) -> None:
    door = a_door(hub, app, [])

    assert (door.app_slug(), door.bot_login(), door.owner_login()) == ("selfcode", "selfcode[bot]", "operator")


@pytest.mark.parametrize("key", ["", "no key", "-----BEGIN RSA PRIVATE KEY-----\nAAAA\n-----END RSA PRIVATE KEY-----"])
def test_a_private_key_that_is_none_is_told_to_the_operator_at_once(key: str) -> None:
    with pytest.raises(ConfigError, match="SELFCODE_PRIVATE_KEY"):
        GitHubApp(app_id=1, private_key=key, api_url="http://127.0.0.1:9")


def test_a_key_of_another_app_is_told_to_the_operator(hub: Hub, app: App) -> None:
    other = hub.create_app("other")

    with pytest.raises(ConfigError, match="SELFCODE_APP_ID"):
        a_door(hub, app, [], private_key=other.private_key).app_slug()


def test_an_unknown_app_is_told_to_the_operator(hub: Hub, app: App) -> None:
    with pytest.raises(ConfigError, match="SELFCODE_APP_ID"):
        a_door(hub, app, [], app_id=999_999).app_slug()


@pytest.mark.parametrize(
    "words",
    [
        "'Issued at' claim ('iat') must be an Integer representing the time that the assertion was issued",
        "'Expiration time' claim ('exp') is too far in the future",
    ],
)
def test_a_clock_that_is_wrong_at_the_start_may_be_right_later(hub: Hub, app: App, words: str) -> None:
    hub.fail_next("GET", "/app$", 401, {"message": words})
    door = a_door(hub, app, [])

    with pytest.raises(Unavailable, match="clock"):
        door.app_slug()
    assert door.app_slug() == "selfcode"


def test_a_server_that_does_not_answer_is_unavailable(app: App, hub: Hub) -> None:
    slept: list[float] = []

    with pytest.raises(Unavailable, match="can't be reached"):
        a_door(hub, app, slept, api_url="http://127.0.0.1:9/api/v3").app_slug()

    assert len(slept) == 2


# --- Tokens


def test_a_token_is_made_once_for_many_calls(scene: HubStage) -> None:
    at = scene.open_issue()
    before = minted(scene)

    for _ in range(3):
        scene.github.issue(at)

    assert minted(scene) - before == 1


def test_an_hour_later_a_fresh_token_is_taken_before_the_old_one_is_refused(scene: HubStage) -> None:
    clock = Clock()
    door = a_door(scene.hub, scene.app, [], clock=clock)
    at = scene.open_issue()
    door.issue(at)
    clock.now_s += 61 * 60

    door.post_comment(at, "still here", marker=MARKER)

    assert not [asked for asked in scene.asked() if asked.endswith("401")]


def test_a_token_that_expired_unnoticed_is_replaced_in_the_middle(scene: HubStage) -> None:
    at = scene.open_issue()
    scene.push(BRANCH, "x = 2\n")
    scene.github.issue(at)
    scene.hub.advance(minutes=61)

    scene.github.post_comment(at, "still here", marker=MARKER)
    scene.hub.advance(minutes=61)
    pull = scene.github.publish_pull_request(scene.ref, BRANCH, "main", TEXT)

    assert pull.state == "open"
    assert len([asked for asked in scene.asked() if asked.endswith("401")]) == 2


def test_a_token_that_is_never_accepted_is_given_up(scene: HubStage) -> None:
    at = scene.open_issue()
    scene.hub.fail_next(
        "GET", f"/repos/{scene.repository.full_name}/issues", 401, {"message": "Bad credentials"}, times=6
    )

    with pytest.raises(Unavailable, match="fresh token"):
        scene.github.issue(at)


def test_a_token_reaches_its_own_repository_only(scene: HubStage) -> None:
    scene.hub.create_repository(f"{scene.ref.owner}/secret", {"a": "b"}, private=True)
    token = scene.github.git_token(scene.ref)

    assert answer(scene, token, f"repos/{scene.ref.owner}/secret/git/ref/heads/main") == 404
    assert answer(scene, token, f"repos/{scene.ref.full_name}/git/ref/heads/main") == 200


def test_gits_token_can_do_nothing_else(scene: HubStage) -> None:
    at = scene.open_issue()
    token = scene.github.git_token(scene.ref)

    assert answer(scene, token, f"repos/{scene.ref.full_name}/issues/{at.number}") == 403


def test_git_gets_a_fresh_token_each_time(scene: HubStage) -> None:
    assert scene.github.git_token(scene.ref) != scene.github.git_token(scene.ref)


def test_after_uninstalling_everything_is_gone(scene: HubStage) -> None:
    at = scene.open_issue()
    scene.github.issue(at)
    scene.hub.uninstall(scene.installation)

    for call in (lambda: scene.github.issue(at), lambda: scene.github.git_token(scene.ref)):
        with pytest.raises(Gone):
            call()


def test_in_a_suspended_installation_everything_is_gone(scene: HubStage) -> None:
    at = scene.open_issue()
    scene.hub.suspend(scene.installation)

    with pytest.raises(Gone, match="suspended"):
        scene.github.issue(at)


def test_a_repository_that_was_taken_from_the_app_is_gone(scene: HubStage) -> None:
    scene.hub.select(scene.installation, scene.repository, added=False)

    with pytest.raises(Gone):
        scene.github.git_token(scene.ref)


def test_a_repository_is_found_by_its_name(scene: HubStage) -> None:
    found = scene.github.find(scene.ref.full_name)

    assert (found.ref.id, found.ref.installation_id) == (scene.ref.id, scene.ref.installation_id)
    assert found.clone_url.endswith(f"{scene.ref.full_name}.git")


def test_a_repository_without_the_app_or_of_an_old_name_is_not_found(scene: HubStage) -> None:
    old = scene.ref.full_name
    scene.rename("new-name")

    for name in (f"{scene.ref.owner}/none", old):
        with pytest.raises(Gone):
            scene.github.find(name)


def test_no_token_reaches_the_log(scene: HubStage, caplog: pytest.LogCaptureFixture) -> None:
    caplog.set_level(logging.DEBUG)
    caplog.set_level(logging.DEBUG, logger="github")

    token = scene.github.git_token(scene.ref)
    scene.github.issue(scene.open_issue())

    assert token not in caplog.text
    assert "ghs_" not in caplog.text


# --- Waiting


def test_too_many_writes_are_waited_for_and_logged(scene: HubStage, caplog: pytest.LogCaptureFixture) -> None:
    at = scene.open_issue()
    headers = {"Retry-After": "3"}
    scene.hub.fail_next("POST", f"{scene.repository.full_name}/issues/", 403, TOO_FAST, headers=headers)

    scene.github.post_comment(at, "hello", marker=MARKER)

    assert scene.slept == [3.0]
    assert "trying again in 3 s" in caplog.text
    assert scene.said(at) == [("selfcode[bot]", f"hello\n{MARKER}")]


def test_where_github_does_not_say_how_long_the_caller_is_told_a_minute_and_nothing_is_lost(scene: HubStage) -> None:
    clock = Clock()
    door = a_door(scene.hub, scene.app, scene.slept, clock=clock)
    at = scene.open_issue()
    scene.hub.fail_next("POST", f"{scene.repository.full_name}/issues/", 403, TOO_FAST)

    with pytest.raises(Unavailable, match="secondary rate limit") as away:
        door.post_comment(at, "hello", marker=MARKER)
    clock.now_s += 60
    door.post_comment(at, "hello", marker=MARKER)

    assert (away.value.retry_after_s, scene.slept) == (60.0, [])
    assert len(scene.said(at)) == 1


def test_a_long_wait_is_left_to_the_caller(scene: HubStage) -> None:
    clock = Clock()
    door = a_door(scene.hub, scene.app, scene.slept, clock=clock)
    headers = {"X-RateLimit-Remaining": "0", "X-RateLimit-Reset": str(int(clock.now_s) + 900)}
    message = {"message": "API rate limit exceeded for installation ID 5."}
    scene.hub.fail_next("GET", f"{scene.repository.full_name}/issues/", 403, message, headers=headers)

    with pytest.raises(Unavailable) as away:
        door.issue(scene.open_issue())

    assert away.value.retry_after_s == 901.0
    assert scene.slept == []


def test_a_server_that_stumbles_is_asked_again(scene: HubStage) -> None:
    at = scene.open_issue()
    scene.hub.fail_next("GET", f"{scene.repository.full_name}/issues/", 502, "<html>Bad gateway</html>", times=2)

    assert scene.github.issue(at).title == "It breaks"
    assert scene.slept == [1.0, 2.0]


def test_a_server_that_stays_down_is_unavailable(scene: HubStage) -> None:
    at = scene.open_issue()
    scene.hub.fail_next("GET", f"{scene.repository.full_name}/issues/", 503, times=3)

    with pytest.raises(Unavailable):
        scene.github.issue(at)


def test_an_answer_that_is_not_githubs_is_unavailable(scene: HubStage) -> None:
    at = scene.open_issue()
    scene.hub.fail_next("GET", f"{scene.repository.full_name}/issues/", 200, {"please": "sign in"}, times=3)

    with pytest.raises(Unavailable, match="can't be read"):
        scene.github.issue(at)


def test_a_refusal_is_not_tried_again(scene: HubStage) -> None:
    at = scene.open_issue()
    scene.lock(at)

    with pytest.raises(Refused):
        scene.github.react(at, "eyes")

    assert len([asked for asked in scene.asked("POST") if "reactions" in asked]) == 1
    assert scene.slept == []


def lost(scene: HubStage, path: str) -> None:
    """What is asked next is done, but the answer is lost."""
    scene.hub.fail_next("POST", rf"{scene.repository.full_name}/{path}", 0, after_effect=True)


def test_a_comment_whose_answer_was_lost_is_not_posted_again(scene: HubStage) -> None:
    at = scene.open_issue()
    lost(scene, "issues/1/comments")

    scene.github.post_comment(at, "hello", marker=MARKER)

    assert len(scene.said(at)) == 1


def test_a_pull_request_whose_answer_was_lost_is_not_opened_again(scene: HubStage) -> None:
    scene.push(BRANCH, "x = 2\n")
    lost(scene, "pulls$")

    scene.github.publish_pull_request(scene.ref, BRANCH, "main", TEXT)

    assert len(scene.pulls()) == 1


def test_a_check_run_whose_answer_was_lost_is_not_set_again(scene: HubStage) -> None:
    sha = scene.push(BRANCH, "x = 2\n")
    lost(scene, "check-runs")

    scene.github.set_check(scene.ref, sha, conclusion="success", title="proven", summary="all")

    assert len(scene.repository.check_runs) == 1


def test_writes_keep_the_distance_that_github_asks_for_over_all_threads(scene: HubStage) -> None:
    clock = Clock()
    door = a_door(scene.hub, scene.app, [], clock=clock, sleep=clock.sleep, seconds_between_writes=1.0)
    at = scene.open_issue()
    door.issue(at)
    before_s = clock.now_s

    in_parallel([lambda: door.react(at, "eyes"), lambda: door.react(at, "rocket"), lambda: door.react(at, "heart")])

    assert clock.now_s - before_s == pytest.approx(2.0)
    assert door.paused_s == pytest.approx(2.0)


def test_reading_and_tokens_wait_for_nobody(scene: HubStage) -> None:
    clock = Clock()
    door = a_door(scene.hub, scene.app, [], clock=clock, sleep=clock.sleep, seconds_between_writes=1.0)
    at = scene.open_issue()

    for _ in range(3):
        door.issue(at)
        door.git_token(scene.ref)

    assert door.paused_s == 0.0


# --- Where things are


def test_a_comment_beyond_the_first_page_is_found(scene: HubStage) -> None:
    at = scene.open_issue()
    for number in range(130):
        scene.say(at, f"comment {number}", by="alice")
    ours = scene.github.post_comment(at, "hello", marker=MARKER)
    scene.say(at, "and one more", by="alice")

    assert len(scene.github.comments(at)) == 132
    assert scene.github.post_comment(at, "hello", marker=MARKER) == ours


def test_of_a_long_conversation_only_what_is_new_is_read_before_a_comment(scene: HubStage) -> None:
    at = scene.open_issue()
    for number in range(130):
        scene.say(at, f"comment {number}", by="alice")
    scene.hub.advance(minutes=10)
    since = scene.hub.world.now().strftime("%Y-%m-%dT%H:%M:%SZ")
    ours = scene.github.post_comment(at, "hello", marker=MARKER, since=since)
    before = len(scene.asked())

    assert scene.github.post_comment(at, "hello", marker=MARKER, since=since) == ours
    assert len(scene.asked()) - before == 1


def test_a_list_of_exactly_one_page_is_complete(scene: HubStage) -> None:
    at = scene.open_issue()
    for number in range(100):
        scene.say(at, f"comment {number}", by="alice")

    assert len(scene.github.comments(at)) == 100


def test_after_a_rename_filters_still_filter(scene: HubStage) -> None:
    scene.push("somebody/elses", "x = 3\n")
    scene.github.publish_pull_request(scene.ref, "somebody/elses", "main", TEXT)
    before = scene.ref
    scene.rename("dog")

    assert list(scene.github.pull_requests(before, BRANCH)) == []


@pytest.mark.parametrize("was_seen", [True, False])
def test_a_repository_that_another_account_has_now_is_seen_through_its_installation(
    scene: HubStage, *, was_seen: bool
) -> None:
    at, before, account = scene.open_issue(), scene.ref, f"{scene.ref.owner}-{was_seen}"
    if was_seen:
        scene.github.issue(at)
    scene.hub.install(scene.app, account)
    scene.repository.transfer(account)

    assert scene.github.issue(at).title == "It breaks"
    assert scene.github.post_comment(at, "here", marker=MARKER)
    assert scene.github.git_token(before)
    assert scene.github.repository(before).clone_url.endswith(f"{account}/cat.git")


def test_a_repository_that_an_account_without_the_app_has_now_is_gone(scene: HubStage) -> None:
    at = scene.open_issue()
    scene.github.issue(at)
    scene.repository.transfer("stranger")

    with pytest.raises(Gone):
        scene.github.issue(at)
    with pytest.raises(Gone):
        scene.github.git_token(at.repository)


@pytest.mark.parametrize("private", [True, False])
def test_an_old_name_that_is_another_repositorys_by_now_is_asked_for_no_more(scene: HubStage, *, private: bool) -> None:
    clock = Clock()
    door, before, at = a_door(scene.hub, scene.app, [], clock=clock), scene.ref, scene.open_issue()
    scene.give_role("alice", "write")
    door.permission(before, "alice")
    scene.rename("dog")
    squatters = scene.hub.create_repository(before.full_name, {"b.py": "y = 1\n"}, private=private)
    squatters.give_role("mallory", "admin")
    clock.now_s += 61

    assert (door.permission(before, "alice"), door.permission(before, "mallory")) == ("write", "none")
    assert door.post_comment(at, "here", marker=MARKER)


def test_a_refusal_by_an_old_name_is_not_the_repositorys(scene: HubStage) -> None:
    at = scene.open_issue()
    scene.github.issue(at)
    before = scene.ref.full_name
    scene.rename("dog")
    scene.hub.create_repository(before, {"b.py": "y = 1\n"}, private=True)

    assert scene.github.issue(at).title == "It breaks"


def test_a_refusal_that_has_nothing_to_do_with_a_name_is_githubs_own(scene: HubStage) -> None:
    at = scene.open_issue()
    scene.github.issue(at)
    scene.delete(at)

    with pytest.raises(Gone):
        scene.github.issue(at)


def test_a_pull_request_that_a_filter_let_through_is_not_taken_for_ours(scene: HubStage) -> None:
    scene.push("somebody/elses", "x = 3\n")
    scene.github.publish_pull_request(scene.ref, "somebody/elses", "main", TEXT)
    scene.github.pull_requests(scene.ref, "somebody/elses")
    unfiltered = scene.hub.requests[-1].answer
    scene.hub.fail_next("GET", f"{scene.repository.full_name}/pulls$", 200, unfiltered)

    assert len(unfiltered) == 1
    assert list(scene.github.pull_requests(scene.ref, BRANCH)) == []


def test_a_transferred_issue_is_gone_and_its_new_place_is_not_touched(scene: HubStage) -> None:
    at = scene.open_issue()
    there = scene.hub.create_repository(f"{scene.ref.owner}/elsewhere", {"a": "b"})
    moved = scene.issue(at).transfer(there)

    with pytest.raises(Gone):
        scene.github.issue(at)
    with pytest.raises(Gone):
        scene.github.post_comment(at, "hello", marker=MARKER)
    assert moved.comments == ()


def test_an_owner_in_another_letter_case_finds_the_same_pull_request(scene: HubStage) -> None:
    scene.push(BRANCH, "x = 2\n")
    shouted = type(scene.ref)(scene.ref.installation_id, scene.ref.id, scene.ref.owner.upper(), "CAT")

    first = scene.github.publish_pull_request(shouted, BRANCH, "main", TEXT)
    second = scene.github.publish_pull_request(scene.ref, BRANCH, "main", TEXT)

    assert first == second
    heads = {
        found.query.get("head") for found in scene.hub.requests if found.path.endswith(f"{scene.ref.full_name}/pulls")
    }
    assert heads <= {f"{scene.ref.owner}:{BRANCH}", None}


# --- What GitHub refuses


def test_a_missing_permission_is_named(hub: Hub, app: App) -> None:
    weak = hub.create_app("weak", permissions={"metadata": "read", "issues": "read"})
    scene = HubStage(hub, weak, "owner-of-the-weak")
    at = scene.open_issue()

    with pytest.raises(Refused, match="issues: write"):
        scene.github.post_comment(at, "hello", marker=MARKER)
    with pytest.raises(Refused, match="issues: write"):
        scene.github.react(at, "eyes")
    with pytest.raises(Refused, match="pull_requests: write"):
        scene.github.publish_pull_request(scene.ref, BRANCH, "main", TEXT)


def test_labels_and_reviewers_that_can_not_be_had_are_logged_and_the_pull_request_stands(
    scene: HubStage, caplog: pytest.LogCaptureFixture
) -> None:
    scene.push(BRANCH, "x = 2\n")
    scene.hub.fail_next("POST", "/labels$", 403, {"message": "Resource not accessible by integration"})
    text = PullRequestText(title="Fix", body="", draft=False, labels=("bug",), reviewers=("alice",))

    pull = scene.github.publish_pull_request(scene.ref, BRANCH, "main", text)

    assert pull.state == "open"
    assert caplog.text.count("left out") == 2


def test_labels_and_reviewers_that_are_there_are_not_asked_for_again(scene: HubStage) -> None:
    scene.push(BRANCH, "x = 2\n")
    scene.give_role("bob", "write")
    text = PullRequestText(title="Fix", body="", draft=False, labels=("bug",), reviewers=("bob",))
    scene.github.publish_pull_request(scene.ref, BRANCH, "main", text)
    before = len(scene.asked("POST")) + len(scene.asked("PATCH"))

    scene.github.publish_pull_request(scene.ref, BRANCH, "main", text)

    assert len(scene.asked("POST")) + len(scene.asked("PATCH")) == before


def test_where_there_are_no_drafts_the_pull_request_is_opened_as_none(scene: HubStage) -> None:
    scene.push(BRANCH, "x = 2\n")
    message = {"message": "Draft pull requests are not supported in this repository.", "errors": []}
    scene.hub.fail_next("POST", f"{scene.repository.full_name}/pulls$", 422, message)
    text = PullRequestText(title="Fix", body="", draft=True)

    assert not scene.github.publish_pull_request(scene.ref, BRANCH, "main", text).is_draft


def test_a_pull_request_that_an_earlier_try_opened_meanwhile_is_found(scene: HubStage) -> None:
    scene.push(BRANCH, "x = 2\n")
    entry = {"resource": "PullRequest", "code": "custom", "message": f"A pull request already exists for x:{BRANCH}."}
    exists = {"message": "Validation Failed", "errors": [entry]}
    scene.hub.fail_next("POST", f"{scene.repository.full_name}/pulls$", 422, exists, after_effect=True)

    pull = scene.github.publish_pull_request(scene.ref, BRANCH, "main", TEXT)

    assert [title for title, _, _ in scene.pulls()] == ["Fix it"]
    assert pull.state == "open"


def test_a_text_that_is_too_long_is_cut_and_posted_all_the_same(scene: HubStage) -> None:
    at = scene.open_issue()
    scene.push(BRANCH, "x = 2\n")
    long = "😊" * 200_000

    comment_id = scene.github.post_comment(at, long, marker=MARKER)
    scene.github.edit_comment(at, comment_id, long)
    again = scene.github.post_comment(at, long, marker="<!-- other -->")
    scene.github.publish_pull_request(scene.ref, BRANCH, "main", PullRequestText("Fix " * 200, long, draft=False))
    pull = scene.github.publish_pull_request(scene.ref, BRANCH, "main", PullRequestText("Fix", long, draft=False))
    scene.github.describe_pull_request(scene.ref, pull.number, long + "!")

    assert scene.said(at)[1][1].endswith("<!-- other -->")
    assert scene.github.post_comment(at, long, marker="<!-- other -->") == again
    assert all(len(body) < 65_536 for _, body in scene.said(at))
    assert [(title[:4], len(body) < 65_536) for title, body, _ in scene.pulls()] == [("Fix ", True)]


def test_a_check_runs_summary_is_cut_to_githubs_limit(scene: HubStage) -> None:
    sha = scene.push(BRANCH, "x = 2\n")

    scene.github.set_check(scene.ref, sha, conclusion="success", title="proven", summary="x" * 100_000)

    assert [len(summary) for _, _, summary in scene.checks(sha)] == [65_535]


def test_an_archived_repository_refuses_in_githubs_words(scene: HubStage) -> None:
    at = scene.open_issue()
    scene.repository.archive()

    with pytest.raises(Refused, match="archived"):
        scene.github.post_comment(at, "hello", marker=MARKER)


def test_a_label_that_someone_created_meanwhile_is_there(scene: HubStage) -> None:
    entry = {"resource": "Label", "code": "already_exists", "field": "name"}
    exists = {"message": "Validation Failed", "errors": [entry]}
    scene.hub.fail_next("POST", f"{scene.repository.full_name}/labels", 422, exists)

    scene.github.ensure_label(scene.ref, "selfcode")


def test_an_issue_number_of_a_pull_request_is_read_as_one(scene: HubStage) -> None:
    scene.push(BRANCH, "x = 2\n")
    pull = scene.github.publish_pull_request(scene.ref, BRANCH, "main", TEXT)

    assert scene.github.issue(IssueRef(scene.ref, pull.number)).is_pull_request


# --- Helpers in reading order


def minted(scene: HubStage) -> int:
    path = f"/app/installations/{scene.installation.id}/access_tokens"
    return len([found for found in scene.hub.requests if found.path == path])


def answer(scene: HubStage, token: str, path: str) -> int:
    headers = {"Authorization": f"token {token}"}
    return requests.get(f"{scene.hub.api_url}/{path}", headers=headers, timeout=10).status_code


def in_parallel(tasks: list[Callable[[], None]]) -> None:
    threads = [Thread(target=task) for task in tasks]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()


# --- Annotations and drafts


def a_remark(line: int = 1, **changed: object) -> Annotation:
    return replace(Annotation("code.py", line, line, AnnotationLevel.WARNING, "altered", f"line {line}"), **changed)  # type: ignore[arg-type]


def test_annotations_that_github_does_not_take_are_left_out(scene: HubStage) -> None:
    sha = scene.push(BRANCH, "x = 2\n")

    scene.github.set_check(
        scene.ref, sha, conclusion="neutral", title="t", summary="s", annotations=[a_remark(end_line=0)]
    )

    assert scene.checks(sha) == [("neutral", "t", "s")]
    assert scene.annotated(sha) == []


def test_an_annotated_check_run_whose_answer_was_lost_is_not_set_again(scene: HubStage) -> None:
    sha = scene.push(BRANCH, "x = 2\n")
    lost(scene, "check-runs")

    scene.github.set_check(scene.ref, sha, conclusion="neutral", title="t", summary="s", annotations=[a_remark()])

    assert [len(run.annotations) for run in scene.repository.check_runs] == [1]


def test_a_long_annotation_is_cut_to_githubs_limits(scene: HubStage) -> None:
    sha = scene.push(BRANCH, "x = 2\n")
    remark = a_remark(title="t" * 1000, message="ü" * 100_000)

    scene.github.set_check(scene.ref, sha, conclusion="neutral", title="t", summary="s", annotations=[remark])

    ((_, _, message),) = scene.annotated(sha)
    assert set(message) == {"ü"}


def test_only_a_name_that_is_nobodys_is_a_person_without_access(scene: HubStage) -> None:
    scene.hub.fail_next("GET", "/collaborators/copilot/permission$", 404, {"message": "copilot is not a user"})
    scene.hub.fail_next("GET", "/collaborators/ada/permission$", 404, {"message": "Not Found"})

    assert scene.github.permission(scene.ref, "copilot") == "none"
    with pytest.raises(Gone):
        scene.github.permission(scene.ref, "ada")


def test_without_the_permission_a_draft_stays_one_and_the_words_are_githubs(scene: HubStage) -> None:
    scene.push(BRANCH, "x = 2\n")
    pull = scene.github.publish_pull_request(scene.ref, BRANCH, "main", replace(TEXT, draft=True))
    scene.hub.fail_next(
        "POST", "graphql", 200, body={"data": None, "errors": [{"type": "FORBIDDEN", "message": "not accessible"}]}
    )

    with pytest.raises(Refused, match="mark the pull request as ready for review: not accessible"):
        scene.github.mark_ready(scene.ref, pull.number)

    assert scene.is_draft(pull.number)


@pytest.mark.parametrize(
    ("kind", "error"),
    [("NOT_FOUND", Gone), ("RATE_LIMITED", Unavailable), ("INTERNAL", Unavailable), ("FORBIDDEN", Refused)],
)
def test_what_graphql_says_instead_of_a_status_is_understood(kind: str, error: type[Exception]) -> None:
    assert isinstance(understand_graph([(kind, "words")], doing="do it"), error)
