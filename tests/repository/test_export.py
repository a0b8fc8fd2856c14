"""A run's commits as a branch in a person's own checkout."""

from dataclasses import dataclass
from pathlib import Path

import pytest

from bot.errors import Refused
from bot.repository import Mirror
from sandbox.contract import File
from tests.repository.conftest import NOON
from tests.repository.hub import git

OURS = "selfcode@example.com"
BRANCH = "selfcode/issue-7"


@dataclass(frozen=True)
class Checkout:
    """A person's checkout with one commit on main, and a mirror of it."""

    path: Path
    mirror: Mirror
    base: str

    def git(self, *arguments: str) -> str:
        return git(*arguments, cwd=self.path)

    def a_commit(self, text: bytes, *, onto: str | None = None) -> str:
        base = onto or self.base
        tree = self.mirror.tree_with(base, {"fix.py": File(text)})
        return self.mirror.commit(
            tree, parents=[base], message="Fix", author_name="selfcode", author_email=OURS, when=NOON
        )

    def export(self, sha: str, *, target: Path | None = None) -> str:
        return self.mirror.export_branch(target or self.path, sha, BRANCH)

    def tip(self) -> str:
        return self.git("rev-parse", f"refs/heads/{BRANCH}")


@pytest.fixture
def checkout(tmp_path: Path) -> Checkout:
    path = tmp_path / "checkout"
    git("init", "-q", "--initial-branch=main", str(path))
    (path / "a.py").write_text("a\n")
    (path / "sub").mkdir()
    git("add", ".", cwd=path)
    git("commit", "-qm", "first", cwd=path)
    mirror = Mirror(tmp_path / "mirror.git")
    mirror.update(str(path))
    return Checkout(path, mirror, git("rev-parse", "HEAD", cwd=path))


def test_the_commit_becomes_a_branch_and_the_checkout_stays_as_it_was(checkout: Checkout) -> None:
    (checkout.path / "a.py").write_text("being edited\n")
    sha = checkout.a_commit(b"1")

    checkout.export(sha)
    checkout.export(sha)

    assert checkout.tip() == sha
    assert checkout.git("show", f"{BRANCH}:fix.py") == "1"
    assert checkout.git("symbolic-ref", "HEAD") == "refs/heads/main"
    assert checkout.git("status", "--porcelain") == "M a.py"
    assert checkout.git("for-each-ref", "--format=%(refname)").split() == ["refs/heads/main", f"refs/heads/{BRANCH}"]


def test_a_detached_head_is_a_base_too(checkout: Checkout) -> None:
    checkout.git("checkout", "-q", "--detach")
    checkout.git("commit", "-qm", "on no branch", "--allow-empty")

    found = checkout.mirror.fetch_branch(str(checkout.path), "HEAD")

    assert found == checkout.git("rev-parse", "HEAD") != checkout.base


def test_a_shallow_checkout_will_do(checkout: Checkout, tmp_path: Path) -> None:
    checkout.git("commit", "-qm", "second", "--allow-empty")
    git("clone", "-q", "--depth", "1", f"file://{checkout.path}", str(tmp_path / "shallow"))
    base = git("rev-parse", "HEAD", cwd=tmp_path / "shallow")
    shallow = Checkout(tmp_path / "shallow", Mirror(tmp_path / "shallow-mirror.git"), base)
    shallow.mirror.update(str(shallow.path))
    sha = shallow.a_commit(b"1")

    shallow.export(sha)
    shallow.mirror.update(str(shallow.path))

    assert shallow.tip() == sha
    assert shallow.git("rev-list", "--count", BRANCH) == "2"


def test_branches_of_earlier_runs_stay_and_the_next_name_is_taken(checkout: Checkout) -> None:
    commits = [checkout.a_commit(text) for text in (b"1", b"2", b"3")]

    names = [checkout.export(sha) for sha in [*commits, *commits]]

    assert names == [BRANCH, f"{BRANCH}-2", f"{BRANCH}-3"] * 2
    assert [checkout.git("rev-parse", name) for name in names[:3]] == commits
    assert "refs/selfcode/" not in checkout.git("for-each-ref")


def test_a_branch_with_a_persons_commit_stays(checkout: Checkout) -> None:
    checkout.export(checkout.a_commit(b"1"))
    checkout.git("switch", "-q", BRANCH)
    checkout.git("commit", "-qm", "mine", "--allow-empty")
    theirs = checkout.tip()

    name = checkout.export(checkout.a_commit(b"1"))

    assert name == f"{BRANCH}-2"
    assert checkout.tip() == theirs
    assert checkout.git("status", "--porcelain") == ""


@pytest.mark.parametrize("place", ["sub", ".git", "../linked"])
def test_the_repository_is_found_from_wherever_one_stands(checkout: Checkout, place: str) -> None:
    checkout.git("worktree", "add", "-q", "--detach", "../linked")
    sha = checkout.a_commit(b"1")

    checkout.export(sha, target=checkout.path / place)

    assert checkout.tip() == sha


def test_hooks_of_the_checkout_do_not_run(checkout: Checkout, tmp_path: Path) -> None:
    hook = checkout.path / ".git" / "hooks" / "reference-transaction"
    hook.parent.mkdir(exist_ok=True)
    hook.write_text(f"#!/bin/sh\ntouch '{tmp_path}/pwned'\nexit 1\n")
    hook.chmod(0o755)
    sha = checkout.a_commit(b"1")

    checkout.export(sha)

    assert checkout.mirror.fetch_branch(str(checkout.path), BRANCH) == sha
    assert not (tmp_path / "pwned").exists()


def test_a_folder_without_a_repository_is_refused(checkout: Checkout, tmp_path: Path) -> None:
    with pytest.raises(Refused, match="not in a git repository"):
        checkout.export(checkout.base, target=tmp_path)
