"""An issue on the stand-in, as tests and the demo hold it."""

from dataclasses import dataclass
from typing import Protocol

from bot.demo.changes import Changes
from bot.demo.handles.accounts import account
from bot.demo.state import Account, Comment, Issue, Repository


class Home(Protocol):
    """What an issue can be moved to: a `RepositoryHandle`."""

    @property
    def state_of(self) -> Repository: ...


@dataclass(frozen=True, slots=True)
class IssueHandle:
    """An issue, or the conversation of a pull request. `by` is a login; the account is made where it is new."""

    changes: Changes
    state_of: Issue

    @property
    def number(self) -> int:
        return self.state_of.number

    @property
    def id(self) -> int:
        return self.state_of.id

    @property
    def url(self) -> str:
        """The page to look at with a browser."""
        kind = "pull" if self.state_of.pull else "issues"
        return f"{self.changes.world.base_url}/{self.state_of.repository.full_name}/{kind}/{self.number}"

    @property
    def title(self) -> str:
        return self.state_of.title

    @property
    def body(self) -> str:
        return self.state_of.body or ""

    @property
    def is_open(self) -> bool:
        return self.state_of.state == "open"

    @property
    def labels(self) -> tuple[str, ...]:
        return tuple(label.name for label in self.state_of.labels)

    @property
    def comments(self) -> tuple[Comment, ...]:
        """The comments, oldest first."""
        with self.changes.world.lock:
            return tuple(self.state_of.comments)

    @property
    def reactions(self) -> tuple[tuple[str, str], ...]:
        """Who reacted how to the issue itself: (login, content)."""
        return tuple((found.user.login, found.content) for found in self.state_of.reactions)

    def comments_by(self, login: str) -> tuple[Comment, ...]:
        return tuple(comment for comment in self.comments if comment.author.login == login)

    def label(self, name: str, *, by: str) -> None:
        with self.changes.world.lock:
            self.changes.add_label(self.state_of, self.account(by), name)

    def unlabel(self, name: str, *, by: str) -> None:
        with self.changes.world.lock:
            self.changes.remove_label(self.state_of, self.account(by), name)

    def comment(self, body: str, *, by: str) -> Comment:
        with self.changes.world.lock:
            return self.changes.comment(self.state_of, self.account(by), body)

    def edit_comment(self, comment: Comment, body: str, *, by: str) -> None:
        with self.changes.world.lock:
            self.changes.edit_comment(comment, self.account(by), body)

    def delete_comment(self, comment: Comment, *, by: str) -> None:
        with self.changes.world.lock:
            self.changes.delete_comment(comment, self.account(by))

    def edit(self, *, by: str, title: str | None = None, body: str | None = None) -> None:
        with self.changes.world.lock:
            self.changes.edit_issue(self.state_of, self.account(by), title=title, body=body)

    def close(self, *, by: str) -> None:
        with self.changes.world.lock:
            self.changes.set_state(self.state_of, self.account(by), "closed")

    def reopen(self, *, by: str) -> None:
        with self.changes.world.lock:
            self.changes.set_state(self.state_of, self.account(by), "open")

    def lock(self, *, by: str = "") -> None:
        with self.changes.world.lock:
            self.changes.set_lock(self.state_of, self.account(by), locked=True)

    def unlock(self, *, by: str = "") -> None:
        with self.changes.world.lock:
            self.changes.set_lock(self.state_of, self.account(by), locked=False)

    def delete(self, *, by: str = "") -> None:
        """From now on the API answers 410."""
        with self.changes.world.lock:
            self.changes.delete_issue(self.state_of, self.account(by))

    def transfer(self, there: "Home", *, by: str = "") -> "IssueHandle":
        """Move the issue to another repository of the same owner: from now on the API answers 301 here."""
        with self.changes.world.lock:
            moved = self.changes.transfer_issue(self.state_of, there.state_of, self.account(by))
            return IssueHandle(self.changes, moved)

    def account(self, login: str) -> Account:
        """The account of that login, made where it is new; the repository's owner for ""."""
        return account(self.changes, login) if login else self.state_of.repository.owner
