"""What one kind of project proposes: commands with their reasons. Pure."""

from collections.abc import Iterable
from dataclasses import dataclass

from bot.records import joined

REASON_AT_MOST = 300
COMMAND_AT_MOST = 3900
"""A bit less than what `.github/selfcode.yml` may hold in one key."""


@dataclass(frozen=True, slots=True)
class Step:
    """A command that a shell may put `&&` behind, and why it is there."""

    command: str
    reason: str


@dataclass(frozen=True, slots=True)
class Proposal:
    """How one kind of project is tested. `source` is the file that decided; `report` a results file in JUnit's XML."""

    test: Step
    source: str
    setup: tuple[Step, ...] = ()
    build: Step | None = None
    report: str = ""


def all_of(steps: Iterable[Step]) -> str:
    """One command of which each step must succeed."""
    return joined([step.command for step in steps])


def one_line(text: str) -> str:
    """The text as one line of readable length, without characters that are not to be seen."""
    visible = "".join(character if character.isprintable() else " " for character in text)
    flat = " ".join(visible.split())
    return flat if len(flat) <= REASON_AT_MOST else f"{flat[: REASON_AT_MOST - 1]}…"
