"""The web: the process that takes deliveries. It loads nothing of what does the work."""

from flask import Flask

from bot.runs.keeping import FileTurn, SharedInbox
from bot.runs.store import SqlInbox
from bot.settings import Settings
from bot.web.app import create_app
from bot.wire.database import database_of
from bot.wire.watching import Readiness, Readings, figures_of


def web_app(settings: Settings) -> Flask:
    """The web application of one process; to be made in that process itself."""
    settings.require_app()
    secret = settings.webhook_secret.get_secret_value() if settings.webhook_secret else ""
    engine = database_of(settings)
    ready = Readiness(settings, engine)
    return create_app(
        webhook_secret=secret,
        label=settings.label,
        bot_login=f"{settings.app_slug}[bot]",
        inbox=SharedInbox(SqlInbox(engine), _turn(settings)),
        trusted_bots=frozenset(settings.trusted_bots),
        ready=ready,
        figures=figures_of(settings),
        readings=Readings(settings, engine, ready),
    )


def _turn(settings: Settings) -> FileTurn | None:
    return FileTurn(settings.home / "inbox.lock") if settings.database_url is None else None
