"""Hears what happens in a run, and holds it where it is to be hit."""

import threading
import time
from collections import Counter

from tests.chaos.points import Heard, Kind, Moment, Point


class Watch:
    """Whatever happens is told to `at`, by the thread that does it. It is held there where it is the awaited moment."""

    def __init__(self) -> None:
        self._lock = threading.Lock()
        self._seen: Counter[tuple[Kind, str]] = Counter()
        self._heard: list[Heard] = []
        self._awaited: Point | None = None
        self._reached = threading.Event()
        self._open = threading.Event()

    def begin(self, awaited: Point | None = None) -> None:
        """Forget what was, and hold the run at this point."""
        with self._lock:
            self._seen.clear()
            self._heard.clear()
            self._awaited = awaited
            self._reached.clear()
            self._open.clear()

    def at(self, kind: Kind, what: str) -> None:
        """Something has happened. Returns when it may go on."""
        with self._lock:
            self._seen[kind, what] += 1
            moment = Moment(kind, what, self._seen[kind, what])
            self._heard.append(Heard(moment, time.monotonic()))
            awaited = self._awaited
            if awaited is None or awaited.moment != moment:
                return
            self._awaited = None
        if awaited.after_s:
            threading.Timer(awaited.after_s, self._reached.set).start()
        else:
            self._reached.set()
            self._open.wait()

    def is_reached(self) -> bool:
        """Whether the run has come to the point, and stands still or is halfway."""
        return self._reached.is_set()

    def let_go(self) -> None:
        """Let what is held go on."""
        with self._lock:
            self._awaited = None
        self._open.set()

    def is_at_rest(self) -> bool:
        """Whether no step is under way."""
        steps = [each.moment.kind for each in self.heard if each.moment.kind in (Kind.BEGINS, Kind.DONE)]
        return steps[-1:] != [Kind.BEGINS]

    @property
    def heard(self) -> list[Heard]:
        """All that was, in order."""
        with self._lock:
            return list(self._heard)

    def went_on_at(self, after_s: float) -> float | None:
        """When something happened again after that moment, by the same clock."""
        return next((each.at_s for each in self.heard if each.at_s > after_s), None)
