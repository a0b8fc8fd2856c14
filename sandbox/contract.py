"""What every sandbox promises, whatever it is made of.

A `Sandbox` opens workspaces. A `Workspace` is one folder, `/workspace` or wherever `Workspace.directory` says, in which
commands run and which is gone when it is closed. Code goes in as tar archives and comes out as tar archives, both as
plain bytes: nothing on the host interprets what a workspace wrote, but `files_of`, which reads it as data.
"""

import io
import tarfile
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import AbstractContextManager
from dataclasses import dataclass
from enum import StrEnum
from typing import Protocol

MEBIBYTE = 1024 * 1024


class SandboxError(Exception):
    """The sandbox failed (not the code in it): the engine died, the workspace vanished, a limit of the transfer."""


class SandboxUnavailable(SandboxError):
    """The backend does not answer on this machine; the text says what to install, start or set."""


class ImageGone(SandboxUnavailable):
    """The image is not there, or not any more; the text says how to make it."""


class WorkspaceFull(SandboxError):
    """What was put into a workspace, or written by what ran in it, is more than its limits allow."""


@dataclass(frozen=True, slots=True)
class Limits:
    """What the code in a workspace may use. Sizes in bytes, times in seconds."""

    wall_s: float = 600.0
    memory_bytes: int = 2048 * MEBIBYTE
    cpus: float = 2.0
    processes: int = 512
    file_size_bytes: int = 512 * MEBIBYTE
    workspace_bytes: int = 1024 * MEBIBYTE
    tmp_bytes: int = 256 * MEBIBYTE
    output_bytes: int = MEBIBYTE


@dataclass(frozen=True, slots=True)
class Capacity:
    """What the machine that workspaces run on has for all of them together."""

    cpus: int
    memory_bytes: int


class Ending(StrEnum):
    """How a command ended."""

    EXITED = "exited"
    TIMED_OUT = "timed_out"
    OUT_OF_MEMORY = "out_of_memory"
    OUTPUT_LIMIT = "output_limit"
    STOPPED = "stopped"


@dataclass(frozen=True, slots=True)
class ExecutionResult:
    """One command's end. Output is decoded as UTF-8 with replacement, head and tail kept, a note where it was cut.

    `exit_code` is None where the command did not end by itself (`ending` says why).
    """

    exit_code: int | None
    stdout: str
    stderr: str
    ending: Ending
    truncated: bool
    duration_s: float


@dataclass(frozen=True, slots=True)
class File:
    """A file's bytes as they go in or come out; a symbolic link's target is its `data`."""

    data: bytes
    executable: bool = False
    symlink: bool = False


class Guarantee(StrEnum):
    """What a sandbox holds against the code in it; its value is a line for people."""

    FILES = "files, environment, processes and sockets of the host are out of reach"
    NETWORK = "no network, by no protocol"
    PRIVILEGES = "no privileges, and no way to any: set-uid programs, mounts, kernel settings, namespaces, io_uring"
    PROCESSES = "a bound on the number of processes and threads"
    MEMORY = "a bound on memory, all processes together"
    CPU = "a bound on processor time, all processes together"
    DISK = "a bound on what the workspace and /tmp hold"
    ENDING = "nothing runs on after a command's end"


class Workspace(Protocol):
    """One folder in a sandbox, in use by one caller. Each method raises `SandboxError` when the sandbox fails."""

    @property
    def directory(self) -> str:
        """The folder's absolute path as commands in the sandbox see it."""
        ...

    def put(self, archive: bytes) -> None:
        """Unpack a tar archive into the folder. Existing files are replaced; links are never followed out of it.

        Raises `WorkspaceFull` where there is no room.
        """
        ...

    def get(self, paths: Sequence[str] = (), *, exclude: Sequence[str] = (), limit_bytes: int | None = None) -> bytes:
        """Return a tar archive of `paths` (default: the whole folder), relative to the folder.

        `exclude` names path components (`node_modules`, `__pycache__`) that are left out with all below them. Paths
        that do not exist are left out. Read it with `files_of`. Raises `WorkspaceFull` above `limit_bytes` (default:
        the workspace's size limit).
        """
        ...

    def remove(self, paths: Sequence[str]) -> None:
        """Delete files or whole folders below the folder; what is not there is no error."""
        ...

    def run(
        self,
        command: str | Sequence[str],
        *,
        timeout_s: float | None = None,
        env: Mapping[str, str] | None = None,
        directory: str = ".",
        stop: Callable[[], bool] | None = None,
    ) -> ExecutionResult:
        """Run a command (a string by `sh -c`, a sequence as it is) to its end, and leave nothing of it running.

        stdin is closed, the environment clean but for `env`. `directory` is relative to the workspace. `stop` is polled
        at least once a second: when it returns True the command is ended at once. A command that is not found ends
        with exit code 127, as in a shell.
        """
        ...


