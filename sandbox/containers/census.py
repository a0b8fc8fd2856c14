"""How many processes a container has at one moment, by the kernel's own count.

A list of processes misses one that is another every moment: by the time that it is looked at, it is another again.
The count is read by a process in the container that runs as somebody else, whom what is counted can't touch.
"""

import time
from collections.abc import Callable

from sandbox.containers.command import Command
from sandbox.containers.frames import Stream
from sandbox.contract import SandboxError

ITSELF = 1
_COUNT = """
for counter in /sys/fs/cgroup/pids/pids.current /sys/fs/cgroup/pids.current; do
    while [ -r "$counter" ] && read -r _; do read -r count <"$counter" && echo "$count" || exit 1; done
done
exit 1
"""
"""The count, for each line of stdin (cgroup v1 or v2), by the shell alone: nothing is started, or it would count."""

_ANSWER_S = 2.0
_TRIES = 3
"""A full process table is no reason to give up for good; a runtime that keeps no such count is."""


class Census:
    """Counts the processes of one container. `start` begins a command in it, as a user who runs nothing else."""

    def __init__(self, start: Callable[[list[str]], Command]) -> None:
        self._start = start
        self._counter: Command | None = None
        self._failures = 0

    def count(self) -> int | None:
        """How many processes and threads there are, the counter itself with them; None where that can't be known."""
        if self._failures >= _TRIES:
            return None
        try:
            if self._counter is None:
                self._counter = self._start(["/bin/sh", "-c", _COUNT])
            return self._asked(self._counter)
        except SandboxError:
            self.close()
            self._failures += 1
            return None

    @property
    def is_at_work(self) -> bool:
        """A counter runs, and counts itself."""
        return self._counter is not None

    def close(self) -> None:
        """Let the counter end."""
        if self._counter is not None:
            self._counter.close()
            self._counter = None

    def _asked(self, counter: Command) -> int:
        counter.send(b"\n")
        deadline = time.monotonic() + _ANSWER_S
        answer = bytearray()
        while not answer.endswith(b"\n"):
            pieces = counter.read(deadline - time.monotonic())
            if pieces is None or time.monotonic() > deadline or len(answer) > 20:
                raise SandboxError("the processes of a container can't be counted")
            answer += b"".join(piece for stream, piece in pieces if stream is Stream.STDOUT)
        return int(answer)
