"""Signing in by an account on GitHub, and what a person may see there: asked with their own token.

Source: https://docs.github.com/en/apps/creating-github-apps/authenticating-with-a-github-app/generating-a-user-access-token-for-a-github-app
"""

import time
from collections.abc import Callable, Iterator, Mapping
from pathlib import Path
from typing import Any
from urllib.parse import quote, urlencode

from pydantic import SecretStr
from requests import PreparedRequest, RequestException
from requests.auth import HTTPBasicAuth

from bot.errors import Gone, Refused, Unavailable
from bot.github.answers import Account, Identified, Slice, read
from bot.github.failures import Expired, understand
from bot.github.plain import API_VERSION, ask, json_in, trust_in
from bot.records import PERMISSIONS, Grant, Person, Reach

TIMEOUT_S = 10.0
"""How long GitHub may say nothing to one question."""

PATIENCE_S = 20.0
"""How long all questions together may take: somebody waits for a page."""

A_PAGE = 100
PAGES_AT_MOST = 100
"""How many pages of repositories are looked at for one person. What is on further ones they don't see."""

_FLAGS = {"pull": "read", "triage": "triage", "push": "write", "maintain": "maintain", "admin": "admin"}
_OURS = ("incorrect_client_credentials", "redirect_uri_mismatch", "application_suspended")
"""What is wrong with us, not with who signs in."""

_REVOKED = (204, 404, 422)
"""A token is good for nothing: revoked now, or unknown by now."""


class Given(Slice):
    """A user access token with what belongs to it, or why there is none: the status is 200 for both."""

    access_token: SecretStr = SecretStr("")
    expires_in: float | None = None
    refresh_token: SecretStr = SecretStr("")
    error: str = ""


class Seen(Slice):
    """A repository, and what whoever asks may do in it, by flags."""

    id: int
    permissions: Mapping[str, bool] = {}


class SeenRepositories(Slice):
    """A page of repositories."""

    repositories: tuple[Seen, ...]


class Installations(Slice):
    """A page of installations."""

    installations: tuple[Identified, ...]


