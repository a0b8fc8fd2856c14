"""Writing git objects in a bare repository: blobs, trees and commits, from bytes and from what is there."""

import tempfile
from collections.abc import Callable, Iterable, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass
from datetime import UTC, datetime
from pathlib import Path

from bot.repository.git import Surroundings, run_git
from bot.repository.objects import EXECUTABLE, REGULAR, SYMLINK, Entry, blob_sha, bytes_of, checked, text_of
from sandbox.contract import File

_NO_OBJECT = "0" * 40


@dataclass(frozen=True, slots=True)
class Difference:
    """One path that differs between two trees; None on the side where it is not."""

    path: str
    before: Entry | None
    after: Entry | None


def mode_of(file: File) -> str:
    """The mode that git gives a workspace's file."""
    if file.symlink:
        return SYMLINK
    return EXECUTABLE if file.executable else REGULAR


def write_blobs(repository: Path, contents: Iterable[bytes]) -> None:
    """Store bytes as blobs, unfiltered, in one git call. Ids are known by `blob_sha`."""
    wanted = {blob_sha(data): data for data in contents}
    if not wanted:
        return
    commands = [b"feature done\n", *(b"blob\ndata %d\n%b\n" % (len(data), data) for data in wanted.values()), b"done\n"]
    run_git(["fast-import", "--quiet", "--done"], repository=repository, stdin=b"".join(commands))


def tree_with(repository: Path, base: str, files: Mapping[str, File | None]) -> str:
    """The tree that `base` becomes with these files put in, or taken out where None. Returns its object id."""
    write_blobs(repository, (file.data for file in files.values() if file is not None))
    changes = {
        path: None if file is None else Entry(mode_of(file), blob_sha(file.data), len(file.data))
        for path, file in files.items()
    }
    return tree_of_entries(repository, base, changes)


def tree_of_entries(repository: Path, base: str, changes: Mapping[str, Entry | None]) -> str:
    """The tree that `base` becomes when these paths hold these entries, or nothing where None."""
    removed = [
        b"0 %b\t%b\0" % (_NO_OBJECT.encode(), bytes_of(path)) for path, entry in changes.items() if entry is None
    ]
    added = [
        f"{entry.mode} {entry.sha}\t".encode() + bytes_of(path) + b"\0"
        for path, entry in changes.items()
        if entry is not None
    ]
    with temporary_index(repository, base) as index:
        run_git(
            ["update-index", "--replace", "-z", "--index-info"],
            repository=repository,
            stdin=b"".join(removed + added),
            surroundings=index,
        )
        return written_tree(repository, index)


@contextmanager
def temporary_index(repository: Path, treeish: str) -> Iterator[Surroundings]:
    """An index of its own that holds the tree, for the calls that take an index."""
    with tempfile.TemporaryDirectory(prefix="selfcode-index-") as folder:
        index = Surroundings(environment={"GIT_INDEX_FILE": str(Path(folder) / "index")})
        run_git(["read-tree", checked(treeish)], repository=repository, surroundings=index)
        yield index


def written_tree(repository: Path, index: Surroundings) -> str:
    """Write the index as a tree; return its object id."""
    return run_git(["write-tree"], repository=repository, surroundings=index).decode().strip()


def differences(repository: Path, base: str, tree: str) -> tuple[Difference, ...]:
    """What differs between two trees, path by path: a rename is a path that went and one that came."""
    raw = run_git(
        ["diff-tree", "-r", "-z", "--raw", "--no-renames", "--full-index", checked(base), checked(tree)],
        repository=repository,
    )
    fields = raw.split(b"\0")[:-1]
    return tuple(_difference(facts, path) for facts, path in zip(fields[::2], fields[1::2], strict=True))


def _difference(facts: bytes, path: bytes) -> Difference:
    before_mode, after_mode, before, after, _ = facts.decode().removeprefix(":").split()
    return Difference(
        path=text_of(path),
        before=None if before == _NO_OBJECT else Entry(before_mode, before, None),
        after=None if after == _NO_OBJECT else Entry(after_mode, after, None),
    )


def tree_of(repository: Path, base: str, tree: str, keep: Callable[[str], bool]) -> str:
    """The base with only those of the tree's differences whose path is kept."""
    kept = {change.path: change.after for change in differences(repository, base, tree) if keep(change.path)}
    return tree_of_entries(repository, base, kept)


def commit(
    repository: Path,
    tree: str,
    *,
    parents: Iterable[str],
    message: str,
    author_name: str,
    author_email: str,
    when: datetime,
) -> str:
    """Write a commit; return its object id. The same arguments give the same id, so that doing it twice is once."""
    stamp = f"@{int(when.astimezone(UTC).timestamp())} +0000"
    environment = {
        f"GIT_{role}_{what}": value
        for role in ("AUTHOR", "COMMITTER")
        for what, value in (("NAME", author_name), ("EMAIL", author_email), ("DATE", stamp))
    }
    arguments = [
        "commit-tree",
        f"{checked(tree)}^{{tree}}",
        *(part for parent in parents for part in ("-p", checked(parent))),
    ]
    text = message.replace("\0", "").strip().encode("utf-8", "replace") + b"\n"
    written = run_git(
        [*arguments, "-F", "-"], repository=repository, stdin=text, surroundings=Surroundings(environment=environment)
    )
    return written.decode().strip()
