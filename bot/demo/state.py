"""What the stand-in for GitHub remembers: accounts, repositories, issues, pull requests, Apps, tokens, deliveries.

Everything here changes under `World.lock`, which every request and every call of `Hub` holds.
"""

import itertools
import secrets
import threading
from dataclasses import dataclass, field
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any

from bot.demo.answers import ApiError, Moved, not_found

ROLES = ("none", "read", "triage", "write", "maintain", "admin")
"""From nothing to everything. Source: GitHub, “Repository roles for an organization”."""


@dataclass(slots=True, eq=False)
class Account:
    """A person, or an App's bot."""

    id: int
    login: str
    kind: str
    created_at: datetime


@dataclass(slots=True, eq=False)
class Label:
    """A label of one repository."""

    id: int
    name: str
    color: str
    description: str | None


@dataclass(slots=True, eq=False)
class Reaction:
    """One reaction of one account."""

    id: int
    user: Account
    content: str
    created_at: datetime


@dataclass(slots=True, eq=False)
class App:
    """A registered GitHub App. `webhook_url` "" means that deliveries are kept, and sent nowhere."""

    id: int
    slug: str
    owner: Account
    bot: Account
    private_key: str
    public_key: str
    webhook_secret: str
    webhook_url: str
    permissions: dict[str, str]
    events: tuple[str, ...]
    created_at: datetime


@dataclass(slots=True, eq=False)
class Comment:
    """A comment of an issue or pull request; `app` is set where an App wrote it, `earlier` is what edits replaced."""

    id: int
    issue: "Issue"
    author: Account
    body: str
    created_at: datetime
    updated_at: datetime
    app: App | None = None
    reactions: list[Reaction] = field(default_factory=list)
    earlier: list[str] = field(default_factory=list)


@dataclass(slots=True, eq=False)
class PullRequest:
    """What an issue has more when it is a pull request. Both branches are of the same repository.

    `base_sha` and `head_sha` follow their branches while the pull request is open.
    """

    id: int
    base: str
    head: str
    base_sha: str
    head_sha: str
    draft: bool
    reviewers: list[Account] = field(default_factory=list)
    merged_at: datetime | None = None
    merged_by: Account | None = None


@dataclass(slots=True, eq=False)
class Issue:
    """An issue, or a pull request where `pull` is set."""

    id: int
    number: int
    repository: "Repository"
    author: Account
    title: str
    body: str | None
    created_at: datetime
    updated_at: datetime
    labels: list[Label] = field(default_factory=list)
    state: str = "open"
    state_reason: str | None = None
    closed_at: datetime | None = None
    closed_by: Account | None = None
    locked: bool = False
    deleted: bool = False
    transferred_to: "Issue | None" = None
    comments: list[Comment] = field(default_factory=list)
    reactions: list[Reaction] = field(default_factory=list)
    app: App | None = None
    pull: PullRequest | None = None


@dataclass(slots=True, eq=False)
class CheckRun:
    """A check run of an App on a commit."""

    id: int
    suite_id: int
    app: App
    head_sha: str
    name: str
    status: str
    conclusion: str | None
    started_at: datetime
    completed_at: datetime | None
    details_url: str | None
    external_id: str
    title: str | None
    summary: str | None
    text: str | None
    annotations: list[dict[str, Any]] = field(default_factory=list)


@dataclass(slots=True, eq=False)
class Repository:
    """A repository; `directory` is its bare git repository. `former` are the full names that answer 301."""

    id: int
    owner: Account
    name: str
    directory: Path
    private: bool
    default_branch: str
    created_at: datetime
    archived: bool = False
    roles: dict[str, str] = field(default_factory=dict)
    labels: list[Label] = field(default_factory=list)
    issues: dict[int, Issue] = field(default_factory=dict)
    check_runs: list[CheckRun] = field(default_factory=list)
    former: set[str] = field(default_factory=set)
    push_refusal: str = ""

    @property
    def full_name(self) -> str:
        return f"{self.owner.login}/{self.name}"

    def label(self, name: str) -> Label | None:
        """A label by its name, whatever its case."""
        return next((label for label in self.labels if label.name.lower() == name.lower()), None)

    def role(self, account: Account) -> str:
        """The account's role here; strangers may read what is public."""
        if account is self.owner:
            return "admin"
        return self.roles.get(account.login.lower(), "none" if self.private else "read")


