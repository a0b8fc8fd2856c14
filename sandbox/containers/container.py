"""What a container may do, in the words of the Engine API. Pure: the one place to read when you ask how tight it is.

Source: Engine API v1.41, ContainerCreate and VolumeCreate.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

from sandbox.contract import CLEAN_ENVIRONMENT, MEBIBYTE, Limits

WORKSPACE = "/workspace"
HOME = "/home/sandbox"
USER = "1000:1000"
"""Who runs everything that is asked for."""
ROOT = "0:0"

INIT_USER = "65534:65534"
"""Who is process 1: neither root nor `USER`, who therefore can neither kill nor trace it."""

_INIT = "while :; do sleep 86400 & wait; done"
"""Process 1 does nothing but live and reap: the shell's `wait` takes in whatever child ends, adopted ones too."""

_SETUP_INIT = "exec 3<&0; while cat <&3 >/dev/null & ! wait $!; do :; done"
"""Process 1 of a setup: as above, until its stdin ends. `cat` is killed with all else after each command."""

SECRETS = "/run/secrets"
"""Where a setup finds its secrets."""

SETUP_FILES = "/run/selfcode"
"""Where a setup finds what it needs of ours, readable for whomever it becomes."""

_SECRETS_BYTES = 4 * MEBIBYTE
_SETUP_FILES_BYTES = 16 * MEBIBYTE
_SHARED_MEMORY = 64 * MEBIBYTE
_CPU_PERIOD_US = 100_000
_TMPFS = "rw,exec,nosuid,nodev"
_SETUP_CAPABILITIES = ("CHOWN", "DAC_OVERRIDE", "FOWNER", "FSETID", "KILL", "SETGID", "SETUID")
"""What a package manager needs to install for root: owners, modes, and to become its own unprivileged user."""


@dataclass(frozen=True, slots=True)
class Plan:
    """One container: image, the volume that is its workspace, and what it may use.

    `image_volumes` are the folders that the image declares as volumes: unbounded, were they left to the engine.
    `runtime` is an OCI runtime by the name that the engine knows it by; None for the engine's default.
    """

    image: str
    volume: str
    limits: Limits
    labels: Mapping[str, str]
    seccomp: str
    image_volumes: Sequence[str] = ()
    runtime: str | None = None


