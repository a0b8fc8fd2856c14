"""What GitHub says of the App: what it may do and hear, where it is installed, where its deliveries go."""

from collections.abc import Mapping
from dataclasses import dataclass

LEVELS = ("none", "read", "write", "admin")


@dataclass(frozen=True, slots=True)
class AppFacts:
    """The App. `permissions` and `events` are what it asks each account for, which is changed at `settings_path`."""

    id: int
    slug: str
    owner: str
    settings_path: str
    permissions: Mapping[str, str]
    events: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class InstallationFacts:
    """The App on one account: what that account has granted, and the page where its owner changes it."""

    account: str
    html_url: str
    permissions: Mapping[str, str]
    events: tuple[str, ...]
    is_suspended: bool = False


@dataclass(frozen=True, slots=True)
class HookFacts:
    """Where deliveries go, and whether that address' certificate is checked."""

    url: str
    checks_certificate: bool = True


@dataclass(frozen=True, slots=True)
class Delivered:
    """One try to deliver something, and what came of it in GitHub's words; `status` 0 where nobody answered."""

    event: str
    at: float
    status: int
    words: str

    @property
    def was_taken(self) -> bool:
        return 200 <= self.status < 300


def lacking(wanted: Mapping[str, str], granted: Mapping[str, str]) -> Mapping[str, str]:
    """The permissions that are wanted and not granted, or less of them."""
    return {name: level for name, level in wanted.items() if _rank(granted.get(name, "none")) < _rank(level)}


def _rank(level: str) -> int:
    return LEVELS.index(level) if level in LEVELS else 0
