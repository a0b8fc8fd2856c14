"""`selfcode serve` without an App: the page that creates one, until it is there."""

import threading
from collections.abc import Callable

from bot.app_file import FILE, read_kept, require_writable, write_kept
from bot.errors import ConfigError
from bot.github.registering import GitHubRegistrar
from bot.records import NewApp, WantedApp
from bot.settings import Settings
from bot.web.beside import served_beside
from bot.web.pages.creating import SETUP, create_setup_app
from bot.web.pages.creating_shown import Place
from bot.web.pages.desk import Desk
from bot.wire.manifest import app_manifest
from bot.wire.models import model_of

POLL_S = 30.0
"""How often deliveries are fetched where GitHub can't send any, if the operator says nothing."""

_LOOK_S = 0.2
_EVERYWHERE = ("0.0.0.0", "::", "")  # noqa: S104 - recognized, not bound


def create_app_by_clicking(settings: Settings, say: Callable[[str], None], until: threading.Event) -> bool:
    """Serve the page until somebody has created the App; False where one is told to end before.

    Raises `ConfigError` where an App is kept already that these settings don't go with, or nothing can listen.
    """
    require_none_kept(settings)
    desk = Desk(
        GitHubRegistrar(api_url=settings.github_api_url, ca_bundle=settings.ca_bundle),
        keep=lambda app, wanted: keep(settings, app, wanted),
        tell_token=lambda token: say(_link(settings, token)),
    )
    app = create_setup_app(desk, app_manifest(), lambda: place_of(settings))
    with served_beside(app, port=settings.port, host=settings.host, setting="SELFCODE_HOST, SELFCODE_PORT"):
        say("There is no GitHub App yet. Open this link in a browser to create one; selfcode starts after that.")
        desk.open()
        while not desk.shown.wait(_LOOK_S):
            if until.is_set():
                return False
    say(f"The App is created, and kept in {settings.home / FILE}.")
    return True


def require_none_kept(settings: Settings) -> None:
    """Raise `ConfigError` where the home has an App that was not read, for the environment says another server."""
    kept = read_kept(settings.home)
    if kept.values:
        raise ConfigError(
            f"{settings.app_note or f'{kept.path} lacks what an App needs.'}\nTake another SELFCODE_HOME, or move "
            f"{kept.path} away to create another App."
        )


def place_of(settings: Settings) -> Place:
    """Where we are now, and what is still missing."""
    notes, problem = [], ""
    try:
        model_of(settings, settings.model)
    except ConfigError as lacking:
        notes.append(
            f"No model can be asked yet: {lacking}. That belongs into the environment of `selfcode serve`. Without it, "
            "selfcode ends once the App is created; started again with it, it goes on from there."
        )
    try:
        require_writable(settings.home)
    except ConfigError as unwritable:
        problem = str(unwritable)
    return Place(
        web_address=settings.web_address,
        public_url=settings.public_url,
        kept_in=str(settings.home / FILE),
        poll_seconds=settings.poll_seconds or POLL_S,
        notes=tuple(notes),
        problem=problem,
    )


def keep(settings: Settings, app: NewApp, wanted: WantedApp) -> None:
    """Keep the App as settings. Raises `ConfigError` where it can't be kept."""
    values = {
        "SELFCODE_APP_ID": str(app.id),
        "SELFCODE_APP_SLUG": app.slug,
        "SELFCODE_PRIVATE_KEY": app.private_key,
        "SELFCODE_WEBHOOK_SECRET": app.webhook_secret,
        "SELFCODE_CLIENT_ID": app.client_id,
        "SELFCODE_CLIENT_SECRET": app.client_secret,
        "SELFCODE_GITHUB_API_URL": settings.github_api_url,
        "SELFCODE_PUBLIC_URL": wanted.address or "",
        "SELFCODE_POLL_SECONDS": "" if wanted.address else f"{settings.poll_seconds or POLL_S:g}",
    }
    write_kept(settings.home, {name: value for name, value in values.items() if value})


def _link(settings: Settings, token: str) -> str:
    host = "127.0.0.1" if settings.host in _EVERYWHERE else settings.host
    local = f"http://{f'[{host}]' if ':' in host else host}:{settings.port}{SETUP}/{token}"
    return f"{local}\n  or {settings.public_url}{SETUP}/{token}" if settings.public_url else local
