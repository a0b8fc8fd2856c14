"""GitHub, in our own words."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Protocol

from bot.records.issues import Comment, Issue
from bot.records.places import IssueRef, RepositoryRef


@dataclass(frozen=True, slots=True)
class RepositoryInfo:
    """A repository as it is now. `clone_url` carries no credentials."""

    ref: RepositoryRef
    default_branch: str
    clone_url: str
    is_archived: bool = False


@dataclass(frozen=True, slots=True)
class PullRequest:
    """A pull request as it is now. `state` is open, closed or merged."""

    number: int
    url: str
    state: str
    is_draft: bool
    head_sha: str


@dataclass(frozen=True, slots=True)
class PullRequestText:
    """What a pull request is to say."""

    title: str
    body: str
    draft: bool
    labels: tuple[str, ...] = ()
    reviewers: tuple[str, ...] = ()


class GitHub(Protocol):
    """One GitHub server, through the App. Every call takes a fresh enough token by itself.

    Raises `Unavailable` (service, rate limit), `Gone` (404, 410, moved), `Refused` (403, 422: GitHub's own words for
    the user). Writes that look for what an earlier try left say so.
    """

    def repository(self, ref: RepositoryRef) -> RepositoryInfo:
        """By numeric id, so that a rename does not matter."""
        ...

    def issue(self, at: IssueRef) -> Issue: ...

    def comments(self, at: IssueRef) -> Sequence[Comment]:
        """All comments, oldest first."""
        ...

    def permission(self, ref: RepositoryRef, login: str) -> str:
        """What the person may do now, one of `PERMISSIONS`: a custom role counts as the role that it was made from."""
        ...

    def react(self, at: IssueRef, reaction: str, *, comment_id: int | None = None) -> None:
        """React (`eyes`, `-1`, `confused`) to the issue or to one of its comments; twice is once."""
        ...

    def post_comment(self, at: IssueRef, body: str, *, marker: str) -> int:
        """Comment, once for each marker: finds an own comment that holds the marker before it posts. Returns its id."""
        ...

    def edit_comment(self, at: IssueRef, comment_id: int, body: str) -> None: ...

    def ensure_label(self, ref: RepositoryRef, name: str) -> None:
        """Create the label that starts runs, if it is not there."""
        ...

    def git_token(self, ref: RepositoryRef) -> str:
        """A fresh token for git, narrowed to this repository and to contents."""
        ...

    def pull_request(self, ref: RepositoryRef, branch: str) -> PullRequest | None:
        """The open pull request from our branch, else the newest closed one, else None."""
        ...

    def publish_pull_request(self, ref: RepositoryRef, branch: str, base: str, text: PullRequestText) -> PullRequest:
        """Open the pull request from `branch`, or bring the open one up to date. Optional parts may fail unheard."""
        ...

    def set_check(self, ref: RepositoryRef, head_sha: str, *, conclusion: str, title: str, summary: str) -> None:
        """The check run `selfcode` on a commit, once: an existing one is brought up to date."""
        ...
