"""The worker: the process that does what was enqueued."""

from sqlalchemy import Engine

from bot.github.app import GitHubApp
from bot.runs.habits import SqlHabits
from bot.runs.house import House
from bot.runs.lanes import places_of
from bot.runs.solving import Author
from bot.runs.store import SqlInbox, Store
from bot.runs.worker import Worker
from bot.settings import Settings
from bot.wire.app import github_of
from bot.wire.database import database_of
from bot.wire.models import agents_of, crew_of, model_of
from bot.wire.sandboxes import image_preparer, limits_of, sandbox_of


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
        inbox=SqlInbox(engine),
        github=github,
        sandbox=sandbox,
        prepare_image=image_preparer(settings, sandbox),
        agent_for=agents_of(settings, SqlHabits(engine)),
        home=settings.home,
        author=Author(f"{slug}[bot]", f"{settings.app_id}+{slug}[bot]@users.noreply.github.com"),
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
    )
