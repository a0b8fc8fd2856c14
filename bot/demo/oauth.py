"""Signing in by an App: somebody lets it ask in their name, and it gets tokens for that.

Source: https://docs.github.com/en/apps/creating-github-apps/authenticating-with-a-github-app/generating-a-user-access-token-for-a-github-app
"""

import base64
import hashlib
import hmac
import secrets
from collections.abc import Mapping
from datetime import timedelta
from typing import Any
from urllib.parse import urlencode, urlsplit

from bot.demo.answers import not_found
from bot.demo.changes import Changes
from bot.demo.people import Account, App, Asked, Code, Refresh
from bot.demo.state import Token
from bot.demo.world import World

CODE_LIFE = timedelta(minutes=10)
TOKEN_LIFE = timedelta(hours=8)
REFRESH_LIFE = timedelta(days=184)
_LOOPBACK = ("127.0.0.1", "localhost", "::1")


class Refusal(Exception):
    """What is wrong, by GitHub's name for it."""

    def __init__(self, name: str, words: str) -> None:
        super().__init__(words)
        self.name = name

    @property
    def answer(self) -> dict[str, str]:
        """As GitHub tells it, with status 200."""
        page = "https://docs.github.com/apps/managing-oauth-apps/troubleshooting-oauth-app-access-token-request-errors"
        return {"error": self.name, "error_description": str(self), "error_uri": f"{page}/#{self.name}"}


def read_asked(world: World, query: Mapping[str, str]) -> Asked | None:
    """What is asked for; None where no App has this id."""
    app = _app_of(world, query)
    if app is None:
        return None
    challenge = query.get("code_challenge", "")
    if challenge and query.get("code_challenge_method") != "S256":
        raise Refusal("invalid_request", "The code_challenge_method must be S256.")
    back = query.get("redirect_uri", "") or next(iter(app.callback_urls), "")
    if not _is_callback(back, app.callback_urls):
        raise Refusal("redirect_uri_mismatch", "The redirect_uri is not associated with this application.")
    return Asked(app, back, query.get("state", ""), challenge)


def say_yes(world: World, asked: Asked, account: Account) -> str:
    """Let the App ask in somebody's name. Returns the address that the browser is sent back to, with a code."""
    code = secrets.token_hex(10)
    world.codes[code] = Code(asked, account, world.now())
    return _with(asked.back, {"code": code, "state": asked.state})


def say_no(asked: Asked) -> str:
    """The address that the browser is sent back to, without a code."""
    words = "The user has denied your application access."
    return _with(asked.back, {"error": "access_denied", "error_description": words, "state": asked.state})


def give_token(world: World, given: Mapping[str, str]) -> dict[str, Any]:
    """A token for a code or for what came with the one before. Raises `Refusal`."""
    app = _app_of(world, given)
    if app is None or not hmac.compare_digest(given.get("client_secret", ""), app.client_secret):
        raise Refusal("incorrect_client_credentials", "The client_id and/or client_secret passed are incorrect.")
    if given.get("grant_type") == "refresh_token":
        return _tokens(world, app, _renewing(world, app, given.get("refresh_token", "")))
    return _tokens(world, app, _redeeming(world, app, given))


def _app_of(world: World, named: Mapping[str, str]) -> App | None:
    return next((each for each in world.apps.values() if each.client_id == named.get("client_id")), None)


def _redeeming(world: World, app: App, given: Mapping[str, str]) -> Account:
    found = world.codes.pop(given.get("code", ""), None)
    if found is None or found.asked.app is not app or world.now() - found.at >= CODE_LIFE:
        raise Refusal("bad_verification_code", "The code passed is incorrect or expired.")
    if given.get("redirect_uri", found.asked.back) != found.asked.back:
        raise Refusal("redirect_uri_mismatch", "The redirect_uri is not the one that the code was given for.")
    verifier = hashlib.sha256(given.get("code_verifier", "").encode()).digest()
    if found.asked.challenge and base64.urlsafe_b64encode(verifier).rstrip(b"=").decode() != found.asked.challenge:
        raise Refusal("bad_verification_code", "The code passed is incorrect or expired.")
    return found.account


def _renewing(world: World, app: App, value: str) -> Account:
    found = world.refreshes.pop(value, None)
    if found is None or found.app is not app or world.now() - found.at >= REFRESH_LIFE:
        raise Refusal("bad_refresh_token", "The refresh token passed is incorrect or expired.")
    world.tokens.pop(found.token, None)
    return found.account


def _tokens(world: World, app: App, account: Account) -> dict[str, Any]:
    token = Token(f"ghu_{secrets.token_hex(18)}", user=account, app=app, expires_at=world.now() + TOKEN_LIFE)
    world.add_token(token)
    refresh = f"ghr_{secrets.token_hex(38)}"
    world.refreshes[refresh] = Refresh(app, account, token.value, world.now())
    return {
        "access_token": token.value,
        "expires_in": int(TOKEN_LIFE.total_seconds()),
        "refresh_token": refresh,
        "refresh_token_expires_in": int(REFRESH_LIFE.total_seconds()),
        "token_type": "bearer",
        "scope": "",
    }


def delete_token(world: World, app: App, value: str) -> None:
    """Make one token of an App good for nothing, with what the next one was to be had for; else 404."""
    token = world.tokens.get(value)
    if token is None or token.app is not app:
        raise not_found()
    del world.tokens[value]
    world.refreshes = {name: each for name, each in world.refreshes.items() if each.token != value}


def revoke(changes: Changes, account: Account) -> None:
    """Take back what somebody let Apps do: none of their tokens is good any more, and each of the Apps is told."""
    world = changes.world
    apps = {each.app.id: each.app for each in world.tokens.values() if each.user is account and each.app is not None}
    world.tokens = {value: each for value, each in world.tokens.items() if each.user is not account or each.app is None}
    world.refreshes = {value: each for value, each in world.refreshes.items() if each.account is not account}
    for app in apps.values():
        changes.courier.tell_of_account(app, "github_app_authorization", "revoked", account)


def _is_callback(back: str, known: tuple[str, ...]) -> bool:
    """Whether it is one that the App has named; on loopback whatever the port is. Where none was named, anything is."""
    wanted = urlsplit(back)
    if wanted.hostname in _LOOPBACK:
        return not known or any(urlsplit(each).path == wanted.path for each in known)
    return not known or back in known


def _with(address: str, query: Mapping[str, str]) -> str:
    told = urlencode({name: value for name, value in query.items() if value})
    return f"{address}{'&' if urlsplit(address).query else '?'}{told}"
