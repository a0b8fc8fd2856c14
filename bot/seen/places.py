"""Where the figures of a home's processes lie: a set of files for each process that counts, used again by the next.

So what was counted outlives a restart, and the files do not grow in number, whoever dies how.
"""

import fcntl
import itertools
import json
import os
import struct
from pathlib import Path

from prometheus_client.mmap_dict import MmapedDict

KINDS = ("counter", "histogram", "gauge_mostrecent")
"""The files of one place. Their names are the library's, which reads the kind from them."""

ROOM_BYTES = 512 * 1024
"""What each file takes on the disk from the start: about two thousand series. Where a process writes into a part of a
file that has no room on a full disk, the system ends it."""


def take_place(folder: Path) -> str:
    """The name of a place that no other living process has, its files ready. Raises `OSError` where there is no room.

    It is held until this process ends, however it ends.
    """
    for made in (folder.parent, folder):
        made.mkdir(parents=True, exist_ok=True, mode=0o700)
    place = next(str(number) for number in itertools.count(1) if _lock(folder / f"{number}.lock"))
    for kind in KINDS:
        _make_room(folder / f"{kind}_{place}.db")
    return place


def readable_files(folder: Path) -> list[str]:
    """The files that hold figures, but those that a crash of the machine left unreadable."""
    return [str(file) for file in sorted(folder.glob("*.db")) if _is_readable(file)]


def _lock(file: Path) -> bool:
    """Whether nobody else has it locked. Nothing of ours ever closes it: the end of the process does."""
    lock = os.open(file, os.O_RDWR | os.O_CREAT, 0o600)
    try:
        fcntl.flock(lock, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except BlockingIOError:
        os.close(lock)
        return False
    return True


def _make_room(file: Path) -> None:
    """Make the file, all of it on the disk; one that can't be read is made anew."""
    if file.exists() and file.stat().st_size >= ROOM_BYTES and _is_readable(file):
        return
    partial = file.with_suffix(".new")
    partial.write_bytes(bytes(ROOM_BYTES))
    partial.replace(file)


def _is_readable(file: Path) -> bool:
    try:
        series = [json.loads(key) for key, *_ in MmapedDict.read_all_values_from_file(str(file))]  # type: ignore[no-untyped-call]
    except (OSError, RuntimeError, ValueError, struct.error):
        return False
    return all(isinstance(each, list) for each in series)
