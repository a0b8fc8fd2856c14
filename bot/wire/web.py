"""The web: the process that takes deliveries. It loads nothing of what does the work."""

import time
from collections.abc import Sequence
from dataclasses import dataclass

from flask import Flask
from sqlalchemy import Engine, text
from sqlalchemy.exc import SQLAlchemyError

from bot.runs.beat import BEAT, BEAT_STALE_S
from bot.runs.store import SqlInbox
from bot.settings import Settings
from bot.web.app import create_app
from bot.wire.database import database_of


def web_app(settings: Settings) -> Flask:
    """The web application of one process."""
    settings.require_app()
    secret = settings.webhook_secret.get_secret_value() if settings.webhook_secret else ""
    engine = database_of(settings)
    return create_app(
        webhook_secret=secret,
        label=settings.label,
        bot_login=f"{settings.app_slug}[bot]",
        inbox=SqlInbox(engine),
        trusted_bots=frozenset(settings.trusted_bots),
        ready=Readiness(settings, engine),
    )


@dataclass(frozen=True, slots=True)
class Readiness:
    """What keeps the service from working, in words for the operator."""

    settings: Settings
    engine: Engine

    def __call__(self) -> Sequence[str]:
        return [problem for problem in (self._database(), self._worker()) if problem]

    def _database(self) -> str:
        try:
            with self.engine.connect() as connection:
                connection.execute(text("select 1"))
        except SQLAlchemyError as problem:
            return f"the database does not answer: {problem}"
        return ""

    def _worker(self) -> str:
        """What the worker of this home says of itself: it knows the sandbox, which the web processes need not reach."""
        try:
            beat = self.settings.home / BEAT
            if time.time() - beat.stat().st_mtime < BEAT_STALE_S:
                return beat.read_text(encoding="utf-8")
        except FileNotFoundError:
            pass
        return "no worker is running: start `selfcode worker`"
