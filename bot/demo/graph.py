"""The GraphQL API, as far as the REST API leaves something to it.

Review threads, drafts, reactions to reviews, pull requests with what they close.
"""

from collections.abc import Iterable, Iterator, Mapping
from typing import Any

from flask import Flask, Response

from bot.demo import access, graph_past, graphql, pulling, reviewing, shapes, shapes_reviews
from bot.demo.answers import ApiError, Moved, as_json
from bot.demo.graphql import Object, Wrong, connection
from bot.demo.rest import Part, Route, body
from bot.demo.shapes import node_id
from bot.demo.state import Account, Issue, Reaction, Repository, Review, ReviewComment, Thread

_CONTENTS = {
    "THUMBS_UP": "+1",
    "THUMBS_DOWN": "-1",
    "LAUGH": "laugh",
    "HOORAY": "hooray",
    "CONFUSED": "confused",
    "HEART": "heart",
    "ROCKET": "rocket",
    "EYES": "eyes",
}


class Graph(Part):
    """One operation at a time. Whatever becomes of it, the status is 200: what was wrong stands in `errors`."""

    def routes(self) -> Iterable[Route]:
        return ()

    def hang_up(self, app: Flask) -> None:
        app.add_url_rule("/api/graphql", "graphql", self.answer, methods=["POST"], provide_automatic_options=False)

    def answer(self) -> Response:
        if isinstance(self.caller, access.Anonymous):
            raise ApiError(401, "This endpoint requires you to be authenticated.")
        asked = body()
        roots = {"query": self._query(), "mutation": self._mutations()}
        try:
            return as_json({"data": graphql.answer(str(asked.get("query")), asked.get("variables") or {}, roots)})
        except Wrong as wrong:
            return as_json(
                {"data": None, "errors": [wrong.as_json()]} if not wrong.code else {"errors": [wrong.as_json()]}
            )

    # --- Questions

    def _query(self) -> Object:
        return {"__typename": "Query", "repository": self._repository, "node": lambda given: self._node(given["id"])}

    def _repository(self, given: Mapping[str, Any]) -> Object:
        """A repository by its name, a former one too."""
        owner, name = str(given.get("owner")), str(given.get("name"))
        try:
            found = self.repository(owner, name)
        except Moved as moved:
            found = self.world.repositories[int(moved.url.rpartition("/")[2])]
        except ApiError:
            message = f"Could not resolve to a Repository with the name '{owner}/{name}'."
            raise Wrong("NOT_FOUND", message) from None
        return {
            "__typename": "Repository",
            "id": node_id("Repository", found.id),
            "databaseId": found.id,
            "nameWithOwner": found.full_name,
            "pullRequest": lambda number: self._pull_numbered(found, number["number"]),
            "pullRequests": lambda wanted: self._pull_requests(found, wanted),
        }

    def _pull_requests(self, home: Repository, wanted: Mapping[str, Any]) -> Object:
        self._require(home, "read", role="read")
        return graph_past.pull_requests(home, wanted, web=f"{self.world.base_url}/{home.full_name}")

    def _pull_numbered(self, home: Repository, number: int) -> Object:
        self._require(home, "read", role="read")
        issue = home.issues.get(number)
        if issue is None or issue.pull is None or issue.deleted:
            raise Wrong("NOT_FOUND", f"Could not resolve to a PullRequest with the number of {number}.")
        return self._pull(issue)

    def _pull(self, issue: Issue) -> Object:
        assert issue.pull
        pull = issue.pull
        seen = [thread for thread in pull.threads if any(self._sees(comment) for comment in thread.comments)]
        return {
            "__typename": "PullRequest",
            "id": node_id("PullRequest", pull.id),
            "databaseId": pull.id,
            "number": issue.number,
            "title": issue.title,
            "isDraft": pull.draft,
            "headRefOid": pull.head_sha,
            "reviewThreads": lambda given: connection(
                [self._thread(issue, thread) for thread in seen], given, named="reviewThreads"
            ),
        }

    def _thread(self, issue: Issue, thread: Thread) -> Object:
        seen = [comment for comment in thread.comments if self._sees(comment)]
        return {
            "__typename": "PullRequestReviewThread",
            "id": shapes_reviews.thread_id(thread),
            "isResolved": thread.resolved_by is not None,
            "isOutdated": shapes_reviews.is_outdated(issue, thread),
            "isCollapsed": thread.resolved_by is not None,
            "resolvedBy": _actor(thread.resolved_by) if thread.resolved_by else None,
            "path": thread.path,
            "line": shapes_reviews.line_now(issue, thread, thread.line),
            "startLine": shapes_reviews.line_now(issue, thread, thread.start_line),
            "originalLine": thread.line,
            "originalStartLine": thread.start_line,
            "diffSide": thread.side,
            "startDiffSide": thread.side if thread.start_line is not None else None,
            "subjectType": "FILE" if thread.line is None else "LINE",
            "comments": lambda given: connection([_comment(comment) for comment in seen], given, named="comments"),
        }

    def _sees(self, comment: ReviewComment) -> bool:
        return reviewing.is_visible(comment, access.account_of(self.caller))

    def _node(self, wanted: str) -> Object:
        for issue, thread in self._threads():
            if shapes_reviews.thread_id(thread) == wanted:
                self._require(issue.repository, "read", role="read")
                return self._thread(issue, thread)
        for issue in self._pulls():
            assert issue.pull
            if node_id("PullRequest", issue.pull.id) == wanted:
                self._require(issue.repository, "read", role="read")
                return self._pull(issue)
        raise _no_node(wanted)

    # --- Mutations

    def _mutations(self) -> Object:
        return {
            "__typename": "Mutation",
            "markPullRequestReadyForReview": lambda given: self._set_draft(given["input"], draft=False),
            "convertPullRequestToDraft": lambda given: self._set_draft(given["input"], draft=True),
            "resolveReviewThread": lambda given: self._set_resolved(given["input"], resolved=True),
            "unresolveReviewThread": lambda given: self._set_resolved(given["input"], resolved=False),
            "addReaction": lambda given: self._add_reaction(given["input"]),
        }

    def _set_draft(self, given: Mapping[str, Any], *, draft: bool) -> Object:
        wanted = str(given.get("pullRequestId"))
        issue = next((found for found in self._pulls() if found.pull and _is(found, wanted)), None)
        if issue is None:
            raise _no_node(wanted)
        by = self._require(issue.repository, "write", role="write")
        if issue.state != "open":
            raise Wrong("UNPROCESSABLE", "Pull request must be open.")
        if draft and not issue.repository.rules.drafts:  # GitHub says so where the plan has none: cli/cli#5995
            who = by.login.removesuffix("[bot]")
            raise Wrong("FORBIDDEN", f"{who} does not have permission to convert the pull request {wanted} to draft.")
        pulling.set_draft(self.changes, issue, by, draft=draft)
        return {"__typename": "Payload", "pullRequest": self._pull(issue)}

    def _set_resolved(self, given: Mapping[str, Any], *, resolved: bool) -> Object:
        wanted = str(given.get("threadId"))
        issue, thread = next(
            (each for each in self._threads() if shapes_reviews.thread_id(each[1]) == wanted), (None, None)
        )
        if issue is None or thread is None:
            raise _no_node(wanted)
        by = self._require(issue.repository, "write", role="write")
        reviewing.set_resolved(self.changes, issue, thread, by, resolved=resolved)
        return {"__typename": "Payload", "thread": self._thread(issue, thread)}

    def _add_reaction(self, given: Mapping[str, Any]) -> Object:
        wanted, content = str(given.get("subjectId")), _CONTENTS.get(str(given.get("content")))
        if content is None:
            raise Wrong("", "Argument 'content' has an invalid value", code="argumentLiteralsIncompatible")
        for issue, where, reactions in self._subjects():
            if where == wanted:
                by = self._require(issue.repository, "write", role="read")
                found, _ = self.changes.react(reactions, by, content)
                reaction = {"__typename": "Reaction", "content": given["content"], "databaseId": found.id}
                return {"__typename": "Payload", "reaction": reaction}
        raise _no_node(wanted)

    def _require(self, home: Repository, level: str, *, role: str) -> Account:
        try:
            return access.require(self.caller, home, "pull_requests", level, role=role)
        except ApiError as problem:
            raise Wrong("FORBIDDEN", problem.message) from None

    # --- Everything that has a global id

    def _pulls(self) -> Iterator[Issue]:
        for home in self.world.repositories.values():
            if access.sees(self.caller, home):
                yield from (issue for issue in home.issues.values() if issue.pull and not issue.deleted)

    def _threads(self) -> Iterator[tuple[Issue, Thread]]:
        for issue in self._pulls():
            assert issue.pull
            yield from ((issue, thread) for thread in issue.pull.threads)

    def _subjects(self) -> Iterator[tuple[Issue, str, list[Reaction]]]:
        """What can be reacted to: reviews and the comments on lines."""
        for issue in self._pulls():
            assert issue.pull
            for review in issue.pull.reviews:
                yield issue, _review_id(review), review.reactions
        for issue, thread in self._threads():
            for comment in thread.comments:
                yield issue, node_id("PullRequestReviewComment", comment.id), comment.reactions


