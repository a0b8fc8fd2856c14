"""What tests have left on this machine, beside what an engine knows: processes, control groups, mounts, files."""

import os
import tempfile
import time
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager, suppress
from pathlib import Path

_PATIENCE_S = 3.0


def processes(word: str) -> Sequence[str]:
    """Processes with the word among their arguments, but for this one and those that it is below."""
    found = []
    for entry in Path("/proc").glob("[0-9]*/cmdline"):
        with suppress(OSError):
            said = entry.read_bytes().replace(b"\0", b" ").decode("utf-8", "replace")
            if word in said and int(entry.parent.name) not in _lineage():
                found.append(f"process {entry.parent.name}: {said[:200]}")
    return found


def control_groups(word: str) -> Sequence[str]:
    """Control groups of ours whose name holds the word."""
    found = (path for path in Path("/sys/fs/cgroup").glob("**/selfcode-*") if path.is_dir() and word in path.name)
    return [f"control group {path}" for path in found]


def mounts(word: str) -> Sequence[str]:
    """File systems that are mounted at, or from, a path with the word."""
    lines = Path("/proc/self/mountinfo").read_text().splitlines() if Path("/proc/self/mountinfo").exists() else ()
    return [f"mount {line}" for line in lines if word in line]


def after_a_moment(*looks: Callable[[], Sequence[str]]) -> Sequence[str]:
    """What the looks show, at the latest after a moment: what is killed takes one to go."""
    deadline = time.monotonic() + _PATIENCE_S
    while found := [what for look in looks for what in look()]:
        if time.monotonic() > deadline:
            break
        time.sleep(0.05)
    return found


@contextmanager
def temporary_files_apart(folder: Path) -> Iterator[None]:
    """Temporary files of this process, and of those it starts, are in the folder while the context lasts."""
    before = tempfile.tempdir, os.environ.get("TMPDIR")
    tempfile.tempdir, os.environ["TMPDIR"] = str(folder), str(folder)
    try:
        yield
    finally:
        tempfile.tempdir = before[0]
        del os.environ["TMPDIR"]
        if before[1] is not None:
            os.environ["TMPDIR"] = before[1]


def _lineage() -> set[int]:
    """This process, and those above it."""
    found = {os.getpid()}
    pid = os.getpid()
    while pid > 1:
        pid = int(Path(f"/proc/{pid}/stat").read_bytes().rpartition(b")")[2].split()[1])
        found.add(pid)
    return found
