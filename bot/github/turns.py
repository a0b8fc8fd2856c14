"""Who waits for whom: writes, and whatever else may be done by one thread at a time."""

import threading
from collections.abc import Callable, Hashable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from weakref import WeakValueDictionary


class Locks:
    """A lock for each key, kept as long as anybody holds it or waits for it. Safe for any number of threads."""

    def __init__(self) -> None:
        self._guard = threading.Lock()
        self._locks: WeakValueDictionary[Hashable, threading.Lock] = WeakValueDictionary()

    @contextmanager
    def holding(self, key: Hashable) -> Iterator[None]:
        """Hold the key's lock."""
        with self._guard:
            lock = self._locks.get(key)
            if lock is None:
                lock = self._locks[key] = threading.Lock()
        with lock:
            yield


@dataclass(slots=True)
class _Turn:
    """The writes of one installation."""

    lock: threading.Lock = field(default_factory=threading.Lock)
    last_write_s: float = 0.0
    paused_s: float = 0.0


class Turns:
    """Writes of one installation go one after the other with a pause between, over all threads: GitHub asks for it.

    Those of other installations wait for none of them.
    Source: https://docs.github.com/en/rest/using-the-rest-api/best-practices-for-using-the-rest-api
    """

    def __init__(self, pause_s: float, clock: Callable[[], float], sleep: Callable[[float], None]) -> None:
        self._pause_s, self._clock, self._sleep = pause_s, clock, sleep
        self._guard = threading.Lock()
        self._turns: dict[int, _Turn] = {}

    @property
    def paused_s(self) -> float:
        """How long writes have paused so far, in seconds."""
        with self._guard:
            return sum(turn.paused_s for turn in self._turns.values())

    @contextmanager
    def write(self, installation_id: int) -> Iterator[None]:
        """Write, when it is its turn."""
        with self._guard:
            turn = self._turns.setdefault(installation_id, _Turn())
        with turn.lock:
            self._pause(turn)
            try:
                yield
            finally:
                turn.last_write_s = self._clock()

    def _pause(self, turn: _Turn) -> None:
        wait_s = min(turn.last_write_s + self._pause_s - self._clock(), self._pause_s)
        if wait_s > 0:
            turn.paused_s += wait_s
            self._sleep(wait_s)
