"""Reading git objects from a bare repository: no work tree, no filters, no attributes of the content's own.

Paths are text with `surrogateescape`, so that names which are not UTF-8 survive. A `treeish` is a full object id.
"""

import hashlib
import io
import re
import tarfile
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from pathlib import Path

from bot.repository.git import run_git

GITLINK = "160000"
SYMLINK = "120000"
EXECUTABLE = "100755"
REGULAR = "100644"

_ARCHIVE_TIME = 946_684_800  # 2000-01-01: the same bytes each time, and old enough for every build tool


@dataclass(frozen=True, slots=True)
class Entry:
    """One file of a tree. `mode` is git's; `size` is None for a submodule, whose `sha` is a foreign commit."""

    mode: str
    sha: str
    size: int | None


def blob_sha(data: bytes) -> str:
    """The object id that git gives these bytes."""
    return hashlib.sha1(b"blob %d\0" % len(data) + data, usedforsecurity=False).hexdigest()


def entries(repository: Path, treeish: str) -> Mapping[str, Entry]:
    """Every file of the tree by path, submodules included, in git's order."""
    listing = run_git(["ls-tree", "-r", "-z", "-l", "--full-tree", checked(treeish)], repository=repository)
    return dict(_entry(line) for line in listing.split(b"\0") if line)


def _entry(line: bytes) -> tuple[str, Entry]:
    facts, _, path = line.partition(b"\t")
    mode, _, sha, size = facts.decode().split()
    return text_of(path), Entry(mode=mode, sha=sha, size=None if size == "-" else int(size))


def read(repository: Path, treeish: str, path: str) -> bytes | None:
    """A file's exact bytes (a symbolic link's target); None where there is no file of that name."""
    if not path or "\0" in path:
        return None
    listing = run_git(["ls-tree", "-z", "-l", "--full-tree", checked(treeish), "--", path], repository=repository)
    found = dict(_entry(line) for line in listing.split(b"\0") if line and b" blob " in line.partition(b"\t")[0])
    entry = found.get(path)
    return None if entry is None else blobs(repository, [entry.sha])[entry.sha]


def blobs(repository: Path, shas: Iterable[str]) -> Mapping[str, bytes]:
    """The bytes of many blobs by object id, in one git call."""
    wanted = list(dict.fromkeys(shas))
    if not wanted:
        return {}
    stdin = "".join(f"{checked(sha)}\n" for sha in wanted).encode()
    stream = io.BytesIO(run_git(["cat-file", "--batch"], repository=repository, stdin=stdin))
    found = {}
    for sha in wanted:
        header = stream.readline().split()
        if len(header) != 3:
            raise KeyError(f"no object {sha} in {repository}")
        found[sha] = stream.read(int(header[2]))
        stream.read(1)
    return found


def archive(repository: Path, treeish: str) -> bytes:
    """A tar archive of the tree's exact bytes: modes and links as committed, submodules as empty folders.

    Not `git archive`, which obeys the content's own `export-ignore`, `export-subst` and line-ending attributes.
    """
    listed = entries(repository, treeish)
    content = blobs(repository, (entry.sha for entry in listed.values() if entry.mode != GITLINK))
    buffer = io.BytesIO()
    with tarfile.open(fileobj=buffer, mode="w", format=tarfile.GNU_FORMAT, encoding="utf-8") as opened:
        for path, entry in listed.items():
            _add(opened, path, entry, content)
    return buffer.getvalue()


def _add(opened: tarfile.TarFile, path: str, entry: Entry, content: Mapping[str, bytes]) -> None:
    member = tarfile.TarInfo(path)
    member.mtime = _ARCHIVE_TIME
    member.mode = 0o644
    match entry.mode:
        case "160000":
            member.type, member.mode = tarfile.DIRTYPE, 0o755
            opened.addfile(member)
        case "120000":
            member.type, member.linkname = tarfile.SYMTYPE, text_of(content[entry.sha])
            opened.addfile(member)
        case mode:
            member.mode = 0o755 if int(mode, 8) & 0o100 else 0o644
            member.size = len(content[entry.sha])
            opened.addfile(member, io.BytesIO(content[entry.sha]))


def checked(sha: str) -> str:
    """The object id, if it is one: no name and no option passes for it."""
    if re.fullmatch(r"[0-9a-f]{40}", sha) is None:
        raise ValueError(f"not an object id: {sha!r}")
    return sha


def text_of(raw: bytes) -> str:
    """A path as text, whatever its bytes."""
    return raw.decode("utf-8", "surrogateescape")


def bytes_of(path: str) -> bytes:
    """The path's bytes, as `text_of` took them."""
    return path.encode("utf-8", "surrogateescape")
