"""Which processes and control groups are whose: their owner and the worker that made them are in their names."""

import hashlib
import os
import re
import secrets
import signal
import time
from contextlib import suppress
from pathlib import Path

MARK = "selfcode-bubblewrap"
"""By which our processes are found again; the owner and the worker follow it."""

_PATIENCE_S = 5.0
_LOOK_S = 0.01


def process_name(process: int) -> str | None:
    """A process by number and start, which no other ever has; None when there is no such process, or a dead one.

    Source: proc_pid_stat(5).
    """
    try:
        found = Path(f"/proc/{process}/stat").read_bytes().rpartition(b")")[2].split()
    except OSError:
        return None
    return None if found[0] in (b"Z", b"X") else f"{process}.{found[19].decode()}"


def own_name() -> str:
    """This process, as `process_name` says it."""
    return process_name(os.getpid()) or f"{os.getpid()}.0"  # there is always one, where there is a /proc


def is_there(name: str) -> bool:
    """Whether the process of this name still runs."""
    return process_name(int(name.partition(".")[0])) == name


def group_name(owner: str) -> str:
    """A new name for a control group of this owner's and this process's."""
    return f"{group_prefix(owner)}{own_name()}-{secrets.token_hex(6)}"


def group_prefix(owner: str) -> str:
    """How the names of this owner's control groups begin: any owner fits into the name of a folder."""
    return f"selfcode-{hashlib.sha256(owner.encode()).hexdigest()[:16]}-"


def is_left(owner: str, group: str) -> bool:
    """Whether a process of this owner has made the control group, and is gone."""
    found = re.fullmatch(rf"{group_prefix(owner)}(\d+\.\d+)-[0-9a-f]+", group)
    return found is not None and not is_there(found[1])


def end_left(owner: str) -> int:
    """End the processes that a worker of this owner has left, and say how many: none, where all is well.

    They are gone then, but for those that the kernel holds on to.
    """
    marked = re.compile(rb"\0".join([MARK.encode(), re.escape(os.fsencode(owner)), rb"(\d+\.\d+)\0"]))
    killed: list[str] = []
    for line in Path("/proc").glob("[0-9]*/cmdline"):
        with suppress(OSError):
            found = marked.search(line.read_bytes())
            name = process_name(int(line.parent.name))
            if found and name and not is_there(found[1].decode()):
                os.kill(int(line.parent.name), signal.SIGKILL)
                killed.append(name)
    deadline = time.monotonic() + _PATIENCE_S
    while any(map(is_there, killed)) and time.monotonic() < deadline:
        time.sleep(_LOOK_S)
    return len(killed)
