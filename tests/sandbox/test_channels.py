"""A relay's connections, carried over one stream of frames: the relay a real process, its end here real sockets."""

import ast
import os
import signal
import socket
import subprocess
import sys
import threading
import time
from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import Self

import pytest

from sandbox.containers.frames import Stream
from sandbox.contract import Ending, SandboxError
from sandbox.output import Output, Watch
from sandbox.setup import relay
from sandbox.setup.channels import Channels
from sandbox.setup.relay import CREDIT, DATA, END, FRAME, OPEN, PIECE, READY, RESET, WINDOW

Serve = Callable[[socket.socket], None]


class OverSocket:
    """A command's stdin and stdout, as a socket to whatever the test has at the other end."""

    def __init__(self, end: socket.socket) -> None:
        self._end = end

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    def fileno(self) -> int:
        return self._end.fileno()

    def send(self, data: bytes) -> None:
        self._end.settimeout(10)
        try:
            self._end.sendall(data)
        except OSError as error:
            raise SandboxError(str(error)) from error

    def offer(self, data: bytes) -> int:
        self._end.settimeout(0)
        try:
            return self._end.send(data)
        except BlockingIOError:
            return 0
        except OSError as error:
            raise SandboxError(str(error)) from error

    def read(self, wait_s: float) -> list[tuple[Stream, bytes]] | None:
        self._end.settimeout(max(wait_s, 0.001))
        try:
            data = self._end.recv(65536)
        except TimeoutError:
            return []
        except OSError as error:
            raise SandboxError(str(error)) from error
        return [(Stream.STDOUT, data)] if data else None

    def follow(self, watch: Watch, output: Output) -> Ending:
        raise NotImplementedError

    def drain(self, output: Output) -> None:
        raise NotImplementedError

    def close(self) -> None:
        self._end.close()

    def exit_code(self) -> int:
        raise NotImplementedError


class Setting:
    """A relay that runs, and what it carries served by a thread each."""

    def __init__(self, process: subprocess.Popen[bytes], port: int) -> None:
        self.process = process
        self.channels: Channels | None = None
        self._port = port

    def connect(self) -> socket.socket:
        return socket.create_connection(("127.0.0.1", self._port), timeout=10)

    def ask(self, data: bytes) -> bytes:
        with self.connect() as client:
            client.sendall(data)
            client.shutdown(socket.SHUT_WR)
            return everything(client)


@contextmanager
def relayed(serve: Serve) -> Iterator[Setting]:
    ours, theirs = socket.socketpair()
    with socket.create_server(("127.0.0.1", 0)) as found:
        port = int(found.getsockname()[1])
    words = ["sh", "-c", 'read -r _; exec "$@"', "sh", sys.executable, "-I", "-S", relay.__file__, str(port)]
    process = subprocess.Popen(words, stdin=theirs.fileno(), stdout=theirs.fileno())
    theirs.close()

    def accept(client: socket.socket) -> None:
        def run() -> None:
            with client, suppress(BrokenPipeError, ConnectionResetError):
                client.settimeout(10)
                serve(client)

        threading.Thread(target=run, name="served").start()

    setting = Setting(process, port)
    with OverSocket(ours) as running, Channels(running, accept=accept) as channels:
        assert channels.problem is None
        setting.channels = channels
        yield setting
    process.wait(10)
    for thread in threading.enumerate():
        if thread.name in {"served", "way-out"}:
            thread.join(10)
            assert not thread.is_alive()


def everything(client: socket.socket) -> bytes:
    found = bytearray()
    while data := client.recv(65536):
        found += data
    return bytes(found)


def echo(client: socket.socket) -> None:
    client.sendall(everything(client))


def test_the_relay_is_written_in_the_words_of_every_python_from_3_6_on() -> None:
    ast.parse(Path(relay.__file__).read_text(), feature_version=(3, 6))


def test_what_goes_in_comes_out_both_ways_though_neither_end_holds_more_than_a_window() -> None:
    data = os.urandom(5_000_000)

    with relayed(echo) as setting:
        assert setting.ask(data) == data


def test_many_connections_are_carried_at_a_time_and_those_beyond_wait() -> None:
    data = [os.urandom(20_000) for _ in range(150)]

    with relayed(echo) as setting, ThreadPoolExecutor(100) as pool:
        assert list(pool.map(setting.ask, data)) == data


def test_numbers_of_connections_are_used_again() -> None:
    frames = relay.Frames()
    with socket.create_server(("127.0.0.1", 0)) as listener:
        clients = [socket.create_connection(listener.getsockname()) for _ in range(2)]
        numbers = [relay._accept(listener, frames, last=65535), relay._accept(listener, frames, last=65535)]
        frames.close_all()
        for client in clients:
            client.close()

    assert numbers == [0, 1]


def test_a_server_that_does_not_read_holds_up_the_client_and_not_our_memory() -> None:
    done = threading.Event()
    sent = 0

    def serve(_client: socket.socket) -> None:
        done.wait(10)

    with relayed(serve) as setting, setting.connect() as client:
        client.settimeout(0.5)
        with suppress(TimeoutError):
            while sent < 200_000_000:
                sent += client.send(b"x" * 65536)
        done.set()

    assert sent < 20_000_000  # what fits into the sockets, and a window at each end


