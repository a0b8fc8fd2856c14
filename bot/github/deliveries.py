"""What GitHub delivered to the App, or failed to: kept for three days (Enterprise Server: seven), page by page.

GitHub's own filter for failures is not used: it leaves out where nobody could be connected to.
Source: https://docs.github.com/en/rest/apps/webhooks
"""

import json
from datetime import datetime
from typing import Annotated, Any

from pydantic import BeforeValidator

from bot.errors import Gone
from bot.github.answers import Slice, Text, read
from bot.github.connections import Connections
from bot.github.server import Purpose, Server
from bot.records import DeliveryAttempt, DeliveryPage

PAGE = 100
PATH = "/app/hook/deliveries"
_LISTING = Purpose("list what was delivered to the App", "metadata: read")
_READING = Purpose("read what was delivered to the App", "metadata: read")


class Attempt(Slice):
    """One try to deliver something. `status_code` is 0 where nobody could be connected to; `status` is its words."""

    id: int
    guid: str
    event: str
    action: Text = ""
    delivered_at: datetime
    status: Text = ""
    status_code: Annotated[int, BeforeValidator(lambda value: value or 0)] = 0


class Sent(Slice):
    """What was sent."""

    payload: Any = None


class Delivery(Slice):
    """One try, whole."""

    request: Annotated[Sent, BeforeValidator(lambda value: value or {})] = Sent()


def page(server: Server, as_app: Connections, cursor: str | None) -> DeliveryPage:
    """The newest tries, or those that the cursor leads to. Raises as `Server.send` does."""
    parameters = {"per_page": PAGE} | ({"cursor": cursor} if cursor else {})
    answer, following = server.turn_page(as_app, PATH, purpose=_LISTING, parameters=parameters)
    return DeliveryPage(tuple(_as_record(found) for found in read(list[Attempt], answer)), following)


def body(server: Server, as_app: Connections, attempt_id: int) -> bytes:
    """What was sent, as JSON. Raises as `Server.send` does, and `Gone` where it is kept no longer."""
    answer = server.send(as_app, "GET", f"{PATH}/{attempt_id}", purpose=_READING)
    match read(Delivery, answer).request.payload:
        case None:
            raise Gone(f"GitHub has not kept what delivery {attempt_id} was of")
        case str() as text:
            return text.encode()
        case payload:
            return json.dumps(payload).encode()


def _as_record(found: Attempt) -> DeliveryAttempt:
    return DeliveryAttempt(
        id=found.id,
        guid=found.guid,
        event=found.event,
        action=found.action,
        delivered_at=found.delivered_at.timestamp(),
        was_taken=200 <= found.status_code < 300,
    )
