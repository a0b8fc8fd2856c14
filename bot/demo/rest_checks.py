"""Check runs, which only Apps may write, and the jobs of Actions."""

import secrets
from collections.abc import Iterable

from flask import Flask, Response, request

from bot.demo import access, checking, git, shapes_checks
from bot.demo.answers import ApiError, as_json, listed, not_found
from bot.demo.rest import Part, Route, body
from bot.demo.state import CheckRun, Repository

_CHECKS = "/repos/<owner>/<name>/check-runs"
_JOB = "/repos/<owner>/<name>/actions/jobs/<int:number>"


class Checks(Part):
    """Check runs, which only Apps may write."""

    def routes(self) -> Iterable[Route]:
        return (
            ("POST", _CHECKS, self.create),
            ("GET", f"{_CHECKS}/<int:number>", self.show),
            ("PATCH", f"{_CHECKS}/<int:number>", self.edit),
            ("GET", f"{_CHECKS}/<int:number>/annotations", self.annotations),
            ("GET", "/repos/<owner>/<name>/commits/<path:revision>/check-runs", self.index),
        )

    def index(self, owner: str, name: str, revision: str) -> Response:
        repository = self.repository(owner, name)
        access.require(self.caller, repository, "checks", "read", role="read")
        sha = git.resolve(repository.directory, revision)
        wanted = request.args.get("check_name")
        app_id = request.args.get("app_id")
        found = [
            shapes_checks.check_run(self.world, run, repository)
            for run in repository.check_runs
            if run.head_sha == sha and wanted in (None, run.name) and app_id in (None, str(run.app.id))
            if request.args.get("status") in (None, run.status)
            if request.args.get("filter") == "all" or run is _latest(repository, run)
        ]
        return listed(found, self.world.base_url, inside="check_runs")

    def show(self, owner: str, name: str, number: int) -> Response:
        repository = self.repository(owner, name)
        return as_json(shapes_checks.check_run(self.world, self._run(repository, number), repository))

    def annotations(self, owner: str, name: str, number: int) -> Response:
        repository = self.repository(owner, name)
        access.require(self.caller, repository, "checks", "read", role="read")
        run = self._run(repository, number)
        found = [shapes_checks.annotation(self.world, each, run, repository) for each in run.annotations]
        return listed(found, self.world.base_url)

    def create(self, owner: str, name: str) -> Response:
        repository = self.repository(owner, name)
        caller = self._app_with_checks(repository)
        fields = body()
        sha = access.require_field(fields, "CheckRun", "head_sha")
        called = access.require_field(fields, "CheckRun", "name")
        app = caller.installation.app
        run = checking.create_run(self.changes, repository, app, fields, head_sha=sha, name=called)
        return as_json(shapes_checks.check_run(self.world, run, repository), 201)

    def edit(self, owner: str, name: str, number: int) -> Response:
        repository = self.repository(owner, name)
        caller = self._app_with_checks(repository)
        run = self._run(repository, number)
        if run.app is not caller.installation.app:
            raise ApiError(
                403,
                f"Invalid app_id `{run.app.id}` - check run can only be modified by the GitHub App that created it.",
            )
        checking.update_run(self.changes, repository, run, body())
        return as_json(shapes_checks.check_run(self.world, run, repository))

    def _app_with_checks(self, repository: Repository) -> access.AsInstallation:
        caller = self.caller
        if not isinstance(caller, access.AsInstallation):
            raise ApiError(403, "You must authenticate via a GitHub App.")
        access.require(caller, repository, "checks", "write", role="write")
        return caller

    def _run(self, repository: Repository, number: int) -> CheckRun:
        found = next((run for run in repository.check_runs if run.id == number), None)
        if found is None:
            raise not_found()
        return found


def _latest(repository: Repository, of: CheckRun) -> CheckRun:
    """The newest check run of the same App and name on the same commit: the one that GitHub shows."""
    same = [run for run in repository.check_runs if (run.app, run.name, run.head_sha) == (of.app, of.name, of.head_sha)]
    return same[-1]


class Jobs(Part):
    """Jobs of Actions, and their logs, which are kept on another host."""

    _offered: dict[str, bytes]

    def routes(self) -> Iterable[Route]:
        return (
            ("GET", _JOB, self.show),
            ("GET", f"{_JOB}/logs", self.log),
        )

    def hang_up(self, app: Flask) -> None:
        super().hang_up(app)
        self._offered = {}
        app.add_url_rule("/_storage/<key>", "storage", self.stored, methods=["GET"])

    def show(self, owner: str, name: str, number: int) -> Response:
        repository, run = self._job(owner, name, number)
        return as_json(shapes_checks.job(self.world, run, repository))

    def log(self, owner: str, name: str, number: int) -> Response:
        """302 to where the log is, for a while; 410 where it is there no more."""
        _, run = self._job(owner, name, number)
        if run.log is None:
            raise ApiError(410, "Server Error")
        key = secrets.token_hex(8)
        self._offered[key] = run.log
        other_host = self.world.base_url.replace("127.0.0.1", "localhost")
        return Response(status=302, headers={"Location": f"{other_host}/_storage/{key}?sig=1"})

    def stored(self, key: str) -> Response:
        """The file, to whoever knows its address. A token of GitHub's is refused there, as by the storage of others."""
        if "Authorization" in request.headers:
            return Response("Authentication information is not given in the correct format.", 400)
        if key not in self._offered:
            return Response("The specified blob does not exist.", 404)
        return Response(self._offered[key], content_type="text/plain; charset=utf-8")

    def _job(self, owner: str, name: str, number: int) -> tuple[Repository, CheckRun]:
        repository = self.repository(owner, name)
        access.require(self.caller, repository, "actions", "read", role="read")
        runs = (run for run in repository.check_runs if run.id == number and run.app.slug == "github-actions")
        found = next(runs, None)
        if found is None:
            raise not_found()
        return repository, found
