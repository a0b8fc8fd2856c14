"""What a process counts of its own work, as far as whoever works need know."""

from dataclasses import dataclass
from typing import Literal, Protocol

from bot.records import Usage

Status = int | Literal["limited"] | None
"""How GitHub answered: by an HTTP status, none where it could not be reached. `limited`: it asked us to wait, and 429
is not how it said so.
"""


@dataclass(frozen=True, slots=True)
class Allowance:
    """What GitHub said last of a limit: requests in all and left, and when they are given anew (since the epoch)."""

    resource: str
    limit: int
    left: int
    resets_at: float


class Counts(Protocol):
    """Counts. Every method may be called by any number of threads; none raises, none does I/O that can wait."""

    def run_ended(self, kind: str, outcome: str) -> None:
        """A run of this kind of trigger came to its end."""
        ...

    def step_took(self, name: str, seconds: float) -> None:
        """A step of a run is over, whatever came of it. Its number, where it has one, does not count."""
        ...

    def model_answered(self, model: str, seconds: float, result: str, usage: Usage | None) -> None:
        """A model was called. `result`: `answered`, `unavailable` (without `usage`), or why no reply came of it."""
        ...

    def sandbox_failed(self, how: str) -> None:
        """The sandbox itself failed: `full`, `image_gone`, `unavailable` or `failed`."""
        ...

    def github_answered(self, status: Status, installation_id: int | None, allowance: Allowance | None) -> None:
        """GitHub was asked for something; no installation where by the App."""
        ...


class Uncounted:
    """Counts nothing: for commands whose process ends with their work."""

    def run_ended(self, kind: str, outcome: str) -> None: ...

    def step_took(self, name: str, seconds: float) -> None: ...

    def model_answered(self, model: str, seconds: float, result: str, usage: Usage | None) -> None: ...

    def sandbox_failed(self, how: str) -> None: ...

    def github_answered(self, status: Status, installation_id: int | None, allowance: Allowance | None) -> None: ...
