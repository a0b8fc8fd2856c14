"""An inbox in memory, a client that signs as GitHub does."""

import json
from collections.abc import Collection, Iterable
from dataclasses import dataclass, field
from typing import Any

from flask import Flask
from flask.testing import FlaskClient
from werkzeug.test import TestResponse

from bot.errors import Unavailable
from bot.records import Inbox, Receipt, Trigger
from bot.seen.figures import Figures, Reading
from bot.triggers.signature import sign
from bot.web.app import create_app

SECRET = "It's a Secret to Everybody"


@dataclass
class MemoryInbox:
    """Keeps triggers by their keys; `broken` is a database that does not answer."""

    kept: dict[str, Trigger] = field(default_factory=dict)
    broken: bool = False
    calls: int = 0

    def accept(self, trigger: Trigger) -> Receipt:
        self.calls += 1
        if self.broken:
            raise Unavailable("the database does not answer")
        if trigger.key in self.kept:
            return Receipt.DUPLICATE
        self.kept[trigger.key] = trigger
        return Receipt.ACCEPTED


def an_app(
    inbox: Inbox,
    *,
    trusted_bots: Collection[str] = (),
    figures: Figures | None = None,
    readings: Iterable[Reading] = (),
    **problems: str,
) -> Flask:
    """`problems` are named by the part that has them."""
    return create_app(
        webhook_secret=SECRET,
        label="selfcode",
        bot_login="selfcode[bot]",
        inbox=inbox,
        ready=lambda: {"database": "", "worker": ""} | problems,
        figures=figures or Figures(),
        readings=lambda: readings,
        trusted_bots=trusted_bots,
    )


def deliver(
    client: FlaskClient,
    event_name: str | None,
    payload: object,
    *,
    body: bytes | None = None,
    secret: str = SECRET,
    **headers: str | None,
) -> TestResponse:
    """Post a delivery signed over its raw bytes; a header given as None is left out."""
    raw = json.dumps(payload, ensure_ascii=False).encode() if body is None else body
    sent: dict[str, Any] = {
        "X-GitHub-Event": event_name,
        "X-GitHub-Delivery": "d-1",
        "X-Hub-Signature-256": sign(secret, raw),
        "Content-Type": "application/json",
    } | {name.replace("_", "-"): value for name, value in headers.items()}
    return client.post("/webhook", data=raw, headers={name: value for name, value in sent.items() if value is not None})