class GitHubSigningIn:
    """What `records.SigningIn` promises. Safe for any number of threads; no text of an error holds what is secret."""

    def __init__(
        self,
        *,
        web_url: str,
        api_url: str,
        client_id: str,
        client_secret: str,
        ca_bundle: Path | None = None,
        clock: Callable[[], float] = time.time,
    ) -> None:
        self._web_url = web_url
        self._api_url = api_url
        self._client_id = client_id
        self._client_secret = client_secret
        self._trust = trust_in(ca_bundle)
        self._clock = clock

    def address(self, *, state: str, challenge: str, back: str) -> str:
        query = {
            "client_id": self._client_id,
            "redirect_uri": back,
            "state": state,
            "code_challenge": challenge,
            "code_challenge_method": "S256",
        }
        return f"{self._web_url}/login/oauth/authorize?{urlencode(query)}"

    def redeem(self, code: str, *, verifier: str, back: str) -> Grant:
        return self._granted(code=code, code_verifier=verifier, redirect_uri=back)

    def renew(self, grant: Grant) -> Grant:
        if not grant.refresh_token:
            raise Gone("the token has ended")
        return self._granted(grant_type="refresh_token", refresh_token=grant.refresh_token)

    def revoke(self, grant: Grant) -> None:
        """Source: https://docs.github.com/en/rest/apps/oauth-applications#delete-an-app-token"""
        status, _, _ = self._exchange(
            "DELETE",
            f"{self._api_url}/applications/{quote(self._client_id, safe='')}/token",
            json={"access_token": grant.token},
            headers={"Accept": "application/vnd.github+json", "X-GitHub-Api-Version": API_VERSION},
            auth=HTTPBasicAuth(self._client_id, self._client_secret),
        )
        if status not in _REVOKED:
            raise Unavailable(f"GitHub does not revoke a token: status {status}")

    def person(self, grant: Grant) -> Person:
        return read(Account, self._asked(grant, "/user", doing="say who has signed in")).person()

    def reach(self, grant: Grant) -> Reach:
        until, permissions = time.monotonic() + PATIENCE_S, dict[int, str]()
        person = self.person(grant)
        left = PAGES_AT_MOST
        for installation in self._installations(grant):
            for page in range(1, left + 1):
                if time.monotonic() > until:
                    raise Unavailable("GitHub is too slow in saying who may see what")
                found = self._repositories(grant, installation.id, page)
                permissions.update({each.id: _permission(each) for each in found})
                left -= 1
                if len(found) < A_PAGE:
                    break
        return Reach(person, permissions)

    def permission(self, grant: Grant, repository_id: int) -> str:
        try:
            answer = self._asked(grant, f"/repositories/{repository_id}", doing="say who may do what")
        except (_NotThere, Refused):
            return "none"
        return _permission(read(Seen, answer))

    def _installations(self, grant: Grant) -> Iterator[Identified]:
        for page in range(1, PAGES_AT_MOST + 1):
            asked = self._asked(grant, "/user/installations", page=page, doing="say where the App is installed")
            found = read(Installations, asked).installations
            yield from found
            if len(found) < A_PAGE:
                return

    def _repositories(self, grant: Grant, installation_id: int, page: int) -> tuple[Seen, ...]:
        """What is seen by an installation; nothing where it is suspended, or was taken away just now."""
        path = f"/user/installations/{installation_id}/repositories"
        try:
            answer = self._asked(grant, path, page=page, doing="say who may see what")
        except (_NotThere, Refused):
            return ()
        return read(SeenRepositories, answer).repositories

    def _asked(self, grant: Grant, path: str, *, doing: str, page: int = 0) -> Any:
        """Raises `Gone` where the token is good no more, `_NotThere` and `Refused` where GitHub says no."""
        headers = {"Accept": "application/vnd.github+json", "X-GitHub-Api-Version": API_VERSION}
        query = {"per_page": A_PAGE, "page": page} if page else {}
        status, answer, said = self._exchange(
            "GET", f"{self._api_url}{path}", params=query, headers=headers, auth=_bearing(grant.token)
        )
        if status < 300:
            return answer
        if status < 400:
            raise _NotThere(path)
        error = understand(status, answer, said, doing=doing, needs="metadata: read", now_s=self._clock())
        match error:
            case Expired():
                raise Gone("GitHub does not take the token any more")
            case Gone():
                raise _NotThere(path)
            case _:
                raise error

    def _granted(self, **asked: str) -> Grant:
        who = {"client_id": self._client_id, "client_secret": self._client_secret}
        status, answer, _ = self._exchange(
            "POST",
            f"{self._web_url}/login/oauth/access_token",
            data=who | asked,
            headers={"Accept": "application/json"},
        )
        if status >= 300:
            raise Unavailable(f"GitHub gives no token: status {status}")
        found = _given(answer)
        if found.error in _OURS:
            raise Unavailable(
                f"GitHub takes no sign-in of this App: {found.error}. SELFCODE_CLIENT_ID, SELFCODE_CLIENT_SECRET and "
                "the App's callback address have to be right",
                passes=False,
            )
        if found.error:
            raise Gone("GitHub does not take the code or token any more")
        return Grant(
            found.access_token.get_secret_value(),
            None if found.expires_in is None else self._clock() + found.expires_in,
            found.refresh_token.get_secret_value(),
        )

    def _exchange(self, method: str, address: str, **sent: Any) -> tuple[int, Any, Mapping[str, str]]:
        try:
            answer = ask(method, address, trust=self._trust, timeout_s=TIMEOUT_S, **sent)
        except RequestException as problem:
            raise Unavailable(f"GitHub can't be reached: {type(problem).__name__}") from None
        said = {name.lower(): value for name, value in answer.headers.items()}
        return answer.status_code, json_in(answer.content), said


class _NotThere(Exception):
    """Not there, or not for whoever asks."""


def _permission(seen: Seen) -> str:
    held = [least for flag, least in _FLAGS.items() if seen.permissions.get(flag)]
    return max(held, key=PERMISSIONS.index, default="none")


def _given(answer: Any) -> Given:
    """Nothing of what can't be read gets into an error's text: there are secrets in it."""
    try:
        found = Given.model_validate(answer)
    except ValueError:
        raise Unavailable("GitHub's answer with a token can't be read") from None
    if not found.error and not found.access_token.get_secret_value():
        raise Unavailable("GitHub's answer with a token has none")
    return found


def _bearing(token: str) -> Callable[[PreparedRequest], PreparedRequest]:
    """The token, and no password of the user's files in its place."""

    def signed(request: PreparedRequest) -> PreparedRequest:
        request.headers["Authorization"] = f"Bearer {token}"
        return request

    return signed
