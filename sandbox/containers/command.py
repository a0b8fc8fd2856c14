"""One command in a container, over the Docker engine's raw stream."""

import ssl
import time
from collections.abc import Mapping, Sequence
from typing import Any, Self

import docker
from docker.errors import NotFound

from sandbox.containers.container import WORKSPACE
from sandbox.containers.engine import ENGINE_S, translated
from sandbox.containers.frames import Frames, Stream
from sandbox.contract import Ending, Limits, SandboxError
from sandbox.output import Output, Watch

_CHUNK = 256 * 1024
_LAG_S = 5.0
_DRAIN_S = 1.0
_ON_ITS_WAY_S = 0.05
_LOOK_S = 0.5


class Command:
    """A command that is started, and waits for what it is sent."""

    def __init__(
        self, api: docker.APIClient, box: str, words: Sequence[str], *, user: str, env: Mapping[str, str]
    ) -> None:
        self._api = api
        with translated("starting a command"):
            made = api.exec_create(box, list(words), stdin=True, user=user, environment=dict(env), workdir=WORKSPACE)
            self._id = str(made["Id"])
            self._stream: Any = api.exec_start(self._id, socket=True)
        # The SDK hands out a `SocketIO` around the socket for Unix and TCP, the socket itself for TLS.
        self._socket: Any = getattr(self._stream, "_sock", self._stream)
        self._frames = Frames()

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    def close(self) -> None:
        """Hear no more of it. A flood that nobody reads holds up the engine, and with it whatever is to end it."""
        # The SDK leaves the response on the stream, "to stop it being garbage collected": closing it closes the stream.
        getattr(self._stream, "_response", self._stream).close()
        self._socket.close()

    def fileno(self) -> int:
        return int(self._socket.fileno())

    def send(self, data: bytes) -> None:
        with translated("writing to a command"):
            self._socket.settimeout(ENGINE_S)
            for start in range(0, len(data), _CHUNK):
                self._socket.sendall(data[start : start + _CHUNK])

    def offer(self, data: bytes) -> int:
        with translated("writing to a command"):
            self._socket.settimeout(0)
            try:
                return int(self._socket.send(data))
            except (BlockingIOError, TimeoutError, ssl.SSLWantWriteError, ssl.SSLWantReadError):
                return 0

    def read(self, wait_s: float) -> list[tuple[Stream, bytes]] | None:
        """What has arrived within the time, perhaps nothing; None at the stream's end."""
        with translated("reading a command's output"):
            self._socket.settimeout(max(wait_s, 0.001))
            try:
                data = self._socket.recv(_CHUNK)
            except TimeoutError:
                return []
            return list(self._frames.feed(data)) if data else None

    def follow(self, watch: Watch, output: Output) -> Ending:
        """Read until the command has ended, whatever it left running, or has to be ended."""
        next_look = time.monotonic() + _LOOK_S
        while (pieces := self.read(watch.wait_s)) is not None:
            _collect(pieces, output)
            if (verdict := watch.verdict(output)) is not None:
                return verdict
            if time.monotonic() > next_look:  # the stream stays open while a background process has it
                next_look = time.monotonic() + _LOOK_S
                if self._ended() is not None:
                    break
        return Ending.EXITED

    def drain(self, output: Output) -> None:
        """Take what has arrived, for a second at most."""
        watch = Watch(Limits(wall_s=_DRAIN_S), None, None)
        while watch.verdict(output) is None and (pieces := self.read(_ON_ITS_WAY_S)):
            _collect(pieces, output)

    def exit_code(self) -> int:
        deadline = time.monotonic() + _LAG_S
        while (code := self._ended()) is None:  # it may lag behind the stream's end
            if time.monotonic() > deadline:
                raise SandboxError("the Docker engine does not say how a command ended")
            time.sleep(0.01)
        return code

    def _ended(self) -> int | None:
        with translated("looking at a command"):
            try:
                found = self._api.exec_inspect(self._id)
            except NotFound as error:
                raise SandboxError("a command's container is gone, or its engine was started again") from error
        return None if found["Running"] or found["ExitCode"] is None else int(found["ExitCode"])


def _collect(pieces: Sequence[tuple[Stream, bytes]], output: Output) -> None:
    for stream, piece in pieces:
        (output.stderr if stream is Stream.STDERR else output.stdout).add(piece)
