"""What can happen on the stand-in, each with the deliveries that it causes. The caller has checked permissions."""

from dataclasses import dataclass, replace
from typing import Any

from bot.demo import shapes, shapes_issues, shapes_pulls
from bot.demo.answers import ApiError, invalid
from bot.demo.deliveries import Courier
from bot.demo.state import Account, App, BodyEdit, Comment, Issue, Label, Labelling, Reaction, Renaming, Repository
from bot.demo.world import World

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
        issue = self.new_issue(repository, by, title=title, body=body, app=app)
        issue.labels = list(labels)
        self.tell_issue(issue, "opened", by)
        for label in labels:
            self._tell_label(issue, "labeled", by, label)
        return issue

    def new_issue(self, repository: Repository, by: Account, *, title: str, body: str | None, app: App | None) -> Issue:
        """An issue with the next number, which nobody has been told of yet."""
        check_length("Issue", body)
        now = self.world.now()
        number = max(repository.issues, default=0) + 1
        issue = Issue(self.world.new_id(), number, repository, by, title, body, now, now, app=app)
        repository.issues[number] = issue
        return issue

    def edit_issue(self, issue: Issue, by: Account, *, title: str | None, body: str | None) -> None:
        """Give an issue or pull request other words; nothing happens where they are so already."""
        check_length("PullRequest" if issue.pull else "Issue", body)
        changed: dict[str, Any] = {}
        if title is not None and title != issue.title:
            changed["title"] = {"from": issue.title}
            issue.renamings.append(Renaming(self.world.new_id(), by, self.world.now(), issue.title, title))
            issue.title = title
        if body is not None and body != issue.body:
            changed["body"] = {"from": issue.body or ""}
            if not issue.edits:
                first = BodyEdit(self.world.new_id(), issue.author, issue.created_at, issue.body or "")
                issue.edits.append(first)
            issue.edits.append(BodyEdit(self.world.new_id(), by, self.world.now(), body))
            issue.body = body
        if changed:
            self.tell_issue(issue, "edited", by, changes=changed)

    def set_state(self, issue: Issue, by: Account, state: str, reason: str | None = None) -> None:
        """Close or reopen an issue or pull request; nothing happens where it is so already."""
        if issue.state == state:
            return
        closing = state == "closed"
        issue.state = state
        issue.closed_at = self.world.now() if closing else None
        issue.closed_by = by if closing else None
        issue.state_reason = None if issue.pull else ((reason or "completed") if closing else "reopened")
        self.tell_issue(issue, "closed" if closing else "reopened", by)

    def set_lock(self, issue: Issue, by: Account, *, locked: bool, reason: str | None = None) -> None:
        """Lock or unlock a conversation; nothing happens where it is so already."""
        if issue.locked != locked:
            issue.locked, issue.lock_reason = locked, reason if locked else None
            self.tell_issue(issue, "locked" if locked else "unlocked", by)

    def delete_issue(self, issue: Issue, by: Account) -> None:
        """From now on the API answers 410."""
        issue.deleted = True
        self.tell_issue(issue, "deleted", by)

    def transfer_issue(self, issue: Issue, there: Repository, by: Account) -> Issue:
        """Move an issue with its comments: from now on the API answers 301 here. Labels go where it has them too."""
        if there.owner is not issue.repository.owner:
            raise ApiError(422, "Issues can only be transferred to repositories of the same owner.")
        moved = self.new_issue(there, issue.author, title=issue.title, body=issue.body, app=issue.app)
        moved.labels = [label for old in issue.labels if (label := there.label(old.name))]
        moved.comments = [replace(comment, id=self.world.new_id(), issue=moved) for comment in issue.comments]
        home = shapes.repository(self.world, issue.repository)
        changed = {
            "new_issue": shapes_issues.issue(self.world, moved),
            "new_repository": shapes.repository(self.world, there),
        }
        self.tell_issue(issue, "transferred", by, changes=changed)
        before = {"old_issue": shapes_issues.issue(self.world, issue), "old_repository": home}
        issue.transferred_to = moved
        self.tell_issue(moved, "opened", by, changes=before)
        return moved

    def add_label(self, issue: Issue, by: Account, name: str) -> None:
        """Put a label on an issue, creating it in the repository where it is new."""
        label = issue.repository.label(name) or self.create_label(issue.repository, by, name)
        if label in issue.labels:
            return
        issue.labels.append(label)
        self._tell_label(issue, "labeled", by, label)

    def remove_label(self, issue: Issue, by: Account, name: str) -> None:
        label = next((found for found in issue.labels if found.name.lower() == name.lower()), None)
        if label is None:
            raise ApiError(404, "Label does not exist")
        issue.labels.remove(label)
        self._tell_label(issue, "unlabeled", by, label)

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
        check_length("IssueComment", body)
        now = self.world.now()
        comment = Comment(self.world.new_id(), issue, by, body, now, now, app)
        issue.comments.append(comment)
        issue.updated_at = now
        self._tell_comment(comment, "created", by)
        return comment

    def edit_comment(self, comment: Comment, by: Account, body: str) -> None:
        check_length("IssueComment", body)
        before, comment.body = comment.body, body
        comment.earlier.append(before)
        comment.updated_at = self.world.now()
        self._tell_comment(comment, "edited", by, changes={"body": {"from": before}})

    def delete_comment(self, comment: Comment, by: Account) -> None:
        comment.issue.comments.remove(comment)
        self._tell_comment(comment, "deleted", by)

    # --- Telling

    def tell_home(self, repository: Repository, action: str, by: Account, **fields: Any) -> None:
        """Tell of something that happened to the repository itself."""
        self.courier.tell_repository(repository, "repository", action, fields, sender=by)

    def tell_issue(self, issue: Issue, action: str, by: Account, **fields: Any) -> None:
        """Tell of something that happened to an issue or pull request."""
        issue.updated_at = self.world.now()
        if issue.pull is not None:
            self.tell_pull(issue, action, by, **fields)
            return
        body = {"issue": shapes_issues.issue(self.world, issue), **fields}
        self.courier.tell_repository(issue.repository, "issues", action, body, sender=by)

    def _tell_label(self, issue: Issue, action: str, by: Account, label: Label) -> None:
        self.tell_issue(issue, action, by, label=shapes.label(self.world, label, issue.repository))
        issue.labellings.append(Labelling(self.world.new_id(), action, by, issue.updated_at, label))

    def _tell_comment(self, comment: Comment, action: str, by: Account, **fields: Any) -> None:
        issue = shapes_issues.issue(self.world, comment.issue) | {"assignee": None}
        body = {"issue": issue, "comment": shapes_issues.comment(self.world, comment), **fields}
        self.courier.tell_repository(comment.issue.repository, "issue_comment", action, body, sender=by)

    def tell_pull(self, issue: Issue, action: str, by: Account, **fields: Any) -> None:
        """Tell of something that happened to a pull request."""
        assert issue.pull
        issue.updated_at = self.world.now()
        pull = shapes_pulls.whole_pull(self.world, issue, issue.pull) | {"assignee": None}
        del pull["merge_commit_sha"]
        body = {"number": issue.number, "pull_request": pull, **fields}
        self.courier.tell_repository(issue.repository, "pull_request", action, body, sender=by)


def check_length(resource: str, body: str | None) -> None:
    """Raise 422 for a text that is longer than GitHub takes."""
    if body is not None and len(body) > BODY_LIMIT:
        message = f"Body is too long (maximum is {BODY_LIMIT} characters)"
        raise invalid(resource, "unprocessable", "data", message)
