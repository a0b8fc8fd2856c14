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
    return [_shown(number, said) for number, said in _others() if word in said]


def numbers_of(word: str) -> Sequence[int]:
    """The numbers of the processes that `processes` finds."""
    return [number for number, said in _others() if word in said]


def children_of(number: int) -> Sequence[int]:
    """The processes that a process has started, and that it has still."""
    with suppress(OSError):
        listed = (path.read_text().split() for path in Path(f"/proc/{number}/task").glob("*/children"))
        return [int(child) for children in listed for child in children]
    return ()


def processes_in(folder: Path, *, but_below: Sequence[int] = ()) -> Sequence[str]:
    """Processes that work in a folder or name it, but for these, for those below them, and for those above this one."""
    found = []
    for number, said in _others():
        with suppress(OSError):
            at = Path(f"/proc/{number}/cwd").readlink()
            is_there = f"{at}/".startswith(f"{folder}/") or str(folder) in said
            if is_there and _lineage(number).isdisjoint(but_below):
                found.append(f"{_shown(number, said)} in {at}")
    return found


def control_groups(word: str) -> Sequence[str]:
    """Control groups of ours whose name holds the word."""
    found = (path for path in Path("/sys/fs/cgroup").glob("**/selfcode-*") if path.is_dir() and word in path.name)
    return [f"control group {path}" for path in found]


def mounts(word: str) -> Sequence[str]:
    """File systems that are mounted at, or from, a path with the word."""
    lines = Path("/proc/self/mountinfo").read_text().splitlines() if Path("/proc/self/mountinfo").exists() else ()
    return [f"mount {line}" for line in lines if word in line]


def after_a_moment(
    *looks: Callable[[], Sequence[str]], patience_s: float = _PATIENCE_S, look_every_s: float = 0.05
) -> Sequence[str]:
    """What the looks show, at the latest after a moment: what is killed takes one to go."""
    deadline = time.monotonic() + patience_s
    while found := [what for look in looks for what in look()]:
        if time.monotonic() > deadline:
            break
        time.sleep(look_every_s)
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


def _others() -> Iterator[tuple[int, str]]:
    """Every process with its arguments, but for this one and those that it is below."""
    ours = _lineage(os.getpid())
    for entry in Path("/proc").glob("[0-9]*/cmdline"):
        number, said = int(entry.parent.name), b""
        with suppress(OSError):
            said = entry.read_bytes()
        if said and number not in ours:
            yield number, said.replace(b"\0", b" ").decode("utf-8", "replace")


def _shown(number: int, said: str) -> str:
    return f"process {number}: {said[:200]}"


def _lineage(pid: int) -> set[int]:
    """A process and those above it."""
    found = {pid}
    while pid > 1:
        pid = int(Path(f"/proc/{pid}/stat").read_bytes().rpartition(b")")[2].split()[1])
        found.add(pid)
    return found
