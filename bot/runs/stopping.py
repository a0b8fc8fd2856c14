"""How a run is ended from outside: a flag in the database, looked at beside whatever runs, never behind it."""

import threading
import time
from contextlib import suppress
from dataclasses import dataclass, field

from bot.errors import Unavailable
from bot.runs.store import Store

LOOK_EVERY_S = 0.5


@dataclass
class StopFlag:
    """A `StopCheck` for one run: true once someone asked for its end. Reads the database at most twice a second.

    A database that is away does not say, and is asked again. Raises `LeaseLost` once another worker has the run.
    """

    store: Store
    run_id: str
    _looked_at: float = field(default=0.0, init=False)
    _because: str | None = field(default=None, init=False)
    _lock: threading.Lock = field(default_factory=threading.Lock, init=False)

    def __call__(self) -> bool:
        return self.because is not None

    @property
    def because(self) -> str | None:
        """Why the run is to stop, in words for people; None while nobody asked."""
        with self._lock:
            if self._because is None and time.monotonic() - self._looked_at >= LOOK_EVERY_S:
                self._looked_at = time.monotonic()
                with suppress(Unavailable):
                    self._because = self.store.stop_because(self.run_id)
            return self._because
