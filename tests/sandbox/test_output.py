"""Output that is kept within bounds, and what ends a command."""

import pytest

from sandbox.containers.frames import Frames, Stream
from sandbox.contract import Ending, Limits
from sandbox.output import FLOOD_FACTOR, HeadAndTail, Output, Watch


class Clock:
    now_s = 100.0

    def __call__(self) -> float:
        return self.now_s


def kept(limit: int, *chunks: bytes) -> HeadAndTail:
    found = HeadAndTail(limit)
    for chunk in chunks:
        found.add(chunk)
    return found


def test_what_fits_is_kept_whole() -> None:
    found = kept(10, b"0123", b"456789")

    assert (found.text(), found.truncated) == ("0123456789", False)


@pytest.mark.parametrize("chunk_size", [1, 3, 7, 1000])
def test_of_more_the_head_and_the_tail_are_kept_however_it_arrives(chunk_size: int) -> None:
    data = bytes(range(32, 127)) * 10

    found = kept(20, *(data[start : start + chunk_size] for start in range(0, len(data), chunk_size)))

    assert found.truncated
    assert found.text() == f"{data[:10].decode()}\n[… 930 bytes left out …]\n{data[-10:].decode()}"


def test_memory_is_bounded_while_output_streams() -> None:
    found = HeadAndTail(1000)
    for _ in range(1000):
        found.add(b"x" * 999)
        assert len(found._head) + len(found._tail) <= 2500


def test_a_flood_ends_a_command_whichever_stream_it_is_on() -> None:
    output = Output(10)
    watch = Watch(Limits(), None, None)
    output.stdout.add(b"x" * 5 * FLOOD_FACTOR)
    assert watch.verdict(output) is None

    output.stderr.add(b"x" * (5 * FLOOD_FACTOR + 1))

    assert watch.verdict(output) is Ending.OUTPUT_LIMIT


def test_the_shorter_of_two_times_binds() -> None:
    clock = Clock()
    watch = Watch(Limits(wall_s=10), 50, None, clock)

    clock.now_s += 9.9
    assert watch.verdict(Output(10)) is None
    assert watch.wait_s == pytest.approx(0.1)
    clock.now_s += 0.1
    assert watch.verdict(Output(10)) is Ending.TIMED_OUT


def test_a_stop_is_asked_about_often_but_not_at_every_chunk() -> None:
    clock = Clock()
    asked: list[float] = []

    def stop() -> bool:
        asked.append(clock.now_s)
        return len(asked) == 3

    watch = Watch(Limits(), None, stop, clock)
    verdicts = []
    for _ in range(100):
        verdicts.append(watch.verdict(Output(10)))
        clock.now_s += 0.01

    assert len(asked) == 4
    assert verdicts.count(Ending.STOPPED) == 1


@pytest.mark.parametrize("chunk_size", [1, 5, 8, 100])
def test_frames_are_taken_apart_however_they_arrive(chunk_size: int) -> None:
    data = b"\1\0\0\0\0\0\0\5hello" + b"\2\0\0\0\0\0\0\0" + b"\2\0\0\0\0\0\1\0" + b"e" * 256
    frames = Frames()

    pieces = [
        piece for start in range(0, len(data), chunk_size) for piece in frames.feed(data[start : start + chunk_size])
    ]

    assert b"".join(piece for stream, piece in pieces if stream is Stream.STDOUT) == b"hello"
    assert b"".join(piece for stream, piece in pieces if stream is Stream.STDERR) == b"e" * 256


def test_what_is_no_frame_is_an_error() -> None:
    with pytest.raises(ValueError, match="72"):
        list(Frames().feed(b"HTTP/1.1 500 Internal Server Error"))
