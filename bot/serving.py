"""`selfcode serve`: web and worker as processes of their own, looked after until one is told to end."""

import ctypes
import logging
import os
import signal
import subprocess
import sys
import threading
import time
from collections.abc import Sequence
from dataclasses import dataclass, field

WRONG_SETTINGS = 2
CALM_S = 1.0
LONGEST_CALM_S = 30.0
GRACE_S = 15.0
"""Longer than the web server gives its own processes to finish what they answer."""

COMMAND = (sys.executable, "-P", "-m", "bot.cli")
"""This very program. `-P`: the folder that it was started in may hold another `bot`."""

SERVED_BY = "SELFCODE_SERVED_BY"
"""Set for the processes that `selfcode serve` starts: its process id."""

PR_SET_PDEATHSIG = 1
"""Source: prctl(2)."""

log = logging.getLogger(__name__)


def end_with_parent() -> None:
    """Let a process that `selfcode serve` started end when that dies, however it dies. Linux only."""
    parent = os.environ.pop(SERVED_BY, "")
    if not parent or not sys.platform.startswith("linux"):
        return
    ctypes.CDLL(None).prctl(PR_SET_PDEATHSIG, signal.SIGTERM)
    if os.getppid() != int(parent):
        sys.exit(0)


@dataclass
class Child:
    """One process that is kept running: started again when it dies, ever more slowly while it keeps dying."""

    name: str
    argv: Sequence[str]
    process: subprocess.Popen[bytes] | None = None
    calm_s: float = CALM_S
    started_at: float = 0.0
    due_at: float = field(default=0.0)

    def keep(self, now: float) -> int | None:
        """Start it where it is due. Returns the exit code that ends everything (wrong settings), else None."""
        if self.process is None:
            if now >= self.due_at:
                self.process = subprocess.Popen(self.argv, env={**os.environ, SERVED_BY: str(os.getpid())})
                self.started_at = now
            return None
        ended = self.process.poll()
        if ended is None:
            return None
        self.process = None
        if ended == WRONG_SETTINGS:
            return WRONG_SETTINGS
        self.calm_s = CALM_S if now - self.started_at > LONGEST_CALM_S else min(self.calm_s * 2, LONGEST_CALM_S)
        self.due_at = now + self.calm_s
        log.warning("%s ended with %s; it is started again in %.0f s", self.name, ended, self.calm_s)
        return None

    def ask_to_end(self) -> None:
        """Ask it to end."""
        if self.process is not None:
            self.process.send_signal(signal.SIGTERM)

    def end(self, by: float) -> None:
        """Wait for its end, and make it end where it did not by then."""
        if self.process is None:
            return
        try:
            self.process.wait(max(by - time.monotonic(), 0))
        except subprocess.TimeoutExpired:
            self.process.kill()
            self.process.wait()


def serve(until: threading.Event) -> int:
    """Keep web and worker running until the event is set. Returns the exit code: 2 where settings are wrong."""
    return keep([Child("web", [*COMMAND, "web"]), Child("worker", [*COMMAND, "worker"])], until)


def keep(children: Sequence[Child], until: threading.Event, *, grace_s: float = GRACE_S) -> int:
    """Keep the children running until the event is set, and leave none. Returns the exit code."""
    code = 0
    try:
        while not until.wait(0.2) and not code:
            for child in children:
                code = code or child.keep(time.monotonic()) or 0
    finally:
        for child in children:
            child.ask_to_end()
        by = time.monotonic() + grace_s
        for child in children:
            child.end(by)
    return code
