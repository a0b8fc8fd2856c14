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

_PLAIN = ("--no-ext-diff", "--no-textconv")
_LONGEST_ATTRIBUTES_LINE = 2000  # git passes over longer ones. Source: git's attr.c, ATTR_MAX_LINE_LENGTH (2048)


def change_between(repository: Path, base: str, tree: str, *, left_out: Iterable[str] = ()) -> Change:
    """What lies between two trees. `paths` are for reading: bytes that are not UTF-8 are escaped.

    Raises: `Refused` where a symbolic link's target is no text, which a patch can't carry.
    """
    found = differences(repository, base, tree)
    content = _content(repository, found)
    if link := next((change.path for change in found if not _are_readable(_links(change), content)), None):
        raise Refused(f"The target of the symbolic link `{printable(link)}` is not UTF-8 text.")
    options = (*_renames(found), *_prefixes(found))
    unreadable = [change.path for change in found if not _are_readable(_sides(change), content)]
    added, removed = _counted(repository, base, tree, options)
    return Change(
        patch=_patch(repository, base, tree, options, unreadable) if found else "",
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
    return blobs(repository, (side.sha for change in found for side in _sides(change) if side.mode != GITLINK))


def _bytes_at(side: Entry | None, content: Mapping[str, bytes]) -> bytes | None:
    if side is None:
        return None
    return side.sha.encode() if side.mode == GITLINK else content[side.sha]


def _sides(change: Difference) -> Sequence[Entry]:
    return [side for side in (change.before, change.after) if side is not None]


def _links(change: Difference) -> Sequence[Entry]:
    return [side for side in _sides(change) if side.mode == SYMLINK]


def _are_readable(sides: Iterable[Entry], content: Mapping[str, bytes]) -> bool:
    return all(side.mode == GITLINK or is_text(content[side.sha]) for side in sides)


def is_text(data: bytes) -> bool:
    """Whether JSON and every database can hold the bytes: UTF-8 without NUL."""
    try:
        data.decode("utf-8")
    except UnicodeDecodeError:
        return False
    return b"\0" not in data


def _patch(repository: Path, base: str, tree: str, options: Sequence[str], unreadable: Iterable[str]) -> str:
    """The patch as git writes it, base85 for what is no text. Only a hunk's heading, cut at 80 bytes, may lose one."""
    with tempfile.TemporaryDirectory(prefix="selfcode-diff-") as folder:
        attributes = Path(folder) / "attributes"
        attributes.write_bytes(_as_binary(map(bytes_of, unreadable)))
        raw = run_git(
            ["diff-tree", "-r", "-p", "--binary", "--full-index", *_PLAIN, *options, checked(base), checked(tree)],
            repository=repository,
            surroundings=Surroundings(config={"core.attributesFile": str(attributes)}),
        )
    return raw.decode("utf-8", "replace")


def _renames(found: Iterable[Difference]) -> Sequence[str]:
    """Renames are shown as such, unless a link went: git can't apply a link's rename into a folder of its own name."""
    a_link_went = any(change.after is None and _links(change) for change in found)
    return ("--no-renames",) if a_link_went else ("--find-renames", "-l1000")


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


def _counted(repository: Path, base: str, tree: str, options: Sequence[str]) -> tuple[int, int]:
    """Lines added and removed over all files; a binary file has none."""
    output = run_git(
        ["diff-tree", "-r", "--numstat", *_PLAIN, *options, checked(base), checked(tree)],
        repository=repository,
    )
    counts = [line.split(b"\t")[:2] for line in output.splitlines() if line]
    added, removed = ([int(count[side]) for count in counts if count[side] != b"-"] for side in (0, 1))
    return sum(added), sum(removed)
