"""Many connections over one stream of frames; as a program, a setup's way out at its end in the container.

    python3 -I -S relay.py PORT

It listens on loopback and carries each connection as frames over stdin and stdout, until stdin ends. The image's own
Python 3 runs it, from 3.6 on: nothing but the standard library, nothing newer. The other end is `setup.channels`.

A frame is kind, connection, number; DATA is followed by as many bytes as its number says. An end may send WINDOW bytes
of a connection, and as many more as the other has handed on and given CREDIT for: so neither holds more than that.
"""

import os
import select
import socket
import struct
import sys

FRAME = struct.Struct("!BHI")
READY, OPEN, DATA, END, RESET, CREDIT = range(6)
WINDOW = 256 * 1024
PIECE = 32 * 1024
CONNECTIONS = 64

_ENOUGH = 512 * 1024
_GRANT = WINDOW // 4
_NUMBERS = 1 << 16
_RESET_ON_CLOSE = struct.pack("ii", 1, 0)


class NotOurs(Exception):
    """What arrived is not what the other end of the frames would send."""


class Connection:
    """One connection's state at one end."""

    def __init__(self, end: socket.socket) -> None:
        end.setblocking(False)
        self.end = end
        self.pending = bytearray()  # what arrived in frames and is not handed on yet
        self.credit = WINDOW  # what may still go out in frames
        self.allowed = WINDOW  # what may still arrive in frames
        self.handed_on = 0  # since the last credit was given
        self.is_read = True  # until the end itself has ended
        self.is_fed = True  # until the frames' END or RESET
        self.is_reset = False  # by the other end of the frames
        self.is_deaf = False  # takes nothing any more, and may still have something to say


class Frames:
    """One end of the stream of frames: `feed` it what arrived, send what is in `out`, `attend` to what is ready."""

    def __init__(self) -> None:
        self.out = bytearray()
        self.connections: dict[int, Connection] = {}
        self._arrived = bytearray()

    def say(self, kind: int, number: int = 0, value: int = 0) -> None:
        """Queue a frame without bytes."""
        self.out += FRAME.pack(kind, number, value)

    def feed(self, data: bytes) -> None:
        """Take what arrived. Raises `NotOurs`."""
        self._arrived += data
        start = 0
        while len(self._arrived) - start >= FRAME.size:
            kind, number, value = FRAME.unpack_from(self._arrived, start)
            payload = value if kind == DATA else 0
            if payload > PIECE:
                raise NotOurs("a piece that is too long")
            if len(self._arrived) - start - FRAME.size < payload:
                break
            start += FRAME.size
            piece = bytes(self._arrived[start : start + payload])
            start += payload
            self.take(kind, number, value, piece)
        del self._arrived[:start]

    def take(self, kind: int, number: int, value: int, piece: bytes) -> None:
        """Do what one frame says; frames of a connection that is gone are late, not wrong."""
        connection = self.connections.get(number)
        if kind not in (DATA, END, RESET, CREDIT):
            raise NotOurs("an unknown frame")
        if connection is None:
            return
        if kind == CREDIT:
            connection.credit += value
            if connection.credit > WINDOW:
                raise NotOurs("credit for what was not sent")
            return
        if kind == DATA:
            connection.allowed -= len(piece)
            if connection.allowed < 0 or not connection.is_fed:
                raise NotOurs("more than there was credit for, or after the end")
            connection.pending += piece
        else:
            connection.is_fed = False
        if kind == RESET:
            connection.is_reset = True
            connection.is_read = False
        self.hand_on(number)

    def watch(self, poll: "select.poll") -> "dict[int, int]":
        """Register what is waited for; which connection is behind each descriptor."""
        found = {}
        for number, connection in self.connections.items():
            wanted = 0
            if connection.is_read and connection.credit and len(self.out) < _ENOUGH:
                wanted |= select.POLLIN
            if connection.pending:
                wanted |= select.POLLOUT
            if wanted:
                poll.register(connection.end, wanted)
                found[connection.end.fileno()] = number
        return found

    def attend(self, number: int, events: int) -> None:
        """Hand on, and take from a connection, what can be without waiting."""
        if events & ~select.POLLIN:
            self.hand_on(number)
        connection = self.connections.get(number)
        if connection is None or not events & ~select.POLLOUT or not (connection.is_read and connection.credit):
            return
        try:
            data = connection.end.recv(min(PIECE, connection.credit))
        except BlockingIOError:
            return
        except OSError:
            self.close(number, RESET)
            return
        if data:
            connection.credit -= len(data)
            self.say(DATA, number, len(data))
            self.out += data
        elif connection.is_deaf:
            self.close(number, RESET)
        else:
            connection.is_read = False
            self.say(END, number)
            self._close_if_done(number)

    def hand_on(self, number: int) -> None:
        """Hand on what arrived for a connection, as far as it takes it, and give credit for it."""
        connection = self.connections[number]
        try:
            while connection.pending and not connection.is_deaf:
                sent = connection.end.send(connection.pending)
                del connection.pending[:sent]
                connection.handed_on += sent
            if not (connection.is_fed or connection.is_reset or connection.is_deaf):
                connection.end.shutdown(socket.SHUT_WR)
        except BlockingIOError:
            pass
        except OSError:
            connection.is_deaf = True
        if connection.is_deaf:
            connection.handed_on += len(connection.pending)
            connection.pending.clear()
            if not connection.is_read:
                self.close(number, None if connection.is_reset else RESET)
                return
        if connection.handed_on >= _GRANT and connection.is_fed:
            self.say(CREDIT, number, connection.handed_on)
            connection.allowed += connection.handed_on
            connection.handed_on = 0
        self._close_if_done(number)

    def close(self, number: int, kind: "int | None" = None) -> None:
        """Forget a connection, and tell the other end so by a frame of this kind."""
        connection = self.connections.pop(number)
        if connection.is_reset and connection.end.family == socket.AF_INET:
            connection.end.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, _RESET_ON_CLOSE)
        connection.end.close()
        if kind is not None:
            self.say(kind, number)

    def close_all(self) -> None:
        """Forget every connection."""
        for number in list(self.connections):
            self.close(number)

    def _close_if_done(self, number: int) -> None:
        connection = self.connections[number]
        if not (connection.pending or connection.is_fed or connection.is_read):
            self.close(number)


