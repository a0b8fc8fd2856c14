"""Every operator setting, read once from the environment. Only `cli` and `wire` import this."""

import hashlib
import re
from collections.abc import Mapping
from pathlib import Path
from typing import Annotated, Literal, NamedTuple
from urllib.parse import urlsplit

from pydantic import (
    AfterValidator,
    BaseModel,
    BeforeValidator,
    ConfigDict,
    DirectoryPath,
    Field,
    FilePath,
    IPvAnyNetwork,
    SecretStr,
    ValidationError,
    ValidationInfo,
    field_validator,
)

from bot.errors import ConfigError
from bot.records import DEFAULT_IMAGE, DEFAULT_MODEL, Caps
from sandbox import backends


def _names(value: object) -> object:
    return tuple(part.strip() for part in value.split(",") if part.strip()) if isinstance(value, str) else value


def _url(value: str) -> str:
    if not value.startswith(("http://", "https://")):
        raise ValueError("a URL begins with https:// or http://")
    return value.rstrip("/")


def _backend(value: str) -> str:
    if value not in backends.names():
        raise ValueError(f"there is no sandbox {value!r}: choose one of {', '.join(backends.names())}")
    return value


Url = Annotated[str, AfterValidator(_url)]
"""A web address, without a slash at its end."""

Names = Annotated[tuple[str, ...], BeforeValidator(_names)]
"""A comma-separated list."""

Paths = Annotated[tuple[Annotated[DirectoryPath, AfterValidator(Path.absolute)], ...], BeforeValidator(_names)]
"""A comma-separated list of folders that are there, by the names that they were given: one may be a link."""


def _host(value: str) -> str:
    if not re.fullmatch(r"[A-Za-z0-9*?._-]+(:[0-9]{1,5})?", value):
        raise ValueError(
            f"{value!r} is no host, HOST:PORT or pattern, such as `nexus.example.com:8443` or `*.example.com`"
        )
    return value.lower()


def _reachable(value: IPvAnyNetwork) -> IPvAnyNetwork:
    if value.is_loopback or value.is_link_local or value.is_multicast:
        raise ValueError(f"{value} is never open to a setup: loopback, link-local and multicast addresses stay closed")
    return value


Hosts = Annotated[tuple[Annotated[str, AfterValidator(_host)], ...], BeforeValidator(_names)]
"""A comma-separated list of hosts, with a port where it is not 80 or 443; `*` stands for anything."""

Networks = Annotated[tuple[Annotated[IPvAnyNetwork, AfterValidator(_reachable)], ...], BeforeValidator(_names)]
"""A comma-separated list of networks, `10.1.0.0/16`."""


class ModelPrice(NamedTuple):
    """What one model costs, in USD for a million tokens."""

    model: str
    input_usd: float
    output_usd: float
    cached_usd: float | None


def _model_price(text: str) -> ModelPrice:
    found = re.fullmatch(rf"([^\s=]+)\s*=\s*({_USD})\s*/\s*({_USD})(?:\s*/\s*({_USD}))?", text)
    if found is None:
        raise ValueError(
            f"{text!r} is no price: write MODEL=INPUT/OUTPUT or MODEL=INPUT/OUTPUT/CACHED in USD for a million tokens, "
            "such as `qwen3-coder=0.22/0.95`, or `=0/0` for a model of your own"
        )
    model, input_usd, output_usd, cached_usd = found.groups()
    return ModelPrice(model, float(input_usd), float(output_usd), float(cached_usd) if cached_usd else None)


def _tariff(value: object) -> object:
    if not isinstance(value, str):
        return value
    prices = [_model_price(part.strip()) for part in value.split(",") if part.strip()]
    twice = {price.model for price in prices if [other.model for other in prices].count(price.model) > 1}
    if twice:
        raise ValueError(f"more than one price for {', '.join(sorted(twice))}")
    return tuple(prices)


_USD = r"[0-9]+(?:\.[0-9]+)?|\.[0-9]+"

Tariff = Annotated[tuple[ModelPrice, ...], BeforeValidator(_tariff)]
"""A comma-separated list of `MODEL=INPUT/OUTPUT[/CACHED]`."""

SECRET_AT_LEAST = 12
"""Characters. A shorter value can't be told from ordinary words, and is none worth the name."""


