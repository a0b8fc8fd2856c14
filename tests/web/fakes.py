"""An inbox in memory, a client that signs as GitHub does."""

import asyncio
import json
from collections.abc import Collection, Iterable, Mapping, MutableMapping, Sequence
from dataclasses import dataclass, field
from types import MappingProxyType
from typing import Any

from bot.errors import Unavailable
from bot.records import Receipt, Trigger
from bot.seen.figures import Figures, Reading
from bot.triggers.signature import sign
from bot.web.app import create_app
from bot.web.asgi import Site
from bot.web.webhook import Keeping

SECRET = "It's a Secret to Everybody"


@dataclass
class MemoryInbox:
    """Keeps triggers by their keys; `broken` is a database that does not answer."""

    kept: dict[str, Trigger] = field(default_factory=dict)
    broken: bool = False
    calls: int = 0

    async def keep(self, triggers: Sequence[Trigger]) -> Sequence[Receipt]:
        self.calls += 1
        if self.broken:
            raise Unavailable("the database does not answer")
        return [self._accept(trigger) for trigger in triggers]

    def _accept(self, trigger: Trigger) -> Receipt:
        if trigger.key in self.kept:
            return Receipt.DUPLICATE
        self.kept[trigger.key] = trigger
        return Receipt.ACCEPTED


@dataclass(frozen=True, slots=True)
class Answer:
    status_code: int
    headers: Mapping[str, str]
    data: bytes

    @property
    def text(self) -> str:
        return self.data.decode()

    @property
    def json(self) -> Any:
        return json.loads(self.data)


@dataclass(frozen=True, slots=True)
class Client:
    """Calls the application as its server does, from this machine unless told otherwise, a body in pieces."""

    site: Site

    def get(self, path: str, *, remote: str = "127.0.0.1", headers: Mapping[str, str] | None = None) -> Answer:
        return self.ask("GET", path, remote=remote, headers=headers or {})

    def ask(
        self,
        method: str,
        path: str,
        body: bytes = b"",
        *,
        remote: str = "127.0.0.1",
        headers: Mapping[str, str] = MappingProxyType({}),
        ends: bool = True,
    ) -> Answer:
        """`ends` is whether the whole body comes."""
        given = {name.lower(): value for name, value in headers.items()}
        sent = {"host": "localhost", "content-length": str(len(body)), **given}
        scope: MutableMapping[str, Any] = {
            "type": "http",
            "method": method,
            "path": path,
            "headers": [(name.encode(), value.encode()) for name, value in sent.items()],
            "client": (remote, 4711),
        }
        pieces = [body[at : at + _PIECE_BYTES] for at in range(0, len(body), _PIECE_BYTES)] or [b""]
        incoming: list[MutableMapping[str, Any]] = [
            {"type": "http.request", "body": piece, "more_body": True} for piece in pieces
        ]
        if ends:
            incoming[-1]["more_body"] = False
        else:
            incoming.append({"type": "http.disconnect"})
        outgoing: list[MutableMapping[str, Any]] = []

        async def receive() -> MutableMapping[str, Any]:
            if not incoming:
                await asyncio.Event().wait()
            return incoming.pop(0)

        async def send(message: MutableMapping[str, Any]) -> None:
            outgoing.append(message)

        async def call() -> None:
            await self.site(scope, receive, send)

        asyncio.run(call())
        start, *contents = outgoing
        answered = {name.decode(): value.decode() for name, value in start["headers"]}
        return Answer(start["status"], answered, b"".join(content["body"] for content in contents))


_PIECE_BYTES = 64 * 1024


def an_app(
    inbox: Keeping,
    *,
    trusted_bots: Collection[str] = (),
    figures: Figures | None = None,
    readings: Iterable[Reading] = (),
    **problems: str,
) -> Site:
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
    client: Client,
    event_name: str | None,
    payload: object,
    *,
    body: bytes | None = None,
    secret: str = SECRET,
    ends: bool = True,
    **headers: str | None,
) -> Answer:
    """Post a delivery signed over its raw bytes; a header given as None is left out."""
    raw = json.dumps(payload, ensure_ascii=False).encode() if body is None else body
    sent: dict[str, Any] = {
        "X-GitHub-Event": event_name,
        "X-GitHub-Delivery": "d-1",
        "X-Hub-Signature-256": sign(secret, raw),
        "Content-Type": "application/json",
    } | {name.replace("_", "-"): value for name, value in headers.items()}
    shown = {name: value for name, value in sent.items() if value is not None}
    return client.ask("POST", "/webhook", raw, headers=shown, ends=ends)