@dataclass(slots=True, eq=False)
class Installation:
    """An App on an account. `repository_ids` None means all of the account's repositories."""

    id: int
    app: App
    account: Account
    repository_ids: set[int] | None
    permissions: dict[str, str]
    created_at: datetime
    suspended_at: datetime | None = None
    suspended_by: Account | None = None

    def covers(self, repository: Repository) -> bool:
        if repository.owner is not self.account:
            return False
        return self.repository_ids is None or repository.id in self.repository_ids


@dataclass(slots=True, eq=False)
class Token:
    """A user's token, or an installation's, which expires and may be narrowed. `repository_ids` None: not narrowed."""

    value: str
    user: Account | None = None
    installation: Installation | None = None
    permissions: dict[str, str] = field(default_factory=dict)
    repository_ids: frozenset[int] | None = None
    expires_at: datetime | None = None


@dataclass(slots=True, eq=False)
class Delivery:
    """One webhook POST, as it was sent. `status_code` is None until it was answered, 0 where nobody answered."""

    id: int
    guid: str
    app: App
    event: str
    action: str | None
    payload: dict[str, Any]
    body: bytes
    headers: dict[str, str]
    created_at: datetime
    installation_id: int | None
    repository_id: int | None
    redelivery: bool = False
    status: str = "waiting"
    status_code: int | None = None
    duration_s: float = 0.0
    answer: str = ""


class World:
    """The whole memory. `now()` is the clock of tokens and dates; `advance` moves it for tests."""

    def __init__(self, directory: Path) -> None:
        self.directory = directory
        self.lock = threading.RLock()
        self.base_url = ""
        self.accounts: dict[str, Account] = {}
        self.repositories: dict[int, Repository] = {}
        self.apps: dict[int, App] = {}
        self.installations: dict[int, Installation] = {}
        self.tokens: dict[str, Token] = {}
        self.deliveries: list[Delivery] = []
        self._ids = itertools.count(1001)
        self._offset = timedelta()

    @property
    def api_url(self) -> str:
        return f"{self.base_url}/api/v3"

    def new_id(self) -> int:
        return next(self._ids)

    def now(self) -> datetime:
        return (datetime.now(UTC) + self._offset).replace(microsecond=0)

    def advance(self, span: timedelta) -> None:
        self._offset += span

    # --- Accounts and tokens

    def add_account(self, login: str, kind: str = "User") -> Account:
        account = Account(self.new_id(), login, kind, self.now())
        self.accounts[login.lower()] = account
        return account

    def account(self, login: str) -> Account:
        found = self.accounts.get(login.lower())
        if found is None:
            raise not_found()
        return found

    def add_token(self, token: Token) -> Token:
        self.tokens[token.value] = token
        return token

    def token_for(self, account: Account) -> Token:
        """A person's token, which does not expire."""
        return self.add_token(Token(f"ghp_{secrets.token_hex(18)}", user=account))

    # --- Repositories and issues

    def repository(self, owner: str, name: str) -> Repository:
        """A repository by its name, whatever its case. Raises `Moved` for a former name."""
        wanted = f"{owner}/{name}".lower()
        for repository in self.repositories.values():
            if repository.full_name.lower() == wanted:
                return repository
        for repository in self.repositories.values():
            if wanted in repository.former:
                raise Moved(f"{self.api_url}/repositories/{repository.id}")
        raise not_found()

    def issue(self, repository: Repository, number: int) -> Issue:
        """An issue or pull request. Raises 404, 410 for a deleted one, 301 for a transferred one."""
        issue = repository.issues.get(number)
        if issue is None:
            raise not_found()
        if issue.transferred_to is not None:
            there = issue.transferred_to
            raise Moved(f"{self.api_url}/repositories/{there.repository.id}/issues/{there.number}", whole=True)
        if issue.deleted:
            raise ApiError(410, "This issue was deleted")
        return issue

    def pull(self, repository: Repository, number: int) -> tuple[Issue, PullRequest]:
        issue = self.issue(repository, number)
        if issue.pull is None:
            raise not_found()
        return issue, issue.pull

    def comment(self, repository: Repository, comment_id: int) -> Comment:
        for issue in repository.issues.values():
            for comment in issue.comments:
                if comment.id == comment_id and not issue.deleted:
                    return comment
        raise not_found()

    # --- Apps

    def installation(self, installation_id: int) -> Installation:
        found = self.installations.get(installation_id)
        if found is None:
            raise not_found()
        return found

    def installations_on(self, repository: Repository) -> list[Installation]:
        return [found for found in self.installations.values() if found.covers(repository)]
