"""Where control groups may be made, on machines of either kind, and what is written there."""

import subprocess
import uuid
from collections.abc import Mapping
from pathlib import Path

import pytest

from sandbox.contract import MEBIBYTE, Limits
from sandbox.resident import cgroups
from sandbox.resident.cgroups import Controller, Place

V2 = "25 1 0:22 / /sys/fs/cgroup rw,nosuid - cgroup2 cgroup2 rw,nsdelegate\n"
V1 = (
    "30 29 0:26 / /sys/fs/cgroup/memory rw,nosuid - cgroup cgroup rw,memory\n"
    "31 29 0:27 / /sys/fs/cgroup/pids rw - cgroup cgroup rw,pids\n"
    "32 29 0:28 / /sys/fs/cgroup/cpu,cpuacct rw - cgroup cgroup rw,cpu,cpuacct\n"
    "33 29 0:29 / /sys/fs/cgroup/systemd rw - cgroup cgroup rw,name=systemd\n"
)
LIMITS = Limits(memory_bytes=64 * MEBIBYTE, processes=10, cpus=1.5)


def tree(root: Path, *folders: str, files: Mapping[str, str] | None = None) -> Path:
    """A tree of groups as the kernel shows it: each folder with the files that the kernel puts there."""
    for folder in folders:
        place = root / "sys/fs/cgroup" / folder
        place.mkdir(parents=True, exist_ok=True)
        for name in ("cgroup.procs", "cgroup.type", "cgroup.controllers", "cgroup.subtree_control"):
            (place / name).write_text((files or {}).get(f"{folder}/{name}", ""))
    return root / "sys/fs/cgroup"


# Where: v1


def test_with_v1_groups_are_made_below_this_processs_own_in_each_tree(tmp_path: Path) -> None:
    top = tree(tmp_path, "memory/a/b", "pids", "cpu,cpuacct/a")
    own = "11:memory:/a/b\n10:pids:/\n9:cpu,cpuacct:/a\n1:name=systemd:/x\n"

    assert cgroups.places(groups=own, mounts=V1, host=tmp_path) == {
        Controller.MEMORY: Place(top / "memory/a/b", unified=False),
        Controller.PIDS: Place(top / "pids", unified=False),
        Controller.CPU: Place(top / "cpu,cpuacct/a", unified=False),
    }


def test_with_v1_in_a_container_the_mount_is_where_the_own_group_is(tmp_path: Path) -> None:
    top = tree(tmp_path, "memory")
    mounts = "30 29 0:26 /docker/123 /sys/fs/cgroup/memory rw - cgroup cgroup rw,memory\n"

    found = cgroups.places(groups="11:memory:/docker/123\n", mounts=mounts, host=tmp_path)

    assert found == {Controller.MEMORY: Place(top / "memory", unified=False)}


# Where: v2


def test_with_v2_groups_are_made_beside_a_group_that_holds_this_process(tmp_path: Path) -> None:
    handed_down = {"app.slice/cgroup.subtree_control": "memory pids\n", "app.slice/shell.scope/cgroup.procs": "1\n"}
    top = tree(tmp_path, ".", "app.slice", "app.slice/shell.scope", files=handed_down)

    found = cgroups.places(groups="0::/app.slice/shell.scope\n", mounts=V2, host=tmp_path)

    place = Place(top / "app.slice", unified=True)
    assert found == {Controller.MEMORY: place, Controller.PIDS: place}


def test_with_v2_all_limits_are_in_one_place_the_nearest_that_offers_most(tmp_path: Path) -> None:
    files = {
        "./cgroup.subtree_control": "cpu memory pids\n",
        "a/cgroup.subtree_control": "cpu memory\n",
        "a/b/cgroup.subtree_control": "cpu memory\n",
        "a/b/c/cgroup.subtree_control": "pids\n",
    }
    top = tree(tmp_path, "a", "a/b", "a/b/c", files=files)

    found = cgroups.places(groups="0::/a/b/c\n", mounts=V2, host=tmp_path)

    place = Place(top / "a/b", unified=True)
    assert found == {Controller.MEMORY: place, Controller.CPU: place}


