"""The one door to git: the bare mirror, what a repository says of its tests, and the names that it gives."""

from bot.repository.askpass import Credentials
from bot.repository.complaints import GitFailed, Moved
from bot.repository.config import (
    CommitStyle,
    OnFailedChecks,
    OnUnsolved,
    RepositoryConfig,
    Update,
    parse_config,
    read_config,
)
from bot.repository.finding import Findings, find, guess
from bot.repository.history import Commit, Written
from bot.repository.merging import Merge
from bot.repository.mirror import Mirror
from bot.repository.naming import branch_for
from bot.repository.objects import Entry
from bot.repository.snapshot import Snapshot, collect

__all__ = [
    "Commit",
    "CommitStyle",
    "Credentials",
    "Entry",
    "Findings",
    "GitFailed",
    "Merge",
    "Mirror",
    "Moved",
    "OnFailedChecks",
    "OnUnsolved",
    "RepositoryConfig",
    "Snapshot",
    "Update",
    "Written",
    "branch_for",
    "collect",
    "find",
    "guess",
    "parse_config",
    "read_config",
]
