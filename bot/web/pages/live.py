"""What is new of runs, for all who look on: the database is asked once for all listeners of a process."""

import logging
import threading
import time
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass, field

from bot.errors import Unavailable
from bot.records import Happening, Viewing

LISTENERS_AT_MOST = 8
"""How many may listen at a time: each has one of the threads that pages have. Who comes then asks again in a while."""

EVERY_S = 0.4

log = logging.getLogger(__name__)


@dataclass(eq=False)
class Listener:
    """Who follows a run after its happening of this number; or, where `run_id` is "", all runs that they see.

    These are those of the repositories `among`, None for all, and are followed by their mark.
    """

    run_id: str
    seq: int
    mark: str
    among: frozenset[int] | None
    new: list[Happening] = field(default_factory=list)
    is_changed: bool = False


@dataclass
class Live:
    """The listeners of one process, and a thread that asks for them as long as there are any."""

    viewing: Viewing
    most: int = LISTENERS_AT_MOST
    _listeners: list[Listener] = field(default_factory=list, init=False)
    _turned: threading.Condition = field(default_factory=threading.Condition, init=False)
    _is_asking: bool = field(default=False, init=False)
    is_over: bool = field(default=False, init=False)
    """Set once nobody is to listen any more."""

    def close(self) -> None:
        """Let all who listen go: the process is to end."""
        with self._turned:
            self.is_over = True
            self._turned.notify_all()

    @contextmanager
    def listening(
        self, run_id: str = "", *, seq: int = 0, mark: str = "", among: frozenset[int] | None = frozenset()
    ) -> Iterator[Listener | None]:
        """Listen while the context lasts; None where too many do so."""
        with self._turned:
            listener = Listener(run_id, seq, mark, among) if len(self._listeners) < self.most else None
            if listener is not None:
                self._listeners.append(listener)
                if not self._is_asking:
                    self._is_asking = True
                    threading.Thread(target=self._ask, name="live", daemon=True).start()
        try:
            yield listener
        finally:
            with self._turned:
                if listener is not None:
                    self._listeners.remove(listener)

    def wait(self, listener: Listener, seconds: float) -> tuple[list[Happening], bool]:
        """What is new for it, as soon as something is, or nothing when the time is over; whether all runs changed."""
        until = time.monotonic() + seconds
        with self._turned:
            while (
                not (self.is_over or listener.new or listener.is_changed) and (left_s := until - time.monotonic()) > 0
            ):
                self._turned.wait(left_s)
            new, changed = listener.new, listener.is_changed
            listener.new, listener.is_changed = [], False
        return new, changed

    def _ask(self) -> None:
        while True:
            with self._turned:
                followed: dict[str, int] = {}
                for each in self._listeners:
                    if each.run_id:
                        followed[each.run_id] = min(each.seq, followed.get(each.run_id, each.seq))
                seen = {each.among for each in self._listeners if not each.run_id}
                if not self._listeners:
                    self._is_asking = False
                    return
            try:
                self._tell(self.viewing.news(followed), {among: self.viewing.mark(among) for among in seen})
            except Unavailable as away:
                log.warning("nothing new can be told: %s", away)
            except Exception:  # the outermost frame of its thread
                log.exception("bug in asking what is new")
            time.sleep(EVERY_S)

    def _tell(self, news: Mapping[str, tuple[Happening, ...]], marks: Mapping[frozenset[int] | None, str]) -> None:
        with self._turned:
            for each in self._listeners:
                if each.run_id:
                    new = [one for one in news.get(each.run_id, ()) if one.seq > each.seq]
                    each.new += new
                    each.seq = new[-1].seq if new else each.seq
                elif (mark := marks.get(each.among, each.mark)) != each.mark:
                    each.is_changed, each.mark = True, mark
            self._turned.notify_all()