def within_memory(limits: Limits) -> Limits:
    """The limits as a container holds them: its files are in memory, and must never fill all of it.

    Ending processes frees no memory that files take: process 1 would be ended too, and the workspace with it.
    """
    return replace(
        limits,
        workspace_bytes=min(limits.workspace_bytes, limits.memory_bytes // 2),
        tmp_bytes=min(limits.tmp_bytes, limits.memory_bytes // 8),
    )


def workspace_container(plan: Plan) -> dict[str, Any]:
    """A container for code that nobody vouches for: no network, nothing writable but workspace, /tmp and HOME."""
    config = _container(plan, user=INIT_USER, capabilities=())
    config["HostConfig"]["ReadonlyRootfs"] = True
    config["HostConfig"]["Tmpfs"][HOME] = f"{_TMPFS},size={plan.limits.tmp_bytes},uid=1000,gid=1000,mode=700"
    return config


def setup_container(plan: Plan) -> dict[str, Any]:
    """A container in which an image is prepared: root with a writable root directory, and no network of its own.

    It lives as long as someone holds its stdin. `SECRETS` and `SETUP_FILES` are folders in memory, which no image
    contains.
    """
    limits = replace(plan.limits, file_size_bytes=max(plan.limits.file_size_bytes, 2 * plan.limits.workspace_bytes))
    config = _container(replace(plan, limits=limits), user=ROOT, capabilities=_SETUP_CAPABILITIES)
    config["HostConfig"]["ReadonlyRootfs"] = False
    config["HostConfig"]["Tmpfs"][SECRETS] = f"rw,noexec,nosuid,nodev,size={_SECRETS_BYTES},mode=700"
    config["HostConfig"]["Tmpfs"][SETUP_FILES] = f"rw,noexec,nosuid,nodev,size={_SETUP_FILES_BYTES},mode=755"
    return {**config, "Entrypoint": ["/bin/sh", "-c", _SETUP_INIT], "OpenStdin": True, "StdinOnce": True}


def workspace_volume(
    name: str, limits: Limits, labels: Mapping[str, str], *, first_uid: int = 0, first_gid: int = 0
) -> dict[str, Any]:
    """A folder in memory of bounded size, which outlives the container that it was mounted in first.

    The engine mounts it outside of the container: `first_uid` and `first_gid` are whom root is there.
    """
    options = [
        f"size={limits.workspace_bytes}",
        f"nr_inodes={max(65536, limits.workspace_bytes // 4096)}",
        f"uid={first_uid + 1000},gid={first_gid + 1000},mode=755,nosuid,nodev",
    ]
    return {
        "name": name,
        "driver": "local",
        "driver_opts": {"type": "tmpfs", "device": "tmpfs", "o": ",".join(options)},
        "labels": dict(labels),
    }


def environment(env: Mapping[str, str], *, home: str = HOME) -> dict[str, str]:
    """What a command finds beside the image's own PATH and variables."""
    return {**CLEAN_ENVIRONMENT, "HOME": home, "TMPDIR": "/tmp", **env}  # noqa: S108 - the container's


def _container(plan: Plan, *, user: str, capabilities: tuple[str, ...]) -> dict[str, Any]:
    limits = plan.limits
    host: dict[str, Any] = {
        "NetworkMode": "none",
        "CapDrop": ["ALL"],
        "CapAdd": list(capabilities),
        "SecurityOpt": ["no-new-privileges:true", f"seccomp={plan.seccomp}"],
        "Memory": limits.memory_bytes,
        "MemorySwap": limits.memory_bytes,  # the same as memory: no swap
        "CpuPeriod": _CPU_PERIOD_US,
        "CpuQuota": max(1000, int(limits.cpus * _CPU_PERIOD_US)),  # not NanoCpus: refused above the host's own number
        "PidsLimit": limits.processes,
        "Ulimits": [
            {"Name": "core", "Soft": 0, "Hard": 0},
            {"Name": "fsize", "Soft": limits.file_size_bytes, "Hard": limits.file_size_bytes},
            {"Name": "nofile", "Soft": 4096, "Hard": 4096},
        ],
        "LogConfig": {"Type": "none"},  # output goes to us alone; a log would fill the engine's disk
        "IpcMode": "private",
        "ShmSize": min(_SHARED_MEMORY, limits.memory_bytes // 16),
        "Mounts": [_workspace_mount(plan)],
        "Tmpfs": {
            folder: f"{_TMPFS},size={limits.tmp_bytes},mode=1777"
            for folder in ("/tmp", *plan.image_volumes)  # noqa: S108 - the container's
            if folder != WORKSPACE
        },
        "RestartPolicy": {"Name": "no"},
        "Init": False,
    }
    if plan.runtime:
        host["Runtime"] = plan.runtime
    return {
        "Image": plan.image,
        "Entrypoint": ["/bin/sh", "-c", _INIT],
        "Cmd": [],
        "StopSignal": "SIGKILL",  # process 1 heeds no other: an engine that shuts down would wait for it
        "User": user,
        "WorkingDir": WORKSPACE,
        "Labels": dict(plan.labels),
        "Healthcheck": {"Test": ["NONE"]},
        "OpenStdin": False,
        "Tty": False,
        "HostConfig": host,
    }


def _workspace_mount(plan: Plan) -> dict[str, Any]:
    return {
        "Type": "volume",
        "Source": plan.volume,
        "Target": WORKSPACE,
        "VolumeOptions": {"NoCopy": True},  # what the image has at this path stays in the image
    }
