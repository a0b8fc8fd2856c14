"""Issues, comments, labels and reactions as GitHub keeps them; names that moved; faults that tests plan."""

import pytest
import requests

from bot.demo.handles import IssueHandle
from tests.demo.clients import Client, Scene

REPO = "/repos/octo/adder"


@pytest.fixture
def issue(scene: Scene) -> IssueHandle:
    return scene.repository.open_issue("Sum is wrong", "It subtracts.", by="ada")


@pytest.fixture
def bot(scene: Scene) -> Client:
    return scene.bot()


def test_owner_and_name_count_whatever_their_case(bot: Client) -> None:
    assert bot.get("/repos/OCTO/Adder").json()["full_name"] == "octo/adder"


def test_a_repository_is_found_by_its_number(scene: Scene, bot: Client) -> None:
    assert bot.get(f"/repositories/{scene.repository.id}").json()["full_name"] == "octo/adder"


def test_a_former_name_answers_301_with_the_address_by_number(scene: Scene, bot: Client, issue: IssueHandle) -> None:
    scene.repository.rename("sum")

    answer = bot.post(f"{REPO}/issues/1/comments", {"body": "Hello"})

    there = f"{scene.hub.api_url}/repositories/{scene.repository.id}/issues/1/comments"
    assert answer.status_code == 301
    assert answer.json()["url"] == there
    assert answer.headers["Location"] == there
    assert issue.comments == ()
    assert bot.post(f"/repositories/{scene.repository.id}/issues/1/comments", {"body": "Hello"}).status_code == 201


def test_a_deleted_issue_is_410_and_a_transferred_one_301(scene: Scene, bot: Client, issue: IssueHandle) -> None:
    gone = scene.repository.open_issue("Gone", by="ada")
    gone.delete()
    there = issue.transfer(scene.hub.create_repository("octo/other"))

    assert bot.get(f"{REPO}/issues/{gone.number}").status_code == 410
    moved = bot.get(f"{REPO}/issues/{issue.number}")
    assert moved.status_code == 301
    assert moved.json()["url"].endswith(f"/issues/{there.number}")


def test_a_locked_issue_takes_no_comment_of_an_app(bot: Client, issue: IssueHandle) -> None:
    issue.lock()

    answer = bot.post(f"{REPO}/issues/1/comments", {"body": "Hello"})

    assert answer.status_code == 403
    assert "locked" in answer.json()["message"]


def test_the_same_reaction_twice_is_one(bot: Client, issue: IssueHandle) -> None:
    first = bot.post(f"{REPO}/issues/1/reactions", {"content": "eyes"})
    second = bot.post(f"{REPO}/issues/1/reactions", {"content": "eyes"})

    assert (first.status_code, second.status_code) == (201, 200)
    assert issue.reactions == (("selfcode[bot]", "eyes"),)


def test_a_label_that_exists_is_422_already_exists(bot: Client) -> None:
    bot.post(f"{REPO}/labels", {"name": "selfcode"})

    answer = bot.post(f"{REPO}/labels", {"name": "SelfCode"})

    assert answer.status_code == 422
    assert answer.json()["errors"] == [{"resource": "Label", "code": "already_exists", "field": "name"}]


def test_a_body_above_the_limit_is_422_and_is_not_kept(bot: Client, issue: IssueHandle) -> None:
    answer = bot.post(f"{REPO}/issues/1/comments", {"body": "é" * 65_537})

    assert answer.status_code == 422
    assert "Body is too long (maximum is 65536 characters)" in answer.text
    assert bot.post(f"{REPO}/issues/1/comments", {"body": "é" * 65_536}).status_code == 201
    assert len(issue.comments) == 1


def test_an_app_may_not_edit_what_others_wrote_without_the_permission(scene: Scene, issue: IssueHandle) -> None:
    comment = issue.comment("Mine", by="ada")

    answer = scene.person("tria").patch(f"{REPO}/issues/comments/{comment.id}", {"body": "Yours"})

    assert answer.status_code == 403
    assert issue.comments[0].body == "Mine"


def test_lists_are_turned_by_the_link_header(bot: Client, issue: IssueHandle) -> None:
    for number in range(5):
        issue.comment(f"comment {number}", by="ada")
    path = f"{REPO}/issues/1/comments?per_page=2"

    first = bot.get(path)
    last = bot.get(f"{path}&page=3")

    assert [each["body"] for each in first.json()] == ["comment 0", "comment 1"]
    assert first.links["next"]["url"].endswith("per_page=2&page=2")
    assert first.links["last"]["url"].endswith("page=3")
    assert [each["body"] for each in last.json()] == ["comment 4"]
    assert "next" not in last.links


def test_an_unchanged_answer_is_304(bot: Client, issue: IssueHandle) -> None:
    tag = bot.get(f"{REPO}/issues/1").headers["ETag"]

    assert bot.ask("GET", f"{REPO}/issues/1", If_None_Match=tag).status_code == 304
    issue.close(by="ada")
    assert bot.ask("GET", f"{REPO}/issues/1", If_None_Match=tag).status_code == 200


def test_a_body_that_is_not_json_is_400(scene: Scene) -> None:
    headers = {"Authorization": f"Bearer {scene.bot_token()}"}

    answer = requests.post(f"{scene.hub.api_url}{REPO}/issues", data=b"{", headers=headers, timeout=10)

    assert (answer.status_code, answer.json()["message"]) == (400, "Problems parsing JSON")


def test_an_api_version_that_is_not_served_is_410(scene: Scene) -> None:
    assert Client(scene.hub.api_url, "", version="1999-01-01").get(REPO).status_code == 410


# --- Faults and the record


def test_a_planned_fault_meets_the_next_request_and_leaves_no_effect(
    scene: Scene, bot: Client, issue: IssueHandle
) -> None:
    scene.hub.fail_next("POST", r"/comments$", 403, {"message": "secondary"}, headers={"Retry-After": "2"})

    answer = bot.post(f"{REPO}/issues/1/comments", {"body": "Hello"})

    assert (answer.status_code, answer.headers["Retry-After"]) == (403, "2")
    assert issue.comments == ()
    assert bot.post(f"{REPO}/issues/1/comments", {"body": "Hello"}).status_code == 201


def test_a_fault_after_the_effect_loses_only_the_answer(scene: Scene, bot: Client, issue: IssueHandle) -> None:
    scene.hub.fail_next("POST", r"/comments$", 502, after_effect=True)

    answer = bot.post(f"{REPO}/issues/1/comments", {"body": "Hello"})

    assert answer.status_code == 502
    assert [comment.body for comment in issue.comments] == ["Hello"]


def test_a_dropped_connection_is_seen_as_one(scene: Scene, bot: Client, issue: IssueHandle) -> None:
    scene.hub.fail_next("POST", r"/comments$", 0, after_effect=True)

    with pytest.raises(requests.ConnectionError):
        bot.post(f"{REPO}/issues/1/comments", {"body": "Hello"})

    assert len(issue.comments) == 1


def test_every_request_is_remembered_with_its_caller_body_and_answer(
    scene: Scene, bot: Client, issue: IssueHandle
) -> None:
    bot.post(f"{REPO}/issues/1/reactions", {"content": "eyes"})

    last = scene.hub.requests[-1]
    assert (last.method, last.path, last.json) == ("POST", f"{REPO}/issues/1/reactions", {"content": "eyes"})
    assert (last.who, last.status, last.answer["content"]) == ("selfcode[bot]", 201, "eyes")
