"""Bringing two commits together in a bare repository: no checkout, no index, and no program that content could name."""

from dataclasses import dataclass
from pathlib import Path

from bot.errors import ConfigError
from bot.records import StopCheck
from bot.repository.complaints import GitFailed
from bot.repository.git import Access, Surroundings, run_git
from bot.repository.objects import checked, text_of

RENAMES_AT_MOST = 1000
"""How many files that went are compared with how many that came; of more, a rename is no rename."""
SECONDS = 120.0

_USAGE = 129


@dataclass(frozen=True, slots=True)
class Merge:
    """Two commits brought together: a tree, and the paths in it that both sides changed in ways that don't fit.

    A text among the `conflicts` holds both versions between conflict markers; of anything else it holds one of them.
    """

    tree: str
    conflicts: tuple[str, ...] = ()

    @property
    def is_clean(self) -> bool:
        return not self.conflicts


def merge(repository: Path, ours: str, theirs: str, *, stop: StopCheck | None = None) -> Merge:
    """Merge two commits that have one in common, as `git merge` would. Objects alone are written.

    A merge driver that the content's attributes name would have to be configured here, and none is. Raises:
    `Unavailable` where it takes too long, `Stopped`, `ConfigError` where git is older than 2.38.

    Source: git-merge-tree(1), “OUTPUT” and “EXIT STATUS”.
    """
    options = ["--write-tree", "-z", "--name-only", "--no-messages"]
    try:
        told = run_git(
            ["merge-tree", *options, checked(ours), checked(theirs)],
            repository=repository,
            access=Access(stop=stop, timeout_s=SECONDS),
            surroundings=Surroundings(
                config={"merge.renameLimit": str(RENAMES_AT_MOST), "merge.conflictStyle": "merge"}
            ),
        )
    except GitFailed as failed:
        if failed.exit_code == _USAGE:
            raise ConfigError("Branches are merged with git 2.38 or newer; this one is older.") from failed
        if failed.exit_code != 1 or not failed.stdout:
            raise
        told = failed.stdout
    tree, *conflicts = told.split(b"\0")[:-1]
    return Merge(tree.decode(), tuple(dict.fromkeys(map(text_of, conflicts))))
