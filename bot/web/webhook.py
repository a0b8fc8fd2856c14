"""`POST /webhook`: verify, decide, enqueue, answer. Whatever takes longer is done by a worker."""

import logging
from collections.abc import Callable, Collection, Mapping

from flask import Blueprint, Response, jsonify, request

from bot.errors import DeliveryRejected, Unavailable
from bot.records import Inbox, Receipt, Trigger
from bot.seen.about import Value, about
from bot.triggers.decide import Accept, Ignore, Pong, decide
from bot.triggers.events import (
    SUBSCRIBED,
    UNASKED,
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
    parse,
)
from bot.triggers.signature import verify

log = logging.getLogger(__name__)

PAYLOAD_LIMIT_BYTES = 25 * 1024 * 1024
"""GitHub delivers nothing larger. Source: https://docs.github.com/en/webhooks/webhook-events-and-payloads"""

ABOUT = "selfcode.about"
"""Where a request's WSGI environment says what the lines about it are to name: the line of the access log, too."""

OTHER = "other"
"""What is counted for every event that we don't know."""

UNKEPT = "unkept"
"""How a delivery counts as answered that asked for something we could not keep."""

Answer = tuple[Response, int]
Count = Callable[[str, str], None]
"""Counts one delivery: its event, how it was answered."""


def webhook(
    *,
    secret: str,
    label: str,
    bot_login: str,
    inbox: Inbox,
    count: Count,
    trusted_bots: Collection[str] = frozenset(),
) -> Blueprint:
    """The page that GitHub posts to.

    202 for a trigger that was kept or is known already, 200 for what asks for nothing, 4xx for what is no delivery of
    GitHub's, 503 where a trigger could not be kept: GitHub then shows the delivery as failed, and it can be sent again.
    """
    page = Blueprint("webhook", __name__)

    @page.post("/webhook")
    def receive() -> Answer:
        body = request.get_data(cache=False)
        event_name = request.headers.get("X-GitHub-Event")
        delivery_id = request.headers.get("X-GitHub-Delivery", "")[:100]
        found: dict[str, Value] = {"delivery": delivery_id}
        request.environ[ABOUT] = found
        unkept: Unavailable | None = None
        try:
            verify(secret, body, request.headers.get("X-Hub-Signature-256"))
            event = parse(event_name, body, request.content_type)
            found |= _about(event)
            decision = decide(
                event, label=label, bot_login=bot_login, delivery_id=delivery_id, trusted_bots=trusted_bots
            )
            status, answer = _act(decision, inbox)
        except DeliveryRejected as rejected:
            status, answer = rejected.status, {"error": rejected.reason}
        except Unavailable as failure:
            unkept = failure
            status, answer = 503, {"error": "the delivery could not be kept; please send it again"}
        count(_known(event_name) if status != 401 else OTHER, next(iter(answer)) if unkept is None else UNKEPT)
        with about(**found):
            if unkept is not None:
                log.error("a delivery could not be kept: %s", unkept)
            log.info("%s: %s %s", event_name, status, ", ".join(f"{name}: {value}" for name, value in answer.items()))
        return jsonify(answer), status

    return page


def _act(decision: Accept | Ignore | Pong, inbox: Inbox) -> tuple[int, Mapping[str, object]]:
    match decision:
        case Pong():
            return 200, {"pong": True}
        case Ignore(reason=reason):
            return 200, {"ignored": reason}
        case Accept(triggers=triggers):
            return 202, _keep(triggers, inbox)


def _keep(triggers: tuple[Trigger, ...], inbox: Inbox) -> Mapping[str, object]:
    receipts = [inbox.accept(trigger) for trigger in triggers]
    if Receipt.ACCEPTED in receipts:
        return {"accepted": triggers[0].kind}
    return {"duplicate": True}


def _known(event_name: str | None) -> str:
    """The event's name for the figures: the sender does not choose our series."""
    return event_name if event_name is not None and (event_name in SUBSCRIBED or event_name in UNASKED) else OTHER


def _about(event: Event) -> Mapping[str, Value]:
    """What the lines about a delivery name beside its id."""
    match event:
        case IssueEvent() | IssueCommentEvent():
            number = event.issue.number
        case PullRequestEvent() | ReviewEvent() | ReviewCommentEvent():
            number = event.pull_request.number
        case CheckRunEvent() | CheckSuiteEvent():
            number = 0
        case InstallationEvent() | InstallationRepositoriesEvent():
            return {"installation": event.installation.id}
        case Ping() | InstallationTargetEvent() | AuthorizationEvent() | Unknown() | Incomplete():
            return {}
    return {"installation": event.installation.id, "repository": event.repository.full_name, "issue": number}
