"""How much a setup writes outside its workspace, watched while it runs: an engine's root directory has no quota."""

import logging
import threading
import time
from collections.abc import Callable
from typing import Self

from sandbox.contract import SandboxError

_PAUSE_S = 1.0
_SHARE = 10
"""The pause is at least this many times as long as a look takes: a look walks over every file that was written."""

_log = logging.getLogger(__name__)


class LayerWatch:
    """Looks from time to time, for as long as the context lasts, and says when it is too much."""

    def __init__(self, measure: Callable[[], int], *, limit_bytes: int, pause_s: float = _PAUSE_S) -> None:
        self._measure = measure
        self._limit_bytes = limit_bytes
        self._pause_s = pause_s
        self._closing = threading.Event()
        self._exceeded = threading.Event()
        self._thread = threading.Thread(target=self._look, name="setup-disk", daemon=True)

    @property
    def exceeded(self) -> bool:
        return self._exceeded.is_set()

    def __enter__(self) -> Self:
        self._thread.start()
        return self

    def __exit__(self, *_: object) -> None:
        self._closing.set()
        self._thread.join()

    def check(self) -> bool:
        """Look once more, now."""
        if self._measure() > self._limit_bytes:
            self._exceeded.set()
        return self.exceeded

    def _look(self) -> None:
        pause_s = self._pause_s
        while not self._closing.wait(pause_s):
            started = time.monotonic()
            try:
                if self.check():
                    return
            except SandboxError as error:  # whoever runs the setup meets it too
                _log.debug("how much a setup has written is not known: %s", error)
            pause_s = max(self._pause_s, _SHARE * (time.monotonic() - started))
