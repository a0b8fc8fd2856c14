"""Settings of the service itself: where it keeps what, where it listens, how much it does at once."""

import hashlib
from pathlib import Path
from typing import Annotated, Literal

from pydantic import AfterValidator, BaseModel, Field

from bot.app_file import home_in


class ServiceSettings(BaseModel):
    """The service."""

    home: Annotated[Path, AfterValidator(Path.expanduser)] = Field(
        default_factory=lambda: home_in({}),
        validation_alias="SELFCODE_HOME",
        description="databases, mirrors, locks; of one worker: each of several has its own",
        json_schema_extra={"unset": "`~/.selfcode`"},
    )
    database_url: str | None = Field(
        None,
        repr=False,
        validation_alias="SELFCODE_DATABASE_URL",
        description="`postgresql://USER:PASSWORD@HOST/DATABASE`: PostgreSQL for all that is kept "
        "([operations.md](operations.md#what-is-kept))",
        json_schema_extra={"unset": "SQLite in the home"},
    )
    host: str = Field("127.0.0.1", validation_alias="SELFCODE_HOST", description="where the web server listens")
    port: int = Field(8000, ge=1, le=65535, validation_alias="SELFCODE_PORT", description="the port that it listens on")
    web_processes: int = Field(2, ge=1, le=64, validation_alias="SELFCODE_WEB_PROCESSES", description="web processes")
    web_max_requests: int = Field(
        0,
        ge=0,
        validation_alias="SELFCODE_WEB_MAX_REQUESTS",
        description="a web process is replaced after so many requests; 0 for never",
    )
    runs_at_once: int = Field(
        2, ge=1, le=64, validation_alias="SELFCODE_RUNS_AT_ONCE", description="runs at the same time in a worker"
    )
    runs_at_once_all: int | None = Field(
        None,
        ge=1,
        validation_alias="SELFCODE_RUNS_AT_ONCE_ALL",
        description="runs at the same time in all workers together, where that is to be fewer than they have places",
    )
    runs_at_once_repository: int | None = Field(
        None,
        ge=1,
        validation_alias="SELFCODE_RUNS_AT_ONCE_REPOSITORY",
        description="runs at the same time for one repository, over all workers",
    )
    runs_at_once_installation: int | None = Field(
        None,
        ge=1,
        validation_alias="SELFCODE_RUNS_AT_ONCE_INSTALLATION",
        description="runs at the same time for one account that the App is installed on, over all workers",
    )
    retention_days: float = Field(
        90.0,
        ge=0,
        validation_alias="SELFCODE_RETENTION_DAYS",
        description="how long is kept what has ended: runs, traces, requests, mirrors, images; 0 for ever "
        "([operations.md](operations.md#how-long-it-is-kept))",
    )
    log_format: Literal["text", "json"] = Field(
        "text",
        validation_alias="SELFCODE_LOG_FORMAT",
        description="`json`: one object a line, for programs that collect logs ([monitoring.md](monitoring.md#logs))",
    )
    metrics_port: int | None = Field(
        None,
        ge=1,
        le=65535,
        validation_alias="SELFCODE_METRICS_PORT",
        description="a port on loopback where a worker serves `/healthz`, `/readyz` and `/metrics`, as the web process "
        "does",
    )

    @property
    def database(self) -> str:
        """The database of inbox and runs, as an SQLAlchemy URL."""
        return self.database_url or f"sqlite:///{self.database_file}"

    @property
    def database_file(self) -> Path:
        """The file of that database, where no other one is named."""
        return self.home / "selfcode.sqlite"

    @property
    def workflow_database(self) -> str:
        """The database of the durable steps; a file of its own, so that neither waits for the other's writes."""
        return self.database_url or f"sqlite:///{self.home / 'steps.sqlite'}"

    @property
    def owner_tag(self) -> str:
        """What marks this installation's containers: the same after a restart, another for another home."""
        return "selfcode-" + hashlib.sha256(str(self.home.resolve()).encode()).hexdigest()[:12]
