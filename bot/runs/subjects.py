"""Where a verification has its two commits from: a range in a repository on this machine, or a pull request."""

import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import TypedDict

from bot.errors import Gone, Refused, Unavailable
from bot.records import PullRequest, StopCheck
from bot.repository import Credentials, GitFailed, Mirror
from bot.repository.revisions import Span
from bot.runs.sources import Remote, key_of
from bot.runs.verifying import Subject


@dataclass(frozen=True, slots=True)
class PullSource:
    """A pull request on a server. `pull` is what the App knows of it; None where it is seen as everybody sees it."""

    remote: Remote
    number: int
    pull: PullRequest | None = None

    def __str__(self) -> str:
        return f"{self.remote.full_name}#{self.number}"


@contextmanager
def mirror_for_once() -> Iterator[Mirror]:
    """A mirror that is gone after the block."""
    with tempfile.TemporaryDirectory(prefix="selfcode-") as folder:
        yield Mirror(Path(folder) / "mirror.git")


def from_span(span: Span, mirror: Mirror, *, stop: StopCheck) -> Subject:
    """The two commits, brought into the mirror without their history. Raises `Refused`."""
    url = str(span.folder)
    try:
        for commit in (span.base, span.head):
            mirror.fetch_commit(url, commit, depth=1, stop=stop)
    except (GitFailed, Gone) as failed:
        raise Refused(f"git can't bring the commits out of {span.folder}: {failed}") from failed
    return Subject(mirror, span.base, span.head, key_of(url))


def from_pull(source: PullSource, mirror: Mirror, *, stop: StopCheck) -> Subject:
    """The pull request's head, and the commit where it left its base branch.

    Setup gets the operator's secrets only where that commit is on the default branch.

    Raises: `Refused` where there is no such pull request, or nothing in it; `Unavailable`.
    """
    remote = source.remote
    try:
        return _from_pull(source, mirror, stop)
    except Gone as gone:
        raise Refused(f"{source} can't be had from {remote.clone_url}: {gone}") from gone
    except GitFailed as failed:
        raise Unavailable(f"{source} can't be had from {remote.clone_url}: {failed}") from failed


class _Reach(TypedDict):
    credentials: Credentials | None
    ca_bundle: Path | None
    stop: StopCheck


def _from_pull(source: PullSource, mirror: Mirror, stop: StopCheck) -> Subject:
    remote, url = source.remote, source.remote.clone_url
    reach = _Reach(credentials=remote.credentials, ca_bundle=remote.ca_bundle, stop=stop)
    head = mirror.fetch_pull(url, source.number, **reach)
    if head is None:
        raise Refused(f"{remote.full_name} has no pull request {source.number}.")
    default = mirror.fetch_branch(url, "HEAD", **reach)
    goes_into = default
    if pull := source.pull:
        tip = mirror.fetch_branch(url, pull.base, **reach) if pull.state == "open" else None
        head, goes_into = pull.head_sha, tip or pull.base_sha
    for commit in (head, goes_into):
        if commit is not None and not mirror.has(commit):
            mirror.fetch_commit(url, commit, **reach)
    base = mirror.merge_base(goes_into, head) if goes_into else None
    if base is None:
        raise Refused(f"{source} has no commit in common with the branch that it is to go into.")
    if base == head:
        raise Refused(
            f"The branch that {source} is to go into holds all of it already. In a clone, "
            "`selfcode verify PATH BASE..HEAD` takes any two commits."
        )
    is_on_default = default is not None and mirror.is_ancestor(base, default)
    key = key_of(url) if remote.key is None else remote.key
    return Subject(mirror, base, head, key, name=remote.full_name if is_on_default else "")
