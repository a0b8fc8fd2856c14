"""Limits on memory, processes and processor time of a group of processes, where this machine lets us set them.

Both kinds of control groups: v1, each controller with folders of its own, and v2, one tree for all. A group is made
below the one that this process is in (or, for v2, the nearest above it that may have groups below), so that whatever
limits this process limits its groups too.

Source: Linux, Documentation/admin-guide/cgroup-v1 and cgroup-v2.rst; cgroups(7).
"""

import logging
import os
import re
import signal
import time
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from enum import StrEnum
from pathlib import Path

from sandbox.contract import Limits, SandboxError, SandboxUnavailable

OUR_OWN_PROCESSES = 2
"""Those of bubblewrap beside the command's."""

_OPTIONAL = frozenset({"memory.memsw.limit_in_bytes", "memory.swap.max"})
"""Not there where the kernel does not account for swap; then there is a limit on memory alone."""

_PERIOD_US = 100_000
_PATIENCE_S = 2.0
_V2_FILESYSTEM = "cgroup2"
_log = logging.getLogger(__name__)


class Controller(StrEnum):
    """What a group can have a limit on."""

    MEMORY = "memory"
    PIDS = "pids"
    CPU = "cpu"


@dataclass(frozen=True, slots=True)
class Place:
    """A folder below which a controller's groups may be made."""

    folder: Path
    unified: bool


@dataclass(frozen=True, slots=True)
class _Mount:
    """A mounted tree of groups: where, which group is its top, its controllers (none: v2)."""

    point: Path
    root: str
    controllers: frozenset[str]


def places(
    *, groups: str | None = None, mounts: str | None = None, host: Path = Path("/")
) -> Mapping[Controller, Place]:
    """Where groups may be made on this machine; a controller that is missing can't be used.

    The arguments stand for /proc/self/cgroup, /proc/self/mountinfo and the root directory.
    """
    try:
        own = _own_groups(Path("/proc/self/cgroup").read_text() if groups is None else groups)
        mounted = _mounts(Path("/proc/self/mountinfo").read_text() if mounts is None else mounts, host)
    except FileNotFoundError:
        return {}
    found: dict[Controller, Place] = {}
    for mount in mounted:
        for controller, place in (_separate(mount, own) if mount.controllers else _unified(mount, own)).items():
            found.setdefault(controller, place)
    return found


class Group:
    """One group, in each tree that has a controller for it."""

    def __init__(self, folders: Mapping[Controller, Place]) -> None:
        self._folders = folders

    def add(self, process: int) -> None:
        """Put a process, and all that it will start, into the group. Raises `SandboxError`."""
        for folder in _distinct(self._folders):
            _write(folder / "cgroup.procs", str(process))

    def oom_kills(self) -> int:
        """How many processes of the group have been killed for want of memory."""
        place = self._folders.get(Controller.MEMORY)
        if place is None:
            return 0
        counters = place.folder / ("memory.events" if place.unified else "memory.oom_control")
        with suppress(OSError):
            for line in counters.read_text().splitlines():
                name, _, count = line.partition(" ")
                if name == "oom_kill":
                    return int(count)
        return 0


@contextmanager
def group(name: str, limits: Limits, found: Mapping[Controller, Place]) -> Iterator[Group]:
    """A group with these limits for as long as the context lasts; what is then still in it is killed."""
    made = {controller: Place(place.folder / name, place.unified) for controller, place in found.items()}
    try:
        for controller, place in made.items():
            _make(place, found[controller], controller)
            for file, value in settings(controller, limits, unified=place.unified):
                if (place.folder / file).exists() or file not in _OPTIONAL:
                    _write(place.folder / file, value)
        yield Group(made)
    finally:
        for folder in _distinct(made):
            if not _emptied_and_removed(folder):
                _log.warning("could not remove the control group %s", folder)


def remove_groups(is_left: Callable[[str], bool]) -> int:
    """End what is in the groups whose names are said to be left, remove them, and say how many names those were.

    They are looked for wherever groups are: the process that made them was perhaps in another group than this.
    """
    names: set[str] = set()
    for mount in _mounts(Path("/proc/self/mountinfo").read_text(), Path("/")):
        for parent, below, _ in os.walk(mount.point):
            for name in filter(is_left, below):
                if _emptied_and_removed(Path(parent, name)):
                    names.add(name)
    return len(names)


def settings(controller: Controller, limits: Limits, *, unified: bool) -> Sequence[tuple[str, str]]:
    """What is written to make a limit: files and values, in this order."""
    memory, quota = str(limits.memory_bytes), max(1000, int(limits.cpus * _PERIOD_US))
    match controller, unified:
        case Controller.MEMORY, True:
            return (("memory.max", memory), ("memory.swap.max", "0"))
        case Controller.MEMORY, False:  # in this order: with swap it may not be less than without
            return (("memory.limit_in_bytes", memory), ("memory.memsw.limit_in_bytes", memory))
        case Controller.PIDS, _:
            return (("pids.max", str(limits.processes + OUR_OWN_PROCESSES)),)
        case Controller.CPU, True:
            return (("cpu.max", f"{quota} {_PERIOD_US}"),)
    return (("cpu.cfs_period_us", str(_PERIOD_US)), ("cpu.cfs_quota_us", str(quota)))


