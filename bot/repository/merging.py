"""Bringing two commits together in a bare repository: no checkout, no index, and no program that content could name."""

from collections import defaultdict
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from pathlib import Path

from bot.errors import ConfigError
from bot.records import StopCheck
from bot.repository.complaints import GitFailed
from bot.repository.git import Access, Surroundings, run_git
from bot.repository.objects import EXECUTABLE, GITLINK, REGULAR, Entry, blobs, checked, entries, text_of
from bot.repository.trees import tree_with
from sandbox.contract import File

RENAMES_AT_MOST = 1000
"""How many files that went are compared with how many that came; of more, a rename is no rename."""
SECONDS = 120.0

_USAGE = 129
_BASE, _OURS, _THEIRS = "1", "2", "3"
_Sides = tuple[bytes | None, bytes | None]
_LOOKED_AT = 8000
"""Bytes at the beginning of a file that say whether it is text, as git finds it out."""


@dataclass(frozen=True, slots=True)
class Merge:
    """Two commits brought together: a tree, and the paths in it that both sides changed in ways that don't fit.

    A text among the `conflicts` holds both versions between conflict markers. So does one that a side has deleted or
    moved, with nothing on that side. Those that can't be shown so are `unmarked`: what is no text, or differs by its
    mode alone. Of them the tree holds one version, which nobody has chosen.
    """

    tree: str
    conflicts: tuple[str, ...] = ()
    unmarked: tuple[str, ...] = ()

    @property
    def is_clean(self) -> bool:
        return not self.conflicts


def merge(repository: Path, ours: str, theirs: str, *, stop: StopCheck | None = None) -> Merge:
    """Merge two commits that have one in common, as `git merge` would, with more markers. Objects alone are written.

    A merge driver that the content's attributes name would have to be configured here, and none is. Raises:
    `Unavailable` where it takes too long, `Stopped`, `ConfigError` where git is older than 2.38.

    Source: git-merge-tree(1), “OUTPUT” and “EXIT STATUS”.
    """
    options = ["--write-tree", "-z", "--no-messages"]
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
    found = _versions(conflicts)
    return _marked(repository, tree.decode(), found, ours, theirs) if found else Merge(tree.decode())


def _versions(lines: Iterable[bytes]) -> Mapping[str, Mapping[str, Entry]]:
    """The versions of each path that conflicts, by git's number for the side that has it."""
    found: defaultdict[str, dict[str, Entry]] = defaultdict(dict)
    for line in lines:
        facts, _, path = line.partition(b"\t")
        mode, sha, side = facts.decode().split()
        found[text_of(path)][side] = Entry(mode, sha, None)
    return found


def _marked(repository: Path, tree: str, conflicts: Mapping[str, Mapping[str, Entry]], ours: str, theirs: str) -> Merge:
    """The merge with markers around every conflict that can be shown by them."""
    there = {path: entry for path, entry in entries(repository, tree).items() if path in conflicts}
    versions = (entry for path in there for entry in (there[path], *conflicts[path].values()))
    content = blobs(repository, (entry.sha for entry in versions if entry.mode != GITLINK))
    whole: dict[str, File | None] = {}
    unmarked: list[str] = []
    for path, entry in there.items():
        versions_of = conflicts[path]
        if f"<<<<<<< {ours}".encode() in content.get(entry.sha, b"") and not _are_of_two_modes(versions_of):
            continue
        sides = _sides(entry, versions_of, content)
        if sides is None:
            unmarked.append(path)
        else:
            whole[path] = File(_between(sides, ours, theirs), executable=entry.mode == EXECUTABLE)
    marked = tree_with(repository, tree, whole) if whole else tree
    return Merge(marked, tuple(conflicts), tuple(unmarked))


def _are_of_two_modes(versions: Mapping[str, Entry]) -> bool:
    """Whether both sides made the file, each with another mode."""
    one, other = versions.get(_OURS), versions.get(_THEIRS)
    return one is not None and other is not None and _BASE not in versions and one.mode != other.mode


def _sides(there: Entry, versions: Mapping[str, Entry], content: Mapping[str, bytes]) -> _Sides | None:
    """What either side has, None where it has nothing; None in all where no text shows the difference.

    What one side alone has is taken as it is `there`: it may hold what the other did before it moved the file.
    """
    one, other = versions.get(_OURS), versions.get(_THEIRS)
    match one, other:
        case Entry(), Entry():
            both = _text_in(one, content), _text_in(other, content)
            return None if None in both or both[0] == both[1] or _are_of_two_modes(versions) else both
        case Entry(), None:
            text = _text_in(there, content)
            return None if text is None else (text, None)
        case None, Entry():
            text = _text_in(there, content)
            return None if text is None else (None, text)
        case _:
            return None


def _text_in(entry: Entry, content: Mapping[str, bytes]) -> bytes | None:
    """The text that an entry is; None for a link, a submodule, and bytes that are no text."""
    data = content.get(entry.sha)
    is_text = data is not None and entry.mode in (REGULAR, EXECUTABLE) and b"\0" not in data[:_LOOKED_AT]
    return data if is_text else None


def _between(sides: _Sides, ours: str, theirs: str) -> bytes:
    """Both sides whole between markers, whose lines end as theirs do."""
    end = b"\r\n" if any(b"\r\n" in (side or b"") for side in sides) else b"\n"
    one, other = (side + end if side and not side.endswith(b"\n") else side or b"" for side in sides)
    first, last = (
        f"{commit}: not there".encode() if side is None else commit.encode()
        for side, commit in zip(sides, (ours, theirs), strict=True)
    )
    return b"<<<<<<< %b%b%b=======%b%b>>>>>>> %b%b" % (first, end, one, end, other, last, end)
