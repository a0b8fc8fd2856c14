"""Steps from an open folder to a name in it. Links are data: none is followed, wherever a path leads.

What a name stands for is looked at, not trusted, and a tree may be as deep as it likes: only one folder of it is open
at a time. Nothing else may change the tree meanwhile. Every function raises `OSError` when something is refused.
"""

import os
import stat
from collections.abc import Iterator, Sequence
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from pathlib import Path
from typing import Self

_FOLDER = os.O_RDONLY | os.O_DIRECTORY | os.O_NOFOLLOW | os.O_CLOEXEC


@dataclass(frozen=True, slots=True)
class Found:
    """Something in a folder: its path from the start, the folder that is open at `at`, its name there, what it is."""

    path: str
    at: int
    name: str
    status: os.stat_result


@contextmanager
def opened(folder: Path) -> Iterator[int]:
    """A folder that is ours, open."""
    at = os.open(folder, _FOLDER)
    with closing(at):
        yield at


@contextmanager
def closing(descriptor: int) -> Iterator[None]:
    """Close the descriptor when the context ends."""
    try:
        yield
    finally:
        os.close(descriptor)


class Making:
    """Opens folders to put things in, and makes them; the one that was asked for last stays open."""

    def __init__(self, root: int) -> None:
        self._root = root
        self._path = ""
        self._at = os.dup(root)

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        os.close(self._at)

    def folder(self, path: str) -> int:
        """The folder, open until the next is asked for: a real one, where a file or a link was too."""
        if path != self._path:
            made = self._made(path)
            os.close(self._at)
            self._path, self._at = path, made
        return self._at

    def _made(self, path: str) -> int:
        at = os.dup(self._root)
        for part in path.split("/") if path else ():
            with closing(at):
                found = status(part, at)
                if found is None or not stat.S_ISDIR(found.st_mode):
                    if found is not None:
                        os.unlink(part, dir_fd=at)
                    os.mkdir(part, 0o755, dir_fd=at)
                at = _enter(part, at)
        return at


def entered(root: int, parts: Sequence[str]) -> int | None:
    """The folder open; None where it is not there, or a link is on the way."""
    at = os.dup(root)
    for part in parts:
        with closing(at):
            found = status(part, at)
            if found is None or not stat.S_ISDIR(found.st_mode):
                return None
            at = _enter(part, at)
    return at


def below(root: int, parts: Sequence[str], left_out: frozenset[str]) -> Iterator[Found]:
    """What is at the path and all below it, folders before what is in them; each is to be used before the next."""
    at = None if left_out.intersection(parts) else entered(root, parts[:-1])
    if at is None:
        return
    way = list(parts[:-1])
    levels = [iter(parts[-1:] or names(at))]
    try:
        while levels:
            name = next(levels[-1], None)
            if name is None:
                levels.pop()
                if levels:
                    way.pop()
                    at = _moved(at, "..")
            elif name not in left_out and (found := status(name, at)) is not None:
                yield Found("/".join([*way, name]), at, name, found)
                if stat.S_ISDIR(found.st_mode):
                    at = _moved(at, name)
                    way.append(name)
                    levels.append(iter(names(at)))
    finally:
        os.close(at)


def empty(root: int) -> None:
    """Delete everything in an open folder."""
    at = os.dup(root)
    way: list[str] = []
    levels = [_unlinked(at)]
    try:
        while levels:
            if levels[-1]:
                way.append(levels[-1].pop())
                at = _moved(at, way[-1])
                levels.append(_unlinked(at))
            else:
                levels.pop()
                if levels:
                    at = _moved(at, "..")
                    os.rmdir(way.pop(), dir_fd=at)
    finally:
        os.close(at)


def clear(name: str, at: int) -> None:
    """Delete what has this name, whatever it is."""
    found = status(name, at)
    if found is None:
        return
    if not stat.S_ISDIR(found.st_mode):
        os.unlink(name, dir_fd=at)
        return
    inner = _enter(name, at)
    with closing(inner):
        empty(inner)
    os.rmdir(name, dir_fd=at)


def status(name: str, at: int) -> os.stat_result | None:
    """What the name stands for; None where there is nothing."""
    try:
        return os.stat(name, dir_fd=at, follow_symlinks=False)
    except FileNotFoundError:
        return None


def names(at: int) -> list[str]:
    """What is in an open folder, sorted."""
    return sorted(os.listdir(at))


def _enter(name: str, at: int) -> int:
    """Open a folder that is known to be one, and give its owner what a command has taken from itself."""
    found = os.stat(name, dir_fd=at, follow_symlinks=False)
    if stat.S_ISDIR(found.st_mode) and found.st_mode & stat.S_IRWXU != stat.S_IRWXU:
        with suppress(PermissionError):  # another user's: reading it may do
            os.chmod(name, stat.S_IMODE(found.st_mode) | stat.S_IRWXU, dir_fd=at)
    return os.open(name, _FOLDER, dir_fd=at)


def _unlinked(at: int) -> list[str]:
    """Delete what is no folder, and name the folders."""
    left = []
    for name in names(at):
        found = status(name, at)
        if found is not None and stat.S_ISDIR(found.st_mode):
            left.append(name)
        else:
            os.unlink(name, dir_fd=at)
    return left


def _moved(at: int, name: str) -> int:
    """The folder of this name open, in the place of the one that was, which stays open where that fails."""
    inner = _enter(name, at)
    os.close(at)
    return inner
