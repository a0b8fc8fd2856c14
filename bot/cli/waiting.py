"""What is shown at a terminal while something takes long: what it is, and for how long already."""

import shutil
import sys
import threading
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from typing import TextIO

SOON_S = 3.0
"""What is over sooner needs no word."""
EVERY_S = 1.0


@dataclass(frozen=True, slots=True)
class Shown:
    """Says lines, above the one that is shown where there is one."""

    _say: Callable[[str], None]
    _line: "_Line | None" = None

    def __call__(self, text: str) -> None:
        if self._line is None:
            self._say(text)
            return
        with self._line.away():
            self._say(text)
        self._line.about(text)

    @contextmanager
    def paused(self) -> Iterator[None]:
        """Show nothing meanwhile: somebody is asked."""
        if self._line is None:
            yield
            return
        with self._line.away():
            yield
        self._line.about("")


@contextmanager
def shown(
    say: Callable[[str], None],
    first: str,
    stream: TextIO | None = None,
    *,
    soon_s: float = SOON_S,
    every_s: float = EVERY_S,
) -> Iterator[Shown]:
    """Yields a `say` that remembers what was said last, and shows how long ago, on a line that vanishes again.

    Where the stream (stderr) is no terminal, it is the same `say`.
    """
    stream = stream or sys.stderr
    if not stream.isatty():
        yield Shown(say)
        return
    line = _Line(stream, first, soon_s)
    ended = threading.Event()
    ticking = threading.Thread(target=line.tick, args=(ended, every_s), name="waiting", daemon=True)
    ticking.start()
    try:
        yield Shown(say, line)
    finally:
        ended.set()
        ticking.join()
        with line.away():
            pass


class _Line:
    def __init__(self, stream: TextIO, text: str, soon_s: float) -> None:
        self._stream = stream
        self._soon_s = soon_s
        self._lock = threading.Lock()
        self._is_there = False
        self._text = ""
        self.about(text)

    def about(self, text: str) -> None:
        """What goes on from now on; "" for what did."""
        self._text, self._since = text.strip().partition("\n")[0] or self._text, time.monotonic()

    def tick(self, ended: threading.Event, every_s: float) -> None:
        while not ended.wait(every_s):
            took_s = time.monotonic() - self._since
            if took_s >= self._soon_s:
                with self._lock:
                    width = max(shutil.get_terminal_size().columns - 12, 20)
                    self._stream.write(f"\r\x1b[K… {self._text[:width]} ({took_s:.0f} s)")
                    self._stream.flush()
                    self._is_there = True

    @contextmanager
    def away(self) -> Iterator[None]:
        """The line is not there, and does not come back before this is left."""
        with self._lock:
            if self._is_there:
                self._stream.write("\r\x1b[K")
                self._stream.flush()
                self._is_there = False
            yield
