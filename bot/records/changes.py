"""What was changed since the base."""

from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class ChangedFile:
    """One file that differs between base and head. None on one side: not there.

    Modes are git's: 100644, 100755, 120000.
    """

    path: str
    before: bytes | None
    after: bytes | None
    before_mode: str | None
    after_mode: str | None


@dataclass(frozen=True, slots=True)
class Change:
    """What was changed since the base: a binary git patch, and what it touches.

    `left_out` names what the workspace held and the change does not (ignored, a cache, too large, a protected path).
    """

    patch: str = ""
    paths: tuple[str, ...] = ()
    added_lines: int = 0
    removed_lines: int = 0
    left_out: tuple[str, ...] = ()

    @property
    def is_empty(self) -> bool:
        return not self.paths
