"""The durable steps of a run: each is done once, its value kept, and a restarted worker goes on behind the last one."""

import logging
import time
from collections.abc import Callable, Iterable, Iterator, Mapping
from contextlib import contextmanager
from contextvars import ContextVar
from dataclasses import dataclass
from functools import partial
from types import MappingProxyType
from typing import Any, NoReturn, Protocol

from dbos import DBOS

from bot.errors import Gone, Refused, Stopped, Unavailable
from bot.records import StopCheck
from bot.runs.patience import (
    NAMED_HERE_S,
    PATIENCE,
    Elsewhere,
    Enough,
    Here,
    Outage,
    Waits,
    patiently,
)
from bot.runs.space import full_disk_is_away

STEPS_VERSION = "3"
"""Changed whenever the steps of a run change. A run that an older version began is then told again from the start, by
what it kept in the store: its finished iterations are not paid twice."""

log = logging.getLogger(__name__)

Json = dict[str, Any] | list[Any] | str | int | float | bool | None


@dataclass(frozen=True, slots=True)
class CameTo:
    """What a step came to when it was done."""

    output: Any
    error: Exception | None = None


_done_before: ContextVar[Mapping[str, CameTo]] = ContextVar("selfcode_done_before", default=MappingProxyType({}))


@contextmanager
def going_on_behind(done: Mapping[str, CameTo]) -> Iterator[None]:
    """Take these steps, by their names, for done by what was told of the run before: they come to the same here."""
    token = _done_before.set(done)
    try:
        yield
    finally:
        _done_before.reset(token)


_EXPECTED: dict[str, Callable[[str], Exception]] = {
    "refused": Refused,
    "gone": Gone,
    "stopped": Stopped,
    "unavailable": Unavailable,
}


class Place(Protocol):
    """The place that a run takes while it works, and that it can leave."""

    def left_for(self, step: str) -> Outage | None:
        """The outage that the run has left its place for in this step, where it has come back to try again."""
        ...

    def leave(self, outage: Outage, wait_s: float) -> NoReturn:
        """Leave it for so long: the telling ends here. Raises `Unavailable` where that can't be kept."""
        ...

    def goes_on(self, step: str) -> None:
        """The service that this step left it for is there again, or it is waited for no more."""
        ...


def step(
    name: str,
    work: Callable[[], Json],
    *,
    stop: StopCheck,
    patience: Iterable[float] = PATIENCE,
    place: Place | None = None,
) -> Any:
    """Do a durable step of the running workflow, or return what it came to before the restart.

    What people must act on (`Refused`, `Gone`, `Stopped`) is kept as the step's value and raised again; `Unavailable`
    is waited out, at work as long as patience says, then away from the `place`, for a day at most; where there is none
    to be left, it is raised. A stop cuts each wait short, as `Stopped`.
    """
    came_to = DBOS.run_step({"name": name}, _once, name, lambda: _attempt(name, work, stop, patience, place))
    for kind, error in _EXPECTED.items():
        if kind in came_to:
            raise error(came_to[kind])
    return came_to["value"]


def _once(name: str, attempt: Callable[[], dict[str, Any]]) -> Any:
    before = _done_before.get().get(name)
    if before is None:
        return attempt()
    if before.error is not None:
        raise before.error
    return before.output


def _attempt(
    name: str, work: Callable[[], Json], stop: StopCheck, patience: Iterable[float], place: Place | None = None
) -> dict[str, Any]:
    before = None if place is None else patiently(partial(place.left_for, name))
    if place is None or before is None:
        return _waited_out(work, stop, Waits(name, iter(patience), can_leave=place is not None), place)
    waits = Waits(name, iter(()), can_leave=True, before=before)
    came_to = {"stopped": ""} if _is_asked(stop) else _waited_out(work, stop, waits, place)
    patiently(partial(place.goes_on, name))
    return came_to


def _waited_out(work: Callable[[], Json], stop: StopCheck, waits: Waits, place: Place | None) -> dict[str, Any]:
    while True:
        try:
            return _came_to(work)
        except Unavailable as away:
            after = waits.after(away, now=time.time())
            log.warning("step %s: %s; %s", waits.step, away, _in_words(after))
        match after:
            case Enough(why):
                return {"unavailable": why}
            case Here(seconds):
                wait_s = seconds
            case Elsewhere(outage, seconds):
                wait_s = _leave(place, outage, seconds)
        if not _pause(wait_s, stop):
            return {"stopped": ""}


def _came_to(work: Callable[[], Json]) -> dict[str, Any]:
    try:
        with full_disk_is_away():
            return {"value": work()}
    except Refused as refusal:
        return {"refused": str(refusal)}
    except Gone as gone:
        return {"gone": str(gone)}
    except Stopped as stopped:
        return {"stopped": str(stopped)}


def _leave(place: Place | None, outage: Outage, wait_s: float) -> float:
    """Leave the place; where that can't be kept, how long to wait here instead."""
    try:
        if place is not None:
            place.leave(outage, wait_s)
    except Unavailable as away:
        log.warning("step %s: the place can't be left: %s", outage.step, away)
    return min(wait_s, NAMED_HERE_S)


def _in_words(after: Here | Elsewhere | Enough) -> str:
    match after:
        case Enough():
            return "given up"
        case Here(seconds):
            return f"again in {seconds:.0f} s"
        case Elsewhere(_, seconds):
            return f"the place is left, for {seconds:.0f} s"


def _pause(seconds: float, stop: StopCheck) -> bool:
    """Wait; False where a stop cut it short."""
    until = time.monotonic() + seconds
    while time.monotonic() < until:
        if _is_asked(stop):
            return False
        time.sleep(min(0.5, seconds))
    return True


def _is_asked(stop: StopCheck) -> bool:
    """Whether a stop is known to be asked for: a database that is away does not say, and is asked again."""
    try:
        return stop()
    except Unavailable:
        return False
