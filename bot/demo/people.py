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
