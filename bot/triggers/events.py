"""Webhook deliveries as values. Pure.

A genuine delivery is never refused for its shape: what lacks something that we need becomes `Incomplete`, an event that
we don't know becomes `Unknown`, and both are ignored with a reason. Refused is only what is no delivery at all.
"""

import json
from collections.abc import Mapping
from contextlib import suppress
from dataclasses import dataclass
from datetime import UTC, datetime
from typing import Annotated
from urllib.parse import parse_qs

from pydantic import BeforeValidator, ValidationError

from bot.errors import DeliveryRejected
from bot.triggers.payloads import (
    Account,
    CheckRun,
    CheckSuite,
    Identified,
    Installation,
    Issue,
    IssueComment,
    Label,
    PullRequest,
    Repository,
    Review,
    ReviewComment,
    Slice,
    Text,
)


class Ping(Slice):
    """GitHub tries whether the webhook answers. It has no action."""

    zen: Text = ""


class FromRepository(Slice):
    """What every event of a repository carries."""

    action: str
    installation: Identified
    repository: Repository
    sender: Account


class IssueEvent(FromRepository):
    """`label` is the one that was put on or taken off; None where GitHub no longer knows it."""

    issue: Issue
    label: Label | None = None


class IssueCommentEvent(FromRepository):
    """A comment on an issue or in the conversation of a pull request."""

    issue: Issue
    comment: IssueComment


class PullRequestEvent(FromRepository):
    """Something happened to a pull request."""

    pull_request: PullRequest


class ReviewEvent(FromRepository):
    """A review was submitted, edited or dismissed."""

    pull_request: PullRequest
    review: Review


class ReviewCommentEvent(FromRepository):
    """A comment on a line of a pull request."""

    pull_request: PullRequest
    comment: ReviewComment


class CheckRunEvent(FromRepository):
    """A check run began or ended, or someone asks for it again."""

    check_run: CheckRun


class CheckSuiteEvent(FromRepository):
    """All checks of a commit ended, or someone asks for them again."""

    check_suite: CheckSuite


class InstallationEvent(Slice):
    """The App was installed on an account, or taken off it; `repositories` are those it may see."""

    action: str
    installation: Installation
    repositories: Annotated[tuple[Repository, ...], BeforeValidator(lambda value: value or ())] = ()
    sender: Account


class InstallationRepositoriesEvent(Slice):
    """The App may now see more or fewer repositories of an account."""

    action: str
    installation: Installation
    repositories_added: tuple[Repository, ...] = ()
    repositories_removed: tuple[Repository, ...] = ()
    sender: Account


class InstallationTargetEvent(Slice):
    """The account that an installation is on was renamed."""

    action: str


class AuthorizationEvent(Slice):
    """A user, the sender, took back what they had allowed the App to do in their name."""

    action: str
    sender: Account


@dataclass(frozen=True, slots=True)
class Unknown:
    """An event that app.yml does not subscribe to."""

    name: str


@dataclass(frozen=True, slots=True)
class Incomplete:
    """A delivery that lacks something; `lacks` names the fields."""

    name: str
    lacks: tuple[str, ...]


RepositoryEvent = (
    IssueEvent
    | IssueCommentEvent
    | PullRequestEvent
    | ReviewEvent
    | ReviewCommentEvent
    | CheckRunEvent
    | CheckSuiteEvent
)
_Parsed = (
    Ping
    | RepositoryEvent
    | InstallationEvent
    | InstallationRepositoriesEvent
    | InstallationTargetEvent
    | AuthorizationEvent
)
Event = _Parsed | Unknown | Incomplete

SUBSCRIBED: Mapping[str, type[_Parsed]] = {
    "issues": IssueEvent,
    "issue_comment": IssueCommentEvent,
    "pull_request": PullRequestEvent,
    "pull_request_review": ReviewEvent,
    "pull_request_review_comment": ReviewCommentEvent,
    "check_run": CheckRunEvent,
    "check_suite": CheckSuiteEvent,
}
"""What app.yml subscribes to."""

UNASKED: Mapping[str, type[_Parsed]] = {
    "ping": Ping,
    "installation": InstallationEvent,
    "installation_repositories": InstallationRepositoriesEvent,
    "installation_target": InstallationTargetEvent,
    "github_app_authorization": AuthorizationEvent,
}
"""What every App gets without subscribing. Source: https://docs.github.com/en/webhooks/webhook-events-and-payloads"""


def parse(event_name: str | None, body: bytes, content_type: str | None) -> Event:
    """Read a delivery whose signature was right. `event_name` is the header `X-GitHub-Event`.

    What an event that we don't know says is not looked at. Raises: `DeliveryRejected` with 400 (no event named, no JSON
    object) or 415 (another content type).
    """
    if not event_name:
        raise DeliveryRejected(400, "the header X-GitHub-Event is missing")
    text = _json_text(body, content_type)
    kind = SUBSCRIBED.get(event_name) or UNASKED.get(event_name)
    if kind is None:
        return Unknown(event_name)
    with suppress(ValidationError):
        return kind.model_validate_json(text)  # nearly always, and it makes nothing of what we don't read
    try:
        return kind.model_validate(_json_object(text))
    except ValidationError as error:
        return Incomplete(event_name, tuple(".".join(map(str, problem["loc"])) for problem in error.errors()))


def iso(moment: datetime) -> str:
    """GitHub's way to write a moment: ISO 8601 in UTC, to the second."""
    return moment.astimezone(UTC).strftime("%Y-%m-%dT%H:%M:%SZ")


def _json_text(body: bytes, content_type: str | None) -> bytes:
    match (content_type or "").partition(";")[0].strip().lower():
        case "application/json":
            return body
        case "application/x-www-form-urlencoded":
            return _form_field(body)
        case _:
            raise DeliveryRejected(415, "the content type must be application/json")


def _form_field(body: bytes) -> bytes:
    try:
        fields = parse_qs(body.decode("ascii"), max_num_fields=10)
    except ValueError as error:
        raise DeliveryRejected(400, "the form can't be read") from error
    if "payload" not in fields:
        raise DeliveryRejected(400, "the form has no field payload")
    return fields["payload"][0].encode()


def _json_object(text: bytes) -> dict[str, object]:
    try:
        value = json.loads(text)
    except (ValueError, RecursionError) as error:
        raise DeliveryRejected(400, "the body is not JSON") from error
    if not isinstance(value, dict):
        raise DeliveryRejected(400, "the body must be a JSON object")
    return value
