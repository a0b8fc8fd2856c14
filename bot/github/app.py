"""GitHub behind our own words: what `records.GitHub` promises, done through the App."""

import logging
import time
from collections.abc import Callable, Iterator, Sequence
from functools import cached_property
from pathlib import Path
from typing import TypeVar
from urllib.parse import quote

from bot.errors import ConfigError, Gone, Refused, Unavailable
from bot.github import answers, checks, commits, conversation, failed, past, pulls, reviews
from bot.github.failures import Expired, Moved, is_about_time
from bot.github.hindsight import AppHindsight
from bot.github.itself import AppItself
from bot.github.place import BRIEF_WAIT_S, Place, Places
from bot.github.server import Purpose, Server
from bot.github.tokens import REFUSED_KEY, Tokens
from bot.records import (
    Annotation,
    Comment,
    FailedCheck,
    Issue,
    IssueRef,
    MadeCommit,
    PastFix,
    PullRequest,
    PullRequestText,
    RepositoryInfo,
    RepositoryRef,
    Review,
    Subject,
    SubjectKind,
)
from bot.seen.counting import Counts, Uncounted

log = logging.getLogger(__name__)

T = TypeVar("T")

ATTEMPTS = 3
PATIENCE_S = BRIEF_WAIT_S
"""The longest wait inside one call. What takes longer is told to the caller, who watches for a stop meanwhile."""
BRIEF_S = 1.0
"""How long to wait where GitHub failed and does not say for how long."""


