"""Who is signed in, and what they may see and do: as GitHub says, never longer than it says so."""

import logging
import threading
import time
from collections.abc import Callable
from dataclasses import dataclass, field, replace
from typing import TypeVar

from flask import Request

from bot.errors import Gone, Unavailable
from bot.records import (
    PERMISSIONS,
    SESSION_IDLE_S,
    SESSION_LASTS_S,
    Grant,
    Reach,
    SessionRow,
    Sessions,
    SigningIn,
    dump,
    load,
)
from bot.web.pages.place import Place
from bot.web.pages.sealing import Secret
from bot.web.pages.visitors import Visitor, operator_here

T = TypeVar("T")

REACH_S = 120.0
"""How long it is relied on what GitHub said that somebody may see."""

_SEEN_EVERY_S = 300.0
_RENEWED_BEFORE_S = 300.0
"""How long before its end a token is replaced."""

_CLAIM_S = 30.0
_OTHERS_S = 12.0
"""How long is waited for another process that replaces a token. GitHub takes the old one's companion once."""

_LOCKS = 64
_REMEMBERED = 2_000

COOKIE = "session"

log = logging.getLogger(__name__)


class NotKnown(Unavailable):
    """Who may see what can't be known just now: so nobody sees anything."""


@dataclass(frozen=True, slots=True)
class Session:
    """One browser that is signed in."""

    secret: Secret
    row: SessionRow


@dataclass(frozen=True, slots=True)
class Known:
    """What GitHub said of somebody, and when, by the monotonic clock."""

    reach: Reach
    at: float


