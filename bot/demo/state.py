"""What the stand-in for GitHub remembers: accounts, repositories, issues, pull requests, Apps, tokens, deliveries.

Everything here changes under the lock of the `World` that holds it, which every request and every call of `Hub` takes.
"""

from dataclasses import dataclass, field
from datetime import datetime
from pathlib import Path
from typing import Any

from bot.demo.people import Account, App, Reaction
from bot.demo.pull_requests import CheckRun, CheckSuite, PullRequest, Review, ReviewComment, Thread

__all__ = [
    "ROLES",
    "Account",
    "App",
    "CheckRun",
    "CheckSuite",
    "Comment",
    "Delivery",
    "Installation",
    "Issue",
    "Label",
    "Labelling",
    "PullRequest",
    "Reaction",
    "Repository",
    "Review",
    "ReviewComment",
    "Rules",
    "Thread",
    "Token",
]

ROLES = ("none", "read", "triage", "write", "maintain", "admin")
"""From nothing to everything. Source: GitHub, “Repository roles for an organization”."""


@dataclass(slots=True, eq=False)
class Label:
    """A label of one repository."""

    id: int
    name: str
    color: str
    description: str | None


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


@dataclass(frozen=True, slots=True)
class Labelling:
    """A label was put on an issue or taken off; `event` is `labeled` or `unlabeled`."""

    id: int
    event: str
    by: Account
    at: datetime
    label: Label


@dataclass(frozen=True, slots=True)
class BodyEdit:
    """What a body became; the first one of a history is what it was in the beginning."""

    id: int
    by: Account
    at: datetime
    body: str


@dataclass(frozen=True, slots=True)
class Renaming:
    """A title was changed."""

    id: int
    by: Account
    at: datetime
    before: str
    after: str


@dataclass(slots=True, eq=False)
class Issue:
    """An issue, or a pull request where `pull` is set. Its body's history is there once it was changed."""

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
    lock_reason: str | None = None
    deleted: bool = False
    transferred_to: "Issue | None" = None
    comments: list[Comment] = field(default_factory=list)
    reactions: list[Reaction] = field(default_factory=list)
    app: App | None = None
    pull: PullRequest | None = None
    labellings: list[Labelling] = field(default_factory=list)
    edits: list[BodyEdit] = field(default_factory=list)
    renamings: list[Renaming] = field(default_factory=list)


@dataclass(slots=True)
class Rules:
    """What a repository's owner has forbidden or demanded, beyond permissions.

    `signed` and `protected` are patterns of branches: where commits must be signed, and where nobody pushes to.
    `secrets` says whether a push that holds one is blocked; `file_bytes` is how large a file may be. `refusal` is the
    text of any other rule, "" where there is none.
    """

    signed: tuple[str, ...] = ()
    protected: tuple[str, ...] = ()
    secrets: bool = False
    file_bytes: int = 100 * 1024 * 1024
    refusal: str = ""
    drafts: bool = True
    merge_methods: tuple[str, ...] = ("merge", "squash", "rebase")
    reviews_needed: int = 0


@dataclass(slots=True, eq=False)
class Repository:
    """A repository; `directory` is its bare git repository. `former` are the full names that answer 301.

    `custom_roles` are further roles, each by the one that it was made from. `renamed_branches` are former names.
    """

    id: int
    owner: Account
    name: str
    directory: Path
    private: bool
    default_branch: str
    created_at: datetime
    archived: bool = False
    roles: dict[str, str] = field(default_factory=dict)
    custom_roles: dict[str, str] = field(default_factory=dict)
    labels: list[Label] = field(default_factory=list)
    issues: dict[int, Issue] = field(default_factory=dict)
    check_suites: list[CheckSuite] = field(default_factory=list)
    check_runs: list[CheckRun] = field(default_factory=list)
    former: set[str] = field(default_factory=set)
    renamed_branches: dict[str, str] = field(default_factory=dict)
    rules: Rules = field(default_factory=Rules)

    @property
    def full_name(self) -> str:
        return f"{self.owner.login}/{self.name}"

    def label(self, name: str) -> Label | None:
        """A label by its name, whatever its case."""
        return next((label for label in self.labels if label.name.lower() == name.lower()), None)

    def role_name(self, account: Account) -> str:
        """The account's role here, as it is called; strangers may read what is public."""
        if account is self.owner:
            return "admin"
        return self.roles.get(account.login.lower(), "none" if self.private else "read")

    def role(self, account: Account) -> str:
        """One of `ROLES`: the account's, or the one that its custom role was made from."""
        name = self.role_name(account)
        return self.custom_roles.get(name, name)

    def is_collaborator(self, account: Account) -> bool:
        return account is self.owner or self.roles.get(account.login.lower(), "none") != "none"


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
    updated_at: datetime | None = None

    def covers(self, repository: Repository) -> bool:
        if repository.owner is not self.account:
            return False
        return self.repository_ids is None or repository.id in self.repository_ids


@dataclass(slots=True, eq=False)
class Token:
    """A user's token, or an installation's, which expires and may be narrowed. `repository_ids` None: not narrowed.

    A user's with an `app` is one by which that App asks in their name: it reaches what both do.
    """

    value: str
    user: Account | None = None
    app: App | None = None
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