class Sandbox(Protocol):
    """A backend. `isolated` is False where the code runs with the caller's own rights (`process`)."""

    @property
    def name(self) -> str: ...

    @property
    def isolated(self) -> bool: ...

    @property
    def unheld(self) -> Mapping[Guarantee, str]:
        """What it does not hold on this machine, each with the reason. Asks the machine, never an engine."""
        ...

    def check(self) -> str:
        """What would be used, in a line. Raises `SandboxUnavailable`, within seconds, where it does not answer."""
        ...

    def capacity(self) -> Capacity:
        """What there is for all workspaces together. Raises `SandboxUnavailable` when the backend does not answer."""
        ...

    def remove_leftovers(self) -> int:
        """Remove what an earlier process of the same owner left behind, and say how many things: for a worker's start.

        Raises `SandboxUnavailable` when the backend does not answer.
        """
        ...

    def open(self, *, image: str | None = None, limits: Limits | None = None) -> AbstractContextManager[Workspace]:
        """A fresh, empty workspace that is gone, with all that ran in it, when the context ends.

        `image` is a prepared image's name, ignored by backends without images. Raises `SandboxUnavailable` when the
        backend does not answer.
        """
        ...


def archive_of(files: Mapping[str, File]) -> bytes:
    """A tar archive of the files, for `Workspace.put`. Paths are relative and use `/`."""
    buffer = io.BytesIO()
    with tarfile.open(fileobj=buffer, mode="w", format=tarfile.GNU_FORMAT) as archive:
        for path, file in files.items():
            entry = tarfile.TarInfo(path)
            entry.mode = 0o755 if file.executable else 0o644
            if file.symlink:
                entry.type = tarfile.SYMTYPE
                entry.linkname = file.data.decode("utf-8", "surrogateescape")
                archive.addfile(entry)
            else:
                entry.size = len(file.data)
                archive.addfile(entry, io.BytesIO(file.data))
    return buffer.getvalue()


def files_of(archive: bytes) -> Iterator[tuple[str, File]]:
    """The regular files and symbolic links of an archive that came out of a workspace, as data.

    Devices, sockets and FIFOs are passed over, absolute paths and `..` too. Hard links come out as files of their own,
    which share their bytes, or as the symbolic links that they are further names of. Raises `SandboxError` for bytes
    that are no such archive.
    """
    known: dict[str, File] = {}
    try:
        with tarfile.open(fileobj=io.BytesIO(archive), mode="r:") as opened:
            for entry in opened:
                file = _file_of(opened, entry, known)
                path = entry.name.removeprefix("./")
                if file is not None and path and not path.startswith("/") and ".." not in path.split("/"):
                    yield path, file
    except (tarfile.TarError, KeyError, ValueError) as error:  # KeyError: a hard link to what is not there
        raise SandboxError(f"what came out of a workspace can't be read: {error}") from error


def _file_of(opened: tarfile.TarFile, entry: tarfile.TarInfo, known: dict[str, File]) -> File | None:
    """One entry. `known` has the symbolic links so far, for tarfile would follow a hard link to one, and what hard
    links have led to: a thousand of them are one file's bytes, not a thousand times as many.
    """
    if entry.issym():
        known[entry.name] = File(entry.linkname.encode("utf-8", "surrogateescape"), symlink=True)
        return known[entry.name]
    if entry.islnk() and entry.linkname in known:
        known[entry.name] = known[entry.linkname]
        return known[entry.name]
    if entry.issparse():
        raise SandboxError(f"what came out of a workspace can't be read: {entry.name!r} says that it has holes")
    content = opened.extractfile(entry) if entry.isreg() or entry.islnk() else None
    if content is None:
        return None
    file = File(content.read(), executable=bool(entry.mode & 0o100))
    if entry.islnk():
        known[entry.linkname] = file
    return file


def clipped(text: str, limit: int) -> str:
    """The text's head and tail within `limit` characters, with a note between them of how much was left out."""
    if len(text) <= limit:
        return text
    note = f"\n[… {len(text) - limit} characters left out …]\n"
    head = limit // 2
    return text[:head] + note + text[len(text) - (limit - head) :]


CLEAN_ENVIRONMENT: Mapping[str, str] = {
    "CI": "true",
    "GIT_EDITOR": "true",
    "GIT_TERMINAL_PROMPT": "0",
    "LANG": "C.UTF-8",
    "NO_COLOR": "1",
    "PAGER": "cat",
    "PYTHONDONTWRITEBYTECODE": "1",
    "PYTHONUNBUFFERED": "1",
    "TERM": "dumb",
}
"""What every command finds in its environment beside PATH, HOME and TMPDIR, which the backend sets."""

CACHES: Iterable[str] = (
    "__pycache__",
    ".pytest_cache",
    ".mypy_cache",
    ".ruff_cache",
    ".tox",
    ".nox",
    "node_modules",
    ".venv",
)
"""Folders that tools make for themselves: never part of a change."""
