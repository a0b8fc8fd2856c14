"""What the host sees of a sandbox, by its own means: processes, memory, time, disk, and who calls. Nothing asks inside.

A command is found on the host by a mark, a random word among its arguments, which its forks inherit.
"""

import os
import socket
import threading
import time
from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import contextmanager, suppress
from dataclasses import dataclass, field
from pathlib import Path
from typing import Generic, TypeVar

_TICKS = os.sysconf("SC_CLK_TCK")
Seen = TypeVar("Seen")


def processes(mark: str) -> Sequence[int]:
    """Every process on the host that has the mark among its arguments, those in sandboxes too; the dead don't count."""
    found = []
    for entry in Path("/proc").glob("[0-9]*/cmdline"):
        with suppress(OSError):
            if mark.encode() in entry.read_bytes():
                found.append(int(entry.parent.name))
    return found


def are_gone(mark: str, *, within_s: float = 2.0) -> bool:
    """Whether no process with the mark is left, at the latest after a moment: what is killed takes one to go."""
    return becomes_true(lambda: not processes(mark), within_s=within_s)


def becomes_true(claim: Callable[[], bool], *, within_s: float) -> bool:
    deadline = time.monotonic() + within_s
    while not claim():
        if time.monotonic() > deadline:
            return False
        time.sleep(0.02)
    return True


def threads(mark: str) -> int:
    """How many threads the marked processes have together."""
    return sum(int(fields.get("Threads", "0")) for fields in map(status, processes(mark)))


def memory_bytes(mark: str) -> int:
    """The memory of the marked processes, what they share counted once."""
    total = 0
    for pid in processes(mark):
        with suppress(OSError):
            lines = Path(f"/proc/{pid}/smaps_rollup").read_text().splitlines()
            total += sum(int(line.split()[1]) * 1024 for line in lines if line.startswith("Pss:"))
    return total


def processor_s(mark: str) -> float:
    """The processor time that the marked processes have used."""
    total = 0
    for pid in processes(mark):
        with suppress(OSError):
            fields = Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()
            total += int(fields[11]) + int(fields[12])
    return total / _TICKS


def status(pid: int) -> dict[str, str]:
    """What /proc says of a process; nothing where it is gone."""
    try:
        lines = Path(f"/proc/{pid}/status").read_text().splitlines()
    except OSError:
        return {}
    return {name: value.strip() for name, _, value in (line.partition(":") for line in lines)}


def namespaces(pid: int) -> dict[str, str]:
    """The namespaces that a process is in, by kind; nothing where it is gone."""
    try:
        return {entry.name: str(entry.readlink()) for entry in Path(f"/proc/{pid}/ns").iterdir()}
    except OSError:
        return {}


def first_processes(mark: str) -> Sequence[int]:
    """The process 1 of each process namespace, other than ours, that marked processes are in; the gone don't count."""
    theirs = {namespaces(pid).get("pid") for pid in processes(mark)} - {None, namespaces(os.getpid())["pid"]}
    everyone = [int(entry.name) for entry in Path("/proc").glob("[0-9]*")] if theirs else []
    return [
        pid
        for pid in everyone
        if namespaces(pid).get("pid") in theirs and status(pid).get("NSpid", "").split()[-1:] == ["1"]
    ]


def shared_memory_bytes() -> int:
    """What all file systems in memory hold, and all else that is shared memory."""
    lines = Path("/proc/meminfo").read_text().splitlines()
    return next(int(line.split()[1]) * 1024 for line in lines if line.startswith("Shmem:"))


def disk_bytes(folder: Path) -> int:
    """What is in use on the disk that a folder is on."""
    found = os.statvfs(folder)
    return (found.f_blocks - found.f_bfree) * found.f_frsize


def inodes(folder: Path) -> int:
    """How many files, folders and links are on the disk that a folder is on."""
    found = os.statvfs(folder)
    return found.f_files - found.f_ffree


@contextmanager
def own_memory() -> Iterator[Callable[[], int]]:
    """How many bytes this process has grown by, at its largest, since the context began."""
    Path("/proc/self/clear_refs").write_text("5")  # Source: proc(5): resets the peak
    before = _own("VmRSS")
    yield lambda: _own("VmHWM") - before


def _own(name: str) -> int:
    return int(status(os.getpid())[name].split()[0]) * 1024


@dataclass(slots=True)
class Peak:
    """The most that a look at the host shows while a command runs: give it to `run` as `stop`, which is polled."""

    look: Callable[[], float]
    most: float = 0.0

    def __call__(self) -> bool:
        self.most = max(self.most, self.look())
        return False


@dataclass(slots=True)
class Sight(Generic[Seen]):
    """What looks at the host show while a command runs: give it to `run` as `stop`, for a command that would be long.

    It ends the command not at first sight, when a sandbox may be in the making still, but `for_s` later: on a machine
    with much to do looks are rare.
    """

    look: Callable[[], Iterable[Seen]]
    for_s: float = 0.6
    seen: list[Seen] = field(default_factory=list)
    _until: float | None = None

    def __call__(self) -> bool:
        self.seen.extend(self.look())
        if self.seen and self._until is None:
            self._until = time.monotonic() + self.for_s
        return self._until is not None and time.monotonic() >= self._until


@dataclass(slots=True)
class Listener:
    """A socket of the host, and who called. `address` is what a caller needs."""

    address: object
    callers: list[bytes] = field(default_factory=list)


@contextmanager
def listening(family: int, address: object, kind: int = socket.SOCK_STREAM) -> Iterator[Listener]:
    """A socket of the host that takes every call and notes it."""
    with socket.socket(family, kind) as server:
        server.bind(address)  # type: ignore[arg-type] # whatever the family takes
        server.settimeout(0.05)
        if kind == socket.SOCK_STREAM:
            server.listen()
        listener = Listener(server.getsockname())
        ended = threading.Event()
        serving = threading.Thread(target=_serve, args=(server, listener, ended, kind), daemon=True)
        serving.start()
        try:
            yield listener
        finally:
            ended.set()
            serving.join()


def _serve(server: socket.socket, listener: Listener, ended: threading.Event, kind: int) -> None:
    while not ended.is_set():
        with suppress(TimeoutError):
            if kind == socket.SOCK_STREAM:
                connection, _ = server.accept()
                with connection:
                    listener.callers.append(b"a connection")
            else:
                listener.callers.append(server.recv(512))
