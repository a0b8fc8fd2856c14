"""A full disk: the operator must act, and until then it is a service that is away."""

import errno
import shutil
from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from pathlib import Path

from bot.errors import Unavailable

AGAIN_S = 300.0
"""How long to wait for room: people have to make it."""

LEAST_BYTES = 200 * 1024 * 1024
"""Less free space is told to the operator: a fetch or a database may need as much at once."""

_NO_ROOM = (errno.ENOSPC, errno.EDQUOT)


@contextmanager
def full_disk_is_away() -> Iterator[None]:
    """Raise `Unavailable` where what is done finds no room on the disk."""
    try:
        yield
    except OSError as problem:
        if not is_no_room(problem):
            raise
        raise Unavailable(no_room(problem), AGAIN_S) from problem


def is_no_room(problem: OSError) -> bool:
    """Whether it was for want of room that something could not be written."""
    return problem.errno in _NO_ROOM


def no_room(problem: OSError) -> str:
    """What there is no room for, for people."""
    return f"the disk is full: {problem.filename}" if problem.filename else "the disk is full"


def space_problem(folders: Iterable[Path], least_bytes: int = LEAST_BYTES) -> str:
    """Which of the folders have hardly any room left, for the operator; "" where all have."""
    free = {folder: shutil.disk_usage(folder).free for folder in folders if folder.is_dir()}
    return "; ".join(f"{free[each] // 2**20} MB are left at {each}" for each in free if free[each] < least_bytes)
