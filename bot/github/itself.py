"""What GitHub says of the App itself, asked by whoever looks whether all is well. Reads alone, each once.

Source: https://docs.github.com/en/rest/apps
"""

import time
from collections.abc import Callable, Mapping, Sequence
from datetime import datetime
from email.utils import parsedate_to_datetime
from itertools import count
from pathlib import Path
from typing import Annotated, Any, TypeVar

from pydantic import BeforeValidator
from requests import RequestException

from bot.errors import ConfigError, Unavailable
from bot.github.answers import App, Slice, Text, read
from bot.github.deliveries import PATH, Attempt
from bot.github.failures import Expired, Moved
from bot.github.plain import ask, trust_in
from bot.github.server import Purpose, Server
from bot.github.tokens import REFUSED_KEY, Tokens
from bot.records import AppFacts, Delivered, HookFacts, InstallationFacts

T = TypeVar("T")

PAGE = 100
_ASKING = Purpose("tell who we are", "metadata: read")
_HOOK = Purpose("tell where deliveries go", "metadata: read")
_LISTING = Purpose("list where the App is installed", "metadata: read")
_DELIVERIES = Purpose("list what was delivered to the App", "metadata: read")

Levels = Annotated[dict[str, str], BeforeValidator(lambda value: value or {})]
Names = Annotated[tuple[str, ...], BeforeValidator(lambda value: value or ())]


class Whole(App):
    """The App, with what it asks for."""

    permissions: Levels = {}  # noqa: RUF012 - pydantic copies it
    events: Names = ()


class Granted(Slice):
    """The App on one account, with what it has there. An enterprise has a slug in the place of a login."""

    account: Annotated[dict[str, Any], BeforeValidator(lambda value: value or {})] = {}  # noqa: RUF012
    html_url: Text = ""
    permissions: Levels = {}  # noqa: RUF012
    events: Names = ()
    suspended_at: datetime | None = None


class Hook(Slice):
    """Where deliveries go."""

    url: Text = ""
    insecure_ssl: Annotated[str, BeforeValidator(str)] = "0"


class AppItself:
    """Each call raises `ConfigError` where the key is refused, else `Unavailable`, `Gone` and `Refused`."""

    def __init__(self, server: Server, tokens: Tokens) -> None:
        self._server = server
        self._tokens = tokens

    def app(self) -> AppFacts:
        found = read(Whole, self._get("/app", _ASKING))
        path = f"/settings/apps/{found.slug}"
        if found.owner.type == "Organization":
            path = f"/organizations/{found.owner.login}{path}"
        return AppFacts(found.id, found.slug, found.owner.login, path, found.permissions, found.events)

    def hook(self) -> HookFacts:
        found = read(Hook, self._get("/app/hook/config", _HOOK))
        return HookFacts(found.url, checks_certificate=found.insecure_ssl != "1")

    def installations(self) -> Sequence[InstallationFacts]:
        found: list[Granted] = []
        for page in count(1):
            shown = read(list[Granted], self._get("/app/installations", _LISTING, per_page=PAGE, page=page))
            found += shown
            if len(shown) < PAGE:
                break
        return tuple(
            InstallationFacts(
                account=each.account.get("login") or each.account.get("slug") or "",
                html_url=each.html_url,
                permissions=each.permissions,
                events=each.events,
                is_suspended=each.suspended_at is not None,
            )
            for each in found
        )

    def deliveries(self, at_most: int) -> Sequence[Delivered]:
        """The last ones, the newest first."""
        found = read(list[Attempt], self._get(PATH, _DELIVERIES, per_page=at_most))
        return tuple(
            Delivered(each.event, each.delivered_at.timestamp(), each.status_code, each.status) for each in found
        )

    def _get(self, path: str, purpose: Purpose, **parameters: int) -> Any:
        def ask() -> Any:
            return self._server.send(self._tokens.as_app, "GET", path, purpose=purpose, parameters=parameters)

        return _understood(ask)


def _understood(ask: Callable[[], T]) -> T:
    try:
        return ask()
    except Expired as expired:
        raise ConfigError(f"{REFUSED_KEY}: {expired}") from expired
    except Moved as moved:
        raise Unavailable(f"GitHub's API is at another address: {moved}") from moved


def clock_ahead_s(
    api_url: str, *, ca_bundle: Path | None = None, clock: Callable[[], float] = time.time
) -> float | None:
    """How far this machine's clock is ahead of GitHub's, in seconds; None where no answer says what time it is.

    Any answer says it: no key is needed. Raises `Unavailable`.
    """
    try:
        answer = ask("HEAD", api_url, trust=trust_in(ca_bundle))
    except RequestException as error:
        raise Unavailable(f"GitHub can't be reached at {api_url}: {type(error).__name__}") from error
    return _ahead_s(answer.headers, clock())


def _ahead_s(headers: Mapping[str, str], now: float) -> float | None:
    try:
        return now - parsedate_to_datetime(headers.get("Date", "")).timestamp()
    except ValueError:
        return None
