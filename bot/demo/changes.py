"""What can happen on the stand-in, each with the deliveries that it causes. The caller has checked permissions."""

from dataclasses import dataclass
from typing import Any

from bot.demo import git, shapes, shapes_issues
from bot.demo.answers import ApiError, invalid
from bot.demo.deliveries import Courier
from bot.demo.state import (
    Account,
    App,
    CheckRun,
    Comment,
    Installation,
    Issue,
    Label,
    PullRequest,
    Reaction,
    Repository,
    World,
)

BODY_LIMIT = 65_536
"""Characters of an issue, comment or pull request. Source: the text of GitHub's own 422."""


@dataclass(frozen=True, slots=True)
class Changes:
    """The verbs of the stand-in, over its memory. Called with `world.lock` held."""

    world: World
    courier: Courier

    # --- Issues

    def open_issue(
        self,
        repository: Repository,
        by: Account,
        *,
        title: str,
        body: str | None = None,
        labels: tuple[Label, ...] = (),
        app: App | None = None,
    ) -> Issue:
        """Open an issue; its labels come with `opened`, and each with a `labeled` of its own, as GitHub does."""
        issue = self._new_issue(repository, by, title=title, body=body, app=app)
        issue.labels = list(labels)
        self._tell_issue(issue, "opened", by)
        for label in labels:
            self._tell_issue(issue, "labeled", by, label=shapes.label(self.world, label, repository))
        return issue

    def _new_issue(
        self, repository: Repository, by: Account, *, title: str, body: str | None, app: App | None
    ) -> Issue:
        _check_length("Issue", body)
        now = self.world.now()
        number = max(repository.issues, default=0) + 1
        issue = Issue(self.world.new_id(), number, repository, by, title, body, now, now, app=app)
        repository.issues[number] = issue
        return issue

    def edit_issue(self, issue: Issue, by: Account, *, title: str | None, body: str | None) -> None:
        """Give an issue or pull request other words; nothing happens where they are so already."""
        _check_length("PullRequest" if issue.pull else "Issue", body)
        changed: dict[str, Any] = {}
        if title is not None and title != issue.title:
            changed["title"] = {"from": issue.title}
            issue.title = title
        if body is not None and body != issue.body:
            changed["body"] = {"from": issue.body or ""}
            issue.body = body
        if changed:
            self._tell_issue(issue, "edited", by, changes=changed)

    def set_state(self, issue: Issue, by: Account, state: str, reason: str | None = None) -> None:
        """Close or reopen an issue or pull request; nothing happens where it is so already."""
        if issue.state == state:
            return
        closing = state == "closed"
        issue.state = state
        issue.closed_at = self.world.now() if closing else None
        issue.closed_by = by if closing else None
        issue.state_reason = None if issue.pull else ((reason or "completed") if closing else "reopened")
        self._tell_issue(issue, "closed" if closing else "reopened", by)

    def add_label(self, issue: Issue, by: Account, name: str) -> None:
        """Put a label on an issue, creating it in the repository where it is new."""
        label = issue.repository.label(name) or self.create_label(issue.repository, by, name)
        if label in issue.labels:
            return
        issue.labels.append(label)
        self._tell_issue(issue, "labeled", by, label=shapes.label(self.world, label, issue.repository))

    def remove_label(self, issue: Issue, by: Account, name: str) -> None:
        label = next((found for found in issue.labels if found.name.lower() == name.lower()), None)
        if label is None:
            raise ApiError(404, "Label does not exist")
        issue.labels.remove(label)
        self._tell_issue(issue, "unlabeled", by, label=shapes.label(self.world, label, issue.repository))

    def create_label(
        self, repository: Repository, by: Account, name: str, *, color: str = "ededed", description: str | None = None
    ) -> Label:
        if repository.label(name):
            raise invalid("Label", "already_exists", "name")
        label = Label(self.world.new_id(), name, color, description)
        repository.labels.append(label)
        fields = {"label": shapes.label(self.world, label, repository)}
        self.courier.tell_repository(repository, "label", "created", fields, sender=by)
        return label

    def react(self, reactions: list[Reaction], by: Account, content: str) -> tuple[Reaction, bool]:
        """React; the same reaction of the same account is given once. Returns it, and whether it is new."""
        if content not in shapes.REACTIONS:
            raise invalid("Reaction", "invalid", "content")
        for found in reactions:
            if found.user is by and found.content == content:
                return found, False
        reaction = Reaction(self.world.new_id(), by, content, self.world.now())
        reactions.append(reaction)
        return reaction, True

    # --- Comments

    def comment(self, issue: Issue, by: Account, body: str, *, app: App | None = None) -> Comment:
        _check_length("IssueComment", body)
        now = self.world.now()
        comment = Comment(self.world.new_id(), issue, by, body, now, now, app)
        issue.comments.append(comment)
        issue.updated_at = now
        self._tell_comment(comment, "created", by)
        return comment

    def edit_comment(self, comment: Comment, by: Account, body: str) -> None:
        _check_length("IssueComment", body)
        before, comment.body = comment.body, body
        comment.earlier.append(before)
        comment.updated_at = self.world.now()
        self._tell_comment(comment, "edited", by, changes={"body": {"from": before}})

    def delete_comment(self, comment: Comment, by: Account) -> None:
        comment.issue.comments.remove(comment)
        self._tell_comment(comment, "deleted", by)

    # --- Pull requests

    def open_pull(
        self,
        repository: Repository,
        by: Account,
        *,
        title: str,
        body: str | None,
        head: str,
        base: str,
        draft: bool,
        app: App | None,
    ) -> Issue:
        """Open a pull request. Raises 422 where a branch is missing, has nothing new, or has an open one already."""
        base_sha, head_sha = git.head(repository.directory, base), git.head(repository.directory, head)
        if base_sha is None:
            raise invalid("PullRequest", "invalid", "base")
        if head_sha is None:
            raise invalid("PullRequest", "invalid", "head")
        for issue in repository.issues.values():
            if issue.pull and issue.state == "open" and (issue.pull.head, issue.pull.base) == (head, base):
                message = f"A pull request already exists for {repository.owner.login}:{head}."
                raise invalid("PullRequest", "custom", message=message)
        if not git.commits(repository.directory, base_sha, head_sha):
            raise invalid("PullRequest", "custom", message=f"No commits between {base} and {head}")
        issue = self._new_issue(repository, by, title=title, body=body, app=app)
        issue.pull = PullRequest(self.world.new_id(), base, head, base_sha, head_sha, draft)
        git.point(repository.directory, _pull_ref(issue), head_sha)
        self._tell_pull(issue, "opened", by)
        return issue

    def mark_ready(self, issue: Issue, by: Account) -> None:
        """Make a draft ready for review; nothing happens where it is no draft."""
        assert issue.pull
        if issue.pull.draft:
            issue.pull.draft = False
            self._tell_pull(issue, "ready_for_review", by)

    def ask_again(self, repository: Repository, run: CheckRun, by: Account) -> None:
        """Press “Re-run” on a check run: its App is told, and nothing else happens."""
        fields = {"check_run": shapes_issues.check_run_told(self.world, run, repository)}
        self.courier.tell_repository(repository, "check_run", "rerequested", fields, sender=by, app=run.app)

    def follow_branches(self, repository: Repository, by: Account) -> None:
        """Bring open pull requests up to their branches after a push; one whose branch is gone is closed."""
        for issue in list(repository.issues.values()):
            if issue.pull is None or issue.state != "open":
                continue
            pull = issue.pull
            head, base = git.head(repository.directory, pull.head), git.head(repository.directory, pull.base)
            if head is None:
                self.set_state(issue, by, "closed")
                continue
            before, pull.head_sha, pull.base_sha = pull.head_sha, head, base or pull.base_sha
            if before != head:
                git.point(repository.directory, _pull_ref(issue), head)
                self._tell_pull(issue, "synchronize", by, before=before, after=head)

    # --- Installations

    def install(self, installation: Installation, by: Account) -> None:
        self.world.installations[installation.id] = installation
        self.courier.tell_app(installation, "installation", "created", self._covered(installation), sender=by)

    def uninstall(self, installation: Installation, by: Account) -> None:
        fields = self._covered(installation)
        del self.world.installations[installation.id]
        self.courier.tell_app(installation, "installation", "deleted", fields, sender=by)

    def suspend(self, installation: Installation, by: Account) -> None:
        installation.suspended_at, installation.suspended_by = self.world.now(), by
        self.courier.tell_app(installation, "installation", "suspend", self._covered(installation), sender=by)

    def unsuspend(self, installation: Installation, by: Account) -> None:
        installation.suspended_at = installation.suspended_by = None
        self.courier.tell_app(installation, "installation", "unsuspend", self._covered(installation), sender=by)

    def select(self, installation: Installation, repository: Repository, by: Account, *, added: bool) -> None:
        """Add a repository to those that the installation covers, or take it away."""
        everything = {found.id for found in self.world.repositories.values() if found.owner is installation.account}
        chosen = everything if installation.repository_ids is None else installation.repository_ids
        installation.repository_ids = chosen | {repository.id} if added else chosen - {repository.id}
        short = [shapes.short_repository(repository)]
        fields = {
            "repository_selection": "selected",
            "repositories_added": short if added else [],
            "repositories_removed": [] if added else short,
            "requester": None,
        }
        action = "added" if added else "removed"
        self.courier.tell_app(installation, "installation_repositories", action, fields, sender=by)

    def _covered(self, installation: Installation) -> dict[str, Any]:
        covered = [found for found in self.world.repositories.values() if installation.covers(found)]
        return {"repositories": [shapes.short_repository(found) for found in covered], "requester": None}

    # --- Telling

    def _tell_issue(self, issue: Issue, action: str, by: Account, **fields: Any) -> None:
        issue.updated_at = self.world.now()
        if issue.pull is not None:
            self._tell_pull(issue, action, by, **fields)
            return
        body = {"issue": shapes_issues.issue(self.world, issue), **fields}
        self.courier.tell_repository(issue.repository, "issues", action, body, sender=by)

    def _tell_comment(self, comment: Comment, action: str, by: Account, **fields: Any) -> None:
        issue = shapes_issues.issue(self.world, comment.issue) | {"assignee": None}
        body = {"issue": issue, "comment": shapes_issues.comment(self.world, comment), **fields}
        self.courier.tell_repository(comment.issue.repository, "issue_comment", action, body, sender=by)

    def _tell_pull(self, issue: Issue, action: str, by: Account, **fields: Any) -> None:
        assert issue.pull
        issue.updated_at = self.world.now()
        pull = shapes_issues.whole_pull(self.world, issue, issue.pull) | {"assignee": None}
        body = {"number": issue.number, "pull_request": pull, **fields}
        self.courier.tell_repository(issue.repository, "pull_request", action, body, sender=by)


def _pull_ref(issue: Issue) -> str:
    """Where the head of a pull request stays, whatever becomes of its branch."""
    return f"refs/pull/{issue.number}/head"


def _check_length(resource: str, body: str | None) -> None:
    if body is not None and len(body) > BODY_LIMIT:
        message = f"Body is too long (maximum is {BODY_LIMIT} characters)"
        raise invalid(resource, "unprocessable", "data", message)
