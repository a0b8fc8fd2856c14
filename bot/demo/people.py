"""Who acts on the stand-in: people, bots, and the Apps behind bots."""

from dataclasses import dataclass
from datetime import datetime


@dataclass(slots=True, eq=False)
class Account:
    """A person, or an App's bot."""

    id: int
    login: str
    kind: str
    created_at: datetime


@dataclass(slots=True, eq=False)
class Reaction:
    """One reaction of one account."""

    id: int
    user: Account
    content: str
    created_at: datetime


@dataclass(slots=True, eq=False)
class App:
    """A registered GitHub App. `webhook_url` "" means that deliveries are kept, and sent nowhere."""

    id: int
    slug: str
    owner: Account
    bot: Account
    private_key: str
    public_key: str
    webhook_secret: str
    webhook_url: str
    permissions: dict[str, str]
    events: tuple[str, ...]
    created_at: datetime
    client_id: str = ""
    client_secret: str = ""
    callback_urls: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class Registration:
    """An App that waits for its credentials to be fetched, once and for an hour."""

    app: App
    at: datetime


@dataclass(frozen=True, slots=True)
class Asked:
    """What an App's page asks for, in the address that it sends a browser to. `challenge` "" is none."""

    app: App
    back: str
    state: str
    challenge: str


@dataclass(frozen=True, slots=True)
class Code:
    """That somebody said yes, until the App fetches a token for it."""

    asked: Asked
    account: Account
    at: datetime


@dataclass(frozen=True, slots=True)
class Refresh:
    """What the next token is had for, once, in place of `token`."""

    app: App
    account: Account
    token: str
    at: datetime
