"""What this machine has for processes of ours: as much as the control groups leave of it that this process is in.

Source: Linux, Documentation/admin-guide/cgroup-v1 and cgroup-v2.rst, as they are usually mounted; cgroups(7).
"""

import os
import sys
from collections.abc import Iterator
from contextlib import suppress
from pathlib import Path

from sandbox.contract import Capacity


def capacity(host: Path = Path("/")) -> Capacity:
    """Processors that this process may use, and memory. `host` stands for the root directory, for groups alone."""
    cpus = len(os.sched_getaffinity(0)) if sys.platform == "linux" else os.cpu_count() or 1
    memory_bytes = os.sysconf("SC_PAGE_SIZE") * os.sysconf("SC_PHYS_PAGES")
    return Capacity(max(1, min([cpus, *_quotas(host)])), min([memory_bytes, *_memory(host)]))


def _quotas(host: Path) -> Iterator[int]:
    """Whole processors that a group's quota of time comes to."""
    for folder in _groups(host, ""):
        match _numbers(folder / "cpu.max"):
            case [quota, period]:
                yield quota // period
    for folder in _groups(host, "cpu"):
        match _numbers(folder / "cpu.cfs_quota_us"), _numbers(folder / "cpu.cfs_period_us"):
            case [quota], [period] if quota > 0:
                yield quota // period


def _memory(host: Path) -> Iterator[int]:
    for folder in _groups(host, ""):
        yield from _numbers(folder / "memory.max")
    for folder in _groups(host, "memory"):
        yield from _numbers(folder / "memory.limit_in_bytes")


def _groups(host: Path, controller: str) -> Iterator[Path]:
    """This process's group and those above it; "" stands for v2. Those that can't be seen from a container are not
    there.
    """
    top = host / "sys/fs/cgroup" / controller
    own = ""
    with suppress(OSError):
        for line in (host / "proc/self/cgroup").read_text().splitlines():
            _, controllers, path = line.split(":", 2)
            if controller in controllers.split(","):
                own = path.lstrip("/")
    folder = top / own
    yield from (each for each in (folder, *folder.parents) if each == top or top in each.parents)


def _numbers(file: Path) -> list[int]:
    """What a file holds; nothing where it is not there, or says `max`."""
    try:
        return [int(word) for word in file.read_text().split()]
    except (OSError, ValueError):
        return []