class GitHubApp:
    """The App on one GitHub server. Safe for any number of threads; no call leaves a write half done that a second try
    would double.

    Every call may raise `Unavailable`, after it has tried again for some seconds by itself, `Gone` and `Refused`.
    """

    def __init__(
        self,
        *,
        app_id: int | str,
        private_key: str,
        api_url: str = "https://api.github.com",
        ca_bundle: Path | None = None,
        seconds_between_writes: float = 1.0,
        clock: Callable[[], float] = time.time,
        sleep: Callable[[float], None] = time.sleep,
        counts: Counts | None = None,
    ) -> None:
        """`private_key` is PEM text, `ca_bundle` a file. Does no I/O. Raises `ConfigError` where the key is none."""
        self._server = Server(
            api_url=api_url,
            ca_bundle=ca_bundle,
            seconds_between_writes=seconds_between_writes,
            clock=clock,
            sleep=sleep,
            counts=counts or Uncounted(),
        )
        self._tokens = Tokens(server=self._server, app_id=app_id, private_key=private_key, clock=clock)
        self._places = Places(server=self._server, tokens=self._tokens, clock=clock)
        self._answered = reviews.Answered(clock)
        self._commits = commits.Commits(clock, sleep)
        self._sleep = sleep

    # --- Ourselves

    def app_slug(self) -> str:
        """The App's name in addresses; asked once, like the next two. Raises `ConfigError` where the key is refused."""
        return self._app.slug

    def bot_login(self) -> str:
        """Whose comments and pull requests are ours."""
        return f"{self._app.slug}[bot]"

    def owner_login(self) -> str:
        """The account that the App belongs to."""
        return self._app.owner.login

    def bot_id(self) -> int:
        """The number of the account that our commits are by: another one than the App's own.

        Asked by an installation's token where there is one, for not every server answers strangers.
        """
        login, ask = quote(self.bot_login(), safe=""), self._server.send
        there = next((each for each in self.hindsight.installations() if not each.is_suspended), None)

        def asked() -> int:
            by = self._server.connections(None) if there is None else self._tokens.for_names(there.id, there.account)
            return answers.read(answers.Identified, ask(by, "GET", f"/users/{login}", purpose=_OWN_NUMBER)).id

        try:
            return _patiently(asked, self._sleep)
        except (Expired, Moved) as error:
            raise Unavailable(f"GitHub does not say which account commits are by: {error}") from error

    @property
    def hindsight(self) -> AppHindsight:
        """What GitHub can tell of what we did not hear."""
        return AppHindsight(
            server=self._server,
            tokens=self._tokens,
            places=self._places,
            patiently=lambda task: _patiently(task, self._sleep),
        )

    @property
    def itself(self) -> AppItself:
        """What GitHub says of the App."""
        return AppItself(self._server, self._tokens)

    @property
    def paused_s(self) -> float:
        """How long writes have waited for each other so far, in seconds, as GitHub prescribes."""
        return self._server.paused_s

    @cached_property
    def _app(self) -> answers.App:
        purpose = Purpose("tell who we are", "metadata: read")
        try:
            found = _patiently(
                lambda: self._server.send(self._tokens.as_app, "GET", "/app", purpose=purpose), self._sleep
            )
        except (Expired, Gone, Refused) as error:
            if is_about_time(str(error)):
                raise Unavailable(f"this machine's clock is wrong, says GitHub: {error}") from error
            raise ConfigError(f"{REFUSED_KEY}: {error}") from error
        return answers.read(answers.App, found)

    # --- Repositories

    def repository(self, ref: RepositoryRef) -> RepositoryInfo:
        found = _patiently(lambda: self._places.look(ref), self._sleep)
        owner, _, name = found.full_name.partition("/")
        return RepositoryInfo(
            ref=RepositoryRef(ref.installation_id, found.id, owner, name),
            default_branch=found.default_branch,
            clone_url=found.clone_url,
            is_archived=found.archived,
        )

    def find(self, full_name: str) -> RepositoryInfo:
        """A repository by its name, for who knows no number. Raises `Gone` where the App is not installed on it."""
        try:
            return self.repository(_patiently(lambda: self._places.find(full_name), self._sleep))
        except Expired as error:
            raise ConfigError(f"{REFUSED_KEY}: {error}") from error

    def permission(self, ref: RepositoryRef, login: str) -> str:
        return _patiently(
            lambda: self._places.work_surely(ref, _PERMISSION, lambda place: conversation.permission(place, login)),
            self._sleep,
        )

    def ensure_label(self, ref: RepositoryRef, name: str) -> None:
        self._do(ref, _LABEL, lambda place: conversation.ensure_label(place, name))

    def git_token(self, ref: RepositoryRef) -> str:
        return _patiently(lambda: self._tokens.for_git(ref), self._sleep)

    def signs_commits(self) -> bool:
        return self._commits.are_signed

    def create_commit(self, ref: RepositoryRef, *, tree: str, parents: Sequence[str], message: str) -> MadeCommit:
        return self._do(
            ref, _COMMIT, lambda place: self._commits.create(place, tree=tree, parents=parents, message=message)
        )

    # --- Issues

    def issue(self, at: IssueRef) -> Issue:
        return self._do(at.repository, _READ, lambda place: conversation.issue(place, at.number))

    def comments(self, at: IssueRef) -> Sequence[Comment]:
        return self._do(at.repository, _READ, lambda place: conversation.comments(place, at.number))

    def react(self, at: IssueRef, reaction: str, *, subject: Subject | None = None) -> None:
        is_of_review = subject is not None and subject.kind is not SubjectKind.ISSUE_COMMENT
        purpose = _REACT_TO_REVIEW if is_of_review else _REACT
        self._do(at.repository, purpose, lambda place: conversation.react(place, at.number, reaction, subject))

    def post_comment(self, at: IssueRef, body: str, *, marker: str, since: str = "") -> int:
        login = self.bot_login()
        return self._do(
            at.repository,
            _COMMENT,
            lambda place: conversation.post(place, at.number, body, marker=marker, own_login=login, since=since),
        )

    def edit_comment(self, at: IssueRef, comment_id: int, body: str) -> None:
        self._do(at.repository, _COMMENT, lambda place: conversation.edit(place, comment_id, body))

    # --- Pull requests

    def pull_requests(self, ref: RepositoryRef, branch: str) -> Sequence[PullRequest]:
        found = self._do(ref, _LOOK_AT_PULL, lambda place: pulls.listed(place, ref, branch))
        return tuple(pulls.as_record(pull, self.bot_login()) for pull in found)

    def pull_request_numbered(self, ref: RepositoryRef, number: int) -> PullRequest:
        found = self._do(ref, _LOOK_AT_PULL, lambda place: pulls.numbered(place, number))
        return pulls.numbered_record(found, self.bot_login())

    def past_fixes(self, ref: RepositoryRef, branch: str) -> Iterator[PastFix]:
        """What was merged into a branch and closes an issue, the newest first, with that issue's words of before.

        It is asked for page by page, as far as it is wanted.
        """
        cursor: str | None = None
        while True:
            after = cursor
            found = self._do(ref, _LOOK_AT_PAST, lambda place: past.page(place, branch, after))  # noqa: B023 - at once
            yield from found.fixes
            if found.before is None:
                return
            cursor = found.before

    def publish_pull_request(self, ref: RepositoryRef, branch: str, base: str, text: PullRequestText) -> PullRequest:
        wanted = pulls.Wanted(branch, base, text, self.bot_login())
        return pulls.as_record(self._do(ref, _PULL, lambda place: pulls.publish(place, ref, wanted)), wanted.own_login)

    def describe_pull_request(self, ref: RepositoryRef, number: int, body: str) -> None:
        self._do(ref, _PULL, lambda place: pulls.describe(place, number, body))

    def mark_ready(self, ref: RepositoryRef, number: int) -> None:
        self._do(ref, _READY, lambda place: pulls.mark_ready(place, number))

    def make_draft(self, ref: RepositoryRef, number: int) -> None:
        self._do(ref, _DRAFT, lambda place: pulls.make_draft(place, number))

    def review(self, ref: RepositoryRef, number: int, review_id: int) -> Review:
        return self._do(ref, _READ_REVIEW, lambda place: reviews.review(place, number, review_id))

    def reply_to_review_comment(self, at: IssueRef, comment_id: int, body: str, *, marker: str) -> int:
        login = self.bot_login()
        return self._do(
            at.repository,
            _REPLY,
            lambda place: self._answered.reply(place, at.number, comment_id, body, marker=marker, own_login=login),
        )

    def resolve_thread(self, ref: RepositoryRef, thread_id: str) -> None:
        self._do(ref, _RESOLVE, lambda place: reviews.resolve(place, thread_id))

    def request_review(self, ref: RepositoryRef, number: int, login: str) -> bool:
        return self._do(ref, _ASK_FOR_REVIEW, lambda place: reviews.request(place, number, login))

    # --- Checks

    def failed_checks(self, ref: RepositoryRef, head_sha: str, *, with_logs: bool = True) -> Sequence[FailedCheck]:
        app_id, logs = self._app.id, failed.LOGS_AT_MOST if with_logs else 0
        return self._do(
            ref, _READ_CHECKS, lambda place: failed.failed_checks(place, head_sha, app_id=app_id, logs=logs)
        )

    def set_check(
        self,
        ref: RepositoryRef,
        head_sha: str,
        *,
        conclusion: str,
        title: str,
        summary: str,
        annotations: Sequence[Annotation] = (),
        details_url: str = "",
    ) -> None:
        app_id, said = self._app.id, checks.Said(conclusion, title, summary, tuple(annotations), details_url)
        self._do(ref, _CHECK, lambda place: checks.set_check(place, head_sha, said, app_id=app_id))

    def _do(self, ref: RepositoryRef, purpose: Purpose, task: Callable[[Place], T]) -> T:
        return _patiently(lambda: self._places.work(ref, purpose, task), self._sleep)


