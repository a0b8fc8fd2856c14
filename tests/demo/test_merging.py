"""The merge button, and what becomes of branches, as on GitHub."""

import pytest

from bot.demo.answers import ApiError
from bot.demo.handles import PullHandle
from tests.demo.clients import Client, Scene

REPO = "/repos/octo/adder"
PLUS = "def add(a, b):\n    return a + b\n"


@pytest.fixture
def pull(scene: Scene) -> PullHandle:
    scene.pushed_branch()
    return scene.repository.open_pull("selfcode/issue-1", by="mona", title="Add", body="Closes #1")


@pytest.mark.parametrize(("method", "parents"), [("merge", 2), ("squash", 1), ("rebase", 1)])
def test_merging_brings_the_change_into_the_base(scene: Scene, pull: PullHandle, method: str, parents: int) -> None:
    scene.repository.commit({"other.py": "x = 1\n"})

    sha = pull.merge(by="mona", method=method)

    shown = scene.bot().get(f"{REPO}/commits/{sha}").json()
    assert scene.repository.head() == sha
    assert scene.repository.file("adder.py") == PLUS.encode()
    assert scene.repository.file("other.py") == b"x = 1\n"
    assert (pull.state, len(shown["parents"])) == ("merged", parents)


def test_a_merge_is_told_and_closes_the_issues_that_it_says_it_closes(scene: Scene) -> None:
    closed, other = (scene.repository.open_issue("It breaks", by="mona") for _ in range(2))
    scene.pushed_branch()
    body = f"Fixes: #{closed.number}. Like #{other.number}; closes octo/other#{other.number}."
    pull = scene.repository.open_pull("selfcode/issue-1", by="mona", body=body)

    pull.merge(by="mona")

    assert (closed.is_open, other.is_open) == (False, True)
    events = [(f"{sent.event}.{sent.action}", sent.payload) for sent in scene.hub.deliveries]
    [merged] = [payload["pull_request"] for name, payload in events if name == "pull_request.closed"]
    assert (merged["merged"], merged["merged_by"]["login"]) == (True, "mona")
    assert "issues.closed" in [name for name, _ in events]


def test_a_pull_request_that_conflicts_says_so_and_can_not_be_merged(scene: Scene, pull: PullHandle) -> None:
    scene.repository.commit({"adder.py": "def add(a, b):\n    return sum((a, b))\n"})

    shown = [scene.bot().get(f"{REPO}/pulls/{pull.number}").json() for _ in range(2)]

    assert [(each["mergeable"], each["mergeable_state"]) for each in shown] == [(None, "unknown"), (False, "dirty")]
    assert pull.has_conflicts
    with pytest.raises(ApiError, match="405"):
        pull.merge(by="mona")


@pytest.mark.parametrize(
    ("fields", "status"),
    [({"sha": "0" * 40}, 409), ({"merge_method": "squash"}, 405), ({}, 200)],
    ids=["another head", "a method that is not allowed", "all right"],
)
def test_the_merge_button_says_no(scene: Scene, pull: PullHandle, fields: dict[str, str], status: int) -> None:
    scene.repository.rules.merge_methods = ("merge",)

    assert scene.person("mona").ask("PUT", f"{REPO}/pulls/{pull.number}/merge", fields).status_code == status


def test_a_draft_and_one_without_the_approval_it_needs_can_not_be_merged(scene: Scene, pull: PullHandle) -> None:
    scene.repository.rules.reviews_needed = 1
    merge = f"{REPO}/pulls/{pull.number}/merge"
    mona = scene.person("mona")

    pull.set_draft(draft=True, by="mona")
    assert "draft" in mona.ask("PUT", merge, {}).text
    pull.set_draft(draft=False, by="mona")
    assert "approving review" in mona.ask("PUT", merge, {}).text
    pull.review(by="ada", state="approved")

    assert mona.ask("PUT", merge, {}).status_code == 200


def test_commits_that_arrive_in_the_base_by_a_push_are_merged(scene: Scene, pull: PullHandle) -> None:
    scene.repository.commit({}, branch="main", parent=pull.head_sha)

    assert pull.state == "merged"


def test_deleting_a_branch_closes_its_pull_request_and_after_the_merge_nothing(scene: Scene) -> None:
    for name in ("one", "two"):
        scene.repository.commit({f"{name}.py": "x = 1\n"}, branch=name, parent=scene.repository.head())
    one, two = (scene.repository.open_pull(name, by="mona") for name in ("one", "two"))
    one.merge(by="mona")

    one.delete_branch(by="mona")
    two.delete_branch(by="mona")

    assert (one.state, two.state) == ("merged", "closed")
    assert scene.repository.branches == ("main",)


def test_renaming_the_default_branch_takes_pull_requests_along(scene: Scene, pull: PullHandle) -> None:
    scene.repository.rename_branch("main", "trunk")

    bot = scene.bot()
    old = bot.get(f"{REPO}/branches/main")
    assert (scene.repository.state_of.default_branch, pull.pull.base, pull.is_open) == ("trunk", "trunk", True)
    assert (old.status_code, old.headers["Location"].endswith("/branches/trunk")) == (301, True)
    edited = scene.hub.deliveries[-1]
    assert (edited.action, edited.payload["changes"]["base"]["ref"]["from"]) == ("edited", "main")


def test_a_pull_request_whose_branch_is_renamed_is_closed(scene: Scene, pull: PullHandle) -> None:
    scene.repository.rename_branch("selfcode/issue-1", "mine")

    assert pull.state == "closed"


def test_a_read_only_person_may_not_merge(scene: Scene, pull: PullHandle) -> None:
    reader = Client(scene.hub.api_url, scene.hub.token("ada"))

    assert reader.ask("PUT", f"{REPO}/pulls/{pull.number}/merge", {}).status_code == 403
