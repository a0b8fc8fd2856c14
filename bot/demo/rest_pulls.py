"""Pull requests, commits, branches, files and check runs."""

import base64
from collections.abc import Iterable, Mapping
from typing import Any

from flask import Response, request

from bot.demo import access, git, shapes_issues
from bot.demo.answers import ApiError, as_json, invalid, listed, not_found
from bot.demo.rest import Part, Route, body
from bot.demo.shapes import Json, node_id
from bot.demo.state import Account, CheckRun, Issue, PullRequest, Repository

_PULLS = "/repos/<owner>/<name>/pulls"
_PULL = f"{_PULLS}/<int:number>"
_CHECKS = "/repos/<owner>/<name>/check-runs"
_TEXT_LIMIT = 65_535
_ANNOTATION_LIMIT = 50
_ANNOTATION_LEVELS = ("notice", "warning", "failure")
_MESSAGE_LIMIT, _TITLE_LIMIT = 64 * 1024, 255
_TOO_MUCH = "Invalid request.\n\nOnly {} {} are allowed; {} were supplied."
_CONCLUSIONS = ("success", "failure", "neutral", "cancelled", "skipped", "timed_out", "action_required")


class Pulls(Part):
    """Pull requests between branches of one repository."""

    def routes(self) -> Iterable[Route]:
        return (
            ("GET", _PULLS, self.index),
            ("POST", _PULLS, self.create),
            ("GET", _PULL, self.show),
            ("PATCH", _PULL, self.edit),
            ("GET", f"{_PULL}/commits", self.commits),
            ("GET", f"{_PULL}/files", self.files),
            ("POST", f"{_PULL}/requested_reviewers", self.request_reviewers),
        )

    def index(self, owner: str, name: str) -> Response:
        """Newest first. `head` counts only in the form `owner:branch`, as on GitHub."""
        repository = self.repository(owner, name)
        access.require(self.caller, repository, "pull_requests", "read", role="read")
        state, head = request.args.get("state", "open"), request.args.get("head", "")
        base = request.args.get("base", "")
        whose, _, branch = head.partition(":")
        found = [
            shapes_issues.pull(self.world, issue, issue.pull)
            for issue in sorted(repository.issues.values(), key=lambda issue: -issue.number)
            if issue.pull is not None
            and state in ("all", issue.state)
            and base in ("", issue.pull.base)
            and (not branch or (whose.lower() == repository.owner.login.lower() and branch == issue.pull.head))
        ]
        if request.args.get("direction", "desc") == "asc":
            found.reverse()
        return listed(found, self.world.base_url)

    def create(self, owner: str, name: str) -> Response:
        repository = self.repository(owner, name)
        by = access.require(self.caller, repository, "pull_requests", "write", role="write")
        fields = body()
        title = access.require_field(fields, "PullRequest", "title")
        head = access.require_field(fields, "PullRequest", "head").split(":")[-1]
        base = access.require_field(fields, "PullRequest", "base")
        issue = self.changes.open_pull(
            repository,
            by,
            title=title,
            body=fields.get("body"),
            head=head,
            base=base,
            draft=bool(fields.get("draft", False)),
            app=self.app_of_caller,
        )
        return self._answer(issue, 201)

    def show(self, owner: str, name: str, number: int) -> Response:
        repository, issue, _ = self._pull(owner, name, number)
        access.require(self.caller, repository, "pull_requests", "read", role="read")
        return self._answer(issue)

    def edit(self, owner: str, name: str, number: int) -> Response:
        repository, issue, pull = self._pull(owner, name, number)
        own = access.account_of(self.caller) is issue.author
        by = access.require(self.caller, repository, "pull_requests", "write", role="read" if own else "write")
        fields = body()
        self.changes.edit_issue(issue, by, title=fields.get("title"), body=fields.get("body"))
        if fields.get("state") in ("open", "closed"):
            self._set_state(repository, issue, pull, by, fields["state"])
        return self._answer(issue)

    def _set_state(self, repository: Repository, issue: Issue, pull: PullRequest, by: Account, state: str) -> None:
        if state == "open" and git.head(repository.directory, pull.head) is None:
            gone = f"state cannot be changed. The {pull.head} branch was deleted."
            raise invalid("PullRequest", "invalid", "state", gone)
        if state == "open" and pull.merged_at is not None:
            raise invalid("PullRequest", "invalid", "state", "state cannot be changed. The pull request was merged.")
        self.changes.set_state(issue, by, state)
        self.changes.follow_branches(repository, by)

    def commits(self, owner: str, name: str, number: int) -> Response:
        repository, _, pull = self._pull(owner, name, number)
        found = git.commits(repository.directory, pull.base_sha, pull.head_sha)
        return listed([shapes_issues.commit(self.world, commit, repository) for commit in found], self.world.base_url)

    def files(self, owner: str, name: str, number: int) -> Response:
        repository, _, pull = self._pull(owner, name, number)
        found = git.diffstat(repository.directory, pull.base_sha, pull.head_sha)
        return listed([self._file(repository, pull, file) for file in found], self.world.base_url)

    def _file(self, repository: Repository, pull: PullRequest, file: git.FileStat) -> Json:
        where = f"{pull.head_sha}/{file.path}"
        api = f"{self.world.api_url}/repos/{repository.full_name}"
        web = f"{self.world.base_url}/{repository.full_name}"
        return {
            "sha": file.sha,
            "filename": file.path,
            "status": file.status,
            "additions": file.additions,
            "deletions": file.deletions,
            "changes": file.additions + file.deletions,
            "blob_url": f"{web}/blob/{where}",
            "raw_url": f"{web}/raw/{where}",
            "contents_url": f"{api}/contents/{file.path}?ref={pull.head_sha}",
            "patch": git.diff(repository.directory, pull.base_sha, pull.head_sha, file.path),
        }

    def request_reviewers(self, owner: str, name: str, number: int) -> Response:
        """All or none, as on GitHub: the author and people without access are refused."""
        repository, issue, pull = self._pull(owner, name, number)
        access.require(self.caller, repository, "pull_requests", "write", role="write")
        accounts = [self._reviewer(repository, issue, login) for login in body().get("reviewers", ())]
        pull.reviewers.extend(account for account in accounts if account not in pull.reviewers)
        return as_json(shapes_issues.pull(self.world, issue, pull), 201)

    def _reviewer(self, repository: Repository, issue: Issue, login: str) -> Account:
        account = self.world.accounts.get(login.lower())
        if account is issue.author:
            raise ApiError(422, "Review cannot be requested from pull request author.")
        is_collaborator = account is not None and (
            account is repository.owner or account.login.lower() in repository.roles
        )
        if account is None or not is_collaborator:
            message = (
                "Reviews may only be requested from collaborators. One or more of the users or teams you specified"
            )
            raise ApiError(422, f"{message} is not a collaborator of the {repository.full_name} repository.")
        return account

    def _pull(self, owner: str, name: str, number: int) -> tuple[Repository, Issue, PullRequest]:
        repository = self.repository(owner, name)
        issue, pull = self.world.pull(repository, number)
        return repository, issue, pull

    def _answer(self, issue: Issue, status: int = 200) -> Response:
        assert issue.pull
        return as_json(shapes_issues.whole_pull(self.world, issue, issue.pull), status)


