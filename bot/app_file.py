"""`SELFCODE_HOME/app.json`: the App created by clicking, as settings by their names. The environment overrides it."""

import json
import os
import stat
import tempfile
from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path

from bot.errors import ConfigError

FILE = "app.json"
_MEND = "put it right, or move it away and create the App again"

CREDENTIALS = (
    "SELFCODE_APP_ID",
    "SELFCODE_PRIVATE_KEY",
    "SELFCODE_PRIVATE_KEY_PATH",
    "SELFCODE_WEBHOOK_SECRET",
    "SELFCODE_CLIENT_ID",
    "SELFCODE_CLIENT_SECRET",
)
"""What only makes sense together, as one App's."""

KEPT = (
    *(name for name in CREDENTIALS if name != "SELFCODE_PRIVATE_KEY_PATH"),
    "SELFCODE_APP_SLUG",
    "SELFCODE_GITHUB_API_URL",
    "SELFCODE_PUBLIC_URL",
    "SELFCODE_POLL_SECONDS",
)
"""What the file may hold; anything else in it is somebody's mistake."""

OF_WHICH_APP = ("SELFCODE_APP_ID", "SELFCODE_APP_SLUG", "SELFCODE_GITHUB_API_URL")
"""Where the environment names another one than the file, the file is of another App."""


@dataclass(frozen=True, slots=True)
class KeptApp:
    """What the file holds; nothing where there is none."""

    path: Path
    values: Mapping[str, str] = field(default_factory=dict, repr=False)


@dataclass(frozen=True, slots=True)
class Merged:
    """The environment over the file. `note` says for people where what is of the App comes from, or ""."""

    values: Mapping[str, str] = field(repr=False)
    note: str


def home_in(environment: Mapping[str, str]) -> Path:
    """The folder that SELFCODE_HOME names."""
    named = environment.get("SELFCODE_HOME", "").strip()
    return Path(named).expanduser() if named else Path.home() / ".selfcode"


def read_kept(home: Path) -> KeptApp:
    """What the home's file holds. Raises `ConfigError` where it can't be read or is none of ours."""
    path = home / FILE
    try:
        found = json.loads(path.read_text(encoding="utf-8"))
    except (FileNotFoundError, NotADirectoryError):
        return KeptApp(path)
    except OSError as problem:
        raise ConfigError(f"{path} can't be read: {problem.strerror}") from problem
    except ValueError:
        raise ConfigError(f"{path} is not JSON: {_MEND}") from None
    if not isinstance(found, dict) or not all(isinstance(value, str) for value in found.values()):
        raise ConfigError(f"{path} is not an object of settings by their names: {_MEND}")
    if unknown := sorted(set(found) - set(KEPT)):
        raise ConfigError(f"{path} holds what is no setting of the App: {', '.join(unknown)}: {_MEND}")
    return KeptApp(path, found)


def merge(environment: Mapping[str, str], kept: KeptApp) -> Merged:
    """The settings that count. Where the environment is of another App than the file, nothing of the file is taken."""
    said = {name: value for name, value in environment.items() if value.strip()}
    if not kept.values:
        return Merged(said, _note(said, kept, {}))
    other = [name for name in OF_WHICH_APP if said.get(name, "").strip().rstrip("/") not in ("", kept.values.get(name))]
    if other:
        return Merged(said, f"{kept.path} is of another App, by {' and '.join(other)}, and was not read for this one.")
    hidden = set(said)
    if "SELFCODE_PRIVATE_KEY_PATH" in said:
        hidden.add("SELFCODE_PRIVATE_KEY")
    if "SELFCODE_PUBLIC_URL" in said:
        hidden.add("SELFCODE_POLL_SECONDS")
    taken = {name: value for name, value in kept.values.items() if name not in hidden}
    return Merged(taken | said, _note(said, kept, taken))


def named_in(environment: Mapping[str, str]) -> tuple[str, ...]:
    """The credentials that the environment sets."""
    return tuple(name for name in CREDENTIALS if environment.get(name, "").strip())


def _note(said: Mapping[str, str], kept: KeptApp, taken: Mapping[str, str]) -> str:
    of_file = [name for name in CREDENTIALS if name in taken]
    of_environment = named_in(said)
    parts = [f"{', '.join(of_file)} from {kept.path}" if of_file else ""]
    parts.append(f"{', '.join(of_environment)} from the environment" if of_environment else "")
    return f"Taken: {'; '.join(part for part in parts if part)}." if any(parts) else ""


def require_writable(home: Path) -> None:
    """Raise `ConfigError` where the file could not be written: better known before an App is created."""
    try:
        home.mkdir(parents=True, exist_ok=True, mode=0o700)
        with tempfile.NamedTemporaryFile(dir=home, prefix=".app-"):
            pass
    except OSError as problem:
        raise ConfigError(f"SELFCODE_HOME: {home} can't be written: {problem.strerror}") from problem


def write_kept(home: Path, values: Mapping[str, str]) -> Path:
    """Keep the App, whole or not at all, readable for this user alone.

    Raises `ConfigError` where it can't be written, or where there is one already: it is never replaced.
    """
    path = home / FILE
    if path.exists():
        raise ConfigError(f"{path} is there already, and is not replaced")
    written = ""
    try:
        home.mkdir(parents=True, exist_ok=True, mode=0o700)
        descriptor, written = tempfile.mkstemp(dir=home, prefix=".app-")
        with open(descriptor, "w", encoding="utf-8") as file:  # noqa: PTH123 - a descriptor, made for this user alone
            json.dump(dict(values), file, indent=1)
            file.flush()
            os.fsync(file.fileno())
        _put(written, path)
    except OSError as problem:
        raise ConfigError(f"{path} can't be written: {problem.strerror}") from problem
    finally:
        if written:
            Path(written).unlink(missing_ok=True)
    return path


def _put(written: str, path: Path) -> None:
    """Give the file its name, unless another one has come to have it meanwhile."""
    try:
        os.link(written, path)
    except FileExistsError:
        raise ConfigError(f"{path} is there already, and is not replaced") from None


def others_can_read(path: Path) -> bool:
    """Whether somebody but this user could read the file."""
    return bool(path.stat().st_mode & (stat.S_IRWXG | stat.S_IRWXO))
