"""A range of commits as people name it, `BASE..HEAD`, in a repository of theirs: which two commits it means."""

import difflib
from dataclasses import dataclass
from pathlib import Path

from bot.errors import Refused
from bot.repository.complaints import OTHER_IDS, GitFailed
from bot.repository.folder import is_git_repository
from bot.repository.git import run_git
from bot.repository.objects import checked
from bot.repository.remote import is_ancestor, merge_base

_HOW = "Say it as BASE..HEAD, or as BASE...HEAD for what HEAD has since it left BASE."


@dataclass(frozen=True, slots=True)
class Range:
    """Two revisions by name. `from_fork`: what is meant begins where the two parted (`...`), not at the first."""

    base: str
    head: str
    from_fork: bool = False

    def __str__(self) -> str:
        return f"{self.base}{'...' if self.from_fork else '..'}{self.head}"


@dataclass(frozen=True, slots=True)
class Span:
    """Two commits of the repository at `folder`. `is_ahead`: the head holds everything that the base has."""

    folder: Path
    base: str
    head: str
    is_ahead: bool


def range_of(text: str) -> Range:
    """The range that a text names; an end that is left out is HEAD, as for git. Raises: `Refused`."""
    dots = "..." if "..." in text else ".."
    base, found, head = (part.strip() for part in text.partition(dots))
    if not found or ".." in head or head.startswith(".") or not (base or head):
        raise Refused(f"`{text}` is no range of commits. {_HOW}")
    return Range(base or "HEAD", head or "HEAD", from_fork=dots == "...")


def span_of(folder: Path, wanted: Range) -> Span:
    """The commits that a range means in the repository that `folder` is in.

    Raises: `Refused` where there is no repository, no such commit, or nothing between the two, and where commits are
    named by SHA-256.
    """
    top = top_of(folder)
    directory = top / ".git" if (top / ".git").exists() else top
    if run_git(["rev-parse", "--show-object-format"], repository=directory).strip() == b"sha256":
        raise Refused(OTHER_IDS)
    base, head = (_commit(directory, name, top) for name in (wanted.base, wanted.head))
    if wanted.from_fork:
        base = merge_base(directory, base, head) or _unrelated(directory, wanted, top)
    if base == head:
        raise Refused(
            f"There is nothing in `{wanted}`: both ends are the commit {head[:12]}."
            if not wanted.from_fork
            else f"There is nothing in `{wanted}`: `{wanted.base}` holds all of `{wanted.head}` ({head[:12]})."
        )
    if _tree(directory, base) == _tree(directory, head):
        raise Refused(f"There is nothing in `{wanted}`: {base[:12]} and {head[:12]} hold the same files.")
    return Span(top, base, head, is_ahead=is_ancestor(directory, base, head))


def top_of(folder: Path) -> Path:
    """The top of the checkout, or the bare repository, that a folder is in. Raises: `Refused`."""
    start = folder.resolve()
    for candidate in (start, *start.parents):
        if is_git_repository(candidate):
            return candidate
    raise Refused(f"{folder} is not in a git repository.")


def _commit(directory: Path, name: str, top: Path) -> str:
    try:
        asked = ["rev-parse", "--verify", "--end-of-options", f"{name}^{{commit}}"]
        return checked(run_git(asked, repository=directory).decode().split()[-1])
    except (GitFailed, ValueError) as failed:
        raise Refused(" ".join(_no_commit(directory, name, top))) from failed


def _no_commit(directory: Path, name: str, top: Path) -> list[str]:
    said = [f"{top} has no commit `{name}`."]
    close = difflib.get_close_matches(name, _names(directory), n=3)
    if close:
        said.append(f"Did you mean {' or '.join(f'`{each}`' for each in close)}?")
    return said + _shallow(directory)


def _names(directory: Path) -> list[str]:
    listing = run_git(
        ["for-each-ref", "--format=%(refname:short)", "refs/heads", "refs/tags", "refs/remotes"], repository=directory
    )
    return listing.decode("utf-8", "replace").split()


def _shallow(directory: Path) -> list[str]:
    is_shallow = run_git(["rev-parse", "--is-shallow-repository"], repository=directory).strip() == b"true"
    return ["It is a shallow clone: `git fetch --unshallow` brings the rest of its history."] if is_shallow else []


def _unrelated(directory: Path, wanted: Range, top: Path) -> str:
    said = f"`{wanted.base}` and `{wanted.head}` have no commit in common in {top}."
    raise Refused(" ".join([said, *_shallow(directory)]))


def _tree(directory: Path, commit: str) -> bytes:
    return run_git(["rev-parse", "--verify", f"{commit}^{{tree}}"], repository=directory)
