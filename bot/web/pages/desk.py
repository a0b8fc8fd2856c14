"""Where the App is created: who may do so, what was asked of GitHub, what came back."""

import hmac
import secrets
import threading
import time
from collections.abc import Callable
from dataclasses import dataclass, field, replace

from bot.errors import Refused
from bot.records import NewApp, Registrar, WantedApp

GOOD_FOR_S = 3600.0
"""How long an answer of GitHub's is waited for: as long as its code is good."""

ASKED_AT_MOST = 100


@dataclass(frozen=True, slots=True)
class Session:
    """One browser that has used the link. `form` goes with each form that it sends."""

    id: str = field(repr=False)
    form: str = field(repr=False)

    def sent_with(self, form: str) -> bool:
        """Whether a form that came is one that we gave this browser."""
        return _same(form, self.form)


@dataclass(frozen=True, slots=True)
class Asked:
    """What somebody went to GitHub with. `code` is what they came back with, `app` what that was good for."""

    wanted: WantedApp
    at: float
    code: str = field(default="", repr=False)
    app: NewApp | None = None


Keep = Callable[[NewApp, WantedApp], None]
"""Keeps the App for good. Raises `ConfigError` where it can't."""


class Desk:
    """Creates one App, whoever comes first. Safe for any number of threads.

    `shown` is set by the page once the App is there and somebody has been told so.
    """

    def __init__(
        self,
        registrar: Registrar,
        keep: Keep,
        tell_token: Callable[[str], None],
        clock: Callable[[], float] = time.monotonic,
    ) -> None:
        """`tell_token` shows the operator, and nobody else, the token that lets one browser in; called for each one."""
        self._registrar = registrar
        self._keep = keep
        self._tell_token = tell_token
        self._clock = clock
        self._lock = threading.Lock()
        self._finishing = threading.Lock()
        self._sessions: dict[str, Session] = {}
        self._asked: dict[str, Asked] = {}
        self._arrived: Asked | None = None
        self.is_created = False
        self.shown = threading.Event()
        self._token = secrets.token_urlsafe(32)

    def open(self) -> None:
        """Tell the first token: to be called once the pages are served."""
        self._token = self._new_token()

    def enter(self, token: str) -> Session | None:
        """Let a browser in by the token of the link, once: after it there is another one."""
        with self._lock:
            if not _same(token, self._token) or self.is_created:
                return None
            session = Session(secrets.token_urlsafe(32), secrets.token_urlsafe(32))
            self._sessions[session.id] = session
            self._token = self._new_token()
            return session

    def session(self, session_id: str) -> Session | None:
        """The browser that was let in."""
        return self._sessions.get(session_id)

    def ask(self, wanted: WantedApp) -> str:
        """Remember what is asked of GitHub. Returns the state that has to come back with the answer."""
        state = secrets.token_urlsafe(32)
        with self._lock:
            kept = list(self._asked.items())[-ASKED_AT_MOST:]
            self._asked = {known: asked for known, asked in kept if self._clock() - asked.at < GOOD_FOR_S}
            self._asked[state] = Asked(wanted, self._clock())
        return state

    def arrive(self, state: str, code: str) -> bool:
        """Take what GitHub sent back, once. False where nobody asked for it, or longer ago than it is good for."""
        with self._lock:
            asked = self._asked.pop(state, None)
            if asked is None or not code or self._clock() - asked.at >= GOOD_FOR_S:
                return False
            if self._arrived is None or self._arrived.app is None:
                self._arrived = replace(asked, code=code)
            return True

    def finish(self) -> tuple[NewApp, WantedApp]:
        """Make credentials of what came back, and keep them; to be tried again where something was away.

        Raises `Gone` where the code is no longer good, `Unavailable` where GitHub is away, `ConfigError` where nothing
        can be kept, `Refused` where nothing came back or somebody else was first.
        """
        with self._finishing:
            if self.is_created:
                raise Refused("Another browser has created the App meanwhile.")
            arrived = self._arrived
            if arrived is None:
                raise Refused("Nothing has come back from GitHub yet.")
            app = arrived.app
            if app is None:
                app = self._registrar.created_with(arrived.code)
                self._arrived = replace(arrived, code="", app=app)
            self._keep(app, arrived.wanted)
            self.is_created = True
            return app, arrived.wanted

    def forget_arrived(self) -> None:
        """What came back is good for nothing: the next may come."""
        with self._lock:
            if self._arrived is not None and self._arrived.app is None:
                self._arrived = None

    def _new_token(self) -> str:
        token = secrets.token_urlsafe(32)
        self._tell_token(token)
        return token


def _same(one: str, other: str) -> bool:
    """Compare what must not be guessed bit by bit."""
    return hmac.compare_digest(one.encode(), other.encode())
