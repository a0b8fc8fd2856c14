"""A change as a patch: text that survives JSON and gives back the same tree, whatever bytes the files hold."""

import re
import tempfile
from collections.abc import Iterable, Mapping, Sequence
from pathlib import Path

from bot.errors import Refused
from bot.records import Change, ChangedFile
from bot.repository.complaints import GitFailed
from bot.repository.git import Surroundings, run_git
from bot.repository.objects import GITLINK, SYMLINK, Entry, blobs, bytes_of, checked
from bot.repository.trees import Difference, differences, temporary_index, written_tree

_PLAIN = ("--find-renames", "-l1000", "--no-ext-diff", "--no-textconv")
_LONGEST_ATTRIBUTES_LINE = 2000  # git passes over longer ones. Source: git's attr.c, ATTR_MAX_LINE_LENGTH (2048)


def change_between(repository: Path, base: str, tree: str, *, left_out: Iterable[str] = ()) -> Change:
    """What lies between two trees. `paths` are for reading: bytes that are not UTF-8 are escaped.

    Raises: `Refused` where a symbolic link's target is no text, which a patch can't carry.
    """
    found = differences(repository, base, tree)
    content = _content(repository, found)
    unreadable = [change for change in found if not _is_readable(change, content)]
    if links := [change.path for change in unreadable if SYMLINK in _modes(change)]:
        raise Refused(f"The target of the symbolic link `{printable(links[0])}` is not UTF-8 text.")
    added, removed = _counted(repository, base, tree)
    return Change(
        patch=_patch(repository, base, tree, prefixes=_prefixes(found), unreadable=unreadable) if found else "",
        paths=tuple(printable(change.path) for change in found),
        added_lines=added,
        removed_lines=removed,
        left_out=tuple(left_out),
    )


def changed_files(repository: Path, base: str, tree: str) -> tuple[ChangedFile, ...]:
    """Every file that differs, with its bytes on both sides. A submodule's bytes are its commit's id."""
    found = differences(repository, base, tree)
    content = _content(repository, found)
    return tuple(
        ChangedFile(
            path=change.path,
            before=_bytes_at(change.before, content),
            after=_bytes_at(change.after, content),
            before_mode=change.before.mode if change.before else None,
            after_mode=change.after.mode if change.after else None,
        )
        for change in found
    )


def apply(repository: Path, base: str, patch: str) -> str:
    """The tree that the patch makes of `base`. Raises: `Refused` where it does not fit; then nothing is written."""
    with temporary_index(repository, base) as index:
        if patch:
            try:
                run_git(
                    ["apply", "--cached", "--binary", "--whitespace=nowarn", "-"],
                    repository=repository,
                    stdin=patch.encode(),
                    surroundings=index,
                )
            except GitFailed as failed:
                raise Refused(f"The change does not fit on {base[:12]}:\n{failed.stderr}") from failed
        return written_tree(repository, index)


def printable(path: str) -> str:
    """The path as people and JSON can have it."""
    return bytes_of(path).decode("utf-8", "backslashreplace")


def _content(repository: Path, found: Iterable[Difference]) -> Mapping[str, bytes]:
    sides = [side for change in found for side in (change.before, change.after) if side is not None]
    return blobs(repository, (side.sha for side in sides if side.mode != GITLINK))


def _bytes_at(side: Entry | None, content: Mapping[str, bytes]) -> bytes | None:
    if side is None:
        return None
    return side.sha.encode() if side.mode == GITLINK else content[side.sha]


def _modes(change: Difference) -> tuple[str, ...]:
    return tuple(side.mode for side in (change.before, change.after) if side is not None)


def _is_readable(change: Difference, content: Mapping[str, bytes]) -> bool:
    sides = (_bytes_at(change.before, content), _bytes_at(change.after, content))
    return all(side is None or is_text(side) for side in sides)


def is_text(data: bytes) -> bool:
    """Whether JSON and every database can hold the bytes: UTF-8 without NUL."""
    try:
        data.decode("utf-8")
    except UnicodeDecodeError:
        return False
    return b"\0" not in data


def _patch(repository: Path, base: str, tree: str, *, prefixes: Sequence[str], unreadable: Iterable[Difference]) -> str:
    """The patch as git writes it, base85 for what is no text. Only a hunk heading, cut at 80 bytes, may lose a byte."""
    with tempfile.TemporaryDirectory(prefix="selfcode-diff-") as folder:
        attributes = Path(folder) / "attributes"
        attributes.write_bytes(_as_binary(bytes_of(change.path) for change in unreadable))
        raw = run_git(
            ["diff-tree", "-r", "-p", "--binary", "--full-index", *_PLAIN, *prefixes, checked(base), checked(tree)],
            repository=repository,
            surroundings=Surroundings(config={"core.attributesFile": str(attributes)}),
        )
    return raw.decode("utf-8", "replace")


def _prefixes(found: Iterable[Difference]) -> Sequence[str]:
    """The usual a/ and b/, or ones that make git quote every name where it could not read a bare one back.

    A bare name whose folders begin or end with a space is ambiguous in a header without `---` and `+++` lines.
    """
    is_ambiguous = any(part != part.strip() for change in found for part in change.path.split("/"))
    return ("--src-prefix=a\t/", "--dst-prefix=b\t/") if is_ambiguous else ("--src-prefix=a/", "--dst-prefix=b/")


def _as_binary(paths: Iterable[bytes]) -> bytes:
    """An attributes file that makes git take these very paths for binary. Source: gitattributes(5), “Description”."""
    lines = [b'"/' + re.sub(rb"[^A-Za-z0-9._/-]", _quoted, path) + b'" -diff\n' for path in paths]
    return b"* -diff\n" if any(len(line) > _LONGEST_ATTRIBUTES_LINE for line in lines) else b"".join(lines)


def _quoted(match: re.Match[bytes]) -> bytes:
    byte = match[0]
    glob_escape = rb"\\" if byte in rb"*?[]\!" else b""
    return glob_escape + b"\\%03o" % byte[0]


def _counted(repository: Path, base: str, tree: str) -> tuple[int, int]:
    """Lines added and removed over all files; a binary file has none."""
    output = run_git(
        ["diff-tree", "-r", "--numstat", *_PLAIN, checked(base), checked(tree)],
        repository=repository,
    )
    counts = [line.split(b"\t")[:2] for line in output.splitlines() if line]
    added, removed = ([int(count[side]) for count in counts if count[side] != b"-"] for side in (0, 1))
    return sum(added), sum(removed)
