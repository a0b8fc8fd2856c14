"""The threads that run errands."""

import logging
import threading

import pytest

from bot.runs.lines import Line, Matter
from bot.runs.messengers import Messengers, Work, in_a_thread

PATIENCE_S = 30.0
ONE, OTHER = Line(Matter.RUNS, 1), Line(Matter.RUNS, 2)


class Gate:
    """Keeps what comes to it waiting until it is opened; knows how many are waiting, and in which order they came."""

    def __init__(self) -> None:
        self.came: list[int] = []
        self._open = threading.Event()
        self._changed = threading.Condition()

    def pass_through(self, number: int = 0) -> None:
        with self._changed:
            self.came.append(number)
            self._changed.notify_all()
        assert self._open.wait(PATIENCE_S)

    def open(self) -> None:
        self._open.set()

    def wait_for(self, count: int) -> bool:
        with self._changed:
            return self._changed.wait_for(lambda: len(self.came) >= count, PATIENCE_S)


def test_what_is_in_one_line_is_done_in_its_order_one_at_a_time() -> None:
    send, gate = Messengers(), Gate()
    for number in range(5):
        assert send(ONE, lambda number=number: gate.pass_through(number))  # type: ignore[misc]

    assert gate.wait_for(1)
    at_first = list(gate.came)
    gate.open()

    assert send.close(PATIENCE_S)
    assert at_first == [0]
    assert gate.came == [0, 1, 2, 3, 4]


def test_a_line_that_is_kept_waiting_keeps_no_other_waiting() -> None:
    send, gate, done = Messengers(), Gate(), threading.Event()
    send(ONE, gate.pass_through)

    send(OTHER, done.set)

    assert done.wait(PATIENCE_S)
    gate.open()


def test_no_matter_takes_the_threads_of_another() -> None:
    send, gate, done = Messengers(at_once=1), Gate(), threading.Event()
    for matter in set(Matter) - {Matter.ENDING}:
        send(Line(matter, 1), gate.pass_through)

    send(Line(Matter.ENDING, 1), done.set)

    assert done.wait(PATIENCE_S)
    gate.open()


def test_no_more_is_done_at_once_than_was_said_and_the_lines_go_by_turns() -> None:
    send, gate = Messengers(at_once=2), Gate()
    for installation in range(6):
        for _ in range(2):
            send(Line(Matter.RUNS, installation), lambda number=installation: gate.pass_through(number))  # type: ignore[misc]

    assert gate.wait_for(2)
    at_once = len(gate.came)
    gate.open()

    assert send.close(PATIENCE_S)
    assert at_once == 2
    assert len(gate.came) == 12
    assert set(gate.came[:6]) == set(range(6))


def test_a_line_takes_only_so_much() -> None:
    send, gate = Messengers(in_a_line=3), Gate()
    send(ONE, gate.pass_through)
    gate.wait_for(1)

    taken = [send(ONE, gate.pass_through) for _ in range(4)]

    assert taken == [True, True, True, False]
    assert send(OTHER, gate.pass_through)
    gate.open()


def test_what_no_thread_is_left_for_is_not_taken_and_keeps_nothing_behind_it_waiting() -> None:
    threads_left, done = iter([False, True]), threading.Event()

    def start(work: Work, name: str) -> None:
        if not next(threads_left):
            raise RuntimeError("can't start new thread")
        in_a_thread(work, name)

    send = Messengers(start=start)

    assert [send(ONE, done.set), send(ONE, done.set)] == [False, True]
    assert done.wait(PATIENCE_S)


def test_where_no_further_thread_is_left_the_others_serve_all_lines() -> None:
    gate, done = Gate(), threading.Event()
    threads_left = iter([True, False])

    def start(work: Work, name: str) -> None:
        if not next(threads_left):
            raise RuntimeError("can't start new thread")
        in_a_thread(work, name)

    send = Messengers(start=start)
    send(ONE, gate.pass_through)

    assert gate.wait_for(1)
    assert send(OTHER, done.set)
    gate.open()
    assert done.wait(PATIENCE_S)


def test_an_errand_with_a_bug_ends_nothing_but_itself(caplog: pytest.LogCaptureFixture) -> None:
    send, done = Messengers(), threading.Event()

    def fails() -> None:
        raise ZeroDivisionError

    with caplog.at_level(logging.ERROR):
        send(ONE, fails)
        send(ONE, done.set)
        assert done.wait(PATIENCE_S)

    assert "bug in an errand" in caplog.text


def test_at_the_end_what_is_under_way_is_waited_for_but_not_forever() -> None:
    send, gate = Messengers(), Gate()
    send(ONE, gate.pass_through)
    gate.wait_for(1)

    was_done = send.close(0.05)
    takes_more = send(OTHER, gate.pass_through)
    gate.open()

    assert (was_done, takes_more, send.close(PATIENCE_S)) == (False, False, True)