class Contents(Part):
    """Branches, commits and files, read-only: writing is git's."""

    def routes(self) -> Iterable[Route]:
        repository = "/repos/<owner>/<name>"
        return (
            ("GET", f"{repository}/git/ref/<path:reference>", self.reference),
            ("DELETE", f"{repository}/git/refs/heads/<path:branch>", self.delete_branch),
            ("GET", f"{repository}/commits/<path:revision>", self.commit),
            ("GET", f"{repository}/contents/<path:path>", self.contents),
        )

    def reference(self, owner: str, name: str, reference: str) -> Response:
        repository = self._readable(owner, name)
        sha = git.resolve(repository.directory, f"refs/{reference}")
        if sha is None:
            raise not_found()
        api = f"{self.world.api_url}/repos/{repository.full_name}/git"
        body_ = {
            "ref": f"refs/{reference}",
            "node_id": node_id("Ref", repository.id) + reference,
            "url": f"{api}/refs/{reference}",
            "object": {"type": "commit", "sha": sha, "url": f"{api}/commits/{sha}"},
        }
        return as_json(body_)

    def delete_branch(self, owner: str, name: str, branch: str) -> Response:
        repository = self.repository(owner, name)
        by = access.require(self.caller, repository, "contents", "write", role="write")
        if git.head(repository.directory, branch) is None:
            raise ApiError(422, "Reference does not exist")
        git.delete_branch(repository.directory, branch)
        self.changes.follow_branches(repository, by)
        return Response(status=204)

    def commit(self, owner: str, name: str, revision: str) -> Response:
        repository = self._readable(owner, name)
        sha = git.resolve(repository.directory, revision)
        if sha is None:
            raise ApiError(422, f"No commit found for SHA: {revision}")
        return as_json(shapes_issues.commit(self.world, git.one_commit(repository.directory, sha), repository))

    def contents(self, owner: str, name: str, path: str) -> Response:
        repository = self._readable(owner, name)
        revision = request.args.get("ref") or repository.default_branch
        data = git.file(repository.directory, revision, path)
        if data is None:
            raise not_found()
        api = f"{self.world.api_url}/repos/{repository.full_name}"
        web = f"{self.world.base_url}/{repository.full_name}"
        sha = git.blob_id(repository.directory, revision, path)
        links = {"self": f"{api}/contents/{path}?ref={revision}", "git": f"{api}/git/blobs/{sha}"}
        links["html"] = f"{web}/blob/{revision}/{path}"
        body_ = {
            "type": "file",
            "encoding": "base64",
            "size": len(data),
            "name": path.rpartition("/")[2],
            "path": path,
            "content": base64.encodebytes(data).decode(),
            "sha": sha,
            "url": links["self"],
            "git_url": links["git"],
            "html_url": links["html"],
            "download_url": f"{web}/raw/{revision}/{path}",
            "_links": links,
        }
        return as_json(body_)

    def _readable(self, owner: str, name: str) -> Repository:
        repository = self.repository(owner, name)
        access.require(self.caller, repository, "contents", "read", role="read")
        return repository


