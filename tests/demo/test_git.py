"""Real git against the stand-in: tokens, refusals, large pushes."""

import os
from pathlib import Path

import pytest

from tests.demo.clients import Git, Scene, with_token

BRANCH = "HEAD:refs/heads/selfcode/issue-1"


@pytest.fixture
def checkout(scene: Scene, tmp_path: Path) -> Git:
    Git(tmp_path)("clone", "-q", scene.repository.clone_url, "checkout")
    return Git(tmp_path / "checkout")


def test_a_public_repository_is_cloned_by_anyone_and_a_private_one_is_not(scene: Scene, tmp_path: Path) -> None:
    private = scene.hub.create_repository("octo/secret", {"a": "1\n"}, private=True)
    git = Git(tmp_path)

    assert git("clone", scene.repository.clone_url, "public").returncode == 0
    refused = git("clone", private.clone_url, "private")
    assert "could not read Username" in refused.stderr
    assert scene.hub.git_requests[-1].status == 401
    assert git("clone", with_token(private.clone_url, scene.bot_token()), "private").returncode == 0


def test_a_push_with_a_fresh_token_arrives(scene: Scene, checkout: Git) -> None:
    checkout.commit("adder.py", "def add(a, b):\n    return a + b\n")

    done = checkout("push", with_token(scene.repository.clone_url, scene.bot_token()), BRANCH)

    assert done.returncode == 0
    assert scene.repository.file("adder.py", "selfcode/issue-1") == b"def add(a, b):\n    return a + b\n"
    assert scene.hub.git_requests[-1].who == "selfcode[bot]"


def test_a_push_with_an_expired_token_is_401(scene: Scene, checkout: Git) -> None:
    checkout.commit("adder.py", "x = 1\n")
    token = scene.bot_token()

    scene.hub.advance(minutes=61)
    done = checkout("push", with_token(scene.repository.clone_url, token), BRANCH)

    assert done.returncode != 0
    assert "Authentication failed" in done.stderr
    assert scene.repository.branches == ("main",)


@pytest.mark.parametrize("permissions", [{"contents": "read"}, {"issues": "write"}])
def test_a_push_without_the_contents_permission_is_403(
    scene: Scene, checkout: Git, permissions: dict[str, str]
) -> None:
    checkout.commit("adder.py", "x = 1\n")
    token = scene.bot_token({"permissions": permissions})

    done = checkout("push", with_token(scene.repository.clone_url, token), BRANCH)

    assert "The requested URL returned error: 403" in done.stderr


def test_a_push_that_touches_workflows_is_refused_in_githubs_words(scene: Scene, checkout: Git) -> None:
    checkout.commit(".github/workflows/ci.yml", "on: pull_request\n")

    done = checkout("push", with_token(scene.repository.clone_url, scene.bot_token()), BRANCH)

    words = "refusing to allow a GitHub App to create or update workflow `.github/workflows/ci.yml` without `workflows`"
    assert words in done.stderr
    assert "[remote rejected]" in done.stderr
    assert scene.repository.branches == ("main",)


def test_workflows_that_others_changed_meanwhile_do_not_refuse_a_push(scene: Scene, checkout: Git) -> None:
    scene.repository.commit({".github/workflows/ci.yml": "on: pull_request\n"})
    checkout.commit("adder.py", "x = 1\n")

    done = checkout("push", with_token(scene.repository.clone_url, scene.bot_token()), BRANCH)

    assert done.returncode == 0


def test_a_rule_refuses_pushes_with_its_own_text(scene: Scene, checkout: Git) -> None:
    checkout.commit("adder.py", "x = 1\n")
    scene.repository.refuse_pushes("GH013: Repository rule violations found\nCommits must have verified signatures.")

    done = checkout("push", with_token(scene.repository.clone_url, scene.bot_token()), BRANCH)

    assert "remote: GH013: Repository rule violations found" in done.stderr
    assert scene.repository.branches == ("main",)


def test_a_push_of_several_megabytes_arrives(scene: Scene, checkout: Git) -> None:
    (checkout.folder / "noise.bin").write_bytes(os.urandom(5_000_000))
    checkout.commit("adder.py", "x = 1\n")

    done = checkout("push", with_token(scene.repository.clone_url, scene.bot_token()), BRANCH)

    assert done.returncode == 0, done.stderr


def test_a_renamed_repository_is_still_found_by_git(scene: Scene, tmp_path: Path) -> None:
    url = scene.repository.clone_url

    scene.repository.rename("sum")

    assert Git(tmp_path)("clone", "-q", url, "checkout").returncode == 0


def test_a_repository_is_made_from_a_folder_or_from_another_repository(
    scene: Scene, checkout: Git, tmp_path: Path
) -> None:
    folder = tmp_path / "plain"
    folder.mkdir()
    (folder / "a.py").write_text("a = 1\n")

    from_folder = scene.hub.create_repository("octo/folder", folder)
    from_clone = scene.hub.create_repository("octo/clone", checkout.folder)

    assert from_folder.file("a.py") == b"a = 1\n"
    assert from_clone.head() == scene.repository.head()


def test_a_repository_without_a_commit_is_empty(scene: Scene, tmp_path: Path) -> None:
    empty = scene.hub.create_repository("octo/empty", default_branch="redhat-3.17")

    done = Git(tmp_path)("clone", empty.clone_url, "checkout")

    assert "cloned an empty repository" in done.stderr
    assert (empty.head(), empty.branches) == (None, ())


def test_a_planned_fault_meets_git_as_well(scene: Scene, checkout: Git) -> None:
    checkout.commit("adder.py", "x = 1\n")
    scene.hub.fail_next("GET", r"\.git/info/refs", 503)

    done = checkout("push", with_token(scene.repository.clone_url, scene.bot_token()), BRANCH)

    assert "503" in done.stderr