@dataclass
class Doorkeeper:
    """Lets people in by their sessions. Safe for any number of threads.

    `operators` are logins; who is one sees and may do all. `minimum` is the permission that commands take.
    `lets_in_local`: who is on this machine is the operator, without signing in. `clock` is seconds since the epoch.
    """

    signing_in: SigningIn
    sessions: Sessions
    place: Place = field(default_factory=Place)
    operators: frozenset[str] = frozenset()
    minimum: str = "write"
    lets_in_local: bool = True
    clock: Callable[[], float] = time.time
    monotonic: Callable[[], float] = time.monotonic
    sleep: Callable[[float], None] = time.sleep
    _known: dict[str, Known] = field(default_factory=dict, init=False)
    _locks: tuple[threading.Lock, ...] = field(
        default_factory=lambda: tuple(threading.Lock() for _ in range(_LOCKS)), init=False
    )

    def recognize(self, request: Request) -> Visitor | None:
        """Who a request is from; None for somebody who has to sign in. Raises `Unavailable`."""
        session = self.session(request)
        found = self._visitor(session) if session is not None else None
        return operator_here(request) if found is None and self.lets_in_local else found

    def may_act(self, request: Request, visitor: Visitor, repository_id: int) -> bool:
        """Whether they may have runs there stopped and done again: asked of GitHub now. Raises `Unavailable`."""
        session = self.session(request)
        if session is None or visitor.is_operator:
            return visitor.may_write(repository_id)
        try:
            permission = self._asking(session, lambda grant: self.signing_in.permission(grant, repository_id))
        except Gone:
            return False
        return self._is_enough(permission, self.minimum)

    def still(self, request: Request) -> Callable[[], bool]:
        """What says whether the one who is let in now is in still, without GitHub being asked."""
        session = self.session(request)
        return (lambda: True) if session is None else (lambda: self.sessions.find(session.row.key) is not None)

    def begin(self, grant: Grant, user_id: int) -> Session:
        """Let a browser in, from now on, by the secret of the session."""
        secret, now = Secret.new(), self.clock()
        row = SessionRow(secret.key, user_id, secret.seal(dump(grant)), now, now)
        self.sessions.begin(row)
        return Session(secret, row)

    def end(self, session: Session) -> Session:
        """Let it in no more, from now on: neither here nor by any other process.

        Returns it with the token that it had at last: another process may have replaced the one that is known here.
        """
        row = self.sessions.end(session.row.key)
        self._known.pop(session.row.key, None)
        return session if row is None else replace(session, row=row)

    def sign_out(self, user_id: int) -> None:
        """Let nobody in any more as this user, in no browser, until they sign in anew."""
        self.sessions.end_all_of(user_id)

    def revoke(self, session: Session) -> None:
        """Have GitHub take its token no more. Who has signed out is out whether GitHub answers or not."""
        try:
            self.signing_in.revoke(self._opened(session))
        except Gone:
            log.info("the token of a session that has ended can't be read, and ends by itself")
        except Unavailable as away:
            log.warning("the token of a session that has ended is not revoked, and ends by itself: %s", away)
        except Exception:  # the outermost frame of its thread
            log.exception("bug in revoking a token")

    def session(self, request: Request) -> Session | None:
        """The session of a browser, while it lasts."""
        secret = Secret.read(self.place.given(request, COOKIE))
        row = self.sessions.find(secret.key) if secret is not None else None
        if secret is None or row is None:
            return None
        now = self.clock()
        if row.began_at <= now - SESSION_LASTS_S or row.seen_at <= now - SESSION_IDLE_S:
            self.end(Session(secret, row))
            return None
        if row.seen_at <= now - _SEEN_EVERY_S:
            self.sessions.see(row.key, now)
        return Session(secret, row)

    # --- What they may

    def _visitor(self, session: Session) -> Visitor | None:
        try:
            reach = self._reach(session)
        except Gone:
            self.end(session)
            log.info("a session has ended: GitHub does not take its token any more")
            return None
        except Unavailable as away:
            raise NotKnown(f"who may see what is not known: {away}", away.retry_after_s) from away
        return Visitor(
            reach.person,
            is_operator=reach.person.login.casefold() in self.operators,
            reads=self._with(reach, "read"),
            writes=self._with(reach, self.minimum),
            is_signed_in=True,
        )

    def _reach(self, session: Session) -> Reach:
        key = session.row.key
        with self._locks[int(key[:8], 16) % _LOCKS]:
            known = self._known.get(key)
            if known is None or self.monotonic() - known.at >= REACH_S:
                self._known.pop(key, None)
                at = self.monotonic()
                known = Known(self._asking(session, self.signing_in.reach), at)
                self._remember(key, known)
            return known.reach

    def _remember(self, key: str, known: Known) -> None:
        if len(self._known) >= _REMEMBERED:
            for other in list(self._known)[: _REMEMBERED // 2]:
                self._known.pop(other, None)
        self._known[key] = known

    def _with(self, reach: Reach, least: str) -> frozenset[int]:
        return frozenset(number for number, held in reach.permissions.items() if self._is_enough(held, least))

    @staticmethod
    def _is_enough(permission: str, least: str) -> bool:
        return PERMISSIONS.index(permission) >= PERMISSIONS.index(least)

    # --- Asking in their name

    def _asking(self, session: Session, ask: Callable[[Grant], T]) -> T:
        """Ask with the session's token; once more where another process has replaced it meanwhile. Raises `Gone`."""
        fresh, grant = self._fresh(session)
        try:
            return ask(grant)
        except Gone:
            newer = self.sessions.find(session.row.key)
            if newer is None or newer.version == fresh.row.version:
                raise
            return ask(self._opened(replace(session, row=newer)))

    def _fresh(self, session: Session) -> tuple[Session, Grant]:
        """The session with a token that is good for a while, replaced where that is due."""
        grant, now = self._opened(session), self.clock()
        if grant.expires_at is None or grant.expires_at - now > _RENEWED_BEFORE_S:
            return session, grant
        if not self.sessions.claim(session.row, now, now + _CLAIM_S):
            return self._replaced(session)
        fresh = self.signing_in.renew(grant)
        row = replace(session.row, sealed=session.secret.seal(dump(fresh)), version=session.row.version + 1)
        renewed = replace(session, row=row)
        if not self.sessions.replace(session.row, row.sealed):
            self.revoke(renewed)
            raise Gone("signed out")
        return renewed, fresh

    def _replaced(self, session: Session) -> tuple[Session, Grant]:
        """The session as another process leaves it."""
        until = self.monotonic() + _OTHERS_S
        while self.monotonic() < until:
            row = self.sessions.find(session.row.key)
            if row is None:
                raise Gone("signed out")
            if row.version != session.row.version:
                found = replace(session, row=row)
                return found, self._opened(found)
            self.sleep(0.2)
        raise Unavailable("GitHub is asked for a new token")

    @staticmethod
    def _opened(session: Session) -> Grant:
        text = session.secret.open(session.row.sealed)
        if text is None:
            raise Gone("the session can't be read")
        return load(Grant, text)
