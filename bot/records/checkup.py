"""What a check of the installation finds (`doctor` without a repository)."""

from dataclasses import dataclass
from enum import StrEnum


class CheckState(StrEnum):
    """How a part is. NOTED: it works, and is worth knowing. UNKNOWN: it could not be looked at."""

    GOOD = "good"
    NOTED = "noted"
    BAD = "bad"
    UNKNOWN = "unknown"


@dataclass(frozen=True, slots=True)
class Check:
    """One thing that was looked at, in words for the operator; `mend` is the command that mends it, or ""."""

    part: str
    state: CheckState
    words: str
    mend: str = ""


@dataclass(frozen=True, slots=True)
class Checkup:
    """All that was looked at, in order."""

    checks: tuple[Check, ...]

    @property
    def is_healthy(self) -> bool:
        """Nothing keeps it from working, as far as could be seen; what could not be looked at is not healthy."""
        return all(check.state in (CheckState.GOOD, CheckState.NOTED) for check in self.checks)