def main(port: int) -> None:
    """Carry what connects to the port until stdin ends."""
    listener = socket.socket(socket.AF_INET, socket.SOCK_STREAM)
    listener.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
    listener.bind(("127.0.0.1", port))
    listener.listen(CONNECTIONS)
    listener.setblocking(False)
    for descriptor in (0, 1):
        os.set_blocking(descriptor, False)
    frames = Frames()
    frames.say(READY)
    last = 0
    while True:
        numbers, ready = _wait(listener, frames)
        for descriptor, events in ready:
            if descriptor in (0, 1):
                if not _exchange(descriptor, frames):
                    return
            elif descriptor == listener.fileno():
                last = _accept(listener, frames, last)
            elif numbers[descriptor] in frames.connections:
                frames.attend(numbers[descriptor], events)


def _wait(listener: socket.socket, frames: Frames) -> "tuple[dict[int, int], list[tuple[int, int]]]":
    """Wait until something can be done: which connection is behind each descriptor, and what is ready."""
    poll = select.poll()
    poll.register(0, select.POLLIN)
    if frames.out:
        poll.register(1, select.POLLOUT)
    if len(frames.connections) < CONNECTIONS:
        poll.register(listener, select.POLLIN)
    numbers = frames.watch(poll)
    return numbers, poll.poll()


def _exchange(descriptor: int, frames: Frames) -> bool:
    """Read frames from stdin, or write some to stdout; False where nobody is at the other end any more."""
    try:
        if descriptor == 1:
            del frames.out[: os.write(1, frames.out)]
            return True
        data = os.read(0, WINDOW)
    except BlockingIOError:
        return True
    except (BrokenPipeError, ConnectionResetError):
        return False
    frames.feed(data)
    return bool(data)


def _accept(listener: socket.socket, frames: Frames, last: int) -> int:
    """Open a connection for who has come, under the next number that is free; return the number."""
    try:
        client, _ = listener.accept()
    except OSError:  # it has gone again
        return last
    client.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
    number = (last + 1) % _NUMBERS
    while number in frames.connections:
        number = (number + 1) % _NUMBERS
    frames.connections[number] = Connection(client)
    frames.say(OPEN, number)
    return number


if __name__ == "__main__":
    main(int(sys.argv[1]))
