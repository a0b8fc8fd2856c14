"""Waiting for a service that is not there yet, at the start of a process."""

import logging
import math
import sys
from collections.abc import Callable
from typing import TypeVar

from bot.errors import Unavailable

FIRST_PAUSE_S = 1.0
LONGEST_PAUSE_S = 30.0

Pause = Callable[[float], bool]
"""Waits so many seconds, or until the process is told to end: that it was, is its answer."""

T = TypeVar("T")

log = logging.getLogger(__name__)


def awaited(attempt: Callable[[], T], pause: Pause, *, patience_s: float = math.inf) -> T:
    """What the attempt returns once it comes through. Each time that it does not, the log says why.

    Between two there is twice the time, up to half a minute, or as long as the service says. Exits where the process is
    told to end. Raises whatever is not `Unavailable`; that too where it would be waited for longer than `patience_s` in
    all, and where only the operator can mend it.
    """
    next_s, left_s = FIRST_PAUSE_S, patience_s
    while True:
        try:
            return attempt()
        except Unavailable as away:
            pause_s = max(next_s, away.retry_after_s or 0.0)
            if pause_s > left_s or not away.passes:
                raise
            log.warning("not started yet: %s; trying again in %.0f s", away, pause_s)
        if pause(pause_s):
            sys.exit(0)
        next_s, left_s = min(next_s * 2, LONGEST_PAUSE_S), left_s - pause_s
