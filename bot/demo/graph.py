"""The GraphQL API, as far as the REST API leaves something to it: marking a draft as ready for review."""

from collections.abc import Iterable

from flask import Flask, Response

from bot.demo import access
from bot.demo.answers import ApiError, as_json
from bot.demo.rest import Part, Route, body
from bot.demo.shapes import node_id
from bot.demo.state import Issue


class Graph(Part):
    """One mutation. Whatever becomes of it, the status is 200: what was wrong stands in `errors`."""

    def routes(self) -> Iterable[Route]:
        return ()

    def hang_up(self, app: Flask) -> None:
        app.add_url_rule("/api/graphql", "graphql", self.answer, methods=["POST"], provide_automatic_options=False)

    def answer(self) -> Response:
        asked = body()
        if "markPullRequestReadyForReview" not in str(asked.get("query")):
            return _wrong("undefinedField", "Field doesn't exist on type 'Mutation'")
        wanted = str((asked.get("variables") or {}).get("id"))
        issue = self._pull(wanted)
        if issue is None or issue.pull is None:
            return _wrong("NOT_FOUND", f"Could not resolve to a node with the global id of '{wanted}'.")
        try:
            by = access.require(self.caller, issue.repository, "pull_requests", "write", role="write")
        except ApiError as problem:
            return _wrong("FORBIDDEN", problem.message)
        if issue.state != "open":
            return _wrong("UNPROCESSABLE", "Pull request must be open.")
        self.changes.mark_ready(issue, by)
        return as_json({"data": {"markPullRequestReadyForReview": {"pullRequest": {"isDraft": issue.pull.draft}}}})

    def _pull(self, wanted: str) -> Issue | None:
        every = (issue for home in self.world.repositories.values() for issue in home.issues.values())
        return next((found for found in every if found.pull and node_id("PullRequest", found.pull.id) == wanted), None)


def _wrong(kind: str, message: str) -> Response:
    return as_json({"data": None, "errors": [{"type": kind, "message": message}]})
