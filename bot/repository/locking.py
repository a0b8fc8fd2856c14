"""A lock between processes and threads, held by an open file: it ends with the last process that has it open."""

import fcntl
import os
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from bot.errors import Stopped, Unavailable
from bot.records import StopCheck

_POLL_S = 0.05


@contextmanager
def locked(path: Path, *, stop: StopCheck | None = None, timeout_s: float = 1800.0) -> Iterator[int]:
    """Hold the lock; yields the descriptor, for children that are to hold it too.

    Raises: `Unavailable` when it is not free in time, `Stopped`.
    """
    path.parent.mkdir(parents=True, exist_ok=True)
    descriptor = os.open(path, os.O_RDWR | os.O_CREAT | os.O_CLOEXEC, 0o600)
    try:
        _wait(descriptor, path, stop, time.monotonic() + timeout_s)
        yield descriptor
    finally:
        os.close(descriptor)


def _wait(descriptor: int, path: Path, stop: StopCheck | None, deadline: float) -> None:
    while not _taken(descriptor):
        if stop is not None and stop():
            raise Stopped
        if time.monotonic() > deadline:
            raise Unavailable(f"{path.name} was held by another process for too long")
        time.sleep(_POLL_S)


def _taken(descriptor: int) -> bool:
    try:
        fcntl.flock(descriptor, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except BlockingIOError:
        return False
    return True
