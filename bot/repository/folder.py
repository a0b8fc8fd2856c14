"""A folder that is no git repository, such as an unpacked source distribution, as a tree in a mirror.

Nothing in it is run or followed: its files are data, links as well.
"""

from pathlib import Path
from typing import NamedTuple

from bot.errors import Refused
from bot.repository.git import EMPTY_TREE
from bot.repository.mirror import Mirror
from bot.repository.snapshot import collect
from sandbox import SandboxError
from sandbox.contract import CACHES, MEBIBYTE, files_of
from sandbox.tree import pack

BYTES_AT_MOST = 1024 * MEBIBYTE
_ASIDE = (*CACHES, ".git", ".hg", ".svn")


class Taken(NamedTuple):
    """The tree's id, and for people what the folder held besides."""

    tree: str
    left_out: tuple[str, ...]


def take_in(mirror: Mirror, folder: Path) -> Taken:
    """Make a tree of the folder's files, without caches and what git does not take.

    Raises: `Refused` where it is too large, or can't be read.
    """
    mirror.prepare()
    try:
        archive = pack(folder.resolve(), (), exclude=_ASIDE, limit_bytes=BYTES_AT_MOST)
    except SandboxError as problem:
        raise Refused(f"{folder} can't be read: {problem}") from problem
    found = collect(mirror, EMPTY_TREE, files_of(archive), hidden=_ASIDE, new_file_bytes=BYTES_AT_MOST)
    return Taken(mirror.tree_with(EMPTY_TREE, found.files), found.left_out)


def is_git_repository(folder: Path) -> bool:
    """Whether the folder is the top of a checkout, or a bare repository."""
    return (folder / ".git").exists() or ((folder / "HEAD").is_file() and (folder / "objects").is_dir())
