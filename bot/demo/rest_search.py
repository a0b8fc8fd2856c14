"""Search, as far as the bot asks: issues by label, account, state and when anything last happened to them."""

import re
from collections.abc import Iterable
from datetime import datetime

from flask import Response, request

from bot.demo import access, shapes_issues
from bot.demo.access import ON_ISSUES, AsInstallation
from bot.demo.answers import ApiError, as_json, invalid, page_of
from bot.demo.rest import Part, Route
from bot.demo.state import Issue, Repository

SEARCHED_AT_MOST = 1000
"""Source: https://docs.github.com/en/rest/search/search#about-search"""

_QUALIFIER = re.compile(r'(\w+):(?:"((?:[^"\\]|\\.)*)"|(\S+))')
_UNSEARCHABLE = (
    "The listed users and repositories cannot be searched either because the resources do not exist or you do not have "
    "permission to view them."
)


class Search(Part):
    """Issues by what a query says of them. Public ones of repositories that an App is not on are found, too."""

    def routes(self) -> Iterable[Route]:
        return (("GET", "/search/issues", self.issues),)

    def issues(self) -> Response:
        """By `updated`, the oldest first. Qualifiers that are not known here are an error, lest a test believe them."""
        asked = [(name, quoted or plain) for name, quoted, plain in _QUALIFIER.findall(request.args.get("q", ""))]
        if ("is", "issue") not in asked:
            raise invalid("Search", "invalid", "q", "Query must include 'is:issue' or 'is:pull-request'")
        searched = [each for each in self.world.repositories.values() if self._is_in(each, asked)]
        if not searched:
            raise invalid("Search", "invalid", "q", _UNSEARCHABLE)
        found = [
            issue
            for repository in searched
            for issue in repository.issues.values()
            if not issue.deleted and issue.transferred_to is None and all(_fits(issue, *each) for each in asked)
        ]
        found.sort(key=lambda issue: (issue.updated_at, issue.id))
        page, link = page_of(found[:SEARCHED_AT_MOST], self.world.base_url)
        items = [shapes_issues.issue(self.world, issue) | _AS_FOUND for issue in page]
        answer = as_json(
            {"total_count": len(found), "incomplete_results": False, "items": items, "search_type": "lexical"}
        )
        if link:
            answer.headers["Link"] = link
        return answer

    def _is_in(self, repository: Repository, asked: list[tuple[str, str]]) -> bool:
        owners = {value.lower() for name, value in asked if name == "user"}
        if repository.owner.login.lower() not in owners or not access.sees(self.caller, repository):
            return False
        if not isinstance(self.caller, AsInstallation) or not repository.private:
            return True
        return any(self.caller.has(permission, "read") for permission in ON_ISSUES)


_AS_FOUND = {"assignee": None, "score": 1.0}


def _fits(issue: Issue, name: str, value: str) -> bool:
    match name, value:
        case "is", "issue":
            return issue.pull is None
        case "is", "open":
            return issue.state == "open"
        case "archived", "false":
            return not issue.repository.archived
        case "user", _:
            return True
        case "label", label:
            return re.sub(r"\\(.)", r"\1", label).lower() in {each.name.lower() for each in issue.labels}
        case "updated", moment if moment.startswith(">="):
            return issue.updated_at >= datetime.fromisoformat(moment[2:])
        case _:
            raise ApiError(422, f"The stand-in does not know {name}:{value}")
