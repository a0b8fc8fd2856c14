"""The kernel's calls for namespaces and mounts, which Python 3.11 does not have. Linux only.

Source: mount(2), mount_setattr(2), unshare(2), user_namespaces(7), prctl(2).
"""

import ctypes
import os
from pathlib import Path

NEW_MOUNTS = 0x00020000
NEW_USERS = 0x10000000

_MS_NOSUID = 0x2
_MS_NODEV = 0x4
_MS_BIND = 0x1000
_MS_REC = 0x4000
_MS_PRIVATE = 0x40000
_SYS_MOUNT_SETATTR = 442  # on every architecture
_AT_FDCWD = -100
_AT_RECURSIVE = 0x8000
_ATTR_RDONLY = 0x1
_ATTR_NOSUID = 0x2
_ATTR_NODEV = 0x4
_SET_CHILD_SUBREAPER = 36


def unshare(flags: int) -> None:
    """Move this process, which must have one thread, to new namespaces. Raises `OSError`."""
    _checked(_libc().unshare(flags), "unshare")


def keep_mounts_to_ourselves() -> None:
    """Let no mount of this mount namespace show in another, nor another's here."""
    _mount(None, "/", None, _MS_REC | _MS_PRIVATE, None)


def mount_memory(target: str, options: str) -> None:
    """Mount a folder in memory (tmpfs)."""
    _mount("tmpfs", target, "tmpfs", _MS_NOSUID | _MS_NODEV, options)


def bind(source: str, target: str) -> None:
    """Show a file or a folder, with what is mounted in it, at a second place."""
    _mount(source, target, None, _MS_BIND | _MS_REC, None)


def make_read_only(target: str) -> None:
    """Let nothing be written at this place and at what is mounted in it. Raises `OSError` before Linux 5.12."""
    attributes = (ctypes.c_uint64 * 4)(_ATTR_RDONLY | _ATTR_NOSUID | _ATTR_NODEV, 0, 0, 0)
    result = _libc().syscall(
        ctypes.c_long(_SYS_MOUNT_SETATTR),
        ctypes.c_int(_AT_FDCWD),
        os.fsencode(target),
        ctypes.c_uint(_AT_RECURSIVE),
        ctypes.byref(attributes),
        ctypes.c_size_t(ctypes.sizeof(attributes)),
    )
    _checked(result, f"mount_setattr {target}")


def map_ids(process: str, *, uid: int, gid: int) -> None:
    """Let 0 in the process's new user namespace stand for the ids, and nothing else for anything; for good."""
    folder = Path("/proc", process)
    (folder / "setgroups").write_text("deny")  # who has no privileges could not map a group otherwise
    (folder / "uid_map").write_text(f"0 {uid} 1\n")
    (folder / "gid_map").write_text(f"0 {gid} 1\n")


def adopt_orphans() -> None:
    """Become the parent of every descendant whose own parent ends."""
    _checked(_libc().prctl(_SET_CHILD_SUBREAPER, 1, 0, 0, 0), "prctl")


def _mount(source: str | None, target: str, kind: str | None, flags: int, options: str | None) -> None:
    words = [None if word is None else os.fsencode(word) for word in (source, target, kind, options)]
    _checked(_libc().mount(words[0], words[1], words[2], ctypes.c_ulong(flags), words[3]), f"mount {target}")


def _checked(result: int, doing: str) -> None:
    if result != 0:
        number = ctypes.get_errno()
        raise OSError(number, f"{doing}: {os.strerror(number)}")


def _libc() -> ctypes.CDLL:
    return ctypes.CDLL(None, use_errno=True)
