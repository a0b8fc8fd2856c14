"""What a command writes, kept within bounds while it streams, and what may end the command before its own end."""

import time
from collections.abc import Callable
from dataclasses import dataclass, field

from sandbox.contract import Ending, ExecutionResult, Limits

FLOOD_FACTOR = 64
"""A command is ended when it has written this many times what is kept: it will not stop by itself."""

POLL_S = 0.25
"""How often `Watch.verdict` wants to be asked while a command is silent."""


class HeadAndTail:
    """The first and the last bytes of a stream: never more than about `limit` in memory."""

    def __init__(self, limit: int) -> None:
        self._head_size = limit // 2
        self._tail_size = limit - self._head_size
        self._head = bytearray()
        self._tail = bytearray()
        self.seen = 0

    def add(self, chunk: bytes) -> None:
        self.seen += len(chunk)
        room = self._head_size - len(self._head)
        self._head += chunk[:room]
        self._tail += chunk[room:]
        if len(self._tail) > 2 * self._tail_size:  # not at each chunk: trimming moves what is kept
            self._trim()

    @property
    def truncated(self) -> bool:
        return self.seen > self._head_size + self._tail_size

    def text(self) -> str:
        """What was kept, as UTF-8 with replacement, with a note where something was left out."""
        self._trim()
        if not self.truncated:
            return (self._head + self._tail).decode("utf-8", "replace")
        left_out = self.seen - len(self._head) - len(self._tail)
        note = f"\n[… {left_out} bytes left out …]\n"
        return self._head.decode("utf-8", "replace") + note + self._tail.decode("utf-8", "replace")

    def _trim(self) -> None:
        del self._tail[: max(0, len(self._tail) - self._tail_size)]


class Output:
    """Both streams of one command."""

    def __init__(self, limit: int) -> None:
        self.stdout = HeadAndTail(limit)
        self.stderr = HeadAndTail(limit)
        self._ceiling = FLOOD_FACTOR * limit

    @property
    def is_flood(self) -> bool:
        return self.stdout.seen + self.stderr.seen > self._ceiling

    @property
    def truncated(self) -> bool:
        return self.stdout.truncated or self.stderr.truncated

    def result(self, ending: Ending, exit_code: int | None, *, duration_s: float) -> ExecutionResult:
        """What the command came to. Its exit code counts only where it has ended by itself."""
        return ExecutionResult(
            exit_code=exit_code if ending is Ending.EXITED else None,
            stdout=self.stdout.text(),
            stderr=self.stderr.text(),
            ending=ending,
            truncated=self.truncated,
            duration_s=duration_s,
        )


@dataclass(slots=True)
class Watch:
    """Says when a running command has to be ended, and as what."""

    limits: Limits
    timeout_s: float | None
    stop: Callable[[], bool] | None
    clock: Callable[[], float] = time.monotonic
    started: float = field(init=False)
    _next_poll: float = field(init=False, default=0.0)

    def __post_init__(self) -> None:
        self.started = self.clock()

    @property
    def elapsed_s(self) -> float:
        return self.clock() - self.started

    @property
    def wait_s(self) -> float:
        """How long to wait for output before asking again."""
        return max(0.0, min(POLL_S, self._timeout_s - self.elapsed_s))

    def verdict(self, output: Output) -> Ending | None:
        """Why the command must end now; None while it may go on."""
        now = self.clock()
        if output.is_flood:
            return Ending.OUTPUT_LIMIT
        if now - self.started >= self._timeout_s:
            return Ending.TIMED_OUT
        if self.stop is not None and now >= self._next_poll:
            self._next_poll = now + POLL_S
            return Ending.STOPPED if self.stop() else None
        return None

    @property
    def _timeout_s(self) -> float:
        """The caller's time, within the workspace's."""
        return self.limits.wall_s if self.timeout_s is None else min(self.timeout_s, self.limits.wall_s)
