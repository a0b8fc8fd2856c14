"""JSON as GitHub writes it: reviews, their comments and threads."""

from bot.demo import diff_lines, shapes
from bot.demo.shapes import Json, moment, node_id
from bot.demo.shapes_issues import association
from bot.demo.state import Issue, Review, ReviewComment, Thread
from bot.demo.world import World


def review(world: World, of: Review, within: Issue) -> Json:
    """A review as the API answers it: its state in upper case."""
    api, web = _addresses(world, within)
    html_url = f"{web}#pullrequestreview-{of.id}"
    body: Json = {
        "id": of.id,
        "node_id": node_id("PullRequestReview", of.id),
        "user": shapes.account(world, of.author),
        "body": of.body,
        "state": of.state,
        "html_url": html_url,
        "pull_request_url": api,
        "author_association": association(within.repository, of.author),
        "_links": {"html": {"href": html_url}, "pull_request": {"href": api}},
        "commit_id": of.commit_sha,
    }
    return body | ({"submitted_at": moment(of.submitted_at)} if of.submitted_at else {})


def review_told(world: World, of: Review, within: Issue) -> Json:
    """A review as deliveries show it: its state in lower case, and no text as null."""
    changed = {"state": of.state.lower(), "body": of.body or None, "updated_at": moment(of.submitted_at)}
    return review(world, of, within) | changed | {"submitted_at": moment(of.submitted_at)}


def comment(world: World, of: ReviewComment, within: Issue) -> Json:
    """A comment on lines; `line` is where they are now, null where they are gone."""
    api, web = _addresses(world, within)
    url = f"{world.api_url}/repos/{within.repository.full_name}/pulls/comments/{of.id}"
    html_url = f"{web}#discussion_r{of.id}"
    links = {"self": url, "html": html_url, "pull_request": api}
    body = {
        "url": url,
        "pull_request_review_id": of.review.id,
        "id": of.id,
        "node_id": node_id("PullRequestReviewComment", of.id),
        "user": shapes.account(world, of.author),
        "body": of.body,
        "created_at": moment(of.created_at),
        "updated_at": moment(of.updated_at),
        "html_url": html_url,
        "pull_request_url": api,
        "author_association": association(within.repository, of.author),
        "_links": {name: {"href": href} for name, href in links.items()},
        "reactions": shapes.rollup(of.reactions, url),
        **_place(within, of.thread),
    }
    return body | ({} if of.answers is None else {"in_reply_to_id": of.answers})


def thread_id(of: Thread) -> str:
    """A thread's global id: it has no other one."""
    return node_id("PullRequestReviewThread", of.id)


def is_outdated(within: Issue, of: Thread) -> bool:
    """Whether later commits have changed the lines."""
    return of.line is not None and line_now(within, of, of.line) is None


def line_now(within: Issue, of: Thread, line: int | None) -> int | None:
    """Where a line of a thread is now; None where it is gone, or the thread is on the whole file.

    Lines of the base stay where they are.
    """
    assert within.pull
    if line is None or of.side == "LEFT":
        return line
    return diff_lines.line_now(within.repository.directory, of.commit_sha, within.pull.head_sha, of.path, line)


def _place(within: Issue, of: Thread) -> Json:
    """Where a thread is: then, and now."""
    assert within.pull
    now, start_now = line_now(within, of, of.line), line_now(within, of, of.start_line)
    position = of.hunk.count("\n") or 1
    body: Json = {
        "diff_hunk": of.hunk,
        "path": of.path,
        "position": position if of.line is None or now is not None else None,
        "original_position": position,
        "commit_id": within.pull.head_sha if of.line is None or now is not None else of.commit_sha,
        "original_commit_id": of.commit_sha,
        "line": now,
        "original_line": of.line,
        "start_line": start_now,
        "original_start_line": of.start_line,
        "side": of.side,
        "start_side": of.side if of.start_line is not None else None,
        "subject_type": "file" if of.line is None else "line",
    }
    return body


def _addresses(world: World, within: Issue) -> tuple[str, str]:
    """A pull request's address in the API, and its page."""
    home = within.repository.full_name
    return f"{world.api_url}/repos/{home}/pulls/{within.number}", f"{world.base_url}/{home}/pull/{within.number}"
