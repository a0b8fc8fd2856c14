"""The REST API as a Flask application: who asks, faults that tests planned, and a record of everything asked."""

import json
import re
import socket
import time
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

from flask import Flask, Request, Response, g, request
from werkzeug.exceptions import HTTPException
from werkzeug.routing import BaseConverter

from bot.demo import access, versions
from bot.demo.answers import ApiError, Moved
from bot.demo.changes import Changes
from bot.demo.graph import Graph
from bot.demo.limits import Limits
from bot.demo.markup import escape, page
from bot.demo.pages import Pages
from bot.demo.pages_apps import AppPages
from bot.demo.pages_forms import Forms
from bot.demo.pages_oauth import SigningInPages
from bot.demo.rest_apps import Apps, Persons, Repositories
from bot.demo.rest_checks import Checks, Jobs
from bot.demo.rest_contents import Contents
from bot.demo.rest_git import GitData
from bot.demo.rest_issues import Comments, Issues, Labels
from bot.demo.rest_pulls import Pulls
from bot.demo.rest_reviews import ReviewComments, Reviews
from bot.demo.rest_search import Search

PREFIX = "/api/v3"
_API = "/api/"
"""Below it are both APIs: REST, and GraphQL at `/api/graphql`, as on GitHub Enterprise Server."""


@dataclass(frozen=True, slots=True)
class Recorded:
    """One request to the API and its answer. `path` is without `/api/v3`, as it was asked for; `json` None: no body."""

    method: str
    path: str
    query: Mapping[str, str]
    json: Any
    who: str
    status: int
    answer: Any
    version: str = versions.OLD
    faulty: bool = False

    def __str__(self) -> str:
        return f"{self.method} {self.path} → {self.status} ({self.who})"


@dataclass(slots=True)
class Fault:
    """An answer that a test planned. `status` 0 drops the connection; `after_effect`: what was asked is done first."""

    method: str
    path: re.Pattern[str]
    status: int
    body: Any
    headers: Mapping[str, str]
    times: int
    after_effect: bool
    delay_s: float

    def answer(self, environ: Mapping[str, Any]) -> Response:
        """The planned answer, which nobody receives where the connection is to be dropped."""
        if self.status == 0:
            environ["werkzeug.socket"].shutdown(socket.SHUT_RDWR)
        return Response(json.dumps(self.body), self.status or 500, dict(self.headers), content_type="application/json")


@dataclass(slots=True)
class Faults:
    """The planned faults, first planned first taken."""

    planned: list[Fault] = field(default_factory=list)

    def take(self, method: str, path: str) -> Fault | None:
        """The fault that meets this request, if one does; each is taken as often as it was planned."""
        for fault in self.planned:
            if fault.method in ("*", method) and fault.path.search(path) and fault.times > 0:
                fault.times -= 1
                return fault
        return None


_PARTS = (
    Apps,
    Persons,
    Repositories,
    Issues,
    Comments,
    Labels,
    Pulls,
    Reviews,
    ReviewComments,
    Contents,
    GitData,
    Checks,
    Jobs,
    Search,
    Graph,
)


class _Owner(BaseConverter):
    """An owner in a path; `repos` and `api` are the server's own words."""

    regex = r"(?!api/)[^/]+"


