"""What commits a branch holds, and who made them, by their own account."""

from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

from bot.repository.complaints import GitFailed
from bot.repository.git import run_git
from bot.repository.objects import checked

COMMITS_AT_MOST = 1000
WRITTEN_AT_MOST = 50
_WHOLE = "%H%x00%T%x00%P%x00%B"
_FORMAT = "%H%x00%P%x00%an%x00%ae%x00%cn%x00%s"


@dataclass(frozen=True, slots=True)
class Commit:
    """A commit. Whoever made it says who they are: no name here proves anything."""

    sha: str
    parents: tuple[str, ...]
    author: str
    author_email: str
    committer: str
    subject: str


@dataclass(frozen=True, slots=True)
class Written:
    """What a commit holds, but for who made it and when."""

    sha: str
    tree: str
    parents: tuple[str, ...]
    message: str


def written(repository: Path, head: str, *, besides: Sequence[str]) -> tuple[Written, ...]:
    """The commits of `head` that none of those besides holds, parents first. Raises: `GitFailed` for very many."""
    listed = run_git(
        [
            "log",
            "-z",
            "--reverse",
            "--topo-order",
            f"--max-count={WRITTEN_AT_MOST + 1}",
            f"--format={_WHOLE}",
            checked(head),
            *(f"^{checked(sha)}" for sha in besides),
        ],
        repository=repository,
    )
    fields = listed.decode("utf-8", "replace").removesuffix("\0").split("\0") if listed else []
    rows = [*zip(*[iter(fields)] * (_WHOLE.count("%x00") + 1), strict=True)]
    if len(rows) > WRITTEN_AT_MOST:
        raise GitFailed("log", 0, f"more than {WRITTEN_AT_MOST} commits")
    return tuple(
        Written(sha, tree, tuple(parents.split()), message.rstrip("\n")) for sha, tree, parents, message in rows
    )


def commits(repository: Path, base: str, head: str) -> tuple[Commit, ...]:
    """The commits of `head` that `base` does not hold, oldest first; of very many, the newest."""
    listed = run_git(
        [
            "log",
            "-z",
            "--reverse",
            "--topo-order",
            f"--max-count={COMMITS_AT_MOST}",
            f"--format={_FORMAT}",
            checked(head),
            f"^{checked(base)}",
        ],
        repository=repository,
    )
    fields = listed.decode("utf-8", "replace").removesuffix("\0").split("\0") if listed else []
    rows = zip(*[iter(fields)] * (_FORMAT.count("%x00") + 1), strict=True)
    return tuple(
        Commit(sha, tuple(parents.split()), author, email, committer, subject)
        for sha, parents, author, email, committer, subject in rows
    )
