"""What tests and the demo hold in their hands: a repository, an issue, a pull request on the stand-in.

Reading shows the state as it is now. Every method may be called from any thread.
"""

from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path

from bot.demo import git
from bot.demo.changes import Changes
from bot.demo.state import Account, CheckRun, Comment, Issue, PullRequest, Repository


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
            self.changes.add_label(self.state_of, self._account(by), name)

    def unlabel(self, name: str, *, by: str) -> None:
        with self.changes.world.lock:
            self.changes.remove_label(self.state_of, self._account(by), name)

    def comment(self, body: str, *, by: str) -> Comment:
        with self.changes.world.lock:
            return self.changes.comment(self.state_of, self._account(by), body)

    def edit_comment(self, comment: Comment, body: str, *, by: str) -> None:
        with self.changes.world.lock:
            self.changes.edit_comment(comment, self._account(by), body)

    def delete_comment(self, comment: Comment, *, by: str) -> None:
        with self.changes.world.lock:
            self.changes.delete_comment(comment, self._account(by))

    def edit(self, *, by: str, title: str | None = None, body: str | None = None) -> None:
        with self.changes.world.lock:
            self.changes.edit_issue(self.state_of, self._account(by), title=title, body=body)

    def close(self, *, by: str) -> None:
        with self.changes.world.lock:
            self.changes.set_state(self.state_of, self._account(by), "closed")

    def reopen(self, *, by: str) -> None:
        with self.changes.world.lock:
            self.changes.set_state(self.state_of, self._account(by), "open")

    def lock(self) -> None:
        self.state_of.locked = True

    def unlock(self) -> None:
        self.state_of.locked = False

    def delete(self) -> None:
        """From now on the API answers 410."""
        self.state_of.deleted = True

    def transfer(self, there: "RepositoryHandle") -> "IssueHandle":
        """Move the issue to another repository: from now on the API answers 301 here."""
        with self.changes.world.lock:
            author = self.state_of.author
            moved = self.changes.open_issue(there.state_of, author, title=self.title, body=self.state_of.body)
            self.state_of.transferred_to = moved
            return IssueHandle(self.changes, moved)

    def _account(self, login: str) -> Account:
        return account(self.changes, login)


@dataclass(frozen=True, slots=True)
class PullHandle(IssueHandle):
    """A pull request as it is now."""

    @property
    def pull(self) -> PullRequest:
        assert self.state_of.pull
        return self.state_of.pull

    @property
    def head(self) -> str:
        """The branch that it comes from."""
        return self.pull.head

    @property
    def head_sha(self) -> str:
        return self.pull.head_sha

    @property
    def base_sha(self) -> str:
        return self.pull.base_sha

    @property
    def is_draft(self) -> bool:
        return self.pull.draft

    @property
    def state(self) -> str:
        """open, closed or merged."""
        return "merged" if self.pull.merged_at else self.state_of.state

    @property
    def reviewers(self) -> tuple[str, ...]:
        return tuple(account.login for account in self.pull.reviewers)

    @property
    def commits(self) -> tuple[git.Commit, ...]:
        """Its commits, oldest first."""
        return git.commits(self._home.directory, self.base_sha, self.head_sha)

    @property
    def files(self) -> tuple[git.FileStat, ...]:
        return git.diffstat(self._home.directory, self.base_sha, self.head_sha)

    @property
    def diff(self) -> str:
        return git.diff(self._home.directory, self.base_sha, self.head_sha)

    @property
    def checks(self) -> tuple[CheckRun, ...]:
        """The check runs on its head."""
        return tuple(run for run in self._home.check_runs if run.head_sha == self.head_sha)

    def rerun(self, *, by: str) -> None:
        """Press “Re-run” on the newest check run of its head."""
        with self.changes.world.lock:
            self.changes.ask_again(self._home, self.checks[-1], self._account(by))

    def file(self, path: str) -> bytes | None:
        """A file's bytes at its head."""
        return git.file(self._home.directory, self.head_sha, path)

    @property
    def _home(self) -> Repository:
        return self.state_of.repository


