"""What can happen to reviews and their threads, each with the deliveries that it causes."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from types import MappingProxyType
from typing import Any

from bot.demo import diff_lines, shapes_pulls, shapes_reviews
from bot.demo.answers import ApiError, invalid
from bot.demo.changes import Changes, check_length
from bot.demo.state import Account, App, Issue, Review, ReviewComment, Thread

STATES = {"APPROVE": "APPROVED", "REQUEST_CHANGES": "CHANGES_REQUESTED", "COMMENT": "COMMENTED"}
"""What the reviewer presses, and what the review is then."""


_NOTHING: Mapping[str, Any] = MappingProxyType({})


@dataclass(frozen=True, slots=True)
class Remark:
    """A comment on lines that somebody wants to make; on the whole file where `line` is None."""

    path: str
    body: str
    line: int | None = None
    start_line: int | None = None
    side: str = "RIGHT"


def start(
    changes: Changes,
    issue: Issue,
    by: Account,
    *,
    body: str = "",
    remarks: Sequence[Remark] = (),
    replies: Sequence[tuple[Thread, str]] = (),
    app: App | None = None,
) -> Review:
    """Begin a review, which its author alone sees until it is submitted. Raises 422 for a line that is not there."""
    assert issue.pull
    check_length("PullRequestReview", body)
    review = Review(changes.world.new_id(), by, "PENDING", body, issue.pull.head_sha, app=app)
    threads = [_thread(changes, issue, review, remark) for remark in remarks]
    for thread, text in replies:
        _comment(changes, review, thread, text)
    issue.pull.reviews.append(review)
    issue.pull.threads.extend(threads)
    return review


def submit(changes: Changes, issue: Issue, review: Review, event: str, body: str | None = None) -> None:
    """Submit a review: `event` is one of `STATES`. Who was asked for it is so no longer.

    Raises 422 for a review that says nothing, or judges its author's own pull request.
    """
    assert issue.pull
    check_length("PullRequestReview", body)
    review.body = review.body if body is None else body
    if event not in STATES:
        raise ApiError(
            422, "Unprocessable Entity", [f"Variable $event of type PullRequestReviewEvent is invalid: {event}"]
        )
    if review.author is issue.author and event != "COMMENT":
        pressed = "approve" if event == "APPROVE" else "request changes on"
        raise ApiError(422, "Unprocessable Entity", [f"Review Can not {pressed} your own pull request"])
    comments = comments_of(issue, review)
    if event != "APPROVE" and not review.body.strip() and not comments:
        raise ApiError(422, "Unprocessable Entity", ["Review Body can not be blank"])
    review.state, review.submitted_at = STATES[event], changes.world.now()
    if review.author in issue.pull.reviewers:
        issue.pull.reviewers.remove(review.author)
    _tell_review(changes, issue, review, "submitted", review.author)
    for comment in comments:
        _tell_comment(changes, issue, comment, "created", review.author)


def reply(
    changes: Changes, issue: Issue, thread: Thread, by: Account, body: str, *, app: App | None = None
) -> ReviewComment:
    """Answer in a thread: a review of its own without a text, as on GitHub."""
    assert issue.pull
    check_length("PullRequestReviewComment", body)
    now = changes.world.now()
    review = Review(changes.world.new_id(), by, "COMMENTED", "", issue.pull.head_sha, now, app)
    issue.pull.reviews.append(review)
    comment = _comment(changes, review, thread, body)
    _tell_review(changes, issue, review, "submitted", by)
    _tell_comment(changes, issue, comment, "created", by)
    return comment


def remark(changes: Changes, issue: Issue, by: Account, said: Remark, *, app: App | None = None) -> ReviewComment:
    """A single comment on lines: a review of its own with one comment."""
    review = start(changes, issue, by, remarks=[said], app=app)
    submit(changes, issue, review, "COMMENT")
    return comments_of(issue, review)[0]


def edit(changes: Changes, issue: Issue, review: Review, by: Account, body: str) -> None:
    """Give a submitted review another text."""
    check_length("PullRequestReview", body)
    before, review.body = review.body, body
    if review.submitted_at:
        _tell_review(changes, issue, review, "edited", by, more={"changes": {"body": {"from": before}}})


def dismiss(changes: Changes, issue: Issue, review: Review, by: Account) -> None:
    """Let a review count no longer. Raises 422 for one that does not judge."""
    if review.state not in ("APPROVED", "CHANGES_REQUESTED"):
        state = review.state.lower().replace("_", " ")
        raise ApiError(422, "Validation Failed", [f"Can not dismiss a {state} pull request review"])
    review.state = "DISMISSED"
    _tell_review(changes, issue, review, "dismissed", by)


def discard(issue: Issue, review: Review) -> None:
    """Throw a pending review away. Raises 422 for a submitted one."""
    assert issue.pull
    if review.submitted_at is not None:
        raise ApiError(422, "Can not delete a non-pending pull request review")
    issue.pull.reviews.remove(review)
    for comment in comments_of(issue, review):
        _remove(issue, comment)


def edit_comment(changes: Changes, issue: Issue, comment: ReviewComment, by: Account, body: str) -> None:
    """Give a comment another text."""
    check_length("PullRequestReviewComment", body)
    before, comment.body = comment.body, body
    comment.earlier.append(before)
    comment.updated_at = changes.world.now()
    _tell_comment(changes, issue, comment, "edited", by, more={"changes": {"body": {"from": before}}})


def delete_comment(changes: Changes, issue: Issue, comment: ReviewComment, by: Account) -> None:
    """Delete a comment; a thread without comments is gone."""
    told = _told(changes, issue, comment)
    _remove(issue, comment)
    changes.courier.tell_repository(issue.repository, "pull_request_review_comment", "deleted", told, sender=by)


def set_resolved(changes: Changes, issue: Issue, thread: Thread, by: Account, *, resolved: bool) -> None:
    """Mark a thread as resolved, or as open again; nothing happens where it is so already."""
    assert issue.pull
    if (thread.resolved_by is not None) == resolved:
        return
    thread.resolved_by = by if resolved else None
    comments = [shapes_reviews.comment(changes.world, comment, issue) for comment in thread.comments]
    fields = {
        "thread": {"node_id": shapes_reviews.thread_id(thread), "comments": comments},
        "pull_request": _pull(changes, issue),
    }
    action = "resolved" if resolved else "unresolved"
    changes.courier.tell_repository(issue.repository, "pull_request_review_thread", action, fields, sender=by)


def comments_of(issue: Issue, review: Review) -> list[ReviewComment]:
    """The comments that were made with a review."""
    assert issue.pull
    return [comment for thread in issue.pull.threads for comment in thread.comments if comment.review is review]


def is_visible(comment: ReviewComment, to: Account | None) -> bool:
    """Whether somebody sees a comment: one of a pending review is its author's."""
    return comment.review.submitted_at is not None or comment.author is to


