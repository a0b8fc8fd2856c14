"""What a web process does while its database is not there: it waits, and says so to whoever asks how it is."""

from sqlalchemy import Engine

from bot.errors import Unavailable
from bot.settings import Settings
from bot.web.app import waiting_pages
from bot.web.beside import served_beside
from bot.wire.awaiting import Pause, awaited
from bot.wire.database import database_of
from bot.wire.watching import DATABASE


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
