"""The commits of a mirror, newest first, and what each of them changes."""

from dataclasses import dataclass
from pathlib import Path

from bot.records import ChangedFile
from bot.repository.changes import changed_files
from bot.repository.complaints import GitFailed
from bot.repository.git import run_git
from bot.repository.objects import GITLINK, checked, text_of
from bot.repository.trees import differences

AT_MOST = 2_000
"""Commits that are looked at in one repository."""

INSIDE_AT_MOST = 1_000
_LATEST = 253_402_300_800  # the year 10000
_FORMAT = "%H%x00%P%x00%ct%x00%B"


@dataclass(frozen=True, slots=True)
class PastCommit:
    """A commit with its whole message. `at` is when it was committed, in seconds since the epoch."""

    sha: str
    parents: tuple[str, ...]
    at: float
    message: str

    @property
    def is_merge(self) -> bool:
        return len(self.parents) > 1


def commits_before(repository: Path, head: str, *, since: str = "", at_most: int = AT_MOST) -> tuple[PastCommit, ...]:
    """The commits of `head` that `since` does not hold, newest first, and none before what was made of it."""
    beyond = [f"^{checked(since)}"] if since else []
    listed = run_git(
        ["log", "-z", "--date-order", f"--max-count={at_most}", f"--format={_FORMAT}", checked(head), *beyond],
        repository=repository,
    )
    fields = listed.decode("utf-8", "replace").removesuffix("\0").split("\0") if listed else []
    rows = zip(*[iter(fields)] * (_FORMAT.count("%x00") + 1), strict=True)
    return tuple(
        PastCommit(sha, tuple(parents.split()), _seconds(at), message.strip("\n")) for sha, parents, at, message in rows
    )


def _seconds(at: str) -> float:
    """The time of a commit; 0 where it has none that a calendar knows."""
    return float(at) if at.isdecimal() and int(at) < _LATEST else 0.0


def brought_by(repository: Path, merge: PastCommit) -> frozenset[str]:
    """The commits that came in by a merge."""
    listed = run_git(
        ["rev-list", f"--max-count={INSIDE_AT_MOST}", checked(merge.sha), f"^{checked(merge.parents[0])}"],
        repository=repository,
    )
    return frozenset(listed.decode().split())


def paths_between(repository: Path, base: str, head: str) -> tuple[str, ...]:
    """The paths of the files that differ between two commits."""
    listed = run_git(
        ["diff-tree", "-r", "-z", "--name-only", "--no-renames", checked(base), checked(head)], repository=repository
    )
    return tuple(text_of(path) for path in listed.split(b"\0") if path)


def bytes_between(repository: Path, base: str, head: str) -> int:
    """How much `files_between` would read."""
    found = differences(repository, base, head)
    sides = [side.sha for each in found for side in (each.before, each.after) if side and side.mode != GITLINK]
    asked = "".join(f"{checked(sha)}\n" for sha in sides).encode()
    told = run_git(["cat-file", "--batch-check=%(objectsize)"], repository=repository, stdin=asked)
    return sum(int(size) for size in told.split() if size.isdigit())


def files_between(repository: Path, base: str, head: str) -> tuple[ChangedFile, ...]:
    """The files that differ between two commits, with their bytes on both sides."""
    return changed_files(repository, base, head)


def holds_word(repository: Path, commit: str, word: str) -> bool:
    """Whether a word stands anywhere in the text of a commit's files."""
    asked = ["grep", "--quiet", "-I", "--word-regexp", "--fixed-strings", "-e", word, checked(commit), "--"]
    try:
        run_git(asked, repository=repository)
    except GitFailed as failed:
        if failed.exit_code == 1 and not failed.stderr:
            return False
        raise
    return True
