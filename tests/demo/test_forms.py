"""What the people of the demo say and do by the forms on its pages."""

import re
from collections.abc import Mapping

import pytest
import requests

from bot.demo.handles import IssueHandle
from tests.demo.clients import Scene


def submit(issue: IssueHandle, headers: Mapping[str, str] | None = None, /, **said: str) -> requests.Response:
    """Look at the page, and send its form."""
    page = requests.get(issue.url, timeout=10).text
    found = re.search(r'name="form_token" value="([^"]+)"', page)
    assert found
    return requests.post(
        issue.url, {"form_token": found[1], **said}, headers=headers, timeout=10, allow_redirects=False
    )


def an_issue(scene: Scene) -> IssueHandle:
    return scene.repository.open_issue("It subtracts", by="ada")


def a_pull(scene: Scene) -> IssueHandle:
    scene.pushed_branch()
    scene.bot().post("/repos/octo/adder/pulls", {"title": "Add", "head": "selfcode/issue-1", "base": "main"})
    return scene.repository.pulls[0]


def test_a_comment_is_theirs_who_was_chosen_and_the_app_hears_of_it(scene: Scene) -> None:
    issue = an_issue(scene)
    scene.hub.set_webhook(scene.app, "http://127.0.0.1:9/webhook", ping=False)

    answer = submit(issue, by="mona", do="comment", text="/selfcode status\r\nplease")

    assert (answer.status_code, answer.headers["Location"]) == (303, "/octo/adder/issues/1")
    assert [(each.author.login, each.body) for each in issue.comments] == [("mona", "/selfcode status\nplease")]
    assert [(each.event, each.action) for each in scene.hub.deliveries][-1] == ("issue_comment", "created")


def test_labels_are_put_on_and_taken_off_and_issues_closed_and_opened_again(scene: Scene) -> None:
    issue = an_issue(scene)

    submit(issue, by="mona", do="label", label="selfcode")
    submit(issue, by="mona", do="close")
    assert (issue.labels, issue.is_open) == (("selfcode",), False)

    submit(issue, by="mona", do="unlabel", label="selfcode")
    submit(issue, by="mona", do="reopen")
    assert (issue.labels, issue.is_open) == ((), True)


@pytest.mark.parametrize(
    ("pressed", "state"),
    [("approve", "approved"), ("request changes", "changes_requested"), ("review", "commented")],
)
def test_a_pull_request_is_reviewed(scene: Scene, pressed: str, state: str) -> None:
    pull = a_pull(scene)

    submit(pull, by="mona", do=pressed, text="Say why.")

    [review] = scene.repository.pulls[0].reviews
    assert (review.author, review.state, review.body) == ("mona", state, "Say why.")


@pytest.mark.parametrize(
    ("said", "status", "words"),
    [
        ({"by": "ada", "do": "label", "label": "selfcode"}, 403, "Forbidden"),
        ({"by": "tria", "do": "comment", "text": " "}, 422, "Validation Failed"),
        ({"by": "nobody-here", "do": "comment", "text": "Hello"}, 404, "no such page"),
        ({"by": "mona", "do": "approve"}, 422, "nothing like"),
    ],
)
def test_what_may_not_be_done_is_said_on_a_page_that_leads_back(
    scene: Scene, said: dict[str, str], status: int, words: str
) -> None:
    answer = submit(an_issue(scene), **said)

    assert (answer.status_code, answer.headers["Content-Type"]) == (status, "text/html; charset=utf-8")
    assert words in answer.text
    assert 'href="/"' in answer.text


def test_a_form_of_another_site_changes_nothing(scene: Scene) -> None:
    issue = an_issue(scene)
    foreign = [
        requests.post(issue.url, {"by": "mona", "do": "close"}, timeout=10),
        requests.post(issue.url, {"by": "mona", "do": "close", "form_token": "é"}, timeout=10),
        submit(issue, {"Host": "evil.example"}, by="mona", do="close"),
        submit(issue, {"Sec-Fetch-Site": "cross-site"}, by="mona", do="close"),
    ]

    assert [answer.status_code for answer in foreign] == [403] * 4
    assert issue.is_open


def test_a_page_that_is_not_there_says_so_to_a_person(scene: Scene) -> None:
    base = scene.hub.base_url

    for path in ("/octo/nothing", "/octo/adder/issues/99", "/nowhere/at/all/here"):
        answer = requests.get(base + path, timeout=10)
        assert (answer.status_code, "There is no such page here" in answer.text) == (404, True)