def test_one_connection_that_does_not_read_does_not_hold_up_the_others() -> None:
    done = threading.Event()

    def flood(client: socket.socket) -> None:
        if client.recv(1) == b"e":
            echo(client)
            return
        try:
            while not done.is_set():
                client.sendall(b"x" * 65536)
        except OSError:
            pass

    with relayed(flood) as setting, setting.connect() as stuck:
        stuck.sendall(b"f")
        time.sleep(0.3)
        assert setting.ask(b"echo") == b"cho"
        done.set()


def test_a_client_that_breaks_off_ends_its_connection_at_the_other_end() -> None:
    ended = threading.Event()

    def flood(client: socket.socket) -> None:
        try:
            while True:
                client.sendall(b"x" * 65536)
        except OSError:
            ended.set()

    with relayed(flood) as setting:
        with setting.connect() as client:
            client.recv(100)
        assert ended.wait(10)


def test_a_server_that_breaks_off_ends_the_clients_connection_after_what_it_has_sent() -> None:
    def serve(client: socket.socket) -> None:
        client.sendall(b"x" * 100_000)

    with relayed(serve) as setting, setting.connect() as client:
        client.sendall(b"never read")
        received = 0
        with suppress(ConnectionResetError):
            while data := client.recv(65536):
                received += len(data)

    assert received == 100_000


def test_the_end_of_the_relay_is_the_end_of_every_connection() -> None:
    ended = threading.Event()

    def serve(client: socket.socket) -> None:
        everything(client)
        ended.set()

    with relayed(serve) as setting, setting.connect() as client:
        client.sendall(b"x")
        time.sleep(0.1)
        setting.process.send_signal(signal.SIGKILL)
        assert ended.wait(10)


def test_the_end_of_the_context_is_the_end_of_the_relay_and_of_every_connection() -> None:
    with relayed(echo) as setting:
        client = setting.connect()
        client.sendall(b"x")
    with client, suppress(ConnectionResetError):
        assert client.recv(10) == b""

    assert setting.process.returncode == 0


# A relay that is not ours


def frame(kind: int, number: int = 0, value: int = 0, piece: bytes = b"") -> bytes:
    return FRAME.pack(kind, number, value) + piece


def full(number: int) -> bytes:
    return frame(DATA, number, PIECE, b"x" * PIECE)


@contextmanager
def pretended() -> Iterator[tuple[Channels, socket.socket, list[socket.socket]]]:
    """The way out, a relay's end of it, and the connections that it was made to open."""
    ours, theirs = socket.socketpair()
    accepted: list[socket.socket] = []
    theirs.sendall(frame(READY))
    with theirs, OverSocket(ours) as running, Channels(running, accept=accepted.append) as channels:
        assert theirs.recv(10) == b"\n"
        yield channels, theirs, accepted
    for found in accepted:
        found.close()


@pytest.mark.parametrize(
    "said",
    [
        b"GET / HTTP/1.1\r\nHost: evil.example\r\n\r\n",
        frame(17),
        frame(READY),
        frame(DATA, 1, PIECE + 1),
        frame(DATA, 1, 0xFFFFFFFF),
        frame(OPEN, 1) + frame(OPEN, 1),
        b"".join(frame(OPEN, number) for number in range(65)),
        frame(OPEN, 1) + frame(CREDIT, 1, 1),
        frame(OPEN, 1) + full(1) * (2 * WINDOW // PIECE),
        frame(OPEN, 1) + frame(END, 1) + full(1),
    ],
)
def test_what_no_relay_says_ends_the_way_out_and_is_told(said: bytes) -> None:
    with pretended() as (channels, theirs, accepted):
        theirs.settimeout(10)
        with suppress(BrokenPipeError, ConnectionResetError):
            theirs.sendall(said)
            everything(theirs)
        for connection in accepted:
            connection.settimeout(10)
            with suppress(ConnectionResetError):
                everything(connection)

    assert channels.problem is not None
    assert "not its own" in channels.problem


def test_late_frames_of_a_connection_that_is_gone_are_passed_over() -> None:
    with pretended() as (channels, theirs, accepted):
        theirs.sendall(frame(OPEN, 1) + frame(RESET, 1) + full(1) + frame(END, 1) + frame(CREDIT, 1, 5))
        theirs.sendall(frame(OPEN, 2) + frame(DATA, 2, 5, b"hello"))
        deadline = time.monotonic() + 60
        while len(accepted) < 2 and time.monotonic() < deadline:
            time.sleep(0.01)
        accepted[1].settimeout(10)
        assert accepted[1].recv(10) == b"hello"
        assert channels.problem is None


def test_a_relay_that_says_nothing_or_ends_at_once_is_a_problem_and_nothing_is_left() -> None:
    ours, theirs = socket.socketpair()
    theirs.close()

    with OverSocket(ours) as running, Channels(running, accept=lambda client: client.close()) as channels:
        pass

    assert channels.problem is not None
    assert channels.has_ended or "pipe" in channels.problem