def _review_id(review: Review) -> str:
    return node_id("PullRequestReview", review.id)


def _comment(comment: ReviewComment) -> Object:
    review = {
        "__typename": "PullRequestReview",
        "id": _review_id(comment.review),
        **_numbers(comment.review.id),
        "state": comment.review.state,
    }
    return {
        "__typename": "PullRequestReviewComment",
        "id": node_id("PullRequestReviewComment", comment.id),
        **_numbers(comment.id),
        "author": _actor(comment.author),
        "body": comment.body,
        "createdAt": shapes.moment(comment.created_at),
        "diffHunk": comment.thread.hunk,
        "path": comment.thread.path,
        "pullRequestReview": review,
    }


def _numbers(number: int) -> Object:
    """The number in the REST API: `databaseId` holds 32 bits, and newer reviews and comments have none of it."""
    return {"databaseId": number if number < 2**31 else None, "fullDatabaseId": str(number)}


def _actor(account: Account) -> Object:
    """Who did something: bots go by their App's name here."""
    return {
        "__typename": account.kind,
        "login": account.login.removesuffix("[bot]"),
        "databaseId": account.id,
        "id": node_id(account.kind, account.id),
    }


def _is(issue: Issue, wanted: str) -> bool:
    return issue.pull is not None and node_id("PullRequest", issue.pull.id) == wanted


def _no_node(wanted: str) -> Wrong:
    return Wrong("NOT_FOUND", f"Could not resolve to a node with the global id of '{wanted}'.")
