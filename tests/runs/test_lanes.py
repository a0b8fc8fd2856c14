"""What goes on side by side: how much of it, in which order it is told, and how it ends."""

import threading
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field

import pytest

from bot.errors import Stopped, Unavailable
from bot.runs.lanes import Lanes, Places, far_from_limit, places_of, room_in
from bot.seen.about import about, bound
from sandbox import Limits, SandboxUnavailable
from sandbox.bubblewrap import BubblewrapSandbox
from sandbox.contract import MEBIBYTE, Capacity
from sandbox.process import ProcessSandbox

GIBIBYTE = 1024 * MEBIBYTE
PATIENCE_S = 30.0


def room_for(count: int) -> Places:
    return Places(lambda: count)


def lanes(places: Places, *, most: int = 8, stop: Callable[[], bool] = lambda: False) -> Lanes:
    return Lanes(places, most, stop)


@dataclass
class Watched:
    """Work that notes how much of it goes on at once. The first `meeting` pieces wait until all of them are there."""

    meeting: int = 1
    at_once: int = 0
    most: int = 0
    seen: list[tuple[int, int]] = field(default_factory=list)
    threads: set[int] = field(default_factory=set)

    def __post_init__(self) -> None:
        self._lock = threading.Lock()
        self._met = threading.Barrier(self.meeting)

    def __call__(self, number: int) -> str:
        with self._lock:
            self.at_once += 1
            self.most = max(self.most, self.at_once)
            is_early = len(self.seen) < self.meeting
            self.seen.append((number, self.at_once))
            self.threads.add(threading.get_ident())
        if is_early:
            self._met.wait(PATIENCE_S)
        with self._lock:
            self.at_once -= 1
        return f"result {number}"


def lanes_left() -> Sequence[str]:
    return [thread.name for thread in threading.enumerate() if thread.name == "selfcode-lane"]


# --- How much at once


def test_as_much_goes_on_at_once_as_there_are_places_and_results_keep_their_order() -> None:
    work = Watched(meeting=3)

    results = lanes(room_for(3)).each(work, range(6))

    assert results == [f"result {number}" for number in range(6)]
    assert work.most == 3
    assert lanes_left() == []


def test_with_one_place_one_goes_after_the_other() -> None:
    work = Watched()

    assert lanes(Places()).each(work, range(4)) == [f"result {number}" for number in range(4)]
    assert work.seen == [(number, 1) for number in range(4)]
    assert work.threads == {threading.get_ident()}


def test_no_more_goes_on_at_once_than_is_asked_for_however_many_places_there_are() -> None:
    work = Watched(meeting=2)

    lanes(room_for(8), most=2).each(work, range(6))

    assert work.most == 2


def test_what_others_run_takes_places_too_but_never_the_own_one() -> None:
    places, work = room_for(2), Watched()

    with places.own(), places.own():
        lanes(places).each(work, range(3))

    assert len(work.seen) == 3
    assert work.threads == {threading.get_ident()}


def test_a_place_that_comes_free_meanwhile_is_used() -> None:
    places, work = room_for(2), Watched(meeting=2)
    others = [places.own(), places.own()]
    for other in others:
        other.__enter__()

    def leaving(number: int) -> str:
        if number == 0:
            for other in others:
                other.__exit__(None, None, None)
            return "result 0"
        return work(number)

    assert lanes(places).each(leaving, range(3)) == ["result 0", "result 1", "result 2"]
    assert work.most == 2


def test_all_places_are_given_back() -> None:
    places = room_for(3)

    lanes(places).each(Watched(meeting=3), range(5))
    with pytest.raises(Unavailable):
        lanes(places).each(failing, range(5))

    assert [places.take_further() for _ in range(4)] == [True, True, True, False]


def test_what_is_said_in_a_further_lane_is_about_the_same_run() -> None:
    work, said = Watched(meeting=2), list[object]()

    def speaking(number: int) -> str:
        said.append(bound().get("run"))
        return work(number)

    with about(run="4f0c"):
        lanes(room_for(2)).each(speaking, range(2))

    assert len(work.threads) == 2
    assert said == ["4f0c", "4f0c"]


# --- How it ends


def failing(number: int) -> str:
    raise Unavailable(f"number {number} fails")


