"""Fetching, pushing and deleting one branch of a remote, and what is brought there without one."""

from collections.abc import Sequence
from pathlib import Path

from bot.errors import Refused
from bot.repository.complaints import GitFailed, Moved, rejection
from bot.repository.git import Access, Surroundings, run_git
from bot.repository.naming import ref_for
from bot.repository.objects import checked as checked_sha

FETCH = ("--quiet", "--no-tags", "--no-write-fetch-head", "--force", "--update-shallow")


def fetch(
    repository: Path, url: str, source: str, target: str, *, access: Access, lock: int, depth: int | None = None
) -> str | None:
    """Bring the remote's ref or commit `source` here as `target`; None, and no `target` here, where it has none."""
    only = () if depth is None else (f"--depth={depth}",)
    try:
        run_git(
            ["fetch", *FETCH, *only, "--", checked(url), f"+{source}:{target}"],
            repository=repository,
            access=access,
            surroundings=Surroundings(owned_by_others=folders(url), keep_open=(lock,)),
        )
    except GitFailed as failed:
        if "couldn't find remote ref" not in failed.stderr:
            raise
        run_git(["update-ref", "-d", target], repository=repository)
        return None
    return local(repository, target)


def push(repository: Path, url: str, sha: str, branch: str, *, expect: str | None, access: Access) -> None:
    """Put the remote's branch at `sha` if it is at `expect` (None: not there), with a lease on that very commit."""
    lease = checked_sha(expect) if expect else ""
    _push(repository, url, f"{checked_sha(sha)}:{ref_for(branch)}", branch, lease, access=access, wanted=sha)


def delete(repository: Path, url: str, branch: str, *, expect: str, access: Access) -> None:
    """Delete the remote's branch if it is at `expect`; a branch that is gone is done."""
    _push(repository, url, f":{ref_for(branch)}", branch, checked_sha(expect), access=access, wanted=None)


def stage(repository: Path, url: str, sha: str, ref: str, *, access: Access) -> None:
    """Bring a commit to the remote as a ref of our own that is no branch, wherever that was before."""
    try:
        _send(repository, url, f"+{checked_sha(sha)}:{ref}", access=access)
    except GitFailed as failed:
        raise _rejected(ref, failed, access) from failed


def unstage(repository: Path, url: str, ref: str, *, access: Access) -> None:
    """Take such a ref off the remote; one that is gone is done."""
    try:
        _send(repository, url, f":{ref}", access=access)
    except GitFailed as failed:
        if _remote_ref(repository, url, ref, access=access) is not None:
            raise _rejected(ref, failed, access) from failed


def _push(
    repository: Path, url: str, refspec: str, branch: str, lease: str, *, access: Access, wanted: str | None
) -> None:
    try:
        _send(repository, url, refspec, f"--force-with-lease={ref_for(branch)}:{lease}", access=access)
    except GitFailed as failed:
        found = remote_head(repository, url, branch, access=access)
        if found == wanted:
            return
        if found != (lease or None):
            raise Moved(branch, found) from failed
        raise _rejected(branch, failed, access) from failed


def _send(repository: Path, url: str, refspec: str, *options: str, access: Access) -> None:
    run_git(
        ["push", "--porcelain", "--no-verify", *options, "--", checked(url), refspec],
        repository=repository,
        access=access,
        surroundings=Surroundings(owned_by_others=folders(url)),
    )


def _rejected(name: str, failed: GitFailed, access: Access) -> Exception:
    secrets = (access.credentials.token,) if access.credentials else ()
    return rejection(name, failed.stdout, failed.stderr, secrets=secrets)


def remote_head(repository: Path, url: str, branch: str, *, access: Access) -> str | None:
    """The commit that the remote's branch is at, without fetching it."""
    return _remote_ref(repository, url, ref_for(branch), access=access)


def _remote_ref(repository: Path, url: str, ref: str, *, access: Access) -> str | None:
    listing = run_git(
        ["ls-remote", "--", checked(url), ref],
        repository=repository,
        access=access,
        surroundings=Surroundings(owned_by_others=folders(url)),
    )
    rows = [line.split("\t") for line in listing.decode("utf-8", "surrogateescape").splitlines()]
    return next((sha for sha, name in rows if name == ref), None)


def local(repository: Path, ref: str) -> str | None:
    """The commit that a ref is at here."""
    listing = run_git(["for-each-ref", "--format=%(refname)%09%(objectname)", ref], repository=repository)
    rows = [line.split("\t") for line in listing.decode("utf-8", "surrogateescape").splitlines()]
    return next((sha for name, sha in rows if name == ref), None)


def is_here(repository: Path, sha: str) -> bool:
    """Whether an object is here."""
    said = run_git(["cat-file", "--batch-check"], repository=repository, stdin=checked_sha(sha).encode() + b"\n")
    return not said.rstrip().endswith(b" missing")


def is_ancestor(repository: Path, older: str, newer: str) -> bool:
    """Whether `newer` holds everything of `older`."""
    count = run_git(["rev-list", "--count", checked_sha(older), f"^{checked_sha(newer)}"], repository=repository)
    return int(count) == 0


def merge_base(repository: Path, one: str, other: str) -> str | None:
    """The commit where two parted; None where they have none in common here."""
    try:
        return run_git(["merge-base", checked_sha(one), checked_sha(other)], repository=repository).decode().strip()
    except GitFailed as failed:
        if failed.exit_code == 1 and not failed.stderr:
            return None
        raise


def folders(url: str) -> Sequence[Path]:
    """The folders that git may read although another user owns them: the local repository that was named, no other."""
    if "://" in url:
        return ()
    path = Path(url)
    return tuple(dict.fromkeys((path, path / ".git", path.resolve(), (path / ".git").resolve())))


def checked(url: str) -> str:
    """The URL, if it is http(s) without credentials, or a local folder's absolute path."""
    scheme, separator, rest = url.partition("://")
    is_web = separator and scheme in ("http", "https") and "@" not in rest.partition("/")[0]
    if is_web or (not separator and url.startswith("/")):
        return url
    raise Refused("A repository's address is http(s) without a user name, or a folder's absolute path.")
