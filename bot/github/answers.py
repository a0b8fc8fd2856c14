"""GitHub's answers as values: of each only what is read, all else ignored."""

from typing import Annotated, Any, TypeVar

from pydantic import BaseModel, BeforeValidator, ConfigDict, TypeAdapter, ValidationError

from bot.errors import Unavailable
from bot.records import Person

T = TypeVar("T")

Text = Annotated[str, BeforeValidator(lambda value: value or "")]
"""A string where GitHub sends null for an empty one."""


class Slice(BaseModel):
    """The part of an answer that we read."""

    model_config = ConfigDict(frozen=True, extra="ignore")


class Identified(Slice):
    """What is read of a thing where its id is enough."""

    id: int


class Account(Slice):
    """A user, a bot or an organization."""

    login: str
    type: Text = ""
    id: int | None = None

    def person(self) -> Person:
        return Person(self.login, is_bot=self.type == "Bot" or self.login.endswith("[bot]"), id=self.id)


GHOST = Account(login="ghost", type="User")
"""Whom GitHub shows where an account was deleted."""

Author = Annotated[Account, BeforeValidator(lambda value: GHOST if value is None else value)]


class App(Slice):
    """The App itself."""

    id: int
    slug: str
    owner: Account


class InstallationToken(Slice):
    """A token for an installation; lives an hour."""

    token: str


class Repository(Slice):
    """A repository."""

    id: int
    full_name: str
    default_branch: str
    clone_url: str
    archived: bool = False


class Label(Slice):
    """A label, as put on something."""

    name: str


LabelName = Annotated[Label, BeforeValidator(lambda value: {"name": value} if isinstance(value, str) else value)]


class Issue(Slice):
    """An issue, or a pull request seen as one."""

    number: int
    title: str
    body: Text = ""
    state: str
    locked: bool = False
    user: Author = GHOST
    labels: tuple[LabelName, ...] = ()
    pull_request: dict[str, Any] | None = None


class Comment(Slice):
    """A comment in a conversation."""

    id: int
    body: Text = ""
    created_at: str
    user: Author = GHOST


class Permission(Slice):
    """What somebody may do in a repository: `permission` by the four old words, `role_name` by the true one."""

    permission: str
    role_name: Text = ""


class Branch(Slice):
    """One end of a pull request; `repo` is None where the fork was deleted."""

    ref: str
    sha: str
    repo: Identified | None = None


class Pull(Slice):
    """A pull request."""

    number: int
    html_url: str
    title: str
    body: Text = ""
    state: str
    draft: bool = False
    node_id: str = ""
    mergeable: bool | None = None
    merged_at: str | None = None
    head: Branch
    base: Branch
    user: Author = GHOST
    labels: tuple[LabelName, ...] = ()
    requested_reviewers: tuple[Account, ...] = ()


class Review(Slice):
    """A review; `state` is in upper case."""

    id: int
    state: str
    body: Text = ""
    submitted_at: Text = ""
    user: Author = GHOST


class ReviewComment(Slice):
    """A comment on lines of a pull request. `in_reply_to_id` is the first comment of its thread; None for that one."""

    id: int
    body: Text = ""
    in_reply_to_id: int | None = None
    path: Text = ""
    original_commit_id: Text = ""
    user: Author = GHOST


class CheckOutput(Slice):
    """What a check run says. Annotations can't be taken back."""

    title: Text = ""
    summary: Text = ""
    text: Text = ""
    annotations_count: int = 0


class CheckApp(Slice):
    """Whose check it is."""

    id: int
    slug: Text = ""


class CheckRun(Slice):
    """A check run, whoever made it. `external_id` is what its maker gave it."""

    id: int
    name: str
    external_id: Text = ""
    html_url: Text = ""
    details_url: Text = ""
    conclusion: Text = ""
    app: CheckApp | None = None
    output: CheckOutput = CheckOutput()

    def is_by(self, app_id: int) -> bool:
        """Whether the App of this number made it."""
        return self.app is not None and self.app.id == app_id


class CheckRuns(Slice):
    """A page of check runs."""

    check_runs: tuple[CheckRun, ...]


class Verification(Slice):
    """What GitHub says of a commit's signature."""

    verified: bool = False
    reason: Text = ""


class GitCommit(Slice):
    """A commit as git has it."""

    sha: str
    verification: Verification = Verification()


class Annotation(Slice):
    """What a check run says of some lines."""

    path: Text = ""
    start_line: int | None = None
    annotation_level: Text = ""
    message: Text = ""


def read(kind: type[T], answer: Any) -> T:
    """The answer as a value. Raises `Unavailable` where it is none: something between us and GitHub answered."""
    try:
        return TypeAdapter(kind).validate_python(answer)
    except ValidationError as error:
        places = ", ".join(".".join(map(str, problem["loc"])) or "all of it" for problem in error.errors()[:3])
        raise Unavailable(f"GitHub's answer can't be read: {places}") from error
