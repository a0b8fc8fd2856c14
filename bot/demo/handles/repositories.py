"""A repository on the stand-in, as tests and the demo hold it."""

from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path

from bot.demo import checking, git, keeping, pulling, signing
from bot.demo.changes import Changes
from bot.demo.handles.accounts import account, other_app
from bot.demo.handles.issues import IssueHandle
from bot.demo.handles.pulls import PullHandle
from bot.demo.state import CheckRun, Repository, Rules


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
    def refs(self) -> frozenset[str]:
        """All refs, those of pull requests and any others too, without `refs/`."""
        return git.refs(self.state_of.directory)

    def is_verified(self, sha: str) -> bool:
        """Whether GitHub shows a commit as verified."""
        return bool(signing.verification(self.changes.world, self.state_of, sha)["verified"])

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

    def open_pull(
        self,
        head: str,
        *,
        by: str,
        title: str = "Change it",
        body: str = "",
        base: str | None = None,
        draft: bool = False,
    ) -> PullHandle:
        """Open a pull request as a person."""
        wanted = pulling.Wanted(title, body, head, base or self.state_of.default_branch, draft)
        with self.changes.world.lock:
            return PullHandle(
                self.changes, pulling.open_pull(self.changes, self.state_of, account(self.changes, by), wanted)
            )

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

    def define_role(self, name: str, base: str) -> None:
        """Make a custom role out of one that GitHub has; it is given like those."""
        self.state_of.custom_roles[name] = base

    def rename(self, name: str) -> None:
        """Rename the repository: the old name answers 301 from now on."""
        with self.changes.world.lock:
            keeping.rename(self.changes, self.state_of, self.state_of.owner, name)

    def transfer(self, owner: str) -> None:
        """Give the repository to another account: the old name answers 301 from now on."""
        with self.changes.world.lock:
            keeping.transfer(self.changes, self.state_of, self.state_of.owner, account(self.changes, owner))

    def archive(self, *, archived: bool = True) -> None:
        """Make the repository read-only, or open it again."""
        with self.changes.world.lock:
            keeping.set_archived(self.changes, self.state_of, self.state_of.owner, archived=archived)

    def set_private(self, *, private: bool) -> None:
        with self.changes.world.lock:
            keeping.set_private(self.changes, self.state_of, self.state_of.owner, private=private)

    def delete(self) -> None:
        """From now on it is not found."""
        with self.changes.world.lock:
            keeping.delete(self.changes, self.state_of, self.state_of.owner)

    # --- Rules

    @property
    def rules(self) -> Rules:
        """What pushes and merges are refused for; to be changed in place, as the owner does in the settings."""
        return self.state_of.rules

    def require_signatures(self, *branches: str) -> None:
        """Refuse unsigned commits on these branches (patterns; default: on all) with GH013."""
        self.rules.signed = branches or ("*",)

    def protect(self, *branches: str) -> None:
        """Refuse every push to these branches (patterns) with GH006."""
        self.rules.protected = branches

    def block_secrets(self) -> None:
        """Refuse pushes that hold secrets with GH013."""
        self.rules.secrets = True

    def refuse_pushes(self, text: str) -> None:
        """Answer pushes as another rule does, with this text; "" ends it."""
        self.rules.refusal = text

    # --- Checks of others

    def check(
        self,
        head_sha: str,
        name: str = "tests",
        conclusion: str | None = "failure",
        *,
        log: str | bytes | None = None,
        summary: str = "",
        app: str = "github-actions",
    ) -> CheckRun:
        """Let another App report a check run; one without a conclusion goes on. `log` is that of a job of Actions."""
        output = {"output": {"title": name, "summary": summary}} if summary else {}
        ended = {"status": "in_progress"} if conclusion is None else {"conclusion": conclusion}
        with self.changes.world.lock:
            owner = other_app(self.changes, app)
            run = checking.create_run(self.changes, self.state_of, owner, ended | output, head_sha=head_sha, name=name)
            run.log = log.encode() if isinstance(log, str) else log
            if app == "github-actions":
                run.details_url = f"{self.url}/actions/runs/{run.suite.id}/job/{run.id}"
            return run

    def finish_check(self, run: CheckRun, conclusion: str) -> None:
        """End a check run that went on."""
        with self.changes.world.lock:
            checking.update_run(self.changes, self.state_of, run, {"conclusion": conclusion})

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
            before = git.heads(self.state_of.directory)
            sha = git.commit(self.state_of.directory, target, files, message, parent=parent, by=by or "Mona")
            pusher = account(self.changes, by) if by else self.state_of.owner
            keeping.pushed(self.changes, self.state_of, pusher, before)
        return sha

    def delete_branch(self, branch: str, *, by: str | None = None) -> None:
        """Delete a branch; its open pull requests are closed by it."""
        with self.changes.world.lock:
            who = account(self.changes, by) if by else self.state_of.owner
            pulling.delete_branch(self.changes, self.state_of, who, branch)

    def rename_branch(self, old: str, new: str) -> None:
        """Rename a branch, the default branch too; pull requests into it go into the new one."""
        with self.changes.world.lock:
            pulling.rename_branch(self.changes, self.state_of, self.state_of.owner, old, new)

    def set_default_branch(self, branch: str) -> None:
        """Make another branch the default one."""
        with self.changes.world.lock:
            keeping.set_default_branch(self.changes, self.state_of, self.state_of.owner, branch)
