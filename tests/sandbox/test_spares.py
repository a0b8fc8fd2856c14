"""Something is ready before it is asked for, never twice, and never for long."""

import threading
from collections.abc import Iterator

import pytest

from sandbox.containers.spares import Spares
from sandbox.contract import SandboxError, SandboxUnavailable

AN_HOUR_S = 3600.0
WITHIN_S = 10.0


class Workshop:
    """Makes things with numbers, and remembers what became of them."""

    def __init__(self) -> None:
        self.made: list[str] = []
        self.dropped: list[str] = []
        self.has_dropped = threading.Event()
        self.failure: SandboxError | None = None

    def make(self, kind: str) -> str:
        if self.failure:
            raise self.failure
        self.made.append(f"{kind}{len(self.made)}")
        return self.made[-1]

    def drop(self, thing: str) -> None:
        self.dropped.append(thing)
        self.has_dropped.set()


@pytest.fixture
def workshop() -> Workshop:
    return Workshop()


@pytest.fixture
def spares(workshop: Workshop) -> Iterator[Spares[str, str]]:
    made = Spares(workshop.make, workshop.drop, most=1, idle_s=AN_HOUR_S, stays_s=0.0)
    yield made
    made.close()


def wanted_twice(spares: Spares[str, str], kind: str) -> None:
    spares.prepare(kind)
    spares.prepare(kind)


def test_what_is_wanted_a_second_time_is_ready_the_next_time(spares: Spares[str, str]) -> None:
    wanted_twice(spares, "a")

    assert spares.take("a") == "a0"


def test_what_is_wanted_once_has_no_spare(spares: Spares[str, str], workshop: Workshop) -> None:
    spares.prepare("a")
    spares.prepare("b")

    assert spares.take("a") is None
    assert workshop.made == []


def test_a_spare_is_given_away_once(spares: Spares[str, str]) -> None:
    wanted_twice(spares, "a")

    assert [spares.take("a"), spares.take("a")] == ["a0", None]


def test_another_kind_takes_the_place_of_the_oldest_spare(spares: Spares[str, str], workshop: Workshop) -> None:
    wanted_twice(spares, "a")
    wanted_twice(spares, "b")

    assert workshop.has_dropped.wait(WITHIN_S)
    assert (workshop.dropped, spares.take("a"), spares.take("b")) == (["a0"], None, "b1")


def test_two_who_want_different_kinds_by_turns_do_not_take_each_others_spare(workshop: Workshop) -> None:
    spares = Spares(workshop.make, workshop.drop, most=1, idle_s=AN_HOUR_S, stays_s=AN_HOUR_S)
    wanted_twice(spares, "a")
    wanted_twice(spares, "b")

    assert (spares.take("b"), spares.take("a")) == (None, "a0")


def test_a_spare_that_nobody_takes_is_dropped(workshop: Workshop) -> None:
    spares = Spares(workshop.make, workshop.drop, most=1, idle_s=0.05)
    wanted_twice(spares, "a")

    assert workshop.has_dropped.wait(WITHIN_S)
    assert (workshop.dropped, spares.take("a")) == (["a0"], None)


def test_no_spares_at_all_may_be_kept(workshop: Workshop) -> None:
    spares = Spares(workshop.make, workshop.drop, most=0, idle_s=AN_HOUR_S)
    wanted_twice(spares, "a")

    assert (spares.take("a"), workshop.made) == (None, [])


def test_at_the_end_spares_are_handed_over_and_no_more_are_made(spares: Spares[str, str], workshop: Workshop) -> None:
    wanted_twice(spares, "a")

    assert spares.close() == ["a0"]
    wanted_twice(spares, "a")
    assert (spares.close(), workshop.made) == ([], ["a0"])


def test_what_was_replaced_while_it_was_made_is_dropped_before_the_end(workshop: Workshop) -> None:
    begun, may_go_on = threading.Event(), threading.Event()

    def slowly(kind: str) -> str:
        begun.set()
        may_go_on.wait(WITHIN_S)
        return workshop.make(kind)

    spares = Spares(slowly, workshop.drop, most=1, idle_s=AN_HOUR_S, stays_s=0.0)
    wanted_twice(spares, "a")
    assert begun.wait(WITHIN_S)
    wanted_twice(spares, "b")
    may_go_on.set()

    assert (spares.close(), workshop.dropped) == (["b1"], ["a0"])


def test_a_spare_that_cannot_be_made_is_none(spares: Spares[str, str], workshop: Workshop) -> None:
    workshop.failure = SandboxUnavailable("no engine")
    wanted_twice(spares, "a")

    assert spares.take("a") is None


def test_two_who_want_one_at_once_do_not_get_the_same(workshop: Workshop) -> None:
    spares = Spares(workshop.make, workshop.drop, most=1, idle_s=AN_HOUR_S)
    wanted_twice(spares, "a")
    taken: list[str | None] = []
    threads = [threading.Thread(target=lambda: taken.append(spares.take("a"))) for _ in range(8)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()

    assert sorted(taken, key=str) == [*[None] * 7, "a0"]
