"""What a delivery asks for, if anything. Pure: the answer is a value, and whoever asked acts on it.

Whether a person may ask is looked up when it is acted on, not here: payloads can't be relied on for it.
"""

from collections.abc import Collection

from bot.triggers.answers import Accept, EndSessions, Ignore, Ours, Pong
from bot.triggers.asking import on_comment, on_review, on_review_comment
from bot.triggers.checking import on_check_run, on_check_suite
from bot.triggers.events import (
    AuthorizationEvent,
    CheckRunEvent,
    CheckSuiteEvent,
    Event,
    Incomplete,
    InstallationEvent,
    InstallationRepositoriesEvent,
    InstallationTargetEvent,
    IssueCommentEvent,
    IssueEvent,
    Ping,
    PullRequestEvent,
    ReviewCommentEvent,
    ReviewEvent,
    Unknown,
)
from bot.triggers.happening import on_issue, on_pull_request
from bot.triggers.installing import on_installation, on_repositories

__all__ = ["Accept", "Decision", "EndSessions", "Ignore", "Pong", "decide"]

Decision = Accept | Ignore | Pong | EndSessions


def decide(  # noqa: PLR0911 - one answer a kind of event
    event: Event, *, label: str, bot_login: str, delivery_id: str, trusted_bots: Collection[str] = frozenset()
) -> Decision:
    """What the event asks for.

    `label` starts runs, `bot_login` is ours (`slug[bot]`), `trusted_bots` are those that may ask like people; letter
    case does not matter.
    """
    ours = Ours(label=label, bot_login=bot_login, delivery_id=delivery_id, trusted_bots=trusted_bots)
    match event:
        case Ping():
            return Pong()
        case Unknown(name=name):
            return Ignore(f"the event {name} is not one we act on")
        case Incomplete(name=name, lacks=lacks):
            return Ignore(f"the payload of {name} has no usable {', '.join(lacks[:3])}")
        case InstallationTargetEvent():
            return Ignore("accounts are looked up when they matter")
        case AuthorizationEvent():
            return _taken_back(event)
        case InstallationEvent():
            return on_installation(event, ours)
        case InstallationRepositoriesEvent():
            return on_repositories(event, ours)
        case CheckRunEvent():
            return on_check_run(event, ours)
        case CheckSuiteEvent():
            return on_check_suite(event, ours)
        case _:
            return _said_or_done(event, ours)


def _taken_back(event: AuthorizationEvent) -> EndSessions | Ignore:
    if event.action != "revoked" or event.sender.id is None:
        return Ignore("nobody is named whose permission was taken back")
    return EndSessions(event.sender.id)


def _said_or_done(
    event: IssueEvent | IssueCommentEvent | PullRequestEvent | ReviewEvent | ReviewCommentEvent, ours: Ours
) -> Accept | Ignore:
    """What somebody did, who may not be ourselves."""
    if ours.is_us(event.sender):
        return Ignore("our own doing")
    match event:
        case IssueEvent():
            return on_issue(event, ours)
        case IssueCommentEvent():
            return on_comment(event, ours)
        case PullRequestEvent():
            return on_pull_request(event, ours)
        case ReviewEvent():
            return on_review(event, ours)
        case ReviewCommentEvent():
            return on_review_comment(event, ours)
