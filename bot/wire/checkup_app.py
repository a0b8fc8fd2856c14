"""What a checkup looks at of the App, at GitHub."""

from collections.abc import Callable, Iterable, Iterator, Mapping
from functools import cached_property

from bot.errors import Gone, Unavailable
from bot.github.app import GitHubApp
from bot.github.itself import AppItself, clock_ahead_s
from bot.records import AppFacts, Check, CheckState
from bot.runs.checkup import (
    CLOCK,
    DELIVERIES,
    INSTALLATION,
    KEY,
    PERMISSIONS,
    SIGN_IN,
    WEBHOOK,
    about_clock,
    about_deliveries,
    about_hook,
    about_installation,
    about_key,
    about_permissions,
)
from bot.settings import Settings
from bot.triggers.manifest import NOWHERE
from bot.triggers.manifest import WEBHOOK as WEBHOOK_PATH
from bot.wire.app import github_of
from bot.wire.manifest import app_manifest

DELIVERIES_LOOKED_AT = 20

Look = tuple[str, Callable[[], Iterable[Check]]]
"""What is looked at, and the look: it gives one check or several."""


def looks_at_app(settings: Settings) -> Iterator[Look]:
    """One look a part; without an App that there is none."""
    if not settings.names_an_app:
        yield KEY, lambda: [Check(KEY, CheckState.NOTED, "there is no GitHub App yet", "selfcode serve")]
        return
    app = _App(settings)
    yield CLOCK, app.clock
    yield KEY, app.key
    yield PERMISSIONS, app.permissions
    yield INSTALLATION, app.installations
    yield WEBHOOK, app.webhook
    yield SIGN_IN, app.sign_in
    yield DELIVERIES, app.deliveries


class _App:
    """The looks at the App; what one has found, the next one has. Without the key there is nothing to look at."""

    def __init__(self, settings: Settings) -> None:
        self._settings = settings
        self._has_key = False

    def clock(self) -> Iterator[Check]:
        yield about_clock(clock_ahead_s(self._settings.github_api_url, ca_bundle=self._settings.ca_bundle))

    def key(self) -> Iterator[Check]:
        found = about_key(self._github.itself.app(), slug=self._settings.app_slug)
        self._has_key = True
        yield found

    def permissions(self) -> Iterator[Check]:
        page = f"{self._settings.web_address}{self._facts.settings_path}/permissions"
        yield about_permissions(self._wanted, self._events, self._facts, page=page)

    def installations(self) -> Iterator[Check]:
        owners = frozenset(owner.lower() for owner in self._settings.allowed_owners or [self._facts.owner])
        found = self._itself.installations()
        if not found:
            install = f"{self._settings.web_address}/apps/{self._facts.slug}/installations/new"
            yield Check(INSTALLATION, CheckState.BAD, "the App is installed nowhere", f"open {install}")
        for each in found:
            yield about_installation(self._wanted, self._events, each, owners=owners)

    def webhook(self) -> Iterator[Check]:
        public, polls_s = self._settings.public_url, self._settings.poll_seconds
        address = f"{public}{WEBHOOK_PATH}" if public else None
        try:
            yield about_hook(self._itself.hook(), address=address, nowhere=NOWHERE + WEBHOOK_PATH, polls_s=polls_s)
        except Gone:
            words = "the App has no webhook: GitHub makes no deliveries, nor keeps any to be fetched"
            yield Check(WEBHOOK, CheckState.BAD, words, f"set the Webhook URL to {address or NOWHERE + WEBHOOK_PATH}")
        if polls_s is None and self._settings.webhook_secret is None:
            yield Check(WEBHOOK, CheckState.BAD, "SELFCODE_WEBHOOK_SECRET is not set", "set it to the App's secret")

    def sign_in(self) -> Iterator[Check]:
        """Whether people can look at runs. Without an address they were not led to expect it."""
        settings = self._settings
        if settings.public_url is None:
            return
        if settings.can_sign_in:
            words = f"people sign in with GitHub at {settings.public_url}"
            if not settings.pages_address:
                words = f"{words}; as it has a path, nothing on GitHub leads to a run's page"
            yield Check(SIGN_IN, CheckState.GOOD, words)
            return
        wanted = {"SELFCODE_CLIENT_ID": settings.client_id, "SELFCODE_CLIENT_SECRET": settings.client_secret}
        lacking = [name for name, value in wanted.items() if not value]
        words = (
            f"SELFCODE_PUBLIC_URL is set, but not {' and '.join(lacking)}: nobody can sign in to look at runs, nothing "
            "on GitHub leads to their pages, and whom a proxy on this machine passes on without saying so is let in as "
            "the operator"
        )
        page = f", from {settings.web_address}{self._facts.settings_path}" if self._has_key else ""
        yield Check(SIGN_IN, CheckState.NOTED, words, f"export {' '.join(f'{name}=…' for name in lacking)}{page}")

    def deliveries(self) -> Iterator[Check]:
        if self._settings.poll_seconds is None:
            yield about_deliveries(self._itself.deliveries(DELIVERIES_LOOKED_AT))

    @cached_property
    def _github(self) -> GitHubApp:
        return github_of(self._settings)

    @property
    def _itself(self) -> AppItself:
        if not self._has_key:
            raise Unavailable("can't be asked as long as the key is not taken")
        return self._github.itself

    @cached_property
    def _facts(self) -> AppFacts:
        return self._itself.app()

    @cached_property
    def _wanted(self) -> Mapping[str, str]:
        return app_manifest().permissions

    @cached_property
    def _events(self) -> tuple[str, ...]:
        return app_manifest().events
