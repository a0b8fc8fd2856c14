"""Tokens: made from the App's key, each for one repository, thrown away before they expire."""

import logging
import threading
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any

import jwt
from cryptography.hazmat.primitives.asymmetric.rsa import RSAPrivateKey
from github import Auth
from jwt import PyJWTError
from jwt.algorithms import RSAAlgorithm

from bot.errors import ConfigError, Gone, Refused, Unavailable
from bot.github.answers import Identified, InstallationToken, read
from bot.github.connections import Connections
from bot.github.failures import Expired, Invalid, Moved
from bot.github.server import Purpose, Server
from bot.github.turns import Locks
from bot.records import RepositoryRef

FRESH_S = 50 * 60.0
"""How long a token is used. It lives an hour.

Source: https://docs.github.com/en/apps/creating-github-apps/authenticating-with-a-github-app/generating-an-installation-access-token-for-a-github-app
"""

REFUSED_KEY = "GitHub does not accept SELFCODE_APP_ID with this key, or this machine's clock is wrong"

_MINTING = Purpose("make a token", "metadata: read")
_FOLLOWING = Purpose("find who sees the repository", "metadata: read")

log = logging.getLogger(__name__)


@dataclass(frozen=True, slots=True)
class _Held:
    connections: Connections
    until_s: float


class Tokens:
    """The credentials of an App. Safe for any number of threads: who waits for a token keeps nobody else waiting."""

    def __init__(self, *, server: Server, app_id: int | str, private_key: str, clock: Callable[[], float]) -> None:
        """Raises `ConfigError` where the private key is none."""
        try:
            auth = Auth.AppAuth(app_id, sign_func=_signer(private_key))
            auth.create_jwt()
        except (PyJWTError, ValueError, TypeError, AssertionError) as error:
            raise ConfigError(
                "SELFCODE_PRIVATE_KEY is not a private RSA key in PEM form, or SELFCODE_APP_ID is empty"
            ) from error
        self._server = server
        self._clock = clock
        self._held: dict[tuple[int, int], _Held] = {}
        self._gone_over: dict[int, int] = {}
        """The installations that see repositories now which others saw before, by the repositories' numbers."""
        self._keeping = threading.Lock()
        self._minting = Locks()
        self.as_app = server.connections(auth)

    def for_repository(self, ref: RepositoryRef) -> Connections:
        """Connections with a token that reaches this repository only; the same as long as the token is fresh."""
        key = (ref.installation_id, ref.id)
        with self._minting.holding(key):
            held = self._held.get(key)
            if held is None or self._clock() >= held.until_s:
                until_s = self._clock() + FRESH_S
                held = _Held(self._server.connections(Auth.Token(self._mint(ref)), ref.installation_id), until_s)
                self._keep(key, held)
            return held.connections

    def _keep(self, key: tuple[int, int], held: _Held) -> None:
        with self._keeping:
            fresh = {known: other for known, other in self._held.items() if self._clock() < other.until_s}
            self._held = fresh | {key: held}

    def forget(self, ref: RepositoryRef) -> None:
        """Take a fresh token next time: the last one was not accepted."""
        with self._keeping:
            self._held.pop((ref.installation_id, ref.id), None)

    def follow(self, ref: RepositoryRef) -> bool:
        """Whether a repository is seen through another installation than it was: it was transferred to its account.

        From then on that one's tokens are given, whatever installation is asked for.
        """
        before = self._installation_of(ref)
        try:
            found = self._server.send(
                self.as_app, "GET", f"/repositories/{ref.id}/installation", purpose=_FOLLOWING, at_once=True
            )
        except (Gone, Refused, Expired, Moved):
            return False
        now = read(Identified, found).id
        if now == before:
            return False
        log.info("%s went over from installation %d to %d", ref.full_name, before, now)
        with self._keeping:
            self._gone_over[ref.id] = now
            self._held = {key: held for key, held in self._held.items() if key[1] != ref.id}
        return True

    def _installation_of(self, ref: RepositoryRef) -> int:
        return self._gone_over.get(ref.id, ref.installation_id)

    def for_git(self, ref: RepositoryRef) -> str:
        """A token of its own each time, which can do nothing but read and write this repository's contents."""
        return self._mint(ref, contents="write")

    def by_name(self, ref: RepositoryRef) -> Connections:
        """Connections that may read what the repository of this name is, where its number is not known yet."""
        body = {"repositories": [ref.name], "permissions": {"metadata": "read"}}
        return self._server.connections(Auth.Token(self._minted(ref, body)), ref.installation_id)

    def for_names(self, installation_id: int, owner: str) -> Connections:
        """Connections that may read no more than what is called what, in an installation on this account."""
        ref, body = RepositoryRef(installation_id, 0, owner, ""), {"permissions": {"metadata": "read"}}
        return self._server.connections(Auth.Token(self._minted(ref, body)), installation_id)

    def for_issues(self, ref: RepositoryRef) -> Connections:
        """Connections that may read the issues of every repository of an installation, and nothing else."""
        body = {"permissions": {"issues": "read", "metadata": "read"}}
        return self._server.connections(Auth.Token(self._minted(ref, body)), ref.installation_id)

    def _mint(self, ref: RepositoryRef, **permissions: str) -> str:
        body = {"repository_ids": [ref.id]} | ({"permissions": permissions} if permissions else {})
        try:
            return self._minted(ref, body)
        except Gone:
            if not self.follow(ref):
                raise
            return self._minted(ref, body)

    def _minted(self, ref: RepositoryRef, body: Mapping[str, Any]) -> str:
        path = f"/app/installations/{self._installation_of(ref)}/access_tokens"
        try:
            answer = self._server.send(self.as_app, "POST", path, purpose=_MINTING, body=body, at_once=True)
        except Expired as error:
            raise Unavailable(
                f"GitHub does not accept the App's key, or this machine's clock is wrong: {error}"
            ) from error
        except Invalid as error:
            raise Gone(f"the App may no longer see {ref.full_name}: {error}") from error
        return read(InstallationToken, answer).token


def _signer(private_key: str) -> Callable[[dict[str, Any]], str]:
    """What signs as the App. The key is read and checked once: that takes fifty times as long as to sign."""
    key = RSAAlgorithm(RSAAlgorithm.SHA256).prepare_key(private_key)
    if not isinstance(key, RSAPrivateKey):
        raise TypeError("a public key signs nothing")
    return lambda payload: jwt.encode(payload, key, algorithm="RS256")