def test_what_fails_ends_the_others_and_is_raised_and_nothing_new_begins() -> None:
    three, met, begun = lanes(room_for(3)), threading.Barrier(3), list[int]()

    def work(number: int) -> str:
        begun.append(number)
        met.wait(PATIENCE_S)
        if number == 1:
            raise Unavailable("the engine has gone")
        ended.wait_for(three.is_ending)
        raise Stopped

    ended = Polled()

    with pytest.raises(Unavailable, match="the engine has gone"):
        three.each(work, range(6))

    assert sorted(begun) == [0, 1, 2]
    assert lanes_left() == []


class Polled:
    """Waits as a sandbox does: by asking again and again."""

    def __init__(self) -> None:
        self._clock = threading.Event()

    def wait_for(self, is_so: Callable[[], bool]) -> None:
        for _ in range(int(PATIENCE_S * 100)):
            if is_so():
                return
            self._clock.wait(0.01)
        raise AssertionError("nobody said that it ends")


def test_a_stop_ends_all_that_goes_on() -> None:
    stopping, polled = threading.Event(), Polled()
    three, met, ended = lanes(room_for(3), stop=stopping.is_set), threading.Barrier(3, stopping.set), list[int]()

    def work(number: int) -> str:
        met.wait(PATIENCE_S)
        polled.wait_for(three.is_ending)
        ended.append(number)
        raise Stopped

    with pytest.raises(Stopped):
        three.each(work, range(5))

    assert sorted(ended) == [0, 1, 2]
    assert lanes_left() == []


# --- What may be of the company


def test_a_result_that_company_may_be_to_blame_for_is_taken_again_alone() -> None:
    work = Watched(meeting=2)

    def run(number: int) -> tuple[int, int]:
        work(number)
        return number, len(work.seen)

    results = lanes(room_for(2)).each(run, range(2), is_doubtful=lambda result: result[0] == 1)

    assert results[1] == (1, 3)
    assert work.seen[2:] == [(1, 1)]


def test_without_company_there_is_nothing_to_blame_it_for() -> None:
    work = Watched()

    lanes(Places()).each(work, range(3), is_doubtful=lambda _: True)

    assert [number for number, _ in work.seen] == [0, 1, 2]


# --- How many places a machine has


@pytest.mark.parametrize(
    ("cpus", "memory_gib", "each_gib", "room"),
    [(2, 16, 4, 2), (2, 3.8, 4, 1), (2, 3.8, 1, 2), (8, 16, 4, 4), (1, 64, 1, 1), (2, 0, 4, 1)],
)
def test_a_processor_and_memory_have_to_be_there_for_each(
    cpus: int, memory_gib: float, each_gib: int, room: int
) -> None:
    capacity = Capacity(cpus, int(memory_gib * GIBIBYTE))

    assert room_in(capacity, Limits(memory_bytes=each_gib * GIBIBYTE)) == room


@pytest.mark.parametrize(("run_s", "most"), [(0.0, 600), (3, 100), (100, 3), (290, 1), (590, 1)])
def test_the_nearer_the_tests_are_to_their_limit_the_fewer_go_at_once(run_s: float, most: int) -> None:
    assert far_from_limit(600, run_s) == most


class Away(BubblewrapSandbox):
    """A sandbox that can't say what there is."""

    def capacity(self) -> Capacity:
        raise SandboxUnavailable("no engine")


class Large(BubblewrapSandbox):
    """A sandbox on a large machine."""

    def capacity(self) -> Capacity:
        return Capacity(cpus=64, memory_bytes=512 * GIBIBYTE)


class LargeButOpen(ProcessSandbox):
    """Plain processes on a large machine."""

    def capacity(self) -> Capacity:
        return Large().capacity()


def test_a_sandbox_gives_as_many_places_as_its_machine_has_room_for() -> None:
    places = places_of(Large(), Limits(memory_bytes=256 * GIBIBYTE))

    assert [places.take_further() for _ in range(3)] == [True, True, False]


def test_runs_that_would_see_each_other_go_one_by_one() -> None:
    assert not has_a_further_one(places_of(LargeButOpen(), Limits()))


def test_a_machine_that_does_not_answer_has_no_room_for_further_ones() -> None:
    assert not has_a_further_one(places_of(Away(), Limits()))


def has_a_further_one(places: Places) -> bool:
    with places.own():
        return places.take_further()