@dataclass(frozen=True, slots=True)
class RepositoryHandle:
    """A repository as it is now."""

    changes: Changes
    state_of: Repository

    @property
    def id(self) -> int:
        return self.state_of.id

    @property
    def full_name(self) -> str:
        return self.state_of.full_name

    @property
    def clone_url(self) -> str:
        return f"{self.changes.world.base_url}/{self.full_name}.git"

    @property
    def url(self) -> str:
        return f"{self.changes.world.base_url}/{self.full_name}"

    @property
    def directory(self) -> Path:
        """The bare git repository on disk."""
        return self.state_of.directory

    @property
    def labels(self) -> tuple[str, ...]:
        return tuple(label.name for label in self.state_of.labels)

    @property
    def branches(self) -> tuple[str, ...]:
        return git.branches(self.state_of.directory)

    @property
    def pulls(self) -> tuple[PullHandle, ...]:
        """All pull requests, oldest first."""
        with self.changes.world.lock:
            return tuple(PullHandle(self.changes, issue) for issue in self.state_of.issues.values() if issue.pull)

    @property
    def issues(self) -> tuple[IssueHandle, ...]:
        """All issues that are no pull requests, oldest first."""
        with self.changes.world.lock:
            return tuple(IssueHandle(self.changes, issue) for issue in self.state_of.issues.values() if not issue.pull)

    @property
    def check_runs(self) -> tuple[CheckRun, ...]:
        return tuple(self.state_of.check_runs)

    def pull(self, number: int) -> PullHandle:
        return next(pull for pull in self.pulls if pull.number == number)

    def open_issue(self, title: str, body: str = "", *, by: str, labels: tuple[str, ...] = ()) -> IssueHandle:
        """Open an issue; with `labels`, as an issue template would for anyone."""
        with self.changes.world.lock:
            author = account(self.changes, by)
            found = tuple(
                self.state_of.label(name) or self.changes.create_label(self.state_of, self.state_of.owner, name)
                for name in labels
            )
            issue = self.changes.open_issue(self.state_of, author, title=title, body=body, labels=found)
            return IssueHandle(self.changes, issue)

    def give_role(self, login: str, role: str) -> None:
        """Set somebody's role: none, read, triage, write, maintain or admin."""
        account(self.changes, login)
        self.state_of.roles[login.lower()] = role

    def rename(self, name: str) -> None:
        """Rename the repository: the old name answers 301 from now on."""
        self.state_of.former.add(self.full_name.lower())
        self.state_of.name = name

    def archive(self) -> None:
        self.state_of.archived = True

    def refuse_pushes(self, text: str) -> None:
        """Answer pushes as a repository rule does, with this text; "" ends it."""
        self.state_of.push_refusal = text

    # --- Git

    def head(self, branch: str | None = None) -> str | None:
        """The commit of a branch (default: the default branch)."""
        return git.head(self.state_of.directory, branch or self.state_of.default_branch)

    def tree(self, revision: str | None = None) -> dict[str, str]:
        """Every path at a branch or commit, with its mode."""
        return git.tree(self.state_of.directory, revision or self.state_of.default_branch)

    def file(self, path: str, revision: str | None = None) -> bytes | None:
        return git.file(self.state_of.directory, revision or self.state_of.default_branch, path)

    def commit(
        self,
        files: Mapping[str, bytes | str | None],
        message: str = "Change files",
        *,
        branch: str | None = None,
        parent: str | None = None,
        by: str | None = None,
    ) -> str:
        """Commit files to a branch as if somebody had pushed them; None deletes one. Returns the sha."""
        target = branch or self.state_of.default_branch
        with self.changes.world.lock:
            sha = git.commit(self.state_of.directory, target, files, message, parent=parent)
            pusher = account(self.changes, by) if by else self.state_of.owner
            self.changes.follow_branches(self.state_of, pusher)
        return sha

    def delete_branch(self, branch: str) -> None:
        with self.changes.world.lock:
            git.delete_branch(self.state_of.directory, branch)
            self.changes.follow_branches(self.state_of, self.state_of.owner)


def account(changes: Changes, login: str) -> Account:
    """The account of that login, made where it is new."""
    world = changes.world
    return world.accounts.get(login.lower()) or world.add_account(login)
