"""Both streams of a command, read as they arrive."""

import os
from collections.abc import Iterator

import pytest

from sandbox.output import HeadAndTail, Output
from sandbox.streams import Streams


class Thief(HeadAndTail):
    """Keeps what arrives, and takes away what has arrived in the other pipe by then."""

    def __init__(self, other: int) -> None:
        super().__init__(100)
        self._other = other

    def add(self, chunk: bytes) -> None:
        super().add(chunk)
        os.read(self._other, 100)


@pytest.fixture
def pipes() -> Iterator[tuple[tuple[int, int], tuple[int, int]]]:
    made = os.pipe(), os.pipe()
    yield made
    for descriptor in (*made[0], *made[1]):
        os.close(descriptor)


def test_a_command_that_reads_away_its_own_output_does_not_hold_up_whoever_waits_for_it(
    pipes: tuple[tuple[int, int], tuple[int, int]],
) -> None:
    (stdout, their_stdout), (stderr, their_stderr) = pipes
    output = Output(100)
    output.stdout, output.stderr = Thief(stderr), Thief(stdout)
    streams = Streams(stdout, stderr)
    os.write(their_stdout, b"out")
    os.write(their_stderr, b"err")

    is_ready = streams.read(output, 1.0)

    assert (is_ready, streams.at_end) == (False, False)
    assert output.stdout.seen + output.stderr.seen == 3
    streams.close()