def _own_groups(text: str) -> Mapping[str, str]:
    """The group of this process by controller; that of v2 by the empty name."""
    own: dict[str, str] = {}
    for line in text.splitlines():
        _, controllers, path = line.split(":", 2)
        own.update(dict.fromkeys(controllers.split(","), path))
    return own


def _mounts(text: str, host: Path) -> Sequence[_Mount]:
    """The trees of groups that are mounted here."""
    found = []
    for line in text.splitlines():
        before, _, after = line.partition(" - ")
        root, point = before.split(" ")[3:5]
        kind, _, options = after.split(" ", 2)
        if kind in ("cgroup", _V2_FILESYSTEM):
            controllers = frozenset(options.split(",")) & set(Controller) if kind == "cgroup" else frozenset()
            if controllers or kind == _V2_FILESYSTEM:
                found.append(_Mount(host / _unescaped(point).lstrip("/"), _unescaped(root), frozenset(controllers)))
    return found


def _unescaped(path: str) -> str:
    return re.sub(r"\\(\d{3})", lambda octal: chr(int(octal[1], 8)), path)


def _separate(mount: _Mount, own: Mapping[str, str]) -> Mapping[Controller, Place]:
    """v1: below the group of this process."""
    folders = {
        controller: _inside(mount, own[controller])
        for controller in Controller
        if controller in mount.controllers and controller in own
    }
    return {controller: Place(folder, unified=False) for controller, folder in folders.items() if _is_ours(folder)}


def _unified(mount: _Mount, own: Mapping[str, str]) -> Mapping[Controller, Place]:
    """v2, where a process is in one group for all controllers: below the group, of those from this process's own
    upwards, that hands down most; the nearest of such.
    """
    if "" not in own:
        return {}
    folder = _inside(mount, own[""])
    upwards = [place for place in (folder, *folder.parents) if place == mount.point or mount.point in place.parents]
    offers = [
        {
            controller: Place(place, unified=True)
            for controller in Controller
            if _hands_down(place, controller, is_top=place == mount.point)
        }
        for place in upwards
        if _is_ours(place)
    ]
    return max(offers, key=len, default={})


def _inside(mount: _Mount, path: str) -> Path:
    """The folder of a group. In a container the mount may show only a part of the tree, or its top alone."""
    below = os.path.relpath(path, mount.root)
    folder = mount.point if below.startswith("..") else mount.point / below
    return folder if folder.is_dir() else mount.point


def _is_ours(folder: Path) -> bool:
    return os.access(folder, os.W_OK | os.X_OK) and os.access(folder / "cgroup.procs", os.W_OK)


def _hands_down(folder: Path, controller: Controller, *, is_top: bool) -> bool:
    """Whether groups below the folder have the controller, or would as soon as it is switched on.

    A group of v2 either holds processes or hands controllers down, but for the top of all.
    """
    with suppress(OSError):
        if controller in (folder / "cgroup.subtree_control").read_text().split():
            return True
        may = controller in (folder / "cgroup.controllers").read_text().split()
        is_real_top = is_top and not (folder / "cgroup.type").exists()
        return may and (is_real_top or not (folder / "cgroup.procs").read_text().strip())
    return False


def _make(place: Place, parent: Place, controller: Controller) -> None:
    if place.unified and controller not in (parent.folder / "cgroup.subtree_control").read_text().split():
        _write(parent.folder / "cgroup.subtree_control", f"+{controller}")
    try:
        place.folder.mkdir(exist_ok=True)  # several controllers may share one
    except OSError as error:
        raise SandboxUnavailable(f"a control group can't be made: {error}") from error


def _write(file: Path, value: str) -> None:
    try:
        with file.open("w", encoding="ascii") as opened:
            opened.write(value)
    except OSError as error:
        raise SandboxError(f"a control group can't be set: {error}") from error


def _emptied_and_removed(folder: Path) -> bool:
    """Kill what is in a group and remove it, as soon as that is gone. Whether it could be done."""
    deadline = time.monotonic() + _PATIENCE_S
    while time.monotonic() < deadline:
        try:
            folder.rmdir()
        except FileNotFoundError:
            return True
        except OSError:
            _kill_all(folder)
            time.sleep(0.01)
        else:
            return True
    return False


def _kill_all(folder: Path) -> None:
    with suppress(FileNotFoundError):
        for process in (folder / "cgroup.procs").read_text().split():
            with suppress(ProcessLookupError):
                os.kill(int(process), signal.SIGKILL)


def _distinct(folders: Mapping[Controller, Place]) -> Sequence[Path]:
    return tuple(dict.fromkeys(place.folder for place in folders.values()))
