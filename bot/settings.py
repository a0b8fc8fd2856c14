"""Every operator setting, read once from the environment. Only `cli` and `wire` import this."""

import hashlib
from collections.abc import Mapping
from pathlib import Path
from typing import Annotated, Literal
from urllib.parse import urlsplit

from pydantic import (
    AfterValidator,
    BaseModel,
    ConfigDict,
    DirectoryPath,
    Field,
    FilePath,
    PrivateAttr,
    SecretStr,
    ValidationError,
    ValidationInfo,
    field_validator,
)

from bot.app_file import KeptApp, merge
from bot.errors import ConfigError
from bot.records import DEFAULT_IMAGE, DEFAULT_MODEL, Caps
from bot.setting_values import Backend, Hosts, Names, Networks, Paths, Tariff, Url

SECRET_AT_LEAST = 12
"""Characters. A shorter value can't be told from ordinary words, and is none worth the name."""


_BY_CLICKING = "With nothing of it set, `selfcode serve` shows a page that creates it."


class Settings(BaseModel):
    """The operator's settings. Field names are the environment's, in lower case and without `SELFCODE_`."""

    model_config = ConfigDict(frozen=True, extra="ignore", str_strip_whitespace=True, allow_inf_nan=False)

    home: Annotated[Path, AfterValidator(Path.expanduser)] = Field(
        default_factory=lambda: Path.home() / ".selfcode",
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

    github_api_url: Url = Field(
        "https://api.github.com",
        validation_alias="SELFCODE_GITHUB_API_URL",
        description="for GitHub Enterprise Server: `https://HOST/api/v3`",
    )
    github_url: Url | None = Field(
        None,
        validation_alias="SELFCODE_GITHUB_URL",
        description="where people see GitHub, where that can't be told from the API's address",
        json_schema_extra={"unset": "follows the API's"},
    )
    app_id: int | None = Field(
        None, validation_alias="SELFCODE_APP_ID", description="the number on the App's settings page"
    )
    app_slug: str = Field(
        "selfcode",
        validation_alias="SELFCODE_APP_SLUG",
        description="the App's name in its address; the bot's login is `slug[bot]`",
    )
    private_key: SecretStr | None = Field(
        None,
        validation_alias="SELFCODE_PRIVATE_KEY",
        description="the App's private key itself, PEM; `\\n` may stand for line ends",
    )
    private_key_path: Annotated[Path, AfterValidator(Path.expanduser)] | None = Field(
        None,
        validation_alias="SELFCODE_PRIVATE_KEY_PATH",
        description="the file with that key. One of the two, not both",
    )
    webhook_secret: SecretStr | None = Field(
        None, validation_alias="SELFCODE_WEBHOOK_SECRET", description="the secret that the webhook was created with"
    )
    client_id: str | None = Field(
        None,
        validation_alias="SELFCODE_CLIENT_ID",
        description="the App's OAuth credentials, for people to sign in by: its client id",
    )
    client_secret: SecretStr | None = Field(
        None, validation_alias="SELFCODE_CLIENT_SECRET", description="and its client secret"
    )
    public_url: Url | None = Field(
        None,
        validation_alias="SELFCODE_PUBLIC_URL",
        description="where GitHub and people reach the web server: `https://bot.example.com`. Deliveries go to "
        "`/webhook` below it",
    )
    operators: Names = Field(
        (),
        validation_alias="SELFCODE_OPERATORS",
        description="logins of people who see, stop and retry every run once they have signed in",
    )
    sign_in: Literal["elsewhere", "everywhere"] | None = Field(
        None,
        validation_alias="SELFCODE_SIGN_IN",
        description="who has to sign in to look at runs: `everywhere` is everybody, with `elsewhere` those who are not "
        "on this machine, where one is the operator. Nobody can without `SELFCODE_CLIENT_ID` and "
        "`SELFCODE_CLIENT_SECRET` ([security.md](security.md#who-may-look))",
        json_schema_extra={"unset": "`everywhere` with a `SELFCODE_PUBLIC_URL`, else `elsewhere`"},
    )
    poll_seconds: float | None = Field(
        None,
        ge=5,
        le=3600,
        validation_alias="SELFCODE_POLL_SECONDS",
        description="how often the worker fetches deliveries, where GitHub can't send any here. No secret is needed "
        "then ([without-a-public-address.md](without-a-public-address.md))",
    )
    allowed_owners: Names = Field(
        (),
        validation_alias="SELFCODE_ALLOWED_OWNERS",
        description="accounts whose repositories are served; others are ignored, and the log says so",
        json_schema_extra={"unset": "the App's owner"},
    )
    label: str = Field(
        "selfcode",
        min_length=1,
        max_length=50,
        validation_alias="SELFCODE_LABEL",
        description="the label that starts runs",
    )
    min_permission: Literal["read", "triage", "write", "maintain", "admin"] = Field(
        "write",
        validation_alias="SELFCODE_MIN_PERMISSION",
        description="what a person needs to start, stop and be listened to",
    )
    trusted_bots: Names = Field(
        (),
        validation_alias="SELFCODE_TRUSTED_BOTS",
        description="bots that may ask like people with enough access, by login, with or without `[bot]`: `renovate, "
        "my-triage[bot]`. All others are ignored, whatever access they have",
    )
    seconds_between_writes: float = Field(
        1.0,
        ge=0,
        validation_alias="SELFCODE_SECONDS_BETWEEN_WRITES",
        description="the pause that GitHub asks for between two writes of one installation",
    )
    dry_run: bool = Field(
        False,
        validation_alias="SELFCODE_DRY_RUN",
        description="comment only: nothing is pushed, no pull request is opened",
    )
    acceptance_tests: DirectoryPath | None = Field(
        None,
        validation_alias="SELFCODE_ACCEPTANCE_TESTS",
        description="a folder with hidden tests: what lies in its `OWNER/REPO` must pass in that repository "
        "([below](#acceptance-tests))",
    )

    model: str = Field(DEFAULT_MODEL, validation_alias="SELFCODE_MODEL", description="the model's name")
    dialect: Literal["auto", "native", "json", "fenced"] = Field(
        "auto",
        validation_alias="SELFCODE_DIALECT",
        description="how the model acts: `native` tool calls, `json` by a schema, `fenced` blocks; `auto` finds out by "
        "asking once, which the worker keeps for 30 days",
    )
    models: Names = Field(
        (),
        validation_alias="SELFCODE_MODELS",
        description="further models that a repository may choose, as its model or its critic",
    )
    window_tokens: int | None = Field(
        None,
        ge=1024,
        validation_alias="SELFCODE_WINDOW_TOKENS",
        description="how many tokens prompt and reply of `SELFCODE_MODEL` may have together. Needed for Ollama, which "
        "does not say",
        json_schema_extra={"unset": "what the server says"},
    )
    prices: Tariff = Field(
        (),
        validation_alias="SELFCODE_PRICES",
        description="`MODEL=INPUT/OUTPUT` or `MODEL=INPUT/OUTPUT/CACHED` in USD for a million tokens, comma-separated; "
        "`=0/0` for a model of your own",
        json_schema_extra={"unset": "list prices"},
    )
    critic_model: str = Field(
        "",
        validation_alias="SELFCODE_CRITIC_MODEL",
        description="a second model, the critic, at the same service: it suggests a fix after a failed iteration, "
        "reads a new test and the final change against the issue; its doubts stand in the pull request, its tokens "
        "are counted apart. Off where it is not set",
    )
    candidates: int | None = Field(
        None,
        ge=1,
        le=16,
        validation_alias="SELFCODE_CANDIDATES",
        description="the most candidates that an iteration draws: each is tested in a fresh copy, and the best goes "
        "on; in `solve` until one passes. Worth it with a cheap model",
        json_schema_extra={"unset": "1; for `solve` 2"},
    )
    candidates_at_once: int = Field(
        1,
        ge=1,
        le=16,
        validation_alias="SELFCODE_CANDIDATES_AT_ONCE",
        description="how many of them the model's server is asked for at the same time",
    )
    openai_api_key: SecretStr | None = Field(
        None, validation_alias="OPENAI_API_KEY", description="the key of the service"
    )
    openai_base_url: Url | None = Field(
        None,
        validation_alias="OPENAI_BASE_URL",
        description="any server that speaks OpenAI's chat completions, such as `http://127.0.0.1:8080/v1`",
        json_schema_extra={"unset": "OpenAI's"},
    )

    sandbox: Backend = Field(
        "docker",
        validation_alias="SELFCODE_SANDBOX",
        description="`bubblewrap` (no engine needed), `process` (no isolation: only for code that you trust), or one "
        "that a package brings: [sandboxes.md](sandboxes.md)",
    )
    sandbox_runtime: str | None = Field(
        None,
        validation_alias="SELFCODE_SANDBOX_RUNTIME",
        description="another OCI runtime that the engine knows, such as `runsc`",
        json_schema_extra={"unset": "the engine's"},
    )
    sandbox_paths: Paths = Field(
        (),
        validation_alias="SELFCODE_SANDBOX_PATHS",
        description="folders of this machine that `bubblewrap` shows read-only, such as a toolchain's",
    )
    sandbox_memory_mb: int = Field(
        4096,
        ge=64,
        validation_alias="SELFCODE_SANDBOX_MEMORY_MB",
        description="memory of one workspace, the files in it included",
    )
    sandbox_cpus: float = Field(
        2.0, gt=0, le=1024, validation_alias="SELFCODE_SANDBOX_CPUS", description="processors of one workspace"
    )
    sandbox_disk_gb: float = Field(
        20.0,
        gt=0,
        validation_alias="SELFCODE_SANDBOX_DISK_GB",
        description="what prepared images may take on the engine's disk, beside their base images; the least recently "
        "used go first",
    )
    setup_hosts: Hosts = Field(
        (),
        validation_alias="SELFCODE_SETUP_HOSTS",
        description="further hosts that `setup` may reach: `HOST` on ports 80 and 443, or `HOST:PORT`; `*` stands for "
        "anything",
    )
    setup_networks: Networks = Field(
        (),
        validation_alias="SELFCODE_SETUP_NETWORKS",
        description="private networks that allowed hosts may lie in, such as `10.1.0.0/16` for a registry of your own. "
        "Loopback, link-local and metadata addresses stay closed",
    )
    setup_secrets: DirectoryPath | None = Field(
        None,
        validation_alias="SELFCODE_SETUP_SECRETS",
        description="a folder with secrets for `setup`: the file `OWNER/REPO/NAME` is `/run/secrets/NAME` in that "
        "repository's `setup`, and in nothing that is kept",
    )
    sandbox_image: str = Field(
        DEFAULT_IMAGE,
        validation_alias="SELFCODE_SANDBOX_IMAGE",
        description="the image that tests run in: `docker build -t selfcode-sandbox sandbox/`",
    )
    images: Names = Field(
        (),
        validation_alias="SELFCODE_IMAGES",
        description="further images that a repository may choose; `*` stands for anything: `python:3.*`",
    )
    docker_host: str | None = Field(
        None,
        validation_alias="DOCKER_HOST",
        description="the Docker engine, on this machine or another "
        "([operations.md](deployment.md#an-engine-of-its-own))",
        json_schema_extra={"unset": "the local socket"},
    )
    ca_bundle: FilePath | None = Field(
        None,
        validation_alias="SELFCODE_CA_BUNDLE",
        description="a PEM file to trust, for GitHub, git and `setup`, where a proxy intercepts connections",
    )

    max_iterations: int = Field(
        5,
        ge=1,
        validation_alias="SELFCODE_MAX_ITERATIONS",
        description="tries at the change in one run, each with the test command behind it; iterations in which the "
        "test is written before do not count",
    )
    max_calls: int = Field(20, ge=1, validation_alias="SELFCODE_MAX_CALLS", description="model calls in one iteration")
    max_tokens: int = Field(
        400_000, ge=1, validation_alias="SELFCODE_MAX_TOKENS", description="tokens of a run, prompt and completion"
    )
    max_usd: float = Field(
        3.0,
        ge=0,
        validation_alias="SELFCODE_MAX_USD",
        description="money of a run; without effect for a model whose price is not known",
    )
    max_minutes: float = Field(60.0, gt=0, validation_alias="SELFCODE_MAX_MINUTES", description="time of a run")
    max_patch_lines: int = Field(
        1500, ge=1, validation_alias="SELFCODE_MAX_PATCH_LINES", description="lines of a change, added and removed"
    )
    max_patch_files: int = Field(40, ge=1, validation_alias="SELFCODE_MAX_PATCH_FILES", description="files of a change")
    day_usd_repository: float = Field(
        20.0,
        ge=0,
        validation_alias="SELFCODE_DAY_USD_REPOSITORY",
        description="money of 24 hours for one repository; 0 for no limit",
    )
    day_usd_installation: float = Field(
        50.0,
        ge=0,
        validation_alias="SELFCODE_DAY_USD_INSTALLATION",
        description="money of 24 hours for one account; 0 for no limit",
    )
    test_seconds: float = Field(
        600.0,
        gt=0,
        validation_alias="SELFCODE_TEST_SECONDS",
        description="the time that one command in the sandbox may take, a run of the tests or of `setup`",
    )

    _app_note: str = PrivateAttr("")

    @field_validator("private_key_path")
    @classmethod
    def _one_private_key(cls, path: Path | None, others: ValidationInfo) -> Path | None:
        if path is not None and others.data.get("private_key") is not None:
            raise ValueError("set SELFCODE_PRIVATE_KEY or SELFCODE_PRIVATE_KEY_PATH, not both")
        return path

    @field_validator("sign_in")
    @classmethod
    def _can_sign_in(cls, wanted: str | None, others: ValidationInfo) -> str | None:
        if wanted == "everywhere" and not (others.data.get("client_id") and others.data.get("client_secret")):
            raise ValueError("nobody can sign in without SELFCODE_CLIENT_ID and SELFCODE_CLIENT_SECRET")
        return wanted

    @property
    def can_sign_in(self) -> bool:
        """Whether people can sign in to look at runs."""
        return bool(self.client_id and self.client_secret and self.client_secret.get_secret_value())

    @property
    def lets_in_local(self) -> bool:
        """Whether whoever is on this machine is the operator, without signing in.

        Where browsers come by a public address, a proxy on this machine may stand before us that does not say so.
        """
        if self.sign_in is not None or not self.can_sign_in:
            return self.sign_in != "everywhere"
        return self.public_url is None

    @property
    def app_note(self) -> str:
        """For people: where what is set of the App comes from, or "" where nothing is."""
        return self._app_note

    @property
    def names_an_app(self) -> bool:
        """Whether anything is set that only an App has."""
        held = (self.app_id, self.private_key, self.private_key_path, self.webhook_secret, self.client_id)
        return any(value is not None for value in (*held, self.client_secret))

    @property
    def caps(self) -> Caps:
        """The operator's limits of one run."""
        return Caps(
            iterations=self.max_iterations,
            calls_per_iteration=self.max_calls,
            tokens=self.max_tokens,
            cost_usd=self.max_usd,
            minutes=self.max_minutes,
            patch_lines=self.max_patch_lines,
            patch_files=self.max_patch_files,
        )

    @property
    def web_address(self) -> str:
        """Where people see GitHub: by default of the server whose API is configured.

        Source: https://docs.github.com/en/enterprise-server@latest/rest/quickstart (`/api/v3`)
        """
        if self.github_url is not None:
            return self.github_url
        api = self.github_api_url
        return "https://github.com" if api == "https://api.github.com" else api.removesuffix("/api/v3")

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

    def secrets(self) -> tuple[str, ...]:
        """Every secret value, for whoever must keep it out of what is written."""
        held = (self.private_key, self.webhook_secret, self.client_secret, self.openai_api_key)
        values = [value.get_secret_value() for value in held if value is not None]
        if self.private_key is not None or self.private_key_path is not None:
            values.append(self.key_text())
        if self.database_url and (password := urlsplit(self.database_url).password):
            values.append(str(password))
        return tuple(dict.fromkeys(value for value in values if len(value) >= SECRET_AT_LEAST))

    def key_text(self) -> str:
        """The App's private key, PEM. Raises `ConfigError` where none can be read."""
        if self.private_key is not None:
            return self.private_key.get_secret_value().replace("\\n", "\n")
        if self.private_key_path is None:
            raise ConfigError("SELFCODE_PRIVATE_KEY or SELFCODE_PRIVATE_KEY_PATH is not set")
        try:
            return self.private_key_path.read_text(encoding="utf-8")
        except (OSError, UnicodeDecodeError) as problem:
            raise ConfigError(f"SELFCODE_PRIVATE_KEY_PATH: {problem}") from problem

    def require_app(self, *, webhook: bool = True) -> None:
        """Raise one `ConfigError` that names everything the App still lacks; `webhook`: to take deliveries, too."""
        lacking = []
        if self.app_id is None:
            lacking.append("SELFCODE_APP_ID: the number on the App's settings page")
        if webhook and (self.webhook_secret is None or not self.webhook_secret.get_secret_value()):
            lacking.append("SELFCODE_WEBHOOK_SECRET: the secret that the App's webhook was created with")
        try:
            key = self.key_text()
            if "PRIVATE KEY" not in key:
                lacking.append(
                    "SELFCODE_PRIVATE_KEY: is not a PEM private key; download one from the App's settings page"
                )
        except ConfigError as problem:
            lacking.append(str(problem))
        if lacking:
            lines = [
                *lacking,
                self.app_note or "With nothing of it set, `selfcode serve` shows a page that creates it.",
            ]
            raise ConfigError("The GitHub App is not set up:\n" + "\n".join(f"  {line}" for line in lines))


def read_settings(environment: Mapping[str, str], kept: KeptApp | None = None) -> Settings:
    """Read all settings, over what is kept of the App.

    Raises one `ConfigError` that names every bad one; an empty value counts as not set.
    """
    merged = merge(environment, kept or KeptApp(Path()))
    try:
        settings = Settings.model_validate(merged.values)
    except ValidationError as problem:
        lines = [
            f"  {_place(error['loc'])}: {error['msg'].removeprefix('Value error, ')}" for error in problem.errors()
        ]
        raise ConfigError("Settings that can't be used:\n" + "\n".join(lines)) from None
    settings._app_note = merged.note  # noqa: SLF001 - not the operator's to set
    return settings


def _place(location: tuple[int | str, ...]) -> str:
    """The setting, and which of its values where it is a list."""
    name, *parts = location
    return ": ".join([str(name), *(f"value {part + 1}" for part in parts if isinstance(part, int))])
