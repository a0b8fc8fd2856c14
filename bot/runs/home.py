"""A worker's home: held by one worker at a time, with temporary files of its own."""

import fcntl
import hashlib
import shutil
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import TextIO

from sqlalchemy import URL

from bot.errors import ConfigError


@contextmanager
def alone(home: Path) -> Iterator[None]:
    """Hold the home's worker lock. The kernel lets go of it when the process dies, however it dies."""
    home.mkdir(parents=True, exist_ok=True, mode=0o700)
    with (home / "worker.lock").open("w") as lock:
        _take(lock, f"another worker is at work on {home}: each wants a home of its own (SELFCODE_HOME)")
        yield


@contextmanager
def alone_at(database: URL) -> Iterator[None]:
    """The same for a database that is a file, wherever that is: it takes one worker, whatever homes there are."""
    if database.get_backend_name() != "sqlite" or not database.database:
        yield
        return
    file = Path(database.database)
    with file.with_name(f"{file.name}.worker.lock").open("w") as lock:
        _take(lock, f"another worker is at work on {file}: several workers want PostgreSQL (SELFCODE_DATABASE_URL)")
        yield


def _take(lock: TextIO, refusal: str) -> None:
    try:
        fcntl.flock(lock, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except BlockingIOError:
        raise ConfigError(refusal) from None


@contextmanager
def temporary_files_apart(home: Path) -> Iterator[None]:
    """Keep all temporary files of this process in a folder of the home's own, and clear what a killed worker left.

    Not below the home itself: tools that run in a workspace look for their settings in the folders above.
    """
    ours = Path(tempfile.gettempdir()) / f"selfcode-worker-{hashlib.sha256(bytes(home.resolve())).hexdigest()[:12]}"
    shutil.rmtree(ours, ignore_errors=True)
    try:
        ours.mkdir(mode=0o700)
    except FileExistsError:  # another user's, or not to be removed
        ours = Path(tempfile.mkdtemp(prefix=f"{ours.name}-"))
    before, tempfile.tempdir = tempfile.tempdir, str(ours)
    try:
        yield
    finally:
        tempfile.tempdir = before
        shutil.rmtree(ours, ignore_errors=True)
