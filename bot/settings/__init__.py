"""Every operator setting, read once from the environment. Only `cli` and `wire` import this."""

from collections.abc import Mapping
from pathlib import Path
from urllib.parse import urlsplit

from pydantic import ConfigDict, ValidationError

from bot.app_file import KeptApp, merge
from bot.errors import ConfigError
from bot.settings.github_app import AppSettings
from bot.settings.limits import LimitSettings
from bot.settings.model import ModelSettings
from bot.settings.sandbox import SandboxSettings
from bot.settings.service import ServiceSettings
from bot.settings.work import WorkSettings

__all__ = ["Settings", "read_settings"]

SECRET_AT_LEAST = 12
"""Characters. A shorter value can't be told from ordinary words, and is none worth the name."""


class Settings(LimitSettings, SandboxSettings, ModelSettings, WorkSettings, AppSettings, ServiceSettings):
    """The operator's settings. Field names are the environment's, in lower case and without `SELFCODE_`.

    Each subject has a module, with what follows from its fields; pydantic puts their fields together by inheritance.
    """

    model_config = ConfigDict(frozen=True, extra="ignore", str_strip_whitespace=True, allow_inf_nan=False)

    def secrets(self) -> tuple[str, ...]:
        """Every secret value, for whoever must keep it out of what is written."""
        held = (self.private_key, self.webhook_secret, self.client_secret, self.openai_api_key)
        values = [value.get_secret_value() for value in held if value is not None]
        if self.private_key is not None or self.private_key_path is not None:
            values.append(self.key_text())
        if self.database_url and (password := urlsplit(self.database_url).password):
            values.append(str(password))
        return tuple(dict.fromkeys(value for value in values if len(value) >= SECRET_AT_LEAST))


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
