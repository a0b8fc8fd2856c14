"""The things that webhook payloads tell of, as values: of each only what is read, for GitHub adds fields. Pure."""

from collections.abc import Mapping
from datetime import datetime
from typing import Annotated

from pydantic import BaseModel, BeforeValidator, ConfigDict

Text = Annotated[str, BeforeValidator(lambda value: "" if value is None else value)]
"""A string where GitHub sends null for an empty one."""


class Slice(BaseModel):
    """The part of a payload that we read."""

    model_config = ConfigDict(frozen=True, extra="ignore")


class Account(Slice):
    """A user, a bot or an organization."""

    login: str
    id: int | None = None
    type: Text = ""

    @property
    def is_bot(self) -> bool:
        return self.type == "Bot" or self.login.endswith("[bot]")


class Repository(Slice):
    """A repository; its name may have changed since."""

    id: int
    full_name: str

    @property
    def owner(self) -> str:
        return self.full_name.partition("/")[0]

    @property
    def name(self) -> str:
        return self.full_name.partition("/")[2]


class Identified(Slice):
    """What is read of a thing where its id is enough."""

    id: int


class Installation(Slice):
    """The App on one account, as the events about installations show it."""

    id: int
    account: Account
    updated_at: datetime


class Label(Slice):
    """A label, as put on an issue."""

    name: str


class Issue(Slice):
    """An issue. `pull_request` is there where it is the conversation of a pull request."""

    number: int
    updated_at: datetime
    labels: tuple[Label, ...] = ()
    user: Account | None = None
    author_association: Text = ""
    pull_request: Mapping[str, object] | None = None


class IssueComment(Slice):
    """A comment on an issue; `user` is None where the account is gone."""

    id: int
    created_at: datetime
    body: Text = ""
    user: Account | None = None
    author_association: Text = ""


class Head(Slice):
    """A pull request's head. `repo` is None where the fork was deleted."""

    ref: str
    sha: Text = ""
    repo: Identified | None = None


class PullRequest(Slice):
    """A pull request, whoever opened it."""

    number: int
    updated_at: datetime
    head: Head
    user: Account | None = None
    closed_at: datetime | None = None
    merged_at: datetime | None = None


class Review(Slice):
    """A submitted review; `state` is in lower case here. `user` is None where the account is gone."""

    id: int
    node_id: Text = ""
    state: Text = ""
    body: Text = ""
    user: Account | None = None
    author_association: Text = ""
    commit_id: Text = ""
    submitted_at: datetime | None = None


class ReviewComment(Slice):
    """A comment on lines of a pull request. Each is part of a review, a single one and an answer too."""

    id: int
    node_id: Text = ""
    body: Text = ""
    user: Account | None = None
    author_association: Text = ""
    commit_id: Text = ""
    created_at: datetime
    pull_request_review_id: int | None = None
    in_reply_to_id: int | None = None


class CheckedPull(Slice):
    """A pull request whose head a check is on."""

    head: Head


Pulls = Annotated[tuple[CheckedPull, ...], BeforeValidator(lambda value: value or ())]


class App(Slice):
    """The App that a check belongs to."""

    slug: Text = ""


class CheckSuite(Slice):
    """All checks of an App on a commit. `head_branch` is one that has the commit, or "" where GitHub knows none."""

    id: int
    head_branch: Text = ""
    head_sha: Text = ""
    conclusion: Text = ""
    pull_requests: Pulls = ()
    updated_at: datetime | None = None
    app: App = App()


class CheckRun(Slice):
    """One check of an App on a commit."""

    id: int
    name: Text = ""
    head_sha: Text = ""
    conclusion: Text = ""
    app: App = App()
    check_suite: CheckSuite | None = None
    pull_requests: Pulls = ()
    started_at: datetime | None = None
    completed_at: datetime | None = None
