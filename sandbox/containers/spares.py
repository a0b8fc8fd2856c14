"""One made ready before it is asked for: for what takes a while to make, and is used once."""

import logging
import threading
import time
from collections import deque
from collections.abc import Callable, Hashable, Sequence
from concurrent.futures import Future, ThreadPoolExecutor
from contextlib import suppress
from dataclasses import dataclass
from typing import Generic, TypeVar

from sandbox.contract import SandboxError

_REMEMBERED = 32
_STAYS_S = 5.0
_log = logging.getLogger(__name__)
Kind = TypeVar("Kind", bound=Hashable)
Thing = TypeVar("Thing")


@dataclass(frozen=True, slots=True)
class _Spare(Generic[Thing]):
    made: "Future[Thing]"
    expiry: threading.Timer
    since_s: float


class Spares(Generic[Kind, Thing]):
    """Keeps at most `most` things ready, one of a kind, each for `idle_s` at most; what nobody took goes to `drop`.

    `make` runs in the background. A kind that was asked for once only has no spare: most are never asked for again.
    Where there are too many, a new one takes the place of the oldest, but not within `stays_s`: two who want different
    kinds by turns would have everything made in vain. Threads may share one.
    """

    def __init__(
        self,
        make: Callable[[Kind], Thing],
        drop: Callable[[Thing], None],
        *,
        most: int,
        idle_s: float,
        stays_s: float = _STAYS_S,
    ) -> None:
        self._make = make
        self._drop = drop
        self._most = most
        self._idle_s = idle_s
        self._stays_s = stays_s
        self._lock = threading.Lock()
        self._kept: dict[Kind, _Spare[Thing]] = {}
        self._asked_for: deque[Kind] = deque(maxlen=_REMEMBERED)
        self._is_closed = False
        self._executor = ThreadPoolExecutor(1, thread_name_prefix="selfcode-spare")

    def take(self, kind: Kind) -> Thing | None:
        """A spare of this kind, the caller's from now on; None where there is none.

        One that is being made is waited for.
        """
        with self._lock:
            spare = self._kept.pop(kind, None)
        return None if spare is None else _finished(spare)

    def prepare(self, kind: Kind) -> None:
        """Make a spare of this kind in the background, from the second time on that it is wanted."""
        with self._lock:
            is_known = kind in self._asked_for
            if not is_known:
                self._asked_for.append(kind)
            if self._is_closed or self._most < 1 or not is_known or kind in self._kept:
                return
            if len(self._kept) >= self._most:
                oldest = next(iter(self._kept))
                if time.monotonic() - self._kept[oldest].since_s < self._stays_s:
                    return
                self._let_go(self._kept.pop(oldest))
            self._begin(kind)

    def clear(self) -> Sequence[Thing]:
        """Give away every spare, for the caller to remove. What nobody took before has been dropped by then."""
        with self._lock:
            kept, self._kept = list(self._kept.values()), {}
        with suppress(RuntimeError):  # where the interpreter is about to exit all is made already
            self._executor.submit(lambda: None).result()  # after what is being made
        return [thing for spare in kept if (thing := _finished(spare)) is not None]

    def close(self) -> Sequence[Thing]:
        """As `clear`, and make no more."""
        with self._lock:
            self._is_closed = True
        return self.clear()

    def _begin(self, kind: Kind) -> None:
        try:
            made = self._executor.submit(self._make, kind)
        except RuntimeError:  # the interpreter is about to exit
            return
        expiry = threading.Timer(self._idle_s, self._expire, (kind, made))
        expiry.daemon = True
        expiry.start()
        self._kept[kind] = _Spare(made, expiry, time.monotonic())

    def _expire(self, kind: Kind, made: "Future[Thing]") -> None:
        with self._lock:
            spare = self._kept.get(kind)
            if spare is None or spare.made is not made:
                return
            self._let_go(self._kept.pop(kind))

    def _let_go(self, spare: _Spare[Thing]) -> None:
        spare.expiry.cancel()
        spare.made.add_done_callback(self._dropped)

    def _dropped(self, made: "Future[Thing]") -> None:
        if (problem := made.exception()) is None:
            self._drop(made.result())
        else:
            _log.info("no spare could be made: %s", problem)


def _finished(spare: _Spare[Thing]) -> Thing | None:
    spare.expiry.cancel()
    try:
        return spare.made.result()
    except SandboxError as error:  # whoever needs it makes one now, and meets the same obstacle
        _log.info("no spare could be made: %s", error)
        return None
