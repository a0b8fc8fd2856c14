"""The web: the process that takes deliveries. It loads nothing of what does the work."""

from sqlalchemy import Engine

from bot.errors import Unavailable
from bot.github.signing_in import GitHubSigningIn
from bot.runs.keeping import FileTurn, SharedInbox
from bot.runs.sessions import SqlSessions
from bot.runs.steering import SqlSteering
from bot.runs.store import SqlInbox
from bot.runs.viewing import SqlViewing
from bot.settings import Settings
from bot.web.app import create_app, waiting_pages
from bot.web.asgi import Site
from bot.web.beside import served_beside
from bot.web.pages.doorkeeper import Doorkeeper
from bot.web.pages.means import Means
from bot.web.pages.place import Place
from bot.web.webhook import nobody_signs_in
from bot.wire.awaiting import Pause, awaited
from bot.wire.database import database_of, database_or_not
from bot.wire.room import at_once_of
from bot.wire.watching import DATABASE, Readiness, Readings, figures_of


def web_app(settings: Settings) -> Site:
    """The web application of one process; to be made in that process itself, whether the database is there or not."""
    settings.require_app()
    secret = settings.webhook_secret.get_secret_value() if settings.webhook_secret else ""
    engine = database_or_not(settings)  # its tables are in place: the process that starts this one has seen to them
    ready, door = Readiness(settings, engine), door_of(settings, engine)
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
            label=settings.label,
            door=door,
        ),
        sign_out=nobody_signs_in if door is None else door.sign_out,
    )


def await_database(settings: Settings, pause: Pause) -> Engine:
    """The database, with every table in place. Deliveries are answered with 503 meanwhile, and fetched later.

    Raises `ConfigError` where the operator has to act.
    """
    try:
        return database_of(settings)
    except Unavailable as away:
        asked = _Asked(settings, str(away))
    pages = waiting_pages(problem=lambda: asked.problem, part=DATABASE)
    with served_beside(pages, port=settings.port, host=settings.host, setting="SELFCODE_HOST, SELFCODE_PORT"):
        return awaited(asked, pause)


def door_of(settings: Settings, engine: Engine) -> Doorkeeper | None:
    """Who lets people in that sign in; None where nobody can."""
    if not settings.client_id or not settings.client_secret:
        return None
    return Doorkeeper(
        GitHubSigningIn(
            web_url=settings.web_address,
            api_url=settings.github_api_url,
            client_id=settings.client_id,
            client_secret=settings.client_secret.get_secret_value(),
            ca_bundle=settings.ca_bundle,
        ),
        SqlSessions(engine),
        place=Place(settings.public_url),
        operators=frozenset(login.casefold() for login in settings.operators),
        minimum=settings.min_permission,
        lets_in_local=settings.lets_in_local,
    )


class _Asked:
    """Asks for the database, and knows what was wrong the last time."""

    def __init__(self, settings: Settings, problem: str) -> None:
        self._settings = settings
        self.problem = problem

    def __call__(self) -> Engine:
        try:
            return database_of(self._settings)
        except Unavailable as away:
            self.problem = str(away)
            raise


def _turn(settings: Settings) -> FileTurn | None:
    return FileTurn(settings.home / "inbox.lock") if settings.database_url is None else None
