"""A commit of ours as a branch in a person's own repository, for runs that no server takes part in."""

from itertools import chain, count
from pathlib import Path

from bot.errors import Refused
from bot.repository.git import Surroundings, run_git
from bot.repository.naming import ref_for
from bot.repository.objects import checked
from bot.repository.remote import FETCH, folders, local


def export(mirror: Path, target: Path, sha: str, branch: str) -> str:
    """Bring `sha` from the mirror into `target` as a branch, and say which.

    A branch that is there is never moved: the next free name is taken, `branch-2` and on.
    """
    repository = git_directory(target)
    chosen, existing = _free(repository, sha, branch)
    if existing == sha:
        return chosen
    offered = f"refs/selfcode/export/{checked(sha)}"
    run_git(["update-ref", offered, sha], repository=mirror)
    run_git(
        ["fetch", *FETCH, "--", str(mirror), f"+{offered}:{offered}"],
        repository=repository,
        surroundings=Surroundings(owned_by_others=folders(str(mirror))),
    )
    try:
        run_git(["update-ref", "-m", "selfcode: run", ref_for(chosen), sha, "0" * 40], repository=repository)
    finally:
        run_git(["update-ref", "-d", offered], repository=repository)
    return chosen


def git_directory(checkout: Path) -> Path:
    """The git directory of a checkout or a bare repository, wherever in it one stands. Raises: `Refused`."""
    folder = checkout.resolve()
    for candidate in (folder, *folder.parents):
        if (candidate / "HEAD").is_file() and (candidate / "objects").is_dir():
            return candidate
        if (candidate / ".git").is_dir():
            return candidate / ".git"
        if (candidate / ".git").is_file():
            return _linked(candidate)
    raise Refused(f"{checkout} is not in a git repository.")


def _linked(checkout: Path) -> Path:
    """The common git directory of a linked work tree. Source: gitrepository-layout(5)."""
    pointer = (checkout / ".git").read_text(encoding="utf-8").removeprefix("gitdir:").strip()
    directory = (checkout / pointer).resolve()
    common = directory / "commondir"
    return (directory / common.read_text(encoding="utf-8").strip()).resolve() if common.is_file() else directory


def _free(repository: Path, sha: str, branch: str) -> tuple[str, str | None]:
    """The first name that no branch has, or one that is at `sha` already, with where it is."""
    names = chain([branch], (f"{branch}-{number}" for number in count(2)))
    found = ((name, local(repository, ref_for(name))) for name in names)
    return next((name, existing) for name, existing in found if existing in (None, sha))
