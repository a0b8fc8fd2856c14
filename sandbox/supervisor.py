"""Runs one command and ends with it all that it started; a program of its own, started by `sandbox.process`.

    python -I -S supervisor.py CONTROL_FD FILE_SIZE_BYTES COMMAND…

It ends when the command has ended, or when CONTROL_FD reaches its end (the caller wants it so, or has died), and then
with the command's exit code, 128 + n for signal n. It is the subreaper of all below it, so that what moved to a
session of its own is still found among its descendants. Nothing but the standard library may be imported here, and
little of that: this program is started for each command, and most of its time was that of `enum` and `contextlib`.
"""

import _signal as signal  # type: ignore[import-not-found]  # without the enumerations of `signal`
import ctypes
import os
import resource
import select
import sys
import time

_PR_SET_CHILD_SUBREAPER = 36  # Source: linux/prctl.h
_PATIENCE_S = 5.0


def main(control: int, file_size_bytes: int, command: list[str]) -> int:
    """Run the command, leave nothing of it behind, return its exit code."""
    if sys.platform == "linux":
        ctypes.CDLL(None, use_errno=True).prctl(_PR_SET_CHILD_SUBREAPER, 1, 0, 0, 0)
    os.set_inheritable(control, False)
    woken, wake = os.pipe()
    os.set_blocking(wake, False)
    signal.signal(signal.SIGCHLD, lambda *_: None)
    signal.set_wakeup_fd(wake)
    resource.setrlimit(resource.RLIMIT_CORE, (0, 0))
    resource.setrlimit(resource.RLIMIT_FSIZE, (file_size_bytes, file_size_bytes))
    child = os.posix_spawn(command[0], command, os.environ, setsid=True, setsigdef=[signal.SIGPIPE, signal.SIGXFSZ])
    status = _wait(child, control, woken)
    _end_all(child)
    return 0 if status is None else exit_code(status)


def _wait(child: int, control: int, woken: int) -> int | None:
    """The child's status; None when the caller wants the end before."""
    while True:
        try:
            while (reaped := os.waitpid(-1, os.WNOHANG)) != (0, 0):
                if reaped[0] == child:
                    return reaped[1]
        except ChildProcessError:
            pass
        ready, _, _ = select.select([control, woken], [], [])
        if control in ready:
            return None
        os.read(woken, 4096)


def _end_all(child: int) -> None:
    """Kill every descendant, those that are born meanwhile too; without /proc, the child's process group."""
    if sys.platform != "linux":
        _send(signal.SIGKILL, -child)
    elif not _has_children():
        return  # as the subreaper it has one as long as there is any descendant
    deadline = time.monotonic() + _PATIENCE_S
    while (found := descendants()) and time.monotonic() < deadline:
        for pid in found:
            _send(signal.SIGSTOP, pid)  # what stands still has no children that the next look would miss
        for pid in found:
            _send(signal.SIGKILL, pid)
        _has_children()
        time.sleep(0.005)


def _send(number: int, pid: int) -> None:
    """A signal to a process, where there is one that takes ours. A negative id is that of a process group."""
    try:  # noqa: SIM105 - see above: no contextlib
        os.kill(pid, number)
    except (ProcessLookupError, PermissionError):
        pass


def _has_children() -> bool:
    """Whether there is a child that lives. Those that have ended are reaped."""
    try:
        while os.waitpid(-1, os.WNOHANG) != (0, 0):
            pass
    except ChildProcessError:
        return False
    return True


def descendants() -> list[int]:
    """Every process below this one."""
    parents: dict[int, int] = {}
    for pid in filter(str.isdigit, os.listdir("/proc")):  # noqa: PTH208 - to import pathlib takes longer than most commands
        try:
            with open(f"/proc/{pid}/stat", "rb") as stat:  # noqa: PTH123
                # pid (name) state parent …: the name may hold anything, spaces and brackets too
                parents[int(pid)] = int(stat.read().rpartition(b")")[2].split()[1])
        except OSError:
            pass
    below = {os.getpid()}
    while True:
        more = {pid for pid, parent in parents.items() if parent in below} - below
        if not more:
            return sorted(below - {os.getpid()})
        below |= more


def exit_code(status: int) -> int:
    """The exit code that a shell would show for what `waitpid` has said."""
    return 128 + os.WTERMSIG(status) if os.WIFSIGNALED(status) else os.WEXITSTATUS(status)


if __name__ == "__main__":
    sys.exit(main(int(sys.argv[1]), int(sys.argv[2]), sys.argv[3:]))
