"""What GitHub refuses a push for, in its own words, through real git."""

from collections.abc import Callable
from pathlib import Path

import pytest

from bot.demo.handles import RepositoryHandle
from tests.demo.clients import Git, Scene, with_token

BRANCH = "HEAD:refs/heads/selfcode/issue-1"
KEY = "AKIA" + "ABCDEFGHIJKLMNOP"


@pytest.fixture
def checkout(scene: Scene, tmp_path: Path) -> Git:
    Git(tmp_path)("clone", "-q", scene.repository.clone_url, "checkout")
    return Git(tmp_path / "checkout")


def lowered(repository: RepositoryHandle) -> None:
    repository.rules.file_bytes = 1024 * 1024


@pytest.mark.parametrize(
    ("forbid", "content", "words"),
    [
        (lambda home: home.require_signatures("selfcode/*"), "x", ("GH013", "must have verified signatures")),
        (lambda home: home.protect("selfcode/*"), "x", ("GH006", "through a pull request")),
        (RepositoryHandle.block_secrets, f"x\nkey = {KEY}\n", ("GH013", "PUSH PROTECTION", "path: new.py:2")),
        (lowered, "x" * 2 * 1024 * 1024, ("GH001", "new.py is 2.00 MB", "limit of 1.00 MB")),
    ],
    ids=["unsigned", "protected", "secret", "large"],
)
def test_a_push_is_refused_by_rule(
    scene: Scene, checkout: Git, forbid: Callable[[RepositoryHandle], None], content: str, words: tuple[str, ...]
) -> None:
    forbid(scene.repository)
    checkout.commit("new.py", content)

    done = checkout("push", with_token(scene.repository.clone_url, scene.bot_token()), BRANCH)

    assert "[remote rejected]" in done.stderr
    assert [word for word in words if word not in done.stderr] == []
    assert KEY not in done.stderr
    assert scene.repository.branches == ("main",)


def test_a_rule_for_other_branches_and_what_was_there_before_refuse_nothing(scene: Scene, checkout: Git) -> None:
    scene.repository.commit({"old.py": f"key = {KEY}\n"})
    scene.repository.require_signatures("main")
    scene.repository.block_secrets()
    checkout("pull", "-q")
    checkout.commit("new.py", "x = 1\n")

    done = checkout("push", with_token(scene.repository.clone_url, scene.bot_token()), BRANCH)

    assert done.returncode == 0
    assert "selfcode/issue-1" in scene.repository.branches


def test_a_push_is_told_and_asks_the_app_for_checks(scene: Scene, checkout: Git) -> None:
    scene.app.events += ("push",)
    checkout.commit("new.py", "x = 1\n")

    checkout("push", with_token(scene.repository.clone_url, scene.bot_token()), BRANCH)

    told = [f"{sent.event}.{sent.action}" for sent in scene.hub.deliveries]
    assert told[-2:] == ["push.None", "check_suite.requested"]
    assert scene.hub.deliveries[-1].payload["check_suite"]["head_branch"] == "selfcode/issue-1"
