"""`POST /webhook`: verify, decide, enqueue, answer. Whatever takes longer is done by a worker."""

import asyncio
import logging
import time
from collections.abc import Callable, Collection, Mapping, Sequence
from dataclasses import dataclass
from typing import Protocol

from bot.errors import DeliveryRejected, Unavailable
from bot.records import Receipt, Trigger
from bot.seen.about import Value, about
from bot.triggers.decide import Accept, Decision, EndSessions, Ignore, Pong, decide
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
from bot.web.exchange import BUG, Reply, Request, in_json

log = logging.getLogger(__name__)

SMALL_BYTES = 256 * 1024
"""What is read where it came in; more than that would keep the others waiting, and is read in a thread."""

OTHER = "other"
"""What is counted for every event that we don't know."""

UNKEPT = "unkept"
"""How a delivery counts as answered that asked for something we could not keep."""

Count = Callable[[str, str], None]
"""Counts one delivery: its event, how it was answered."""

SignOut = Callable[[int], None]
"""Lets nobody in any more as the user with this id. Raises `Unavailable`."""


def nobody_signs_in(_: int) -> None:
    """Where there are no sessions, there is none to end."""


class Keeping(Protocol):
    """An inbox that an event loop can wait for: all of the triggers are kept, or none."""

    async def keep(self, triggers: Sequence[Trigger]) -> Sequence[Receipt]: ...


@dataclass(frozen=True, slots=True, kw_only=True)
class Webhook:
    """What GitHub posts to.

    202 for a trigger that was kept or is known already, and where somebody was signed out; 200 for what asks for
    nothing, 4xx for what is no delivery of GitHub's, 503 where that could not be kept or done: GitHub then shows the
    delivery as failed, and it can be sent again.
    """

    secret: str
    label: str
    bot_login: str
    inbox: Keeping
    count: Count
    trusted_bots: Collection[str] = frozenset()
    sign_out: SignOut = nobody_signs_in

    async def receive(self, request: Request, body: bytes) -> Reply:
        """Answer one delivery, which is one line in the log. Only what asks for something waits: until it is kept."""
        begun_s = time.perf_counter()
        event_name = request.headers.get("x-github-event", "")[:100]
        found: dict[str, Value] = {"delivery": request.headers.get("x-github-delivery", "")[:100]}
        try:
            if len(body) <= SMALL_BYTES:
                event, decision = self._read(request, body)
            else:
                event, decision = await asyncio.to_thread(self._read, request, body)
            found |= _about(event)
            status, answer = await self._act(decision)
            counted = next(iter(answer))
        except DeliveryRejected as rejected:
            status, answer, counted = rejected.status, {"error": rejected.reason}, "error"
        except Unavailable as failure:
            status, answer, counted = 503, {"error": "the delivery could not be kept; please send it again"}, UNKEPT
            with about(**found):
                log.error("a delivery could not be kept: %s", failure)  # noqa: TRY400 - nothing of ours is wrong
        except Exception:
            with about(**found):
                log.exception("bug in the webhook")
            return BUG
        self.count(_known(event_name) if status != 401 else OTHER, counted)
        with about(**found):
            said = ", ".join(f"{name}: {value}" for name, value in answer.items())
            took_ms = (time.perf_counter() - begun_s) * 1000
            log.info("%s: %s %s (%s, %.1f ms)", event_name, status, said, request.remote, took_ms)
        return in_json(status, **answer)

    def _read(self, request: Request, body: bytes) -> tuple[Event, Decision]:
        """What a delivery says, and asks for; believed is nothing before its signature is."""
        headers = request.headers
        verify(self.secret, body, headers.get("x-hub-signature-256"))
        event = parse(headers.get("x-github-event"), body, headers.get("content-type"))
        decision = decide(
            event,
            label=self.label,
            bot_login=self.bot_login,
            delivery_id=headers.get("x-github-delivery", "")[:100],
            trusted_bots=self.trusted_bots,
        )
        return event, decision

    async def _act(self, decision: Decision) -> tuple[int, Mapping[str, object]]:
        match decision:
            case Pong():
                return 200, {"pong": True}
            case Ignore(reason=reason):
                return 200, {"ignored": reason}
            case EndSessions(user_id=user_id):
                await asyncio.to_thread(self.sign_out, user_id)
                return 202, {"accepted": "revoked"}
            case Accept(triggers=triggers):
                receipts = await self.inbox.keep(triggers)
                return 202, {"accepted": triggers[0].kind} if Receipt.ACCEPTED in receipts else {"duplicate": True}


def _known(event_name: str) -> str:
    """The event's name for the figures: the sender does not choose our series."""
    return event_name if event_name in SUBSCRIBED or event_name in UNASKED else OTHER


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
