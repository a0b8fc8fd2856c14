"""The mounts that a keeper makes for its workspace, seen by nobody else: folders in memory, and a view of the machine.

Nothing but the standard library, and modules that need no more, may be imported here. Linux only.
"""

import os
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from sandbox.contract import SandboxError
from sandbox.resident import namespaces

_STAGE = "/sys"
"""Where it all is mounted: a folder that is there on each Linux, and that a keeper has no other use for."""

BASE = f"{_STAGE}/base"
"""The root directory that commands see, without what is writable in it."""

PROGRAM = f"{_STAGE}/program"
"""Where the folders that hold bubblewrap and its libraries appear, by their own names."""

WORKSPACE, HOME, TMP = "/workspace", "/home/sandbox", "/tmp"  # noqa: S108 - the sandbox's
"""The folders that a workspace keeps between its commands, where commands see them."""

FOLDERS: Mapping[str, str] = {WORKSPACE: f"{_STAGE}/workspace", HOME: f"{_STAGE}/home", TMP: f"{_STAGE}/temporary"}
"""Where the keeper has each of them."""

_MODES = {WORKSPACE: "755", HOME: "700", TMP: "1777"}
_INODES_AT_LEAST = 65536
_BLOCK = 4096


def build(plan: Mapping[str, Any]) -> None:
    """Move this process to namespaces of its own and mount all there. It has one thread. Raises `OSError`.

    Root does it as root, who may show what others can't reach, and is then an ordinary user of the machine for good.
    """
    if plan["uid"] is None:
        uid, gid = os.getuid(), os.getgid()
        namespaces.unshare(namespaces.NEW_USERS | namespaces.NEW_MOUNTS)
        namespaces.map_ids("self", uid=uid, gid=gid)
        _mount_all(plan, owner=0)
    else:
        namespaces.unshare(namespaces.NEW_MOUNTS)
        _mount_all(plan, owner=plan["uid"])
        _become(plan["uid"])


def _become(uid: int) -> None:
    """Be this user of the machine, and root in a user namespace of one's own alone."""
    os.setgroups([])
    ready, told = os.pipe2(os.O_CLOEXEC)
    keeper, helper = os.getpid(), os.fork()
    if helper == 0:
        try:
            os.read(ready, 1)
            namespaces.map_ids(str(keeper), uid=uid, gid=uid)
            os._exit(0)
        finally:
            os._exit(1)
    namespaces.unshare(namespaces.NEW_USERS)
    os.write(told, b"\n")
    os.close(ready)
    os.close(told)
    if os.waitpid(helper, 0)[1] != 0:
        raise SandboxError("the user of the sandbox can't be mapped to an ordinary user of this machine")
    os.setresgid(0, 0, 0)
    os.setresuid(0, 0, 0)


def _mount_all(plan: Mapping[str, Any], *, owner: int) -> None:
    namespaces.keep_mounts_to_ourselves()
    namespaces.mount_memory(_STAGE, "size=4m,mode=755")
    for path, folder in FOLDERS.items():
        size = plan["sizes"][path]
        inodes = max(_INODES_AT_LEAST, size // _BLOCK)
        Path(folder).mkdir()
        namespaces.mount_memory(folder, f"size={size},nr_inodes={inodes},mode={_MODES[path]},uid={owner},gid={owner}")
    for path in plan["own"]:
        Path(BASE + path).mkdir(parents=True)
    for source in plan["program_folders"]:
        _show(source, f"{PROGRAM}/{Path(source).name}")
    for path, text in plan["files"].items():
        _parent(_place(path)).joinpath(Path(path).name).write_text(text)
    for path, target in plan["links"].items():
        _parent(_place(path)).joinpath(Path(path).name).symlink_to(target)
    for path in plan["shown"]:
        _show(path, _place(path))
        if not _place(path).startswith(BASE):  # what is in the base is made read-only with it
            namespaces.make_read_only(_place(path))


def _show(source: str, place: str) -> None:
    if Path(source).is_dir():
        Path(place).mkdir(parents=True, exist_ok=True)
    else:
        _parent(place).joinpath(Path(place).name).touch()
    namespaces.bind(source, place)


def _place(path: str) -> str:
    """Where the keeper has what commands see at the path."""
    for shown, folder in FOLDERS.items():
        if path.startswith(shown + "/"):
            return folder + path.removeprefix(shown)
    return BASE + path


def _parent(place: str) -> Path:
    parent = Path(place).parent
    parent.mkdir(parents=True, exist_ok=True)
    return parent
