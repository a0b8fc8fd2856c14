"""The GitHub App."""

from bot.errors import ConfigError
from bot.github.app import GitHubApp
from bot.seen.counting import Counts
from bot.settings import Settings


def github_of(settings: Settings, counts: Counts | None = None) -> GitHubApp:
    """The GitHub App. Raises `ConfigError` where it is not set up."""
    settings.require_app(webhook=False)
    if settings.app_id is None:
        raise ConfigError("SELFCODE_APP_ID is not set")
    return GitHubApp(
        app_id=settings.app_id,
        private_key=settings.key_text(),
        api_url=settings.github_api_url,
        ca_bundle=settings.ca_bundle,
        seconds_between_writes=settings.seconds_between_writes,
        counts=counts,
    )
