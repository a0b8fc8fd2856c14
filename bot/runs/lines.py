"""Where the dispatcher's errands stand in line: what they are about, and which of them wait for each other. Pure."""

from collections.abc import Callable
from dataclasses import dataclass
from enum import StrEnum
from typing import Protocol

from bot.records import TriggerKind
from bot.runs.store import RUNS


class Matter(StrEnum):
    """What an errand is about."""

    ENDING = "ending"
    RUNS = "runs"
    TALK = "talk"
    HOUSE = "house"
    WORDS = "words"


@dataclass(frozen=True, slots=True)
class Line:
    """Where one errand goes after the other: each matter of each installation has a line of its own."""

    matter: Matter
    installation_id: int


class Send(Protocol):
    """Has an errand run, once all before it in its line have been. False where the line takes no more."""

    def __call__(self, line: Line, work: Callable[[], None], /) -> bool: ...


def at_once(_line: Line, work: Callable[[], None]) -> bool:
    """Run the errand here and now: a `Send` for who has time."""
    work()
    return True


def matter_of(kind: TriggerKind) -> Matter:
    """What is asked for a trigger's sake."""
    match kind:
        case TriggerKind.STOP | TriggerKind.UNINSTALLED:
            return Matter.ENDING
        case TriggerKind.INSTALLED:
            return Matter.HOUSE
        case _ if kind in RUNS:
            return Matter.RUNS
        case _:
            return Matter.TALK
