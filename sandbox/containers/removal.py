"""Removing what nobody needs any more, off the path of who needed it."""

import logging
import threading
import time
from collections.abc import Callable, Sequence
from concurrent.futures import Future, ThreadPoolExecutor, wait
from contextvars import copy_context
from typing import Generic, TypeVar

from sandbox.contract import SandboxError

_PAUSES_S = (0.5, 1.0, 2.5)
"""Between one try and the next: as long as an engine takes to start again."""

_PATIENCE_S = 15.0
_log = logging.getLogger(__name__)
Thing = TypeVar("Thing")


class Removal(Generic[Thing]):
    """Removes things in the background, in order. A failure is logged and tried again, and is nobody's exception.

    `remove` raises `SandboxError` where it fails, and takes what is gone already for removed. Threads may share one.
    The interpreter's exit waits for what is under way.
    """

    def __init__(self, remove: Callable[[Thing], None], *, pauses_s: Sequence[float] = _PAUSES_S) -> None:
        self._remove = remove
        self._pauses_s = pauses_s
        self._lock = threading.Lock()
        self._under_way: set[Future[None]] = set()
        self._failed: list[Thing] = []
        self._executor = ThreadPoolExecutor(1, thread_name_prefix="selfcode-removal")

    def add(self, thing: Thing) -> None:
        """Have a thing removed, and whatever could not be removed before."""
        for each in (thing, *self._taken()):
            try:
                future = self._executor.submit(copy_context().run, self._try, each)
            except RuntimeError:  # the interpreter is about to exit: no thread is to be had
                self._try(each)
            else:
                with self._lock:
                    self._under_way.add(future)
                future.add_done_callback(self._forget)

    def wait(self) -> None:
        """Return when everything is removed, or could not be, the last tries included: nobody comes back to it."""
        with self._lock:
            waited_for = set(self._under_way)
        wait(waited_for)
        pauses = iter(self._pauses_s)  # for all together, where nothing answers any more
        for each in self._taken():
            while not self._once(each, "tried for the last time, or soon again"):
                pause_s = next(pauses, None)
                if pause_s is None:
                    break
                time.sleep(pause_s)

    def _try(self, thing: Thing) -> None:
        began = time.monotonic()
        for pause_s in self._pauses_s:
            if self._once(thing, "tried again soon"):
                return
            if self._failed or time.monotonic() - began > _PATIENCE_S:  # nothing answers: waited for once
                break
            time.sleep(pause_s)
        else:
            if self._once(thing, "tried again with the next"):
                return
        with self._lock:
            self._failed.append(thing)

    def _once(self, thing: Thing, otherwise: str) -> bool:
        try:
            self._remove(thing)
        except SandboxError as error:
            _log.warning("%s (%s)", error, otherwise)
            return False
        return True

    def _taken(self) -> Sequence[Thing]:
        with self._lock:
            taken, self._failed = self._failed, []
        return taken

    def _forget(self, future: "Future[None]") -> None:
        with self._lock:
            self._under_way.discard(future)
        if (bug := future.exception()) is not None:
            _log.error("a removal failed", exc_info=bug)
