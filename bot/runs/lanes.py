"""Runs of tests side by side: as many as the machine has room for, over all runs of the worker."""

import threading
from collections import deque
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from contextvars import copy_context
from dataclasses import dataclass, field
from typing import Generic, TypeVar

from bot.proof import never
from bot.records import StopCheck
from sandbox import Limits, Sandbox, SandboxError
from sandbox.contract import Capacity

Given = TypeVar("Given")
Result = TypeVar("Result")

_SPARE_TIMES = 2


def room_in(capacity: Capacity, limits: Limits) -> int:
    """How many runs of tests a machine has room for: a processor for each, and memory for all that each may use."""
    return max(1, min(capacity.cpus, capacity.memory_bytes // limits.memory_bytes))


def far_from_limit(limit_s: float, run_s: float) -> int:
    """How many at once come nowhere near a limit of time, even if each of `run_s` takes so many times as long."""
    return max(1, int(limit_s / max(_SPARE_TIMES * run_s, 1.0)))


class Places:
    """How many runs of tests go on, and whether there is room for a further one. Threads share one.

    By itself it has no room for further ones: each has its own place, and waits for nobody.
    """

    def __init__(self, count: Callable[[], int] = lambda: 1) -> None:
        self._count = count
        self._lock = threading.Lock()
        self._taken = 0

    @contextmanager
    def own(self) -> Iterator[None]:
        """A place that is had at once, whatever else goes on."""
        with self._lock:
            self._taken += 1
        try:
            yield
        finally:
            self.give_back()

    def take_further(self) -> bool:
        """Take a place that is free; False where none is."""
        count = self._count()
        with self._lock:
            is_free = self._taken < count
            self._taken += is_free
        return is_free

    def give_back(self) -> None:
        """Let go of a place that was taken."""
        with self._lock:
            self._taken -= 1


def places_of(sandbox: Sandbox, limits: Limits) -> Places:
    """The places on the machine that the sandbox runs on: asked when they are wanted.

    One alone where runs would see each other, by their ports and files.
    """

    def count() -> int:
        try:
            return room_in(sandbox.capacity(), limits)
        except SandboxError:  # whoever opens a workspace meets it too, and says so
            return 1

    return Places(count) if sandbox.isolated else Places()


@dataclass(frozen=True, slots=True)
class Lanes:
    """Does independent work side by side: in the caller's own lane, and in further ones while there are places free.

    `most` at once. `is_ending` is the stop check for all that goes on in them: `stop` says so, or one has failed.
    """

    places: Places
    most: int
    stop: StopCheck
    _failed: threading.Event = field(default_factory=threading.Event, init=False)

    def is_ending(self) -> bool:
        return self._failed.is_set() or self.stop()

    def each(
        self,
        work: Callable[[Given], Result],
        given: Sequence[Given],
        *,
        is_doubtful: Callable[[Result], bool] = never,
    ) -> Sequence[Result]:
        """See `bot.proof.Each`."""
        batch = _Batch(work, given, self, self._failed)
        results = batch.done()
        if not batch.had_company:
            return results
        pairs = zip(given, results, strict=True)
        return [self._alone(work, one) if is_doubtful(result) else result for one, result in pairs]

    def _alone(self, work: Callable[[Given], Result], one: Given) -> Result:
        with self.places.own():
            return work(one)


class _Batch(Generic[Given, Result]):
    """What is done in the lanes at one call."""

    def __init__(
        self, work: Callable[[Given], Result], given: Sequence[Given], lanes: Lanes, failed: threading.Event
    ) -> None:
        self._work = work
        self._lanes = lanes
        self._failed = failed
        self._left = deque(enumerate(given))
        self._results: dict[int, Result] = {}
        self._further: list[threading.Thread] = []
        self._lock = threading.Lock()
        self._first: BaseException | None = None

    @property
    def had_company(self) -> bool:
        return bool(self._further)

    def done(self) -> list[Result]:
        """Do it all. Whatever is raised, nothing goes on afterwards."""
        try:
            while (piece := self._next()) is not None:
                with self._lanes.places.own():
                    self._open_further()
                    self._do(*piece)
            self._join()
        except BaseException:  # a person who does not wait
            self._failed.set()
            raise
        finally:
            self._join()
        if self._first is not None:
            raise self._first
        return [self._results[place] for place in sorted(self._results)]

    def _next(self) -> tuple[int, Given] | None:
        with self._lock:
            return self._left.popleft() if self._left and not self._failed.is_set() else None

    def _do(self, place: int, one: Given) -> None:
        try:
            self._results[place] = self._work(one)
        except BaseException as error:  # noqa: BLE001 - raised where all is done
            with self._lock:
                self._first = self._first or error
                self._failed.set()

    def _open_further(self) -> None:
        """A further lane for each piece that waits, as long as there are places."""
        going = sum(thread.is_alive() for thread in self._further)
        for _ in range(min(len(self._left), self._lanes.most - 1 - going)):
            if not self._lanes.places.take_further():
                return
            run = copy_context().run  # its lines are about the same run
            thread = threading.Thread(target=run, args=(self._in_further_lane,), name="selfcode-lane")
            self._further.append(thread)
            thread.start()

    def _in_further_lane(self) -> None:
        while True:
            try:
                if (piece := self._next()) is not None:
                    self._do(*piece)
            finally:
                self._lanes.places.give_back()
            if piece is None or not self._left or not self._lanes.places.take_further():
                return

    def _join(self) -> None:
        for thread in self._further:
            thread.join()
