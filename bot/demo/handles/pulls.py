"""A pull request on the stand-in, with its reviews and threads, as tests and the demo hold them."""

from collections.abc import Sequence
from dataclasses import dataclass

from bot.demo import checking, git, git_merging, keeping, pulling, reviewing
from bot.demo.changes import Changes
from bot.demo.handles.accounts import account
from bot.demo.handles.issues import IssueHandle
from bot.demo.reviewing import Remark
from bot.demo.shapes_reviews import is_outdated
from bot.demo.state import CheckRun, Issue, PullRequest, Repository, Review, ReviewComment, Thread


@dataclass(frozen=True, slots=True)
class ThreadHandle:
    """A review thread as it is now."""

    changes: Changes
    issue: Issue
    state_of: Thread

    @property
    def path(self) -> str:
        return self.state_of.path

    @property
    def line(self) -> int | None:
        """The line that it was made on."""
        return self.state_of.line

    @property
    def comments(self) -> tuple[ReviewComment, ...]:
        return tuple(self.state_of.comments)

    @property
    def said(self) -> list[tuple[str, str]]:
        """Who said what, oldest first."""
        return [(comment.author.login, comment.body) for comment in self.state_of.comments]

    @property
    def is_resolved(self) -> bool:
        return self.state_of.resolved_by is not None

    @property
    def is_outdated(self) -> bool:
        """Whether a push has changed its lines."""
        return is_outdated(self.issue, self.state_of)

    def reply(self, text: str, *, by: str) -> ReviewComment:
        with self.changes.world.lock:
            return reviewing.reply(self.changes, self.issue, self.state_of, account(self.changes, by), text)

    def resolve(self, *, by: str, resolved: bool = True) -> None:
        """Press “Resolve conversation”, or “Unresolve”."""
        who = account(self.changes, by)
        with self.changes.world.lock:
            reviewing.set_resolved(self.changes, self.issue, self.state_of, who, resolved=resolved)

    def edit(self, comment: ReviewComment, text: str, *, by: str) -> None:
        with self.changes.world.lock:
            reviewing.edit_comment(self.changes, self.issue, comment, account(self.changes, by), text)

    def delete(self, comment: ReviewComment, *, by: str) -> None:
        with self.changes.world.lock:
            reviewing.delete_comment(self.changes, self.issue, comment, account(self.changes, by))


