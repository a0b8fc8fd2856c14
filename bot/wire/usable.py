"""What is wrong with the settings before anything is started."""

from bot.settings import Settings
from bot.wire.app import github_of
from bot.wire.models import model_of


def require_usable(settings: Settings) -> None:
    """Raise `ConfigError` for what can be seen to be wrong without asking anybody."""
    settings.require_app(webhook=settings.poll_seconds is None)
    github_of(settings)
    model_of(settings, settings.model)
