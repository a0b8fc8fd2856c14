"""The engine's stream of a command's output, frame by frame."""

from collections.abc import Iterator
from enum import IntEnum

_HEADER = 8


class Stream(IntEnum):
    """Source: Engine API, attach, "Stream format": one byte of these, three of zero, four of length, then the bytes."""

    STDIN = 0
    STDOUT = 1
    STDERR = 2


class Frames:
    """Takes bytes apart as they arrive; holds no more than an unfinished header."""

    def __init__(self) -> None:
        self._header = b""
        self._stream = Stream.STDOUT
        self._left = 0

    def feed(self, data: bytes) -> Iterator[tuple[Stream, bytes]]:
        """The pieces of output in the next bytes of the stream. Raises `ValueError` where these are no frames."""
        while data:
            if self._left:
                piece, data = data[: self._left], data[self._left :]
                self._left -= len(piece)
                yield self._stream, piece
                continue
            missing = _HEADER - len(self._header)
            self._header, data = self._header + data[:missing], data[missing:]
            if len(self._header) == _HEADER:
                self._stream = Stream(self._header[0])
                self._left = int.from_bytes(self._header[4:], "big")
                self._header = b""
