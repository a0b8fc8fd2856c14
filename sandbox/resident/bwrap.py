"""One command in bubblewrap: what it is told. The place to read when you ask how tight a workspace without Docker is.

Nothing but the standard library, and modules that need no more, may be imported here. Linux only.

Source: bwrap(1), 0.11.
"""

import base64
import os
import resource
from collections.abc import Mapping, Sequence
from typing import Any, NoReturn

from sandbox.contract import MEBIBYTE
from sandbox.resident import stage

_SHARED_MEMORY = 64 * MEBIBYTE

_ISOLATION = (
    "--unshare-all",
    "--unshare-user",  # `all` would go on without one
    "--disable-userns",
    *("--uid", "1000", "--gid", "1000", "--hostname", "sandbox"),
    *("--cap-drop", "ALL"),
    "--new-session",
    "--die-with-parent",
)
_ROOT = (
    *("--ro-bind", stage.BASE, "/"),
    *(word for path, folder in stage.FOLDERS.items() for word in ("--bind", folder, path)),
    *("--proc", "/proc"),
    *("--dev", "/dev"),
    *("--perms", "1777", "--size", str(_SHARED_MEMORY), "--tmpfs", "/dev/shm"),  # noqa: S108 - the sandbox's
    *("--remount-ro", "/dev"),
    *("--remount-ro", "/"),
    *("--chdir", stage.WORKSPACE),
)


def options(env: Mapping[str, str], *, status: int, seccomp: int | None) -> list[str]:
    """Everything but the program and the command."""
    words = [*_ISOLATION, *_ROOT, "--json-status-fd", str(status), "--clearenv"]
    for name, value in env.items():
        words += ["--setenv", name, value]
    return [*words, "--seccomp", str(seccomp)] if seccomp is not None else words


def become(
    plan: Mapping[str, Any], request: Mapping[str, Any], *, outputs: Sequence[int], status: int, go: int
) -> NoReturn:
    """Be bubblewrap from now on, as soon as a byte arrives at `go`; at its end, end. The process has one thread."""
    try:
        if os.read(go, 1):
            for limit, value in plan["rlimits"]:
                _, most = resource.getrlimit(limit)
                bound = value if most == resource.RLIM_INFINITY else min(value, most)
                resource.setrlimit(limit, (bound, bound))
            seccomp = None if plan["seccomp"] is None else _file(base64.b64decode(plan["seccomp"]))
            told = "\0".join(options(request["env"], status=status, seccomp=seccomp)) + "\0"
            given = _file(told.encode("utf-8", "surrogateescape"))  # not as arguments, which any user could read
            os.set_inheritable(status, True)
            for target, source in enumerate((os.open(os.devnull, os.O_RDONLY), *outputs)):
                os.dup2(source, target)
            _close_all_but(given, status, *([] if seccomp is None else [seccomp]))
            words = [plan["program"], "--args", str(given), "--", *request["words"]]
            os.execve(plan["program"], words, {})  # noqa: S606 - no shell is wanted
    except OSError as error:
        os.write(outputs[1], f"{error}\n".encode())
    finally:
        os._exit(1)


def _close_all_but(*kept: int) -> None:
    """Close what is open beside the three streams: whatever a command inherits is a way out for it."""
    start = 3
    for descriptor in (*sorted(kept), os.sysconf("SC_OPEN_MAX")):
        os.closerange(start, descriptor)
        start = descriptor + 1


def _file(contents: bytes) -> int:
    """An open file with the contents, which a program that is executed has too."""
    made = os.memfd_create("selfcode", 0)
    os.pwrite(made, contents, 0)
    return made