def test_with_v2_a_delegated_group_without_processes_hands_down_what_it_has(tmp_path: Path) -> None:
    files = {"bot.service/cgroup.controllers": "cpu memory pids\n", "bot.service/worker/cgroup.procs": "1\n"}
    top = tree(tmp_path, ".", "bot.service", "bot.service/worker", files=files)

    found = cgroups.places(groups="0::/bot.service/worker\n", mounts=V2, host=tmp_path)

    assert found == {controller: Place(top / "bot.service", unified=True) for controller in Controller}


def test_with_v2_a_group_that_holds_processes_hands_nothing_down(tmp_path: Path) -> None:
    files = {"./cgroup.controllers": "cpu memory pids\n", "./cgroup.procs": "1\n"}  # the top that a container sees
    tree(tmp_path, ".", files=files)

    assert cgroups.places(groups="0::/\n", mounts=V2, host=tmp_path) == {}


def test_with_v2_the_top_of_all_may_hold_processes_and_hand_down(tmp_path: Path) -> None:
    files = {"./cgroup.controllers": "cpu memory pids\n", "./cgroup.procs": "1\n"}
    top = tree(tmp_path, ".", files=files)
    (top / "cgroup.type").unlink()

    found = cgroups.places(groups="0::/\n", mounts=V2, host=tmp_path)

    assert found == {controller: Place(top, unified=True) for controller in Controller}


def test_with_both_kinds_each_controller_is_found_where_it_is(tmp_path: Path) -> None:
    tree(tmp_path, "unified", "memory", files={"unified/cgroup.subtree_control": "pids\n"})
    mounts = V1.splitlines(keepends=True)[0] + V2.replace("/sys/fs/cgroup", "/sys/fs/cgroup/unified")

    found = cgroups.places(groups="4:memory:/\n0::/\n", mounts=mounts, host=tmp_path)

    assert {controller: place.unified for controller, place in found.items()} == {
        Controller.MEMORY: False,
        Controller.PIDS: True,
    }


def test_a_machine_without_groups_has_no_place(tmp_path: Path) -> None:
    assert cgroups.places(groups="", mounts="25 1 0:22 / / rw - ext4 /dev/sda rw\n", host=tmp_path) == {}


# What is written


def test_the_limits_of_v2_are_set_in_its_words() -> None:
    written = {name: value for each in Controller for name, value in cgroups.settings(each, LIMITS, unified=True)}

    assert written == {
        "memory.max": "67108864",
        "memory.swap.max": "0",
        "pids.max": "12",  # with two of bubblewrap's own
        "cpu.max": "150000 100000",
    }


def test_the_limits_of_v1_are_set_in_its_words_swap_after_memory() -> None:
    written = [line for each in Controller for line in cgroups.settings(each, LIMITS, unified=False)]

    assert written == [
        ("memory.limit_in_bytes", "67108864"),
        ("memory.memsw.limit_in_bytes", "67108864"),
        ("pids.max", "12"),
        ("cpu.cfs_period_us", "100000"),
        ("cpu.cfs_quota_us", "150000"),
    ]


# On this machine


@pytest.fixture
def here() -> Mapping[Controller, Place]:
    found = cgroups.places()
    if not found:
        pytest.skip("no control group may be made here")
    return found


def test_what_is_in_a_group_is_gone_with_it(here: Mapping[Controller, Place]) -> None:
    name = f"selfcode-test-{uuid.uuid4().hex}"

    with subprocess.Popen(["sleep", "300"]) as process:
        with cgroups.group(name, LIMITS, here) as group:
            group.add(process.pid)
            groups = Path(f"/proc/{process.pid}/cgroup").read_text()
        assert process.wait(5) == -9

    assert name in groups
    assert not any((place.folder / name).exists() for place in here.values())


def test_groups_that_are_left_are_emptied_and_removed_and_others_stay(here: Mapping[Controller, Place]) -> None:
    left, other = (f"selfcode-test-{uuid.uuid4().hex}" for _ in range(2))

    with (
        subprocess.Popen(["sleep", "300"]) as process,
        cgroups.group(left, LIMITS, here) as group,
        cgroups.group(other, LIMITS, here),
    ):
        group.add(process.pid)

        assert cgroups.remove_groups(left.__eq__) == 1
        assert process.wait(5) == -9
        assert all((place.folder / other).is_dir() for place in here.values())