class Checks(Part):
    """Check runs, which only Apps may write."""

    def routes(self) -> Iterable[Route]:
        return (
            ("POST", _CHECKS, self.create),
            ("GET", f"{_CHECKS}/<int:number>", self.show),
            ("PATCH", f"{_CHECKS}/<int:number>", self.edit),
            ("GET", "/repos/<owner>/<name>/commits/<path:revision>/check-runs", self.index),
        )

    def index(self, owner: str, name: str, revision: str) -> Response:
        repository = self.repository(owner, name)
        access.require(self.caller, repository, "checks", "read", role="read")
        sha = git.resolve(repository.directory, revision)
        wanted = request.args.get("check_name")
        app_id = request.args.get("app_id")
        found = [
            shapes_issues.check_run(self.world, run, repository)
            for run in repository.check_runs
            if run.head_sha == sha and wanted in (None, run.name) and app_id in (None, str(run.app.id))
            if request.args.get("filter") == "all" or run is _latest(repository, run)
        ]
        return listed(found, self.world.base_url, inside="check_runs")

    def show(self, owner: str, name: str, number: int) -> Response:
        repository = self.repository(owner, name)
        return as_json(shapes_issues.check_run(self.world, self._run(repository, number), repository))

    def create(self, owner: str, name: str) -> Response:
        repository = self.repository(owner, name)
        caller = self._app_with_checks(repository)
        fields = body()
        sha = access.require_field(fields, "CheckRun", "head_sha")
        if git.resolve(repository.directory, sha) is None:
            raise ApiError(422, f"No commit found for SHA: {sha}")
        run = CheckRun(
            id=self.world.new_id(),
            suite_id=self.world.new_id(),
            app=caller.installation.app,
            head_sha=sha,
            name=access.require_field(fields, "CheckRun", "name"),
            status="queued",
            conclusion=None,
            started_at=self.world.now(),
            completed_at=None,
            details_url=fields.get("details_url"),
            external_id=str(fields.get("external_id") or ""),
            title=None,
            summary=None,
            text=None,
        )
        self._update(run, fields)
        repository.check_runs.append(run)
        return as_json(shapes_issues.check_run(self.world, run, repository), 201)

    def edit(self, owner: str, name: str, number: int) -> Response:
        repository = self.repository(owner, name)
        caller = self._app_with_checks(repository)
        run = self._run(repository, number)
        if run.app is not caller.installation.app:
            raise ApiError(
                403,
                f"Invalid app_id `{run.app.id}` - check run can only be modified by the GitHub App that created it.",
            )
        self._update(run, body())
        return as_json(shapes_issues.check_run(self.world, run, repository))

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

    def _update(self, run: CheckRun, fields: Mapping[str, Any]) -> None:
        output = fields.get("output") or {}
        annotations = output.get("annotations") or []
        if len(annotations) > _ANNOTATION_LIMIT:
            raise ApiError(422, _TOO_MUCH.format(_ANNOTATION_LIMIT, "items", len(annotations)))
        for annotation in annotations:
            _check_annotation(annotation)
        for part in ("summary", "text"):
            if len(output.get(part) or "") > _TEXT_LIMIT:
                raise ApiError(422, _TOO_MUCH.format(_TEXT_LIMIT, "characters", len(output[part])))
        if output and not output.get("title"):
            raise invalid("CheckRun", "missing_field", "title")
        conclusion = fields.get("conclusion")
        if conclusion is not None and conclusion not in _CONCLUSIONS:
            raise ApiError(422, f"Invalid request.\n\n{conclusion} is not a member of {list(_CONCLUSIONS)}.")
        run.status = "completed" if conclusion else fields.get("status", run.status)
        if run.status == "completed" and not (conclusion or run.conclusion):
            raise invalid("CheckRun", "missing_field", "conclusion")
        run.conclusion = conclusion or run.conclusion
        run.completed_at = self.world.now() if run.conclusion else None
        run.name, run.details_url = fields.get("name", run.name), fields.get("details_url", run.details_url)
        run.title, run.summary = output.get("title", run.title), output.get("summary", run.summary)
        run.text = output.get("text", run.text)
        run.annotations.extend(annotations)


def _check_annotation(annotation: Mapping[str, Any]) -> None:
    """Raise 422 for an annotation that lacks something, or says it at another length or level than GitHub takes."""
    required = ("path", "start_line", "end_line", "annotation_level", "message")
    missing = next((name for name in required if not annotation.get(name)), None)
    if missing:
        raise ApiError(422, f'Invalid request.\n\n"{missing}" wasn\'t supplied.')
    if annotation["annotation_level"] not in _ANNOTATION_LEVELS or annotation["start_line"] > annotation["end_line"]:
        raise invalid("CheckRun", "invalid", "annotations")
    if len(annotation["message"].encode()) > _MESSAGE_LIMIT or len(annotation.get("title") or "") > _TITLE_LIMIT:
        raise invalid("CheckRun", "invalid", "annotations")


def _latest(repository: Repository, of: CheckRun) -> CheckRun:
    """The newest check run of the same App and name on the same commit: the one that GitHub shows."""
    same = [run for run in repository.check_runs if (run.app, run.name, run.head_sha) == (of.app, of.name, of.head_sha)]
    return same[-1]
