"""Where what waits is acted on: at one worker at a time, the one that has the office."""

import time
from collections.abc import Callable
from dataclasses import dataclass, field

from bot.runs.dispatcher import Dispatcher
from bot.runs.offices import DISPATCH, Office, Offices

APART_S = 30.0
"""How long one that met a bug leaves the office to others, who may be of a version that knows better."""


@dataclass
class Desk:
    """The desk of one worker. `open` makes a dispatcher for as long as the office is held. `clock` is monotonic."""

    offices: Offices
    open: Callable[[Office], Dispatcher]
    clock: Callable[[], float] = time.monotonic
    _office: Office | None = field(default=None, init=False)
    _dispatcher: Dispatcher | None = field(default=None, init=False)
    _apart_until: float = field(default=0.0, init=False)

    def wait(self, seconds: float) -> None:
        """Wait until another turn is worth while, but no longer than this."""
        if self._dispatcher is None:
            time.sleep(seconds)
        else:
            self._dispatcher.wait(seconds)

    def turn(self) -> None:
        """Look once at everything that waits, where that is this worker's to do. Raises `Unavailable`."""
        office = self.offices.hold(DISPATCH) if self.clock() >= self._apart_until else None
        if office != self._office or office is None:
            self._dispatcher = None
        self._office = office
        if office is None:
            return
        if self._dispatcher is None:
            self._dispatcher = self.open(office)
        self._dispatcher.turn()

    def let_others(self) -> None:
        """Leave the office to another worker for a while, if there is one."""
        if self.offices.are_shared:
            self._apart_until = self.clock() + APART_S
            self.offices.leave(DISPATCH)
