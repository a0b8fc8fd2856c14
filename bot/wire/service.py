"""The two kinds of processes that keep running: the web and the worker."""

import time
from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

from sqlalchemy import Engine, text
from sqlalchemy.exc import SQLAlchemyError

from bot.github.app import GitHubApp
from bot.runs.habits import SqlHabits
from bot.runs.house import House
from bot.runs.solving import Author
from bot.runs.store import SqlInbox, Store
from bot.runs.worker import BEAT, Worker
from bot.settings import Settings
from bot.web.app import create_app
from bot.wire.connections import database_of, github_of
from bot.wire.models import agents_of, crew_of, model_of
from bot.wire.sandboxes import image_preparer, limits_of, sandbox_of

if TYPE_CHECKING:
    from flask import Flask

BEAT_STALE_S = 30.0


def require_usable(settings: Settings) -> None:
    """Raise `ConfigError` for what can be seen to be wrong without asking anybody."""
    github_of(settings)
    model_of(settings, settings.model)


def worker_of(settings: Settings) -> Worker:
    """The worker process. Raises `ConfigError` for settings that can't work, before anything is taken on."""
    github = github_of(settings)
    model_of(settings, settings.model)
    house = house_of(settings, github, database_of(settings))
    owners = settings.allowed_owners or [github.owner_login()]
    return Worker(
        house=house,
        steps_url=settings.workflow_database,
        allowed_owners=frozenset(owner.lower() for owner in owners),
        runs_at_once=settings.runs_at_once,
    )


def house_of(settings: Settings, github: GitHubApp, engine: Engine) -> House:
    """Everything that a run needs around it."""
    sandbox = sandbox_of(settings)
    slug = github.app_slug()
    return House(
        store=Store(engine),
        github=github,
        sandbox=sandbox,
        prepare_image=image_preparer(settings, sandbox),
        agent_for=agents_of(settings, SqlHabits(engine)),
        home=settings.home,
        author=Author(f"{slug}[bot]", f"{settings.app_id}+{slug}[bot]@users.noreply.github.com"),
        label=settings.label,
        min_permission=settings.min_permission,
        crew=crew_of(settings),
        models=settings.models,
        image=settings.sandbox_image,
        images=settings.images,
        caps=settings.caps,
        limits=limits_of(settings),
        day_usd_repository=settings.day_usd_repository,
        day_usd_installation=settings.day_usd_installation,
        ca_bundle=settings.ca_bundle,
        acceptance_tests=settings.acceptance_tests,
        dry_run=settings.dry_run,
        secrets=settings.secrets(),
    )


def web_app(settings: Settings) -> "Flask":
    """The web application of one process."""
    settings.require_app()
    secret = settings.webhook_secret.get_secret_value() if settings.webhook_secret else ""
    engine = database_of(settings)
    return create_app(
        webhook_secret=secret,
        label=settings.label,
        bot_login=f"{settings.app_slug}[bot]",
        inbox=SqlInbox(engine),
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
