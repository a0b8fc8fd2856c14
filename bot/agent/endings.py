"""How a talk with the model ends."""

from dataclasses import dataclass
from enum import StrEnum


class Ended(StrEnum):
    """Why a talk ended. The three after the first are ends without a change."""

    FINISHED = "finished"
    NOTHING = "nothing to do"
    ASKED = "asked a person"
    ANSWERED = "answered the issue"
    CALLS = "calls"
    LIMIT = "limit"
    GAVE_UP = "gave up"


@dataclass(frozen=True, slots=True)
class Ending:
    """How the talk ended, in whose words: the model's summary, question or answer, the limit's, or what was wrong."""

    how: Ended
    words: str
