"""Commits and refs by the API: what GitHub writes and signs, and what it refuses."""

from pathlib import Path
from typing import Any

import pytest

from tests.demo.clients import Client, Git, Scene, with_token

DATA = "/repos/octo/adder/git"
BRANCH = "selfcode/issue-1"
REF = f"refs/heads/{BRANCH}"
NOWHERE = "0123456789" * 4


def wanted(scene: Scene, **changed: Any) -> dict[str, Any]:
    """A commit that holds what main does, on top of it."""
    head = scene.repository.head()
    tree = scene.person("mona").get(f"{DATA}/commits/{head}").json()["tree"]["sha"]
    return {"message": "Add rightly", "tree": tree, "parents": [head]} | changed


def written(scene: Scene, caller: Client | None = None, **changed: Any) -> Any:
    answer = (caller or scene.bot()).post(f"{DATA}/commits", wanted(scene, **changed))
    assert answer.status_code == 201, answer.text
    return answer.json()


def test_an_apps_commit_is_its_own_signed_and_on_no_branch(scene: Scene) -> None:
    made = written(scene)

    bot = scene.app.bot
    assert (made["author"]["name"], made["committer"]["name"]) == ("selfcode[bot]", "GitHub")
    assert made["author"]["email"] == f"{bot.id}+selfcode[bot]@users.noreply.127.0.0.1"
    assert (made["verification"]["verified"], made["verification"]["reason"]) == (True, "valid")
    assert scene.repository.branches == ("main",)
    told = scene.person("mona").get(f"/repos/octo/adder/commits/{made['sha']}").json()
    assert told["commit"]["verification"]["verified"]


@pytest.mark.parametrize("who", ["a person", "an App that names an author", "an App on a server that does not sign"])
def test_no_other_commit_is_signed(scene: Scene, who: str) -> None:
    scene.hub.world.signs_commits = who != "an App on a server that does not sign"
    named = {"author": {"name": "Ada", "email": "ada@example.com"}} if "author" in who else {}

    made = written(scene, scene.person("mona") if who == "a person" else None, **named)

    assert (made["verification"]["verified"], made["verification"]["reason"]) == (False, "unsigned")


@pytest.mark.parametrize(
    ("changed", "words"),
    [
        ({"tree": NOWHERE}, "Tree SHA does not exist"),
        ({"parents": [NOWHERE]}, "Parent SHA does not exist or is not a commit object"),
        ({"tree": "main"}, "must be exactly 40 characters"),
        ({"parents": ["main"]}, "must be exactly 40 characters"),
        ({"message": None}, "wasn't supplied"),
    ],
)
def test_a_commit_of_what_is_not_there_is_422(scene: Scene, changed: dict[str, Any], words: str) -> None:
    refused = scene.bot().post(f"{DATA}/commits", wanted(scene, **changed))

    assert refused.status_code == 422
    assert words in refused.json()["message"]


def test_an_app_that_may_only_read_writes_neither_commits_nor_refs(scene: Scene) -> None:
    reader = scene.bot({"permissions": {"contents": "read"}})

    assert reader.post(f"{DATA}/commits", wanted(scene)).status_code == 403
    assert reader.post(f"{DATA}/refs", {"ref": REF, "sha": scene.repository.head()}).status_code == 403


def test_a_ref_is_made_and_moved_forward_and_pull_requests_follow(scene: Scene) -> None:
    first, bot = written(scene)["sha"], scene.bot()
    second = written(scene, parents=[first], message="Again")["sha"]

    made = bot.post(f"{DATA}/refs", {"ref": REF, "sha": first})
    pull = scene.repository.open_pull(BRANCH, by="mona")
    moved = bot.patch(f"{DATA}/refs/heads/{BRANCH}", {"sha": second})

    assert (made.status_code, moved.status_code) == (201, 200)
    assert scene.repository.head(BRANCH) == pull.head_sha == second


def test_what_a_ref_can_not_be_is_422(scene: Scene) -> None:
    ours, bot = written(scene)["sha"], scene.bot()
    beside = written(scene, message="Another")["sha"]
    bot.post(f"{DATA}/refs", {"ref": REF, "sha": ours})

    refused = [
        bot.post(f"{DATA}/refs", {"ref": REF, "sha": ours}),
        bot.post(f"{DATA}/refs", {"ref": "refs/heads/other", "sha": NOWHERE}),
        bot.post(f"{DATA}/refs", {"ref": "main", "sha": ours}),
        bot.patch(f"{DATA}/refs/heads/{BRANCH}", {"sha": beside}),
        bot.patch(f"{DATA}/refs/heads/{BRANCH}", {"sha": NOWHERE}),
        bot.patch(f"{DATA}/refs/heads/none", {"sha": ours}),
    ]

    assert [answer.status_code for answer in refused] == [422] * 6
    assert [answer.json()["message"].partition(" and ")[0] for answer in refused] == [
        "Reference already exists",
        "Object does not exist",
        "Reference name must start with 'refs/'",
        "Update is not a fast forward",
        "Object does not exist",
        "Reference does not exist",
    ]
    assert bot.patch(f"{DATA}/refs/heads/{BRANCH}", {"sha": beside, "force": True}).status_code == 200


def test_a_protected_branch_is_not_moved_by_the_api_either(scene: Scene) -> None:
    scene.repository.protect("selfcode/*")

    refused = scene.bot().post(f"{DATA}/refs", {"ref": REF, "sha": written(scene)["sha"]})

    assert refused.status_code == 422
    assert "through a pull request" in refused.json()["message"]


@pytest.fixture
def checkout(scene: Scene, tmp_path: Path) -> Git:
    Git(tmp_path)("clone", "-q", scene.repository.clone_url, "checkout")
    return Git(tmp_path / "checkout")


def test_a_rule_for_signatures_takes_githubs_and_no_forged_one_wherever_it_was_before(
    scene: Scene, checkout: Git
) -> None:
    scene.repository.require_signatures()
    url, sha = with_token(scene.repository.clone_url, scene.bot_token()), written(scene)["sha"]
    checkout("fetch", "-q", url, sha)
    raw = checkout("cat-file", "commit", sha).stdout.replace("Add rightly", "Add wrongly")
    (checkout.folder / "forged").write_text(raw)
    forged = checkout("hash-object", "-w", "-t", "commit", "forged").stdout.strip()

    beside = checkout("push", url, f"{forged}:refs/selfcode/1")
    refused = checkout("push", url, f"{forged}:{REF}")
    taken = checkout("push", url, f"{sha}:{REF}")

    assert (beside.returncode, taken.returncode) == (0, 0)
    assert "GH013" in refused.stderr
    assert forged in refused.stderr
    assert scene.repository.head(BRANCH) == sha
