"""A commit of ours as a branch in a person's own repository, for runs that no server takes part in."""

from pathlib import Path

from bot.errors import Refused
from bot.repository.git import Surroundings, run_git
from bot.repository.naming import ref_for
from bot.repository.objects import checked
from bot.repository.remote import FETCH, folders, local


def export(mirror: Path, target: Path, sha: str, branch: str, *, own_email: str) -> None:
    """Bring `sha` from the mirror into `target` as `branch`, moved only if nobody's work is lost.

    Raises: `Refused` where the branch is checked out in any of the repository's folders, or holds commits that
    `own_email` did not commit and that `sha` does not hold.
    """
    repository, ref = git_directory(target), ref_for(branch)
    existing = local(repository, ref)
    if existing == sha:
        return
    _refuse_checked_out(repository, ref, branch)
    offered = f"refs/selfcode/export/{checked(sha)}"
    run_git(["update-ref", offered, sha], repository=mirror)
    run_git(
        ["fetch", *FETCH, "--", str(mirror), f"+{offered}:{offered}"],
        repository=repository,
        surroundings=Surroundings(owned_by_others=folders(str(mirror))),
    )
    try:
        if existing is not None:
            _refuse_foreign_commits(repository, existing, sha, branch, own_email)
        run_git(["update-ref", "-m", "selfcode: run", ref, sha, existing or "0" * 40], repository=repository)
    finally:
        run_git(["update-ref", "-d", offered], repository=repository)


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


def _refuse_checked_out(repository: Path, ref: str, branch: str) -> None:
    listing = run_git(["worktree", "list", "--porcelain"], repository=repository).decode("utf-8", "surrogateescape")
    if f"branch {ref}" in listing.splitlines():
        raise Refused(f"The branch `{branch}` is checked out; check out another one, then run again.")


def _refuse_foreign_commits(repository: Path, existing: str, sha: str, branch: str, own_email: str) -> None:
    committers = run_git(["log", "--format=%ce", existing, f"^{sha}", "--"], repository=repository)
    if foreign := {email for email in committers.decode("utf-8", "replace").splitlines() if email != own_email}:
        raise Refused(
            f"The branch `{branch}` holds commits by {', '.join(sorted(foreign))} that would be lost; "
            "rename or delete it, then run again."
        )
