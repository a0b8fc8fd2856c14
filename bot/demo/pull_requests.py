"""What an issue has more when it is a pull request: branches, reviews, threads; and the checks on commits."""

from dataclasses import dataclass, field
from datetime import datetime
from typing import Any

from bot.demo.people import Account, App, Reaction


@dataclass(slots=True, eq=False)
class ReviewComment:
    """One comment of a thread, submitted with `review`; `earlier` is what edits replaced.

    `answers` is the comment that the thread was opened with, deleted since or not; None for that one itself.
    """

    id: int
    review: "Review"
    thread: "Thread"
    author: Account
    body: str
    created_at: datetime
    updated_at: datetime
    app: App | None = None
    reactions: list[Reaction] = field(default_factory=list)
    earlier: list[str] = field(default_factory=list)
    answers: int | None = None


@dataclass(slots=True, eq=False)
class Thread:
    """A conversation on lines of a file, as it was in `commit_sha`; on the whole file where `line` is None.

    `side` is RIGHT for lines of the head, LEFT for lines of the base. A pending review's comments are its author's to
    see alone.
    """

    id: int
    path: str
    commit_sha: str
    hunk: str
    line: int | None = None
    start_line: int | None = None
    side: str = "RIGHT"
    comments: list[ReviewComment] = field(default_factory=list)
    resolved_by: Account | None = None


@dataclass(slots=True, eq=False)
class Review:
    """A review. `state` is PENDING until it is submitted, then APPROVED, CHANGES_REQUESTED, COMMENTED or DISMISSED."""

    id: int
    author: Account
    state: str
    body: str
    commit_sha: str
    submitted_at: datetime | None = None
    app: App | None = None
    reactions: list[Reaction] = field(default_factory=list)


@dataclass(slots=True, eq=False)
class PullRequest:
    """What an issue has more when it is a pull request. Both branches are of the same repository.

    `base_sha` and `head_sha` follow their branches while the pull request is open. `tried` are the two commits that
    were last merged on trial, `has_conflicts` what came of it.
    """

    id: int
    base: str
    head: str
    base_sha: str
    head_sha: str
    draft: bool
    reviewers: list[Account] = field(default_factory=list)
    reviews: list[Review] = field(default_factory=list)
    threads: list[Thread] = field(default_factory=list)
    merged_at: datetime | None = None
    merged_by: Account | None = None
    merge_sha: str | None = None
    tried: tuple[str, str] | None = None
    has_conflicts: bool = False


@dataclass(slots=True, eq=False)
class CheckSuite:
    """All check runs of one App on one commit."""

    id: int
    app: App
    head_sha: str
    branch: str | None
    created_at: datetime
    updated_at: datetime


@dataclass(slots=True, eq=False)
class CheckRun:
    """A check run of an App on a commit. `log` is what a job of Actions wrote, None where there is none any more."""

    id: int
    suite: CheckSuite
    app: App
    head_sha: str
    name: str
    status: str
    conclusion: str | None
    started_at: datetime
    completed_at: datetime | None
    details_url: str | None
    external_id: str
    title: str | None
    summary: str | None
    text: str | None
    annotations: list[dict[str, Any]] = field(default_factory=list)
    log: bytes | None = None