_OWN_NUMBER = Purpose("tell which account we are", "metadata: read")
_PERMISSION = Purpose("look up who may do what", "metadata: read", is_urgent=True)
_LABEL = Purpose("create the label", "issues: write")
_COMMIT = Purpose("write the commit", "contents: write")
_READ = Purpose("read the issue", "issues: read")
_REACT = Purpose("react", "issues: write")
_REACT_TO_REVIEW = Purpose("react", "pull_requests: write")
_COMMENT = Purpose("comment", "issues: write")
_LOOK_AT_PULL = Purpose("read the pull request", "pull_requests: read")
_LOOK_AT_PAST = Purpose("read merged pull requests and what they close", "pull_requests: read")
_PULL = Purpose("open or update the pull request", "pull_requests: write")
_READY = Purpose("mark the pull request as ready for review", "pull_requests: write")
_DRAFT = Purpose("make the pull request a draft again", "pull_requests: write")
_READ_REVIEW = Purpose("read the review", "pull_requests: read")
_REPLY = Purpose("answer a review comment", "pull_requests: write")
_RESOLVE = Purpose("resolve a review's thread", "pull_requests: write")
_ASK_FOR_REVIEW = Purpose("ask for a review", "pull_requests: write")
_READ_CHECKS = Purpose("read the checks", "checks: read")
_CHECK = Purpose("set the check run", "checks: write")


def _patiently(task: Callable[[], T], sleep: Callable[[float], None]) -> T:
    """Do the task, and again where GitHub was away or asked for a few seconds. The only retries in this room."""
    for attempt in range(1, ATTEMPTS):
        try:
            return task()
        except Unavailable as away:
            wait_s = BRIEF_S * attempt if away.retry_after_s is None else away.retry_after_s
            if wait_s > PATIENCE_S:
                raise
            log.warning("%s; trying again in %.0f s", away, wait_s)
            sleep(wait_s)
    return task()
