"""The conversation on an issue or pull request as HTML: comments, reviews with their threads, checks."""

from collections.abc import Iterator

from bot.demo.markup import coloured, escape, said
from bot.demo.shapes_reviews import is_outdated
from bot.demo.state import CheckRun, Issue, PullRequest, Repository, Review, Thread

_STATES = {"APPROVED": "approved", "CHANGES_REQUESTED": "requested changes", "DISMISSED": "reviewed (dismissed)"}


def conversation(issue: Issue) -> Iterator[str]:
    """Comments and submitted reviews, oldest first; a thread stands with the review that began it."""
    told = [(comment.id, said(comment.author.login, comment.body)) for comment in issue.comments]
    if issue.pull:
        told.extend((review.id, _review(issue, review)) for review in issue.pull.reviews if _is_shown(issue, review))
    yield from (text for _, text in sorted(told))


def checks(home: Repository, pull: PullRequest) -> str:
    """The newest check run of each name on the head."""
    runs = {(run.app.slug, run.name): run for run in home.check_runs if run.head_sha == pull.head_sha}
    items = "".join(f"<li>{_check(run)}</li>" for run in runs.values())
    return f"<h2>Checks</h2><ul>{items}</ul>" if items else ""


def _check(run: CheckRun) -> str:
    words = ": ".join(filter(None, (run.conclusion or run.status, run.title)))
    return f'{escape(run.app.slug)} / <b>{escape(run.name)}</b> <span class="quiet">{escape(words)}</span>'


def _is_shown(issue: Issue, review: Review) -> bool:
    """Whether a review is more than an answer in somebody else's thread."""
    return review.submitted_at is not None and bool(review.body or _begun_by(issue, review) or review.state in _STATES)


def _review(issue: Issue, review: Review) -> str:
    threads = "".join(_thread(issue, thread) for thread in _begun_by(issue, review))
    return said(review.author.login, review.body, note=_STATES.get(review.state, "reviewed"), after=threads)


def _begun_by(issue: Issue, review: Review) -> list[Thread]:
    assert issue.pull
    return [thread for thread in issue.pull.threads if thread.comments and thread.comments[0].review is review]


def _thread(issue: Issue, thread: Thread) -> str:
    where = thread.path if thread.line is None else f"{thread.path}:{thread.line}"
    marks = [
        mark for mark, is_so in (("resolved", thread.resolved_by), ("outdated", is_outdated(issue, thread))) if is_so
    ]
    labels = " ".join(f'<span class="label">{mark}</span>' for mark in marks)
    comments = "".join(
        said(comment.author.login, comment.body) for comment in thread.comments if comment.review.submitted_at
    )
    header = f"<p><code>{escape(where)}</code> {labels}</p>"
    return f'<section class="thread">{header}{coloured(thread.hunk)}{comments}</section>'
