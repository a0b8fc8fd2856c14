"""The worker: the process that does what was enqueued."""

import logging
from functools import partial
from urllib.parse import urlsplit

from sqlalchemy import Engine

from bot.errors import Gone, Refused, Unavailable
from bot.github.app import GitHubApp
from bot.runs.counted import CountedSandbox
from bot.runs.habits import SqlHabits
from bot.runs.house import House
from bot.runs.lanes import places_of
from bot.runs.late_words import LateWords
from bot.runs.offices import CATCHING_UP, HOUSE, LAST_WORDS, Offices
from bot.runs.owed import Owed
from bot.runs.solving import Author
from bot.runs.store import SqlInbox, Store
from bot.runs.worker import Worker
from bot.runs.workers import Workers, badge_of
from bot.seen.counting import Counts
from bot.settings import Settings
from bot.wire.app import github_of
from bot.wire.awaiting import Pause, awaited
from bot.wire.catching_up import catching_up_of
from bot.wire.database import database_of
from bot.wire.housekeeping import housekeeping_of
from bot.wire.models import agents_of, crew_of, model_of
from bot.wire.room import at_once_of
from bot.wire.sandboxes import image_preparer, limits_of, sandbox_of

log = logging.getLogger(__name__)


NUMBER_PATIENCE_S = 30.0
"""How long it is waited for GitHub to tell which number the bot's account has."""


def worker_of(settings: Settings, counts: Counts, pause: Pause) -> Worker:
    """The worker process, once database and GitHub are there: that is waited for.

    Raises `ConfigError` for settings that can't work, before anything is taken on.
    """
    github = github_of(settings, counts)
    model_of(settings, settings.model)
    engine = awaited(lambda: database_of(settings), pause)
    awaited(github.bot_login, pause)
    house = house_of(settings, github, engine, counts, author_of(github, settings.web_address, pause))
    owners = frozenset(owner.lower() for owner in settings.allowed_owners or [github.owner_login()])
    badge = badge_of(settings.home, settings.runs_at_once)
    offices = Offices(engine, badge.id)
    return Worker(
        house=house,
        database=engine,
        steps_url=settings.workflow_database,
        workers=Workers(engine, badge),
        offices=offices,
        allowed_owners=owners,
        at_once=at_once_of(settings),
        beside={
            "house": housekeeping_of(settings, engine, partial(offices.has, HOUSE)).keep,
            "late words": LateWords(house, Owed(engine), partial(offices.hold, LAST_WORDS)).keep,
            "catching-up": catching_up_of(settings, github, engine, owners, partial(offices.has, CATCHING_UP)).work,
        },
    )


def author_of(github: GitHubApp, web_url: str, pause: Pause) -> Author:
    """Whom our commits are by: the same account as those that GitHub writes for us.

    Where GitHub does not tell its number, the address goes without: with another one it would be somebody else's.
    """
    login, host = github.bot_login(), urlsplit(web_url).hostname or "github.com"
    try:
        number = awaited(github.bot_id, pause, patience_s=NUMBER_PATIENCE_S)
        return Author(login, f"{number}+{login}@users.noreply.{host}")
    except (Unavailable, Gone, Refused) as problem:
        log.warning("commits are made without the number of the bot's account: %s", problem)
        return Author(login, f"{login}@users.noreply.{host}")


def house_of(settings: Settings, github: GitHubApp, engine: Engine, counts: Counts, author: Author) -> House:
    """Everything that a run needs around it."""
    sandbox = sandbox_of(settings)
    return House(
        store=Store(engine),
        inbox=SqlInbox(engine),
        github=github,
        sandbox=CountedSandbox(sandbox, counts),
        prepare_image=image_preparer(settings, sandbox, counts),
        agent_for=agents_of(settings, SqlHabits(engine), counts),
        home=settings.home,
        author=author,
        label=settings.label,
        min_permission=settings.min_permission,
        trusted_bots=frozenset(settings.trusted_bots),
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
        places=places_of(sandbox, limits_of(settings)),
        counts=counts,
        pages=settings.pages_address,
    )
