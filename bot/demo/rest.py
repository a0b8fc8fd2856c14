"""What every part of the REST API shares: the request as a handler sees it, and how handlers are hung up."""

from abc import ABC, abstractmethod
from collections.abc import Callable, Iterable
from typing import Any

from flask import Flask, Response, g, request

from bot.demo import access
from bot.demo.access import Caller
from bot.demo.answers import ApiError
from bot.demo.changes import Changes
from bot.demo.state import App, Issue, Repository
from bot.demo.world import World

Route = tuple[str, str, Callable[..., Response]]


class Part(ABC):
    """One part of the API. Its `routes` are hung up under `/api/v3`."""

    def __init__(self, changes: Changes) -> None:
        self.changes = changes
        self.world: World = changes.world

    @abstractmethod
    def routes(self) -> Iterable[Route]:
        """Method, path and handler of each operation."""

    def hang_up(self, app: Flask) -> None:
        for method, path, handler in self.routes():
            name = f"{type(self).__name__}.{method}.{path}".replace(".", "_")
            app.add_url_rule(f"/api/v3{path}", name, handler, methods=[method], provide_automatic_options=False)

    @property
    def caller(self) -> Caller:
        """Who asks; set for each request before it is dispatched."""
        found: Caller = g.caller
        return found

    @property
    def app_of_caller(self) -> App | None:
        """The App that acts, where one does: what GitHub shows as `performed_via_github_app`."""
        return self.caller.installation.app if isinstance(self.caller, access.AsInstallation) else None

    def repository(self, owner: str, name: str) -> Repository:
        return access.readable(self.world, self.caller, owner, name)

    def issue(self, owner: str, name: str, number: int) -> tuple[Repository, Issue]:
        repository = self.repository(owner, name)
        return repository, self.world.issue(repository, number)


def body() -> dict[str, Any]:
    """The request's JSON object; {} where there is none."""
    found = any_body()
    if not isinstance(found, dict):
        raise ApiError(422, "Invalid request.\n\nFor 'links/0/schema', nil is not an object.")
    return found


def any_body() -> Any:
    """The request's JSON, of any kind; {} where there is none."""
    if not request.get_data():
        return {}
    found = request.get_json(force=True, silent=True)
    if found is None:
        raise ApiError(400, "Problems parsing JSON")
    return found


def nothing() -> Response:
    """204."""
    return Response(status=204)
