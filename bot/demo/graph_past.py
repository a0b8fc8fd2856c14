"""Pull requests as a list in GraphQL: what became of them, what they close, and how that was changed."""

from collections.abc import Mapping
from typing import Any

from bot.demo import git, pulling, shapes
from bot.demo.graphql import Object, Wrong, connection
from bot.demo.shapes import node_id
from bot.demo.state import BodyEdit, Issue, Renaming, Repository


def pull_requests(home: Repository, given: Mapping[str, Any], *, web: str) -> Object:
    """The pull requests that are asked for, by default the oldest first. `web` is their repository's address."""
    states = given.get("states") or ()
    wanted = {states} if isinstance(states, str) else set(states)
    order = given.get("orderBy") or {"field": "CREATED_AT", "direction": "ASC"}
    if order["field"] != "CREATED_AT":
        raise Wrong("", f"the stand-in orders by CREATED_AT alone, not by {order['field']}", code="argumentLiterals")
    found = [issue for issue in home.issues.values() if issue.pull and not issue.deleted]
    if wanted:
        found = [issue for issue in found if _state(issue) in wanted]
    if base := given.get("baseRefName"):
        found = [issue for issue in found if issue.pull and issue.pull.base == base]
    found.sort(key=lambda issue: issue.number, reverse=order["direction"] == "DESC")
    return connection([_pull(issue, web) for issue in found], given, named="pullRequests")


def _state(issue: Issue) -> str:
    return "MERGED" if issue.pull and issue.pull.merged_at else issue.state.upper()


def _pull(issue: Issue, web: str) -> Object:
    assert issue.pull
    pull = issue.pull
    return {
        "__typename": "PullRequest",
        "id": node_id("PullRequest", pull.id),
        "number": issue.number,
        "title": issue.title,
        "url": f"{web}/pull/{issue.number}",
        "state": _state(issue),
        "baseRefName": pull.base,
        "createdAt": shapes.moment(issue.created_at),
        "mergedAt": shapes.moment(pull.merged_at),
        "mergeCommit": _commit(issue.repository, pull.merge_sha) if pull.merge_sha else None,
        "commits": lambda given: _commits(issue, given),
        "closingIssuesReferences": lambda given: connection(
            [_issue(closed) for closed in pulling.closed_by(issue)], given, named="closingIssuesReferences"
        ),
    }


def _commit(home: Repository, sha: str) -> Object:
    return {
        "__typename": "Commit",
        "oid": sha,
        "message": git.one_commit(home.directory, sha).message,
        "history": lambda given: connection(
            [_commit(home, before) for before in git.history(home.directory, sha)], given, named="history"
        ),
    }


def _commits(issue: Issue, given: Mapping[str, Any]) -> Object:
    assert issue.pull
    home, pull = issue.repository, issue.pull
    found = [_commit(home, each.sha) for each in git.commits(home.directory, pull.base_sha, pull.head_sha)]
    wrapped = [{"__typename": "PullRequestCommit", "commit": each} for each in found]
    return connection(wrapped, given, named="commits")


def _issue(issue: Issue) -> Object:
    edits = [_edit(each) for each in reversed(issue.edits)]
    renamings = [_renaming(each) for each in issue.renamings]
    return {
        "__typename": "Issue",
        "number": issue.number,
        "title": issue.title,
        "body": issue.body or "",
        "createdAt": shapes.moment(issue.created_at),
        "lastEditedAt": shapes.moment(issue.edits[-1].at) if issue.edits else None,
        "repository": {"__typename": "Repository", "nameWithOwner": issue.repository.full_name},
        "userContentEdits": lambda given: connection(edits, given, named="userContentEdits"),
        "timelineItems": lambda given: connection(
            renamings if "RENAMED_TITLE_EVENT" in given.get("itemTypes", ()) else [], given, named="timelineItems"
        ),
    }


def _edit(edit: BodyEdit) -> Object:
    """An edit's `diff` is the whole body that it left."""
    return {"__typename": "UserContentEdit", "editedAt": shapes.moment(edit.at), "diff": edit.body}


def _renaming(renaming: Renaming) -> Object:
    return {
        "__typename": "RenamedTitleEvent",
        "createdAt": shapes.moment(renaming.at),
        "previousTitle": renaming.before,
        "currentTitle": renaming.after,
    }
