"""Pull requests: opened, edited, reviewed by whom, merged."""

from collections.abc import Iterable

from flask import Response, request

from bot.demo import access, git, pulling, shapes, shapes_pulls
from bot.demo.answers import as_json, listed, not_found
from bot.demo.rest import Part, Route, body, nothing
from bot.demo.shapes import Json
from bot.demo.state import Issue, PullRequest, Repository

_PULLS = "/repos/<owner>/<name>/pulls"
_PULL = f"{_PULLS}/<int:number>"


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
            ("GET", f"{_PULL}/requested_reviewers", self.reviewers),
            ("POST", f"{_PULL}/requested_reviewers", self.request_reviewers),
            ("DELETE", f"{_PULL}/requested_reviewers", self.withdraw_requests),
            ("GET", f"{_PULL}/merge", self.is_merged),
            ("PUT", f"{_PULL}/merge", self.merge),
        )

    def index(self, owner: str, name: str) -> Response:
        """Newest first. `head` counts only in the form `owner:branch`, as on GitHub."""
        repository = self.repository(owner, name)
        access.require(self.caller, repository, "pull_requests", "read", role="read")
        state, head = request.args.get("state", "open"), request.args.get("head", "")
        base = request.args.get("base", "")
        whose, _, branch = head.partition(":")
        found = [
            shapes_pulls.pull(self.world, issue, issue.pull)
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
        wanted = pulling.Wanted(title, fields.get("body"), head, base, bool(fields.get("draft", False)))
        issue = pulling.open_pull(self.changes, repository, by, wanted, app=self.app_of_caller)
        return self._answer(issue, 201)

    def show(self, owner: str, name: str, number: int) -> Response:
        repository, issue, pull = self._pull(owner, name, number)
        access.require(self.caller, repository, "pull_requests", "read", role="read")
        answer = self._answer(issue)
        shapes_pulls.try_to_merge(issue, pull)  # found out in the background: the next one who asks is told
        return answer

    def edit(self, owner: str, name: str, number: int) -> Response:
        repository, issue, _ = self._pull(owner, name, number)
        own = access.account_of(self.caller) is issue.author
        by = access.require(self.caller, repository, "pull_requests", "write", role="read" if own else "write")
        fields = body()
        self.changes.edit_issue(issue, by, title=fields.get("title"), body=fields.get("body"))
        if fields.get("base"):
            pulling.retarget(self.changes, issue, by, fields["base"])
        if fields.get("state") in ("open", "closed"):
            pulling.set_state(self.changes, issue, by, fields["state"])
        return self._answer(issue)

    def commits(self, owner: str, name: str, number: int) -> Response:
        repository, _, pull = self._pull(owner, name, number)
        found = git.commits(repository.directory, pull.base_sha, pull.head_sha)
        return listed([shapes_pulls.commit(self.world, commit, repository) for commit in found], self.world.base_url)

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

    def reviewers(self, owner: str, name: str, number: int) -> Response:
        repository, _, pull = self._pull(owner, name, number)
        access.require(self.caller, repository, "pull_requests", "read", role="read")
        users = [shapes.account(self.world, account) for account in pull.reviewers]
        return as_json({"users": users, "teams": []})

    def request_reviewers(self, owner: str, name: str, number: int) -> Response:
        """All or none, as on GitHub: the author and people without access are refused."""
        repository, issue, _ = self._pull(owner, name, number)
        by = access.require(self.caller, repository, "pull_requests", "write", role="write")
        pulling.request_reviews(self.changes, issue, by, body().get("reviewers", []))
        return self._as_listed(issue, 201)

    def withdraw_requests(self, owner: str, name: str, number: int) -> Response:
        repository, issue, _ = self._pull(owner, name, number)
        by = access.require(self.caller, repository, "pull_requests", "write", role="write")
        pulling.withdraw_requests(self.changes, issue, by, body().get("reviewers", []))
        return self._as_listed(issue)

    def is_merged(self, owner: str, name: str, number: int) -> Response:
        _, _, pull = self._pull(owner, name, number)
        if pull.merged_at is None:
            raise not_found()
        return nothing()

    def merge(self, owner: str, name: str, number: int) -> Response:
        repository, issue, _ = self._pull(owner, name, number)
        by = access.require(self.caller, repository, "contents", "write", role="write")
        fields = body()
        message = "\n\n".join(filter(None, (fields.get("commit_title"), fields.get("commit_message"))))
        method = str(fields.get("merge_method") or "merge")
        sha = pulling.merge(self.changes, issue, by, method=method, message=message, sha=fields.get("sha"))
        return as_json({"sha": sha, "merged": True, "message": "Pull Request successfully merged"})

    def _pull(self, owner: str, name: str, number: int) -> tuple[Repository, Issue, PullRequest]:
        repository = self.repository(owner, name)
        issue, pull = self.world.pull(repository, number)
        return repository, issue, pull

    def _answer(self, issue: Issue, status: int = 200) -> Response:
        assert issue.pull
        return as_json(shapes_pulls.whole_pull(self.world, issue, issue.pull), status)

    def _as_listed(self, issue: Issue, status: int = 200) -> Response:
        assert issue.pull
        return as_json(shapes_pulls.pull(self.world, issue, issue.pull), status)
