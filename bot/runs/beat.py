"""How the worker shows that it lives: a file of its home, written every few seconds, with what ails its parts."""

import json
import time
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from pathlib import Path

BEAT = "worker.beat"
"""The file's name."""

BEAT_EVERY_S = 5.0
BEAT_STALE_S = 30.0


@dataclass(frozen=True, slots=True)
class Beat:
    """A sign of life. `at` is when it was given, in seconds since the epoch; `problems` are named by part."""

    at: float
    problems: Mapping[str, str]


def beat_text(**problems: str) -> str:
    """What the file is to hold: each part that something ails, with what that is, in words for the operator."""
    return json.dumps({part: problem for part, problem in problems.items() if problem})


def last_beat(home: Path) -> Beat | None:
    """The last sign of life of this home's worker; None where there was none."""
    file = home / BEAT
    try:
        at, text = file.stat().st_mtime, file.read_text(encoding="utf-8")
    except FileNotFoundError:
        return None
    return Beat(at, _problems_in(text))


def _problems_in(text: str) -> Mapping[str, str]:
    """What an older worker wrote is what ails its sandbox, or nothing."""
    try:
        found = json.loads(text)
    except ValueError:
        found = text
    return found if isinstance(found, dict) else {"sandbox": text}


STUCK_S = 120.0
"""A worker that has not come through all that waits for so long counts as stuck: it asks nobody there, and is quick."""


class Pulse:
    """Whether the worker still comes through. Written by one thread and read by others; the clock is monotonic."""

    def __init__(self, clock: Callable[[], float] = time.monotonic) -> None:
        self._clock = clock
        self._at = clock()

    def came_through(self) -> None:
        """It has looked at all that waits."""
        self._at = self._clock()

    def problem(self) -> str:
        """What is wrong where it does so no more, or ""."""
        silent_s = self._clock() - self._at
        if silent_s < STUCK_S:
            return ""
        return f"the worker has not come through what waits for {silent_s:.0f} s: its log has the reason"
