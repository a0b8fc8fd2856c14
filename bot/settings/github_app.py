"""Settings of the GitHub App: which it is, its credentials, where it and we are reached, who signs in by it."""

import re
from pathlib import Path
from typing import Annotated, Literal
from urllib.parse import urlsplit

from pydantic import (
    AfterValidator,
    BaseModel,
    Field,
    FilePath,
    PrivateAttr,
    SecretStr,
    ValidationInfo,
    field_validator,
)

from bot.errors import ConfigError
from bot.settings.forms import Url

_PLAIN = re.compile(
    r"https?://[A-Za-z0-9._-]+(:[0-9]{1,5})?(/[A-Za-z0-9._~/%-]*)?|https?://\[[0-9A-Fa-f:.]+\](:[0-9]{1,5})?"
)
"""A scheme, a host, a port, a path."""


class AppSettings(BaseModel):
    """The App. Its credentials may come from what was kept of it (`app_note`)."""

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
        "`/webhook` below it. Where one can sign in, too, what is said on GitHub leads to the pages of runs, unless "
        "the address has a path: there are no pages below one",
    )
    sign_in: Literal["elsewhere", "everywhere"] | None = Field(
        None,
        validation_alias="SELFCODE_SIGN_IN",
        description="who has to sign in to look at runs: `everywhere` is everybody, on this machine too, for behind a "
        "reverse proxy all visitors may seem to be on it; with `elsewhere` whoever is on this machine is the operator. "
        "Nobody can without `SELFCODE_CLIENT_ID` and `SELFCODE_CLIENT_SECRET` "
        "([security.md](security.md#who-may-look))",
        json_schema_extra={"unset": "`everywhere` where one can sign in at a `SELFCODE_PUBLIC_URL`, else `elsewhere`"},
    )
    poll_seconds: float | None = Field(
        None,
        ge=5,
        le=3600,
        validation_alias="SELFCODE_POLL_SECONDS",
        description="how often the worker fetches deliveries, where GitHub can't send any here. No secret is needed "
        "then ([without-a-public-address.md](without-a-public-address.md))",
    )
    seconds_between_writes: float = Field(
        1.0,
        ge=0,
        validation_alias="SELFCODE_SECONDS_BETWEEN_WRITES",
        description="the pause that GitHub asks for between two writes of one installation",
    )
    ca_bundle: FilePath | None = Field(
        None,
        validation_alias="SELFCODE_CA_BUNDLE",
        description="a PEM file to trust, for GitHub, git and `setup`, where a proxy intercepts connections",
    )

    _app_note: str = PrivateAttr("")

    @field_validator("private_key_path")
    @classmethod
    def _one_private_key(cls, path: Path | None, others: ValidationInfo) -> Path | None:
        if path is not None and others.data.get("private_key") is not None:
            raise ValueError("set SELFCODE_PRIVATE_KEY or SELFCODE_PRIVATE_KEY_PATH, not both")
        return path

    @field_validator("public_url")
    @classmethod
    def _is_for_everybody(cls, url: str | None) -> str | None:
        if url is not None and _PLAIN.fullmatch(url) is None:
            raise ValueError(
                "it is shown to everybody, and is a scheme, a host and, where needed, a port and a path alone: "
                "https://bot.example.com"
            )
        return url

    @field_validator("sign_in")
    @classmethod
    def _can_sign_in(cls, wanted: str | None, others: ValidationInfo) -> str | None:
        if wanted == "everywhere" and not (others.data.get("client_id") and others.data.get("client_secret")):
            raise ValueError("nobody can sign in without SELFCODE_CLIENT_ID and SELFCODE_CLIENT_SECRET")
        return wanted

    @property
    def can_sign_in(self) -> bool:
        """Whether people can sign in to look at runs."""
        return bool(self.client_id and self.client_secret)

    @property
    def lets_in_local(self) -> bool:
        """Whether whoever is on this machine is the operator, without signing in.

        Where browsers come by a public address, a proxy on this machine may stand before us that does not say so.
        """
        if self.sign_in is not None or not self.can_sign_in:
            return self.sign_in != "everywhere"
        return self.public_url is None

    @property
    def pages_address(self) -> str:
        """The address that pages about runs are below, to be named to people on GitHub; "" where none could sign in.

        Pages lead to each other from the root on: who came by a path of a proxy's would not find the way.
        """
        found = self.public_url or ""
        return found if self.can_sign_in and not urlsplit(found).path else ""

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
    def web_address(self) -> str:
        """Where people see GitHub: by default of the server whose API is configured.

        Source: https://docs.github.com/en/enterprise-server@latest/rest/quickstart (`/api/v3`)
        """
        if self.github_url is not None:
            return self.github_url
        api = self.github_api_url
        return "https://github.com" if api == "https://api.github.com" else api.removesuffix("/api/v3")

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
        if webhook and not self.webhook_secret:
            lacking.append("SELFCODE_WEBHOOK_SECRET: the secret that the App's webhook was created with")
        try:
            if "PRIVATE KEY" not in self.key_text():
                lacking.append(
                    "SELFCODE_PRIVATE_KEY: is not a PEM private key; download one from the App's settings page"
                )
        except ConfigError as problem:
            lacking.append(str(problem))
        if lacking:
            lacking.append(self.app_note or "With nothing of it set, `selfcode serve` shows a page that creates it.")
            raise ConfigError("The GitHub App is not set up:\n" + "\n".join(f"  {line}" for line in lacking))
