"""What GitHub's merge button does, with the git program: merging on trial, and the three ways to merge."""

import subprocess
from pathlib import Path

from bot.demo import git


def has_conflicts(directory: Path, base: str, tip: str) -> bool:
    """Whether the two can't be merged by git alone."""
    return merged_tree(directory, base, tip) is None


def merged_tree(directory: Path, base: str, tip: str) -> str | None:
    """The tree of both; None where they conflict."""
    try:
        found = git.run(directory, "merge-tree", "--write-tree", "--no-messages", base, tip)
    except subprocess.CalledProcessError as problem:
        if problem.returncode == 1:
            return None
        raise
    return found.decode().strip()


def merge(directory: Path, base: str, tip: str, message: str, *, by: str) -> str | None:
    """A merge commit of both; None where they conflict."""
    tree = merged_tree(directory, base, tip)
    return tree and _commit(directory, tree, [base, tip], message, by=by)


def squash(directory: Path, base: str, tip: str, message: str, *, by: str) -> str | None:
    """One commit on the base with everything that `tip` brings; None where they conflict."""
    tree = merged_tree(directory, base, tip)
    return tree and _commit(directory, tree, [base], message, by=by)


def rebase(directory: Path, base: str, tip: str, *, by: str) -> str | None:
    """The commits of `tip`, one after the other, on the base; None where one of them conflicts."""
    onto: str | None = base
    for commit in git.commits(directory, base, tip):
        if len(commit.parents) != 1 or onto is None:
            continue
        onto = _picked(directory, onto, commit, by=by)
    return onto


def _picked(directory: Path, onto: str, commit: git.Commit, *, by: str) -> str | None:
    """The commit's change on `onto`: merged with a commit that holds the tree of `onto` and has the same parent."""
    beside = _commit(directory, f"{onto}^{{tree}}", [commit.parents[0]], "beside", by=by)
    tree = merged_tree(directory, beside, commit.sha)
    return tree and _commit(directory, tree, [onto], commit.message, by=by)


def _commit(directory: Path, tree: str, parents: list[str], message: str, *, by: str) -> str:
    names = [argument for parent in parents for argument in ("-p", parent)]
    who = (f"user.name={by}", f"user.email={by}@example.com")
    settings = [argument for setting in who for argument in ("-c", setting)]
    made = git.run(directory, *settings, "commit-tree", tree, *names, data=message.encode(), as_mona=False)
    return made.decode().strip()
