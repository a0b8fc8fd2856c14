"""What there is of a machine, in its own words and in those of its control groups."""

import os
from collections.abc import Mapping
from pathlib import Path

import pytest

from sandbox import machine
from sandbox.contract import MEBIBYTE, Capacity

MEMORY = os.sysconf("SC_PAGE_SIZE") * os.sysconf("SC_PHYS_PAGES")
CPUS = len(os.sched_getaffinity(0))
V1_UNBOUNDED = str(2**63 - 4096)


def host(folder: Path, files: Mapping[str, str]) -> Path:
    for name, text in files.items():
        path = folder / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(f"{text}\n")
    return folder


def test_this_machine_has_something_of_both() -> None:
    found = machine.capacity()

    assert 1 <= found.cpus <= CPUS
    assert MEBIBYTE < found.memory_bytes <= MEMORY


def test_without_control_groups_it_is_all_that_there_is(tmp_path: Path) -> None:
    assert machine.capacity(tmp_path) == Capacity(CPUS, MEMORY)


@pytest.mark.parametrize("group", ["", "user.slice/bot.service/"])
def test_what_a_group_leaves_counts_and_so_does_each_above_it(tmp_path: Path, group: str) -> None:
    top = "sys/fs/cgroup"
    files = {
        "proc/self/cgroup": "0::/user.slice/bot.service",
        f"{top}/{group}cpu.max": "150000 100000",
        f"{top}/{group}memory.max": str(64 * MEBIBYTE),
        f"{top}/user.slice/cpu.max": "max 100000",
        f"{top}/user.slice/memory.max": "max",
    }

    assert machine.capacity(host(tmp_path, files)) == Capacity(1, 64 * MEBIBYTE)


def test_what_a_group_leaves_in_the_older_trees_counts_too(tmp_path: Path) -> None:
    files = {
        "proc/self/cgroup": "5:memory:/docker/12\n4:cpu,cpuacct:/docker/12\n1:name=systemd:/",
        "sys/fs/cgroup/memory/memory.limit_in_bytes": str(32 * MEBIBYTE),
        "sys/fs/cgroup/cpu/cpu.cfs_quota_us": "50000",
        "sys/fs/cgroup/cpu/cpu.cfs_period_us": "100000",
    }

    assert machine.capacity(host(tmp_path, files)) == Capacity(1, 32 * MEBIBYTE)


def test_a_group_without_bounds_takes_nothing(tmp_path: Path) -> None:
    files = {
        "proc/self/cgroup": "5:memory:/\n4:cpu,cpuacct:/",
        "sys/fs/cgroup/memory/memory.limit_in_bytes": V1_UNBOUNDED,
        "sys/fs/cgroup/cpu/cpu.cfs_quota_us": "-1",
        "sys/fs/cgroup/cpu/cpu.cfs_period_us": "100000",
    }

    assert machine.capacity(host(tmp_path, files)) == Capacity(CPUS, MEMORY)