class Api(Flask):
    """The stand-in's web application. One request at a time changes the memory, under its lock."""

    def __init__(self, changes: Changes, faults: Faults, limits: Limits, requests: list[Recorded]) -> None:
        super().__init__("bot.demo", static_folder=None)
        self._changes = changes
        self._limits = limits
        self._faults = faults
        self._requests = requests
        self.json.sort_keys = False  # type: ignore[attr-defined]
        self.url_map.converters["owner"] = _Owner
        self.before_request(self._know_caller)
        self.after_request(self._sign_answer)
        self.register_error_handler(ApiError, _refused)
        self.register_error_handler(Moved, self._moved)
        self.register_error_handler(HTTPException, _as_github_says)
        for part in _PARTS:
            part(changes).hang_up(self)
        Pages(changes.world).hang_up(self)
        Forms(changes).hang_up(self)
        AppPages(changes).hang_up(self)
        SigningInPages(changes).hang_up(self)

    def full_dispatch_request(self) -> Response:
        path = request.environ.get("hub.path", request.path).removeprefix(PREFIX)
        fault = self._faults.take(request.method, path)
        if fault:
            time.sleep(fault.delay_s)
        with self._changes.world.lock:
            g.version = request.headers.get("X-GitHub-Api-Version", versions.OLD)
            g.caller = self._caller_or_nobody()
            real = super().full_dispatch_request() if fault is None or fault.after_effect else None
            answer = fault.answer(request.environ) if fault else real
            assert answer
            if request.path.startswith(_API):
                self._requests.append(_recorded(path, answer, faulty=fault is not None))
        return answer

    def _caller_or_nobody(self) -> access.Caller:
        """For the record, where the request itself is not answered or its token is no good."""
        try:
            return access.caller(self._changes.world, request.headers.get("Authorization", ""))
        except ApiError:
            return access.Anonymous()

    def _know_caller(self) -> None:
        if g.version not in versions.SERVED:
            raise ApiError(410, f"The API version {g.version} is not supported.")
        g.caller = access.caller(self._changes.world, request.headers.get("Authorization", ""))
        if request.path.startswith(_API) and _is_counted(g.caller):
            creates = request.method == "POST" and not _asks_only(request)
            self._limits.take(_counted_as(g.caller), request.method, creates=creates, now_s=self._now_s)

    @property
    def _now_s(self) -> float:
        return self._changes.world.now().timestamp()

    def _sign_answer(self, answer: Response) -> Response:
        world = self._changes.world
        answer.headers["X-GitHub-Request-Id"] = f"{world.new_id():04X}:DEMO"
        answer.headers["X-GitHub-Media-Type"] = "github.v3; format=json"
        answer.headers.update(self._limits.headers(_counted_as(g.caller), self._now_s))
        if request.method == "GET" and answer.status_code == 200:
            answer.add_etag()
            answer.make_conditional(request)
        if answer.status_code == 304:
            self._limits.give_back(_counted_as(g.caller))
        return answer

    def _moved(self, problem: Moved) -> Response:
        values = request.view_args or {}
        prefix = f"{PREFIX}/repos/{values.get('owner')}/{values.get('name')}"
        return problem.answer(request.path.removeprefix(prefix))


def _is_counted(caller: access.Caller) -> bool:
    return isinstance(caller, access.User | access.AsInstallation)


def _counted_as(caller: access.Caller) -> str:
    """Whose limit a request counts against: a person's, or an installation's."""
    match caller:
        case access.AsInstallation(installation):
            return f"installation ID {installation.id}"
        case access.User(account):
            return f"user ID {account.id}"
        case _:
            return caller.name


def _asks_only(asked: Request) -> bool:
    """Whether a POST creates nothing: questions in GraphQL."""
    query = (asked.get_json(force=True, silent=True) or {}).get("query") if asked.path.endswith("/graphql") else None
    return isinstance(query, str) and not query.lstrip().startswith("mutation")


def by_number(environ: dict[str, Any], world_lock: Any, names: Mapping[int, Any]) -> None:
    """Let `/repositories/{id}/…` mean `/repos/{owner}/{name}/…`, which GitHub's redirects rely on."""
    path = str(environ.get("PATH_INFO", ""))
    found = re.match(rf"{PREFIX}/repositories/(\d+)(/.*)?$", path)
    if found is None:
        return
    with world_lock:
        repository = names.get(int(found[1]))
    if repository is not None:
        environ["hub.path"] = path
        environ["PATH_INFO"] = f"{PREFIX}/repos/{repository.full_name}{found[2] or ''}"


def _recorded(path: str, answer: Response, *, faulty: bool) -> Recorded:
    return Recorded(
        method=request.method,
        path=path,
        query=dict(request.args),
        json=request.get_json(force=True, silent=True) if request.get_data() else None,
        who=g.caller.name,
        status=answer.status_code,
        answer=answer.get_json(silent=True) if answer.is_json else None,
        version=g.version,
        faulty=faulty,
    )


def _refused(problem: ApiError) -> Response:
    """To a program in GitHub's shape, to a person as a page."""
    if request.path.startswith(_API):
        return problem.answer()
    more = [each.get("message", "") if isinstance(each, dict) else str(each) for each in problem.errors]
    return _page_of(problem.status, " ".join([problem.message.rstrip("."), *filter(None, more)]))


def _as_github_says(problem: HTTPException) -> Response:
    if not request.path.startswith(_API):
        return _page_of(problem.code or 500, problem.name)
    return ApiError(problem.code or 500, problem.name).answer()


def _page_of(status: int, words: str) -> Response:
    """A page that says what is wrong, and leads back."""
    said = "There is no such page here, or it is not for everybody." if status == 404 else f"{words}."
    answer = page(f"{status}: {words}", f'<p>{escape(said)}</p><p><a href="/">To the repositories</a></p>')
    answer.status_code = status
    return answer