def _tell_review(
    changes: Changes, issue: Issue, review: Review, action: str, by: Account, *, more: Mapping[str, Any] = _NOTHING
) -> None:
    told = shapes_reviews.review_told(changes.world, review, issue)
    body = {"review": told, "pull_request": _pull(changes, issue), **more}
    changes.courier.tell_repository(issue.repository, "pull_request_review", action, body, sender=by)


def _tell_comment(
    changes: Changes,
    issue: Issue,
    comment: ReviewComment,
    action: str,
    by: Account,
    *,
    more: Mapping[str, Any] = _NOTHING,
) -> None:
    body = _told(changes, issue, comment) | dict(more)
    changes.courier.tell_repository(issue.repository, "pull_request_review_comment", action, body, sender=by)


def _told(changes: Changes, issue: Issue, comment: ReviewComment) -> dict[str, Any]:
    return {"comment": shapes_reviews.comment(changes.world, comment, issue), "pull_request": _pull(changes, issue)}


def _pull(changes: Changes, issue: Issue) -> dict[str, Any]:
    """The pull request as events about its reviews show it: as lists do."""
    assert issue.pull
    return shapes_pulls.pull(changes.world, issue, issue.pull) | {"assignee": None}


def _thread(changes: Changes, issue: Issue, review: Review, said: Remark) -> Thread:
    assert issue.pull
    pull, home = issue.pull, issue.repository
    check_length("PullRequestReviewComment", said.body)
    if not said.body.strip():
        raise invalid("PullRequestReviewComment", "missing_field", "body")
    hunk = diff_lines.commented_hunk(
        home.directory, pull.base_sha, pull.head_sha, said.path, side=said.side, line=said.line
    )
    if hunk is None:
        what = "Line" if said.line is not None and _is_changed(issue, said.path) else "Path"
        raise ApiError(422, "Unprocessable Entity", [f"{what} could not be resolved"])
    thread = Thread(changes.world.new_id(), said.path, pull.head_sha, hunk, said.line, said.start_line, said.side)
    _comment(changes, review, thread, said.body)
    return thread


def _is_changed(issue: Issue, path: str) -> bool:
    assert issue.pull
    return bool(
        diff_lines.commented_hunk(
            issue.repository.directory, issue.pull.base_sha, issue.pull.head_sha, path, side="RIGHT", line=None
        )
    )


def _comment(changes: Changes, review: Review, thread: Thread, body: str) -> ReviewComment:
    now = changes.world.now()
    comment = ReviewComment(changes.world.new_id(), review, thread, review.author, body, now, now, review.app)
    if thread.comments:
        comment.answers = thread.comments[0].answers or thread.comments[0].id
    thread.comments.append(comment)
    return comment


def _remove(issue: Issue, comment: ReviewComment) -> None:
    assert issue.pull
    comment.thread.comments.remove(comment)
    if not comment.thread.comments:
        issue.pull.threads.remove(comment.thread)
