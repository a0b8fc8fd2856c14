"""Threads that run the dispatcher's errands: as many as are wanted, up to a bound."""

import logging
import threading
import time
from collections import deque
from collections.abc import Callable
from contextvars import copy_context
from functools import partial

from bot.runs.lines import Line, Matter

AT_ONCE = 16
"""Threads for each matter: so many installations may keep their messengers waiting before anybody else has to wait."""

IN_A_LINE = 100
"""Errands that wait in one line."""

log = logging.getLogger(__name__)

Work = Callable[[], None]
Start = Callable[[Work, str], None]
"""Has something run in a thread of this name. Raises `RuntimeError` where the machine has none left for us."""


def in_a_thread(work: Work, name: str) -> None:
    """A `Start`: the thread keeps no process from ending."""
    threading.Thread(target=work, name=name, daemon=True).start()


class Messengers:
    """A `Send` whose work is done in threads of its own. No matter takes the threads of another. Safe for any thread.

    Nothing is kept: what was not run when the process ends is run by nobody.
    """

    def __init__(self, at_once: int = AT_ONCE, in_a_line: int = IN_A_LINE, start: Start = in_a_thread) -> None:
        self._queues = {matter: _Lines(matter, at_once, in_a_line, start) for matter in Matter}

    def __call__(self, line: Line, work: Work, /) -> bool:
        """Run the errand once all before it in its line have been.

        False where the line is full, where all is closed, or where there is no thread for it.
        """
        return self._queues[line.matter].add(line, partial(copy_context().run, work))

    def close(self, within_s: float) -> bool:
        """Take no more, and wait for what is under way, but no longer than this. Whether all was done."""
        by = time.monotonic() + within_s
        for lines in self._queues.values():
            lines.close()
        return all(lines.wait(by - time.monotonic()) for lines in self._queues.values())


class _Lines:
    """The lines of one matter, and the threads that serve them by turns. A thread ends where nothing is to be done."""

    def __init__(self, matter: Matter, at_once: int, in_a_line: int, start: Start) -> None:
        self._matter, self._at_once, self._in_a_line, self._start = matter, at_once, in_a_line, start
        self._changed = threading.Condition()
        self._waiting: dict[Line, deque[Work]] = {}
        self._ready: deque[Line] = deque()
        self._threads = 0
        self._is_closed = False

    def add(self, line: Line, work: Work) -> bool:
        with self._changed:
            waiting = self._waiting.get(line)
            if self._is_closed or (waiting is not None and len(waiting) >= self._in_a_line):
                return False
            if waiting is not None:
                waiting.append(work)
                return True
            self._waiting[line] = deque([work])
            self._ready.append(line)
            if self._threads < self._at_once:
                self._have_served()
            if not self._threads:
                del self._waiting[line]
                self._ready.clear()
                return False
        return True

    def close(self) -> None:
        with self._changed:
            self._is_closed = True

    def wait(self, seconds: float) -> bool:
        with self._changed:
            return self._changed.wait_for(lambda: not self._waiting, max(seconds, 0.0))

    def _have_served(self) -> None:
        """Have one thread more serve, if one is to be had."""
        try:
            self._start(self._serve, f"errands of {self._matter}")
        except RuntimeError as none_left:
            log.warning("no further thread for errands of %s: %s", self._matter, none_left)
        else:
            self._threads += 1

    def _serve(self) -> None:
        while (taken := self._take()) is not None:
            line, work = taken
            try:
                work()
            except Exception:  # the outermost frame of a thread
                log.exception("bug in an errand of %s", line)
            self._done(line)

    def _take(self) -> tuple[Line, Work] | None:
        with self._changed:
            if not self._ready:
                self._threads -= 1
                return None
            line = self._ready.popleft()
            return line, self._waiting[line].popleft()

    def _done(self, line: Line) -> None:
        with self._changed:
            if self._waiting[line]:
                self._ready.append(line)
            else:
                del self._waiting[line]
                self._changed.notify_all()
