"""How much goes on at once, as the operator limits it."""

from bot.runs.deciding import AtOnce
from bot.settings import Settings


def at_once_of(settings: Settings) -> AtOnce:
    """The limits over all workers; places are the workers' own."""
    return AtOnce(settings.runs_at_once_all, settings.runs_at_once_repository, settings.runs_at_once_installation)