class Settings(BaseModel):
    """The operator's settings. Field names are the environment's, in lower case and without `SELFCODE_`."""

    model_config = ConfigDict(frozen=True, extra="ignore", str_strip_whitespace=True, allow_inf_nan=False)

    home: Annotated[Path, AfterValidator(Path.expanduser)] = Field(
        default_factory=lambda: Path.home() / ".selfcode", validation_alias="SELFCODE_HOME"
    )
    database_url: str | None = Field(None, repr=False, validation_alias="SELFCODE_DATABASE_URL")
    host: str = Field("127.0.0.1", validation_alias="SELFCODE_HOST")
    port: int = Field(8000, ge=1, le=65535, validation_alias="SELFCODE_PORT")
    web_processes: int = Field(2, ge=1, le=64, validation_alias="SELFCODE_WEB_PROCESSES")
    web_max_requests: int = Field(0, ge=0, validation_alias="SELFCODE_WEB_MAX_REQUESTS")
    runs_at_once: int = Field(2, ge=1, le=64, validation_alias="SELFCODE_RUNS_AT_ONCE")
    runs_at_once_all: int | None = Field(None, ge=1, validation_alias="SELFCODE_RUNS_AT_ONCE_ALL")
    runs_at_once_repository: int | None = Field(None, ge=1, validation_alias="SELFCODE_RUNS_AT_ONCE_REPOSITORY")
    runs_at_once_installation: int | None = Field(None, ge=1, validation_alias="SELFCODE_RUNS_AT_ONCE_INSTALLATION")
    retention_days: float = Field(90.0, ge=0, validation_alias="SELFCODE_RETENTION_DAYS")
    log_format: Literal["text", "json"] = Field("text", validation_alias="SELFCODE_LOG_FORMAT")
    metrics_port: int | None = Field(None, ge=1, le=65535, validation_alias="SELFCODE_METRICS_PORT")

    github_api_url: Url = Field("https://api.github.com", validation_alias="SELFCODE_GITHUB_API_URL")
    github_url: Url | None = Field(None, validation_alias="SELFCODE_GITHUB_URL")
    app_id: int | None = Field(None, validation_alias="SELFCODE_APP_ID")
    app_slug: str = Field("selfcode", validation_alias="SELFCODE_APP_SLUG")
    private_key: SecretStr | None = Field(None, validation_alias="SELFCODE_PRIVATE_KEY")
    private_key_path: Annotated[Path, AfterValidator(Path.expanduser)] | None = Field(
        None, validation_alias="SELFCODE_PRIVATE_KEY_PATH"
    )
    webhook_secret: SecretStr | None = Field(None, validation_alias="SELFCODE_WEBHOOK_SECRET")
    poll_seconds: float | None = Field(None, ge=5, le=3600, validation_alias="SELFCODE_POLL_SECONDS")
    allowed_owners: Names = Field((), validation_alias="SELFCODE_ALLOWED_OWNERS")
    label: str = Field("selfcode", min_length=1, max_length=50, validation_alias="SELFCODE_LABEL")
    min_permission: Literal["read", "triage", "write", "maintain", "admin"] = Field(
        "write", validation_alias="SELFCODE_MIN_PERMISSION"
    )
    trusted_bots: Names = Field((), validation_alias="SELFCODE_TRUSTED_BOTS")
    seconds_between_writes: float = Field(1.0, ge=0, validation_alias="SELFCODE_SECONDS_BETWEEN_WRITES")
    dry_run: bool = Field(False, validation_alias="SELFCODE_DRY_RUN")
    acceptance_tests: DirectoryPath | None = Field(None, validation_alias="SELFCODE_ACCEPTANCE_TESTS")

    model: str = Field(DEFAULT_MODEL, validation_alias="SELFCODE_MODEL")
    dialect: Literal["auto", "native", "json", "fenced"] = Field("auto", validation_alias="SELFCODE_DIALECT")
    models: Names = Field((), validation_alias="SELFCODE_MODELS")
    window_tokens: int | None = Field(None, ge=1024, validation_alias="SELFCODE_WINDOW_TOKENS")
    prices: Tariff = Field((), validation_alias="SELFCODE_PRICES")
    critic_model: str = Field("", validation_alias="SELFCODE_CRITIC_MODEL")
    candidates: int | None = Field(None, ge=1, le=16, validation_alias="SELFCODE_CANDIDATES")
    candidates_at_once: int = Field(1, ge=1, le=16, validation_alias="SELFCODE_CANDIDATES_AT_ONCE")
    openai_api_key: SecretStr | None = Field(None, validation_alias="OPENAI_API_KEY")
    openai_base_url: Url | None = Field(None, validation_alias="OPENAI_BASE_URL")

    sandbox: Annotated[str, AfterValidator(_backend)] = Field("docker", validation_alias="SELFCODE_SANDBOX")
    sandbox_runtime: str | None = Field(None, validation_alias="SELFCODE_SANDBOX_RUNTIME")
    sandbox_paths: Paths = Field((), validation_alias="SELFCODE_SANDBOX_PATHS")
    sandbox_memory_mb: int = Field(4096, ge=64, validation_alias="SELFCODE_SANDBOX_MEMORY_MB")
    sandbox_cpus: float = Field(2.0, gt=0, le=1024, validation_alias="SELFCODE_SANDBOX_CPUS")
    sandbox_disk_gb: float = Field(20.0, gt=0, validation_alias="SELFCODE_SANDBOX_DISK_GB")
    setup_hosts: Hosts = Field((), validation_alias="SELFCODE_SETUP_HOSTS")
    setup_networks: Networks = Field((), validation_alias="SELFCODE_SETUP_NETWORKS")
    setup_secrets: DirectoryPath | None = Field(None, validation_alias="SELFCODE_SETUP_SECRETS")
    sandbox_image: str = Field(DEFAULT_IMAGE, validation_alias="SELFCODE_SANDBOX_IMAGE")
    images: Names = Field((), validation_alias="SELFCODE_IMAGES")
    docker_host: str | None = Field(None, validation_alias="DOCKER_HOST")
    ca_bundle: FilePath | None = Field(None, validation_alias="SELFCODE_CA_BUNDLE")

    max_iterations: int = Field(5, ge=1, validation_alias="SELFCODE_MAX_ITERATIONS")
    max_calls: int = Field(20, ge=1, validation_alias="SELFCODE_MAX_CALLS")
    max_tokens: int = Field(400_000, ge=1, validation_alias="SELFCODE_MAX_TOKENS")
    max_usd: float = Field(3.0, ge=0, validation_alias="SELFCODE_MAX_USD")
    max_minutes: float = Field(60.0, gt=0, validation_alias="SELFCODE_MAX_MINUTES")
    max_patch_lines: int = Field(1500, ge=1, validation_alias="SELFCODE_MAX_PATCH_LINES")
    max_patch_files: int = Field(40, ge=1, validation_alias="SELFCODE_MAX_PATCH_FILES")
    day_usd_repository: float = Field(20.0, ge=0, validation_alias="SELFCODE_DAY_USD_REPOSITORY")
    day_usd_installation: float = Field(50.0, ge=0, validation_alias="SELFCODE_DAY_USD_INSTALLATION")
    test_seconds: float = Field(600.0, gt=0, validation_alias="SELFCODE_TEST_SECONDS")

    @field_validator("private_key_path")
    @classmethod
    def _one_private_key(cls, path: Path | None, others: ValidationInfo) -> Path | None:
        if path is not None and others.data.get("private_key") is not None:
            raise ValueError("set SELFCODE_PRIVATE_KEY or SELFCODE_PRIVATE_KEY_PATH, not both")
        return path

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
        held = (self.private_key, self.webhook_secret, self.openai_api_key)
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
            raise ConfigError("The GitHub App is not set up:\n" + "\n".join(f"  {line}" for line in lacking))


def read_settings(environment: Mapping[str, str]) -> Settings:
    """Read all settings. Raises one `ConfigError` that names every bad one; an empty value counts as not set."""
    try:
        return Settings.model_validate({name: value for name, value in environment.items() if value.strip()})
    except ValidationError as problem:
        lines = [
            f"  {_place(error['loc'])}: {error['msg'].removeprefix('Value error, ')}" for error in problem.errors()
        ]
        raise ConfigError("Settings that can't be used:\n" + "\n".join(lines)) from None


def _place(location: tuple[int | str, ...]) -> str:
    """The setting, and which of its values where it is a list."""
    name, *parts = location
    return ": ".join([str(name), *(f"value {part + 1}" for part in parts if isinstance(part, int))])
