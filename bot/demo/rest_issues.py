"""Issues, comments, labels and reactions."""

from collections.abc import Iterable
from datetime import datetime
from typing import Any

from flask import Response, request

from bot.demo import access, shapes, shapes_issues
from bot.demo.access import ON_ISSUES
from bot.demo.answers import ApiError, as_json, invalid, listed, not_found
from bot.demo.rest import Part, Route, any_body, body, nothing
from bot.demo.state import Account, Comment, Issue, Label, Reaction, Repository

_ISSUES = "/repos/<owner>/<name>/issues"
_ISSUE = f"{_ISSUES}/<int:number>"
_COMMENT = f"{_ISSUES}/comments/<int:comment_id>"
_LABELS = "/repos/<owner>/<name>/labels"


class Issues(Part):
    """Issues themselves; a pull request is one too."""

    def routes(self) -> Iterable[Route]:
        return (
            ("GET", _ISSUES, self.index),
            ("POST", _ISSUES, self.create),
            ("GET", _ISSUE, self.show),
            ("PATCH", _ISSUE, self.edit),
            ("GET", f"{_ISSUE}/events", self.events),
            ("PUT", f"{_ISSUE}/lock", self.lock),
            ("DELETE", f"{_ISSUE}/lock", self.unlock),
            ("GET", f"{_ISSUE}/reactions", self.reactions),
            ("POST", f"{_ISSUE}/reactions", self.react),
        )

    def index(self, owner: str, name: str) -> Response:
        repository = self.repository(owner, name)
        access.require(self.caller, repository, ON_ISSUES, "read", role="read")
        state = request.args.get("state", "open")
        wanted = {label.lower() for label in request.args.get("labels", "").split(",") if label}
        since = _moment("since")
        found = [
            shapes_issues.issue(self.world, issue)
            for issue in sorted(repository.issues.values(), key=lambda issue: -issue.number)
            if not issue.deleted
            and issue.transferred_to is None
            and state in ("all", issue.state)
            and wanted <= {label.name.lower() for label in issue.labels}
            and (since is None or issue.updated_at >= since)
        ]
        return listed(found, self.world.base_url)

    def create(self, owner: str, name: str) -> Response:
        repository = self.repository(owner, name)
        by = access.require(self.caller, repository, "issues", "write", role="read")
        fields = body()
        title = access.require_field(fields, "Issue", "title")
        may_label = not isinstance(self.caller, access.User) or repository.role(by) not in ("none", "read")
        names = fields.get("labels") or [] if may_label else []
        labels = tuple(self._label(repository, by, label) for label in names)
        issue = self.changes.open_issue(
            repository, by, title=title, body=fields.get("body"), labels=labels, app=self.app_of_caller
        )
        return as_json(shapes_issues.whole_issue(self.world, issue), 201)

    def _label(self, repository: Repository, by: Account, named: Any) -> Label:
        name = named["name"] if isinstance(named, dict) else str(named)
        return repository.label(name) or self.changes.create_label(repository, by, name)

    def show(self, owner: str, name: str, number: int) -> Response:
        repository, issue = self.issue(owner, name, number)
        access.require(self.caller, repository, ON_ISSUES, "read", role="read")
        return as_json(shapes_issues.whole_issue(self.world, issue))

    def edit(self, owner: str, name: str, number: int) -> Response:
        repository, issue = self.issue(owner, name, number)
        own = access.account_of(self.caller) is issue.author
        by = access.require(self.caller, repository, ON_ISSUES, "write", role="read" if own else "triage")
        fields = body()
        self.changes.edit_issue(issue, by, title=fields.get("title"), body=fields.get("body"))
        for label in list(issue.labels) if "labels" in fields else ():
            if label.name not in fields["labels"]:
                self.changes.remove_label(issue, by, label.name)
        for label_name in fields.get("labels", ()):
            self.changes.add_label(issue, by, label_name)
        if fields.get("state") in ("open", "closed"):
            self.changes.set_state(issue, by, fields["state"], fields.get("state_reason"))
        return as_json(shapes_issues.whole_issue(self.world, issue))

    def events(self, owner: str, name: str, number: int) -> Response:
        """What happened to the issue, the oldest first. Of all that GitHub lists, labels alone."""
        repository, issue = self.issue(owner, name, number)
        access.require(self.caller, repository, ON_ISSUES, "read", role="read")
        return listed(
            [shapes_issues.labelling(self.world, found, issue) for found in issue.labellings], self.world.base_url
        )

    def lock(self, owner: str, name: str, number: int) -> Response:
        repository, issue = self.issue(owner, name, number)
        by = access.require(self.caller, repository, "issues", "write", role="write")
        self.changes.set_lock(issue, by, locked=True, reason=body().get("lock_reason"))
        return nothing()

    def unlock(self, owner: str, name: str, number: int) -> Response:
        repository, issue = self.issue(owner, name, number)
        by = access.require(self.caller, repository, "issues", "write", role="write")
        self.changes.set_lock(issue, by, locked=False)
        return nothing()

    def reactions(self, owner: str, name: str, number: int) -> Response:
        _, issue = self.issue(owner, name, number)
        return listed([shapes.reaction(self.world, found) for found in issue.reactions], self.world.base_url)

    def react(self, owner: str, name: str, number: int) -> Response:
        repository, issue = self.issue(owner, name, number)
        return react(self, repository, issue, issue.reactions)


