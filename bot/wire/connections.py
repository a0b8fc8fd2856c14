"""What outside of this process is connected to: the GitHub App and the database."""

from sqlalchemy import Engine
from sqlalchemy.exc import SQLAlchemyError

from bot.errors import ConfigError
from bot.github.app import GitHubApp
from bot.runs.tables import connect, migrate
from bot.settings import Settings


def github_of(settings: Settings) -> GitHubApp:
    """The GitHub App. Raises `ConfigError` where it is not set up."""
    settings.require_app()
    if settings.app_id is None:
        raise ConfigError("SELFCODE_APP_ID is not set")
    return GitHubApp(
        app_id=settings.app_id,
        private_key=settings.key_text(),
        api_url=settings.github_api_url,
        ca_bundle=str(settings.ca_bundle) if settings.ca_bundle else None,
        seconds_between_writes=settings.seconds_between_writes,
    )


def database_of(settings: Settings) -> Engine:
    """The database of inbox and runs, with every table in place."""
    try:
        settings.home.mkdir(parents=True, exist_ok=True, mode=0o700)
    except OSError as problem:
        raise ConfigError(f"SELFCODE_HOME: the folder can't be used: {problem}") from problem
    engine = connect(settings.database)
    try:
        migrate(engine)
    except SQLAlchemyError as problem:
        raise ConfigError(f"SELFCODE_DATABASE_URL: the database can't be used: {problem}") from problem
    return engine
