"""The web: the process that takes deliveries. It loads nothing of what does the work."""

from sqlalchemy import Engine

from bot.github.signing_in import GitHubSigningIn
from bot.runs.keeping import FileTurn, SharedInbox
from bot.runs.sessions import SqlSessions
from bot.runs.steering import SqlSteering
from bot.runs.store import SqlInbox
from bot.runs.viewing import SqlViewing
from bot.settings import Settings
from bot.web.app import create_app
from bot.web.asgi import Site
from bot.web.pages.doorkeeper import Doorkeeper
from bot.web.pages.means import Means
from bot.web.pages.place import Place
from bot.wire.database import database_or_not
from bot.wire.room import at_once_of
from bot.wire.watching import Readiness, Readings, figures_of


def web_app(settings: Settings) -> Site:
    """The web application of one process; to be made in that process itself, whether the database is there or not."""
    settings.require_app()
    secret = settings.webhook_secret.get_secret_value() if settings.webhook_secret else ""
    engine = database_or_not(settings)  # its tables are in place: the process that starts this one has seen to them
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
        means=Means(
            viewing=SqlViewing(engine, at_once_of(settings)),
            steering=SqlSteering(engine),
            github_url=settings.web_address,
            secrets=settings.secrets(),
            retention_days=settings.retention_days,
            door=door_of(settings, engine),
        ),
    )


def door_of(settings: Settings, engine: Engine) -> Doorkeeper | None:
    """Who lets people in that sign in; None where nobody can."""
    if settings.client_id is None or settings.client_secret is None or not settings.can_sign_in:
        return None
    return Doorkeeper(
        GitHubSigningIn(
            web_url=settings.web_address,
            api_url=settings.github_api_url,
            client_id=settings.client_id,
            client_secret=settings.client_secret.get_secret_value(),
            ca_bundle=str(settings.ca_bundle) if settings.ca_bundle else None,
        ),
        SqlSessions(engine),
        place=Place(settings.public_url),
        operators=frozenset(login.casefold() for login in settings.operators),
        minimum=settings.min_permission,
        lets_in_local=settings.lets_in_local,
    )


def _turn(settings: Settings) -> FileTurn | None:
    return FileTurn(settings.home / "inbox.lock") if settings.database_url is None else None