class Comments(Part):
    """The conversation on issues and pull requests."""

    def routes(self) -> Iterable[Route]:
        return (
            ("GET", f"{_ISSUE}/comments", self.index),
            ("POST", f"{_ISSUE}/comments", self.create),
            ("GET", _COMMENT, self.show),
            ("PATCH", _COMMENT, self.edit),
            ("DELETE", _COMMENT, self.delete),
            ("GET", f"{_COMMENT}/reactions", self.reactions),
            ("POST", f"{_COMMENT}/reactions", self.react),
        )

    def index(self, owner: str, name: str, number: int) -> Response:
        repository, issue = self.issue(owner, name, number)
        access.require(self.caller, repository, ON_ISSUES, "read", role="read")
        since = _moment("since")
        found = [each for each in issue.comments if since is None or each.updated_at >= since]
        return listed([shapes_issues.comment(self.world, each) for each in found], self.world.base_url)

    def create(self, owner: str, name: str, number: int) -> Response:
        repository, issue = self.issue(owner, name, number)
        by = access.require(self.caller, repository, ON_ISSUES, "write", role="read")
        access.require_unlocked(self.caller, issue)
        text = access.require_field(body(), "IssueComment", "body")
        comment = self.changes.comment(issue, by, text, app=self.app_of_caller)
        return as_json(shapes_issues.comment(self.world, comment), 201)

    def show(self, owner: str, name: str, comment_id: int) -> Response:
        repository, comment = self._comment(owner, name, comment_id)
        access.require(self.caller, repository, ON_ISSUES, "read", role="read")
        return as_json(shapes_issues.comment(self.world, comment))

    def edit(self, owner: str, name: str, comment_id: int) -> Response:
        repository, comment = self._comment(owner, name, comment_id)
        by = self._author_or_writer(repository, comment)
        self.changes.edit_comment(comment, by, access.require_field(body(), "IssueComment", "body"))
        return as_json(shapes_issues.comment(self.world, comment))

    def delete(self, owner: str, name: str, comment_id: int) -> Response:
        repository, comment = self._comment(owner, name, comment_id)
        self.changes.delete_comment(comment, self._author_or_writer(repository, comment))
        return nothing()

    def reactions(self, owner: str, name: str, comment_id: int) -> Response:
        _, comment = self._comment(owner, name, comment_id)
        return listed([shapes.reaction(self.world, found) for found in comment.reactions], self.world.base_url)

    def react(self, owner: str, name: str, comment_id: int) -> Response:
        repository, comment = self._comment(owner, name, comment_id)
        return react(self, repository, comment.issue, comment.reactions)

    def _comment(self, owner: str, name: str, comment_id: int) -> tuple[Repository, Comment]:
        repository = self.repository(owner, name)
        return repository, self.world.comment(repository, comment_id)

    def _author_or_writer(self, repository: Repository, comment: Comment) -> Account:
        own = access.account_of(self.caller) is comment.author
        return access.require(self.caller, repository, ON_ISSUES, "write", role="read" if own else "write")


