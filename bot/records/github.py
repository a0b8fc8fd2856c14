"""GitHub, in our own words."""

from collections.abc import Sequence
from dataclasses import dataclass
from enum import StrEnum
from typing import Protocol

from bot.records.conversation import FailedCheck, Review
from bot.records.issues import Comment, Issue
from bot.records.places import IssueRef, RepositoryRef
from bot.records.triggers import Subject


@dataclass(frozen=True, slots=True)
class RepositoryInfo:
    """A repository as it is now. `clone_url` carries no credentials."""

    ref: RepositoryRef
    default_branch: str
    clone_url: str
    is_archived: bool = False


class MergeState(StrEnum):
    """Whether a pull request goes into its base as it is. GitHub finds it out in the background: UNKNOWN until then."""

    CLEAN = "clean"
    CONFLICTING = "conflicting"
    UNKNOWN = "unknown"


@dataclass(frozen=True, slots=True)
class PullRequest:
    """A pull request as it is now. `state` is open, closed or merged.

    `base` is the branch that it is to go into, `base_sha` that branch's commit as GitHub noted it last, which may be
    newer than the one where the pull request left it. `merge_state` is asked for single pull requests alone.
    `is_ours`: the App opened it.
    """

    number: int
    url: str
    state: str
    is_draft: bool
    head_sha: str
    base: str = ""
    base_sha: str = ""
    merge_state: MergeState = MergeState.UNKNOWN
    body: str = ""
    is_ours: bool = True


@dataclass(frozen=True, slots=True)
class PullRequestText:
    """What a pull request is to say."""

    title: str
    body: str
    draft: bool
    labels: tuple[str, ...] = ()
    reviewers: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class MadeCommit:
    """A commit that GitHub wrote. `reason` says in GitHub's word why it is verified, or is not."""

    sha: str
    is_verified: bool
    reason: str = ""


class AnnotationLevel(StrEnum):
    """How loud an annotation is. The words are GitHub's."""

    NOTICE = "notice"
    WARNING = "warning"
    FAILURE = "failure"


@dataclass(frozen=True, slots=True)
class Annotation:
    """What a check run says of some lines, from 1 on, of a file in the commit that it is about. Plain text."""

    path: str
    start_line: int
    end_line: int
    level: AnnotationLevel
    title: str
    message: str


ANNOTATIONS_AT_MOST = 50
"""Annotations that one request may carry.

Source: https://docs.github.com/en/rest/checks/runs#create-a-check-run
"""


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
        """What the person may do now, one of `PERMISSIONS`: a custom role counts as the role that it was made from.

        `none` for a name that is nobody's. Raises `Gone` for a repository that is not there.
        """
        ...

    def react(self, at: IssueRef, reaction: str, *, subject: Subject | None = None) -> None:
        """React (`eyes`, `-1`, `confused`) to the issue, or to a comment or review there; twice is once."""
        ...

    def post_comment(self, at: IssueRef, body: str, *, marker: str, since: str = "") -> int:
        """Comment, once for each marker: finds an own comment that holds the marker before it posts. Returns its id.

        `since` (ISO 8601 UTC, GitHub's clock) is before any such comment can have been written; "" where nobody knows.
        """
        ...

    def edit_comment(self, at: IssueRef, comment_id: int, body: str) -> None: ...

    def ensure_label(self, ref: RepositoryRef, name: str) -> None:
        """Create the label that starts runs, if it is not there."""
        ...

    def git_token(self, ref: RepositoryRef) -> str:
        """A fresh token for git, narrowed to this repository and to contents."""
        ...

    def signs_commits(self) -> bool:
        """Whether commits that `create_commit` makes may be verified, as far as is known."""
        ...

    def create_commit(self, ref: RepositoryRef, *, tree: str, parents: Sequence[str], message: str) -> MadeCommit:
        """Have GitHub write a commit as the App's own, signed where it can. No branch has it by that.

        The tree and the parents must have been pushed. Twice is two commits that differ in their time.
        """
        ...

    def pull_requests(self, ref: RepositoryRef, branch: str) -> Sequence[PullRequest]:
        """All pull requests from a branch of the repository, whoever opened them, the newest first."""
        ...

    def pull_request_numbered(self, ref: RepositoryRef, number: int) -> PullRequest:
        """The pull request of this number, whoever opened it. Raises `Gone` where there is none."""
        ...

    def publish_pull_request(self, ref: RepositoryRef, branch: str, base: str, text: PullRequestText) -> PullRequest:
        """Open the pull request from `branch`, with what is for its opening alone: title, base, labels, reviewers.

        An open one that an earlier try has opened is found, and stays as it is. Optional parts may fail unheard. Raises
        `Refused` where people have one from this branch into this base.
        """
        ...

    def describe_pull_request(self, ref: RepositoryRef, number: int, body: str) -> None:
        """Give a pull request another body; its title and all else stay as they are."""
        ...

    def mark_ready(self, ref: RepositoryRef, number: int) -> None:
        """Make a draft ready for review; one that is no draft stays so."""
        ...

    def make_draft(self, ref: RepositoryRef, number: int) -> None:
        """Make an open pull request a draft again; one that is stays so. Not every account has drafts: `Refused`."""
        ...

    def review(self, ref: RepositoryRef, number: int, review_id: int) -> Review:
        """A submitted review of a pull request, with the threads that it has a comment in. Raises `Gone`."""
        ...

    def reply_to_review_comment(self, at: IssueRef, comment_id: int, body: str, *, marker: str) -> int:
        """Answer in the thread of a review comment, once for each marker. Returns the answer's id."""
        ...

    def resolve_thread(self, ref: RepositoryRef, thread_id: str) -> None:
        """Mark a review thread as resolved; one that is stays so."""
        ...

    def request_review(self, ref: RepositoryRef, number: int, login: str) -> bool:
        """Ask someone for their review (again). False where they can't be asked, as the author and strangers."""
        ...

    def failed_checks(self, ref: RepositoryRef, head_sha: str, *, with_logs: bool = True) -> Sequence[FailedCheck]:
        """The checks of others that failed on a commit, with the end of a job's log where there is one to be had.

        Each log is a request of its own: who only tells of the checks goes without.
        """
        ...

    def set_check(
        self,
        ref: RepositoryRef,
        head_sha: str,
        *,
        conclusion: str,
        title: str,
        summary: str,
        annotations: Sequence[Annotation] = (),
        details_url: str = "",
    ) -> None:
        """The check run `selfcode` on a commit, once: an existing one is brought up to date.

        Of the annotations the first `ANNOTATIONS_AT_MOST` are shown, none of them twice: one that has some already,
        and is to say something else, has another one put in its place. `details_url` is where its “Details” lead;
        "" leaves that to GitHub.
        """
        ...
