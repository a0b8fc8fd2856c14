"""The other end of `sandbox.setup.relay`: connections out of a container, over one command's stdin and stdout."""

import logging
import select
import socket
import threading
import time
from collections.abc import Callable
from typing import Self

from sandbox.containers.frames import Stream
from sandbox.containers.workspace import Running
from sandbox.contract import SandboxError
from sandbox.setup.relay import CONNECTIONS, OPEN, READY, Connection, Frames, NotOurs

_READY_S = 20.0
_ENDING_S = 30.0
_POLL_MS = 1000
_OFFER = 128 * 1024
_BACKLOG_BYTES = 8 * 1024 * 1024
_SAID_BYTES = 500
_log = logging.getLogger(__name__)


class Channels:
    """Hands each connection that a relay takes in to `accept`, as a socket, for as long as the context lasts.

    What the relay sends is believed in nothing: it runs beside what setup runs, which may write in its place. No more
    is held of it than `setup.relay` allows. `problem` says why it did not start, or ended before its time; that it
    ended without a word is no problem: so it does when everything in the container is ended.
    """

    def __init__(self, running: Running, *, accept: Callable[[socket.socket], None]) -> None:
        self._running = running
        self._frames = _Arriving(accept)
        self._said = bytearray()
        self._closing, self._wake = socket.socketpair()
        self._thread = threading.Thread(target=self._carry, name="way-out", daemon=True)
        self.problem: str | None = None
        self.has_ended = False
        """There is no relay, or none any more."""

    def __enter__(self) -> Self:
        """Wait until the relay listens, or can't."""
        try:
            self._running.send(b"\n")
            deadline = time.monotonic() + _READY_S
            while not (self._frames.is_ready or self.has_ended) and time.monotonic() < deadline:
                self._arrive(0.25)
        except (SandboxError, NotOurs) as error:
            self.problem = str(error)
        if self._frames.is_ready and self.problem is None:
            self._thread.start()
            return self
        self._running.close()
        if self.problem is None:
            self.problem = f"the relay in the container does not start: {self._last_words or 'it says nothing'}"
        return self

    def __exit__(self, *_: object) -> None:
        self._wake.close()
        if self._thread.ident is not None:
            self._thread.join(_ENDING_S)
        self._closing.close()
        self._frames.close_all()

    @property
    def _last_words(self) -> str:
        lines = self._said.decode("utf-8", "replace").strip().splitlines()
        return lines[-1] if lines else ""

    def _carry(self) -> None:
        try:
            while self._step():
                pass
            if self._last_words:
                self.problem = f"the relay in the container has failed: {self._last_words}"
        except NotOurs as error:
            self.problem = f"what comes from the relay in the container is not its own: {error}"
        except SandboxError as error:
            _log.debug("a setup's way out has ended: %s", error)
        self._frames.close_all()
        self._running.close()

    def _step(self) -> bool:
        """Wait for something to do, and do it; False when the context or the relay has ended."""
        poll = select.poll()
        poll.register(self._closing, select.POLLIN)
        poll.register(self._running.fileno(), select.POLLIN | (select.POLLOUT if self._frames.out else 0))
        numbers = self._frames.watch(poll)
        for descriptor, events in poll.poll(_POLL_MS):
            if descriptor == self._closing.fileno():
                return False
            if descriptor == self._running.fileno():
                if events & ~select.POLLOUT:
                    self._arrive(0)
                if self.has_ended:
                    return False
            elif numbers[descriptor] in self._frames.connections:
                self._frames.attend(numbers[descriptor], events)
        if len(self._frames.out) > _BACKLOG_BYTES:
            raise NotOurs("it speaks and does not listen")
        if self._frames.out:
            del self._frames.out[: self._running.offer(bytes(self._frames.out[:_OFFER]))]
        return True

    def _arrive(self, wait_s: float) -> None:
        pieces = self._running.read(wait_s)
        if pieces is None:
            self.has_ended = True
            return
        for stream, piece in pieces:
            if stream is Stream.STDOUT:
                self._frames.feed(piece)
            else:
                self._said += piece
                del self._said[:-_SAID_BYTES]


class _Arriving(Frames):
    """Frames at the end where connections arrive."""

    def __init__(self, accept: Callable[[socket.socket], None]) -> None:
        super().__init__()
        self._accept = accept
        self.is_ready = False

    def take(self, kind: int, number: int, value: int, piece: bytes) -> None:
        if kind == READY and not self.is_ready:
            self.is_ready = True
        elif kind == OPEN and self.is_ready:
            if number in self.connections or len(self.connections) >= CONNECTIONS:
                raise NotOurs("a connection too many")
            ours, theirs = socket.socketpair()
            self.connections[number] = Connection(ours)
            self._accept(theirs)
        else:
            super().take(kind, number, value, piece)