class Labels(Part):
    """A repository's labels, and those on its issues."""

    def routes(self) -> Iterable[Route]:
        return (
            ("GET", _LABELS, self.index),
            ("POST", _LABELS, self.create),
            ("GET", f"{_LABELS}/<label>", self.show),
            ("GET", f"{_ISSUE}/labels", self.of_issue),
            ("POST", f"{_ISSUE}/labels", self.add),
            ("DELETE", f"{_ISSUE}/labels/<label>", self.remove),
        )

    def index(self, owner: str, name: str) -> Response:
        repository = self.repository(owner, name)
        return listed([shapes.label(self.world, found, repository) for found in repository.labels], self.world.base_url)

    def create(self, owner: str, name: str) -> Response:
        repository = self.repository(owner, name)
        by = access.require(self.caller, repository, ON_ISSUES, "write", role="write")
        fields = body()
        label_name = access.require_field(fields, "Label", "name")
        color = str(fields.get("color") or "ededed").lower()
        if len(color) != 6 or any(digit not in "0123456789abcdef" for digit in color):
            raise invalid("Label", "invalid", "color")
        description = fields.get("description")
        label = self.changes.create_label(repository, by, label_name, color=color, description=description)
        return as_json(shapes.label(self.world, label, repository), 201)

    def show(self, owner: str, name: str, label: str) -> Response:
        repository = self.repository(owner, name)
        found = repository.label(label)
        if found is None:
            raise not_found()
        return as_json(shapes.label(self.world, found, repository))

    def of_issue(self, owner: str, name: str, number: int) -> Response:
        repository, issue = self.issue(owner, name, number)
        return listed([shapes.label(self.world, found, repository) for found in issue.labels], self.world.base_url)

    def add(self, owner: str, name: str, number: int) -> Response:
        """Takes what GitHub documents, and the bare list that it takes as well."""
        repository, issue = self.issue(owner, name, number)
        by = access.require(self.caller, repository, ON_ISSUES, "write", role="triage")
        fields = any_body()
        names = fields.get("labels", []) if isinstance(fields, dict) else fields
        for named in names:
            self.changes.add_label(issue, by, named["name"] if isinstance(named, dict) else str(named))
        return as_json([shapes.label(self.world, found, repository) for found in issue.labels])

    def remove(self, owner: str, name: str, number: int, label: str) -> Response:
        repository, issue = self.issue(owner, name, number)
        by = access.require(self.caller, repository, ON_ISSUES, "write", role="triage")
        self.changes.remove_label(issue, by, label)
        return as_json([shapes.label(self.world, found, repository) for found in issue.labels])


def _moment(name: str) -> datetime | None:
    """A moment that the request names. Raises 422 for what is none."""
    text = request.args.get(name)
    if text is None:
        return None
    try:
        return datetime.fromisoformat(text)
    except ValueError:
        raise ApiError(422, "Validation Failed") from None


def react(
    part: Part,
    repository: Repository,
    issue: Issue,
    reactions: list[Reaction],
    *,
    permission: str | tuple[str, ...] = ON_ISSUES,
) -> Response:
    """React to an issue or to something that was said there: 200 where the same reaction was given before."""
    by = access.require(part.caller, repository, permission, "write", role="read")
    if issue.locked and isinstance(part.caller, access.AsInstallation):
        raise ApiError(403, "Unable to create reaction because issue is locked.")
    given, is_new = part.changes.react(reactions, by, str(body().get("content")))
    return as_json(shapes.reaction(part.world, given), 201 if is_new else 200)
