"""Signing in by an account on GitHub: what it gives, and what it says about who may see what."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Protocol

from bot.records.places import Person

SESSION_LASTS_S = 7 * 86_400
"""How long one stays signed in at most."""

SESSION_IDLE_S = 86_400
"""How long one stays signed in without looking at anything."""


@dataclass(frozen=True, slots=True)
class Grant:
    """What lets us ask in a person's name. `expires_at` is in seconds since the epoch; None for never.

    `refresh_token` is good for the next grant, once; "" where GitHub gives none.
    """

    token: str = field(repr=False)
    expires_at: float | None = None
    refresh_token: str = field(default="", repr=False)


@dataclass(frozen=True, slots=True)
class Reach:
    """How far somebody reaches: what they may do in each repository that both they and the App can see, by its id.

    What they may do is one of `PERMISSIONS`.
    """

    person: Person
    permissions: Mapping[int, str]


class SigningIn(Protocol):
    """GitHub, where people sign in. Each but `address` raises `Unavailable` where it is away.

    With a grant that is not good any more, each raises `Gone`.
    """

    def address(self, *, state: str, challenge: str, back: str) -> str:
        """Where a browser is sent to. It comes back to `back` with `state`; `challenge` is PKCE's, by S256."""
        ...

    def redeem(self, code: str, *, verifier: str, back: str) -> Grant:
        """What a code is good for that came back, once."""
        ...

    def renew(self, grant: Grant) -> Grant:
        """The next grant; this one is used up."""
        ...

    def revoke(self, grant: Grant) -> None:
        """Have its token be good for nothing from now on; one that is so already is no failure."""
        ...

    def person(self, grant: Grant) -> Person:
        """Whose it is, with the id."""
        ...

    def reach(self, grant: Grant) -> Reach:
        """All that they reach, as of now."""
        ...

    def permission(self, grant: Grant, repository_id: int) -> str:
        """What they may do in one repository, as of now."""
        ...


@dataclass(frozen=True, slots=True)
class SessionRow:
    """A session as it is kept. Neither its browser's secret nor what is sealed with that can be told from it.

    `key` is a digest of the secret; `version` counts how often what is sealed was replaced. Moments are seconds since
    the epoch.
    """

    key: str
    user_id: int
    sealed: str = field(repr=False)
    began_at: float
    seen_at: float
    version: int = 0


class Sessions(Protocol):
    """Who is signed in, for all web processes. Each raises `Unavailable` where the database does not answer."""

    def ask(self, key: str, leads_to: str, now: float) -> None:
        """Keep that a browser was sent to GitHub, and where it wanted to."""
        ...

    def arrive(self, key: str, since: float) -> str | None:
        """Where a browser that comes back wanted to: once; None where it was not sent since."""
        ...

    def begin(self, row: SessionRow) -> None:
        """Keep a session; forget those that are over when it begins."""
        ...

    def find(self, key: str) -> SessionRow | None: ...

    def see(self, key: str, now: float) -> None:
        """Keep that it was used just now."""
        ...

    def claim(self, row: SessionRow, now: float, until: float) -> bool:
        """Be the only one who replaces what this version holds, until then; False where another one is."""
        ...

    def replace(self, row: SessionRow, sealed: str) -> bool:
        """Keep something else sealed, as the next version; False where this one is gone or was replaced."""
        ...

    def end(self, key: str) -> SessionRow | None:
        """Keep a session no more. Returns it as it was at last; None where it was gone."""
        ...

    def end_all_of(self, user_id: int, *, begun_until: float | None = None) -> None:
        """Keep no session of somebody's; or none that had begun by a moment."""
        ...