@dataclass(frozen=True, slots=True)
class ReviewHandle:
    """A review as it is now."""

    changes: Changes
    issue: Issue
    state_of: Review

    @property
    def id(self) -> int:
        return self.state_of.id

    @property
    def author(self) -> str:
        return self.state_of.author.login

    @property
    def state(self) -> str:
        """approved, changes_requested, commented or dismissed."""
        return self.state_of.state.lower()

    @property
    def body(self) -> str:
        return self.state_of.body

    @property
    def reactions(self) -> tuple[tuple[str, str], ...]:
        """Who reacted how: (login, content)."""
        return tuple((found.user.login, found.content) for found in self.state_of.reactions)

    @property
    def threads(self) -> tuple[ThreadHandle, ...]:
        """The threads that it has a comment in."""
        found = dict.fromkeys(comment.thread for comment in reviewing.comments_of(self.issue, self.state_of))
        return tuple(ThreadHandle(self.changes, self.issue, thread) for thread in found)

    def edit(self, body: str, *, by: str) -> None:
        with self.changes.world.lock:
            reviewing.edit(self.changes, self.issue, self.state_of, account(self.changes, by), body)

    def dismiss(self, *, by: str) -> None:
        with self.changes.world.lock:
            reviewing.dismiss(self.changes, self.issue, self.state_of, account(self.changes, by))


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

    @property
    def threads(self) -> tuple[ThreadHandle, ...]:
        """Its review threads, oldest first."""
        with self.changes.world.lock:
            return tuple(ThreadHandle(self.changes, self.state_of, thread) for thread in self.pull.threads)

    @property
    def reviews(self) -> tuple[ReviewHandle, ...]:
        """Its reviews, oldest first; answers in threads are reviews too."""
        with self.changes.world.lock:
            return tuple(ReviewHandle(self.changes, self.state_of, review) for review in self.pull.reviews)

    @property
    def has_conflicts(self) -> bool:
        """Whether git can't merge it into its base as that is now."""
        return git_merging.has_conflicts(self._home.directory, self.base_sha, self.head_sha)

    def review(
        self,
        *,
        by: str,
        state: str = "changes_requested",
        body: str = "",
        comments: Sequence[tuple[str, int | None, str] | Remark] = (),
        replies: Sequence[tuple[ThreadHandle, str]] = (),
    ) -> ReviewHandle:
        """Submit a review: `state` is approved, changes_requested or commented.

        A comment is (path, line, text), or a `Remark` where it is on more lines or on the base; a reply is part of the
        review, in a thread that is there already.
        """
        event = next(event for event, found in reviewing.STATES.items() if found.lower() == state)
        remarks = [said if isinstance(said, Remark) else Remark(said[0], said[2], said[1]) for said in comments]
        answers = [(thread.state_of, text) for thread, text in replies]
        with self.changes.world.lock:
            review = reviewing.start(
                self.changes, self.state_of, self.account(by), body=body, remarks=remarks, replies=answers
            )
            reviewing.submit(self.changes, self.state_of, review, event)
            return ReviewHandle(self.changes, self.state_of, review)

    def remark(self, path: str, line: int | None, text: str, *, by: str) -> ThreadHandle:
        """Make a single comment on a line: a review of its own."""
        with self.changes.world.lock:
            comment = reviewing.remark(self.changes, self.state_of, self.account(by), Remark(path, text, line))
            return ThreadHandle(self.changes, self.state_of, comment.thread)

    def request_review(self, login: str, *, by: str) -> None:
        with self.changes.world.lock:
            pulling.request_reviews(self.changes, self.state_of, self.account(by), [login])

    def set_draft(self, *, draft: bool, by: str) -> None:
        with self.changes.world.lock:
            pulling.set_draft(self.changes, self.state_of, self.account(by), draft=draft)

    def reopen(self, *, by: str) -> None:
        """Raises `ApiError` where its branch is gone, or it was merged."""
        with self.changes.world.lock:
            pulling.set_state(self.changes, self.state_of, self.account(by), "open")

    def retarget(self, base: str, *, by: str) -> None:
        with self.changes.world.lock:
            pulling.retarget(self.changes, self.state_of, self.account(by), base)

    def merge(self, *, by: str, method: str = "merge") -> str:
        """Press the merge button. Returns the base's new commit. Raises `ApiError` where GitHub would not merge."""
        with self.changes.world.lock:
            return pulling.merge(self.changes, self.state_of, self.account(by), method=method)

    def update_branch(self, *, by: str) -> str:
        """Press “Update branch”: what its base has by now is merged into it. Returns the merge."""
        home, who = self._home, self.account(by)
        words = f"Merge branch '{self.pull.base}' into {self.head}"
        with self.changes.world.lock:
            before = git.heads(home.directory)
            made = git_merging.merge(home.directory, self.head_sha, self.base_sha, words, by=by)
            assert made, "the two conflict"
            git.point(home.directory, f"refs/heads/{self.head}", made)
            keeping.pushed(self.changes, home, who, before)
            return made

    def delete_branch(self, *, by: str) -> None:
        """Press “Delete branch”: a pull request that is open still is closed by it."""
        with self.changes.world.lock:
            pulling.delete_branch(self.changes, self._home, self.account(by), self.head)

    def rerun(self, *, by: str) -> None:
        """Press “Re-run” on the newest check run of its head."""
        with self.changes.world.lock:
            checking.ask_again(self.changes, self._home, self.checks[-1], self.account(by))

    def rerun_all(self, *, by: str) -> None:
        """Press “Re-run all checks” on the App whose check run is the newest of its head."""
        with self.changes.world.lock:
            checking.ask_all_again(self.changes, self._home, self.checks[-1].suite, self.account(by))

    def file(self, path: str) -> bytes | None:
        """A file's bytes at its head."""
        return git.file(self._home.directory, self.head_sha, path)

    @property
    def _home(self) -> Repository:
        return self.state_of.repository
