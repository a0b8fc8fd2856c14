"""A line to the engine that a test can cut: for the client, an engine that is killed, gone, or started again."""

import contextlib
import socket
import threading
from pathlib import Path
from typing import Self

_CHUNK = 256 * 1024


class Line:
    """A socket at `host` behind which the engine at `target` answers, until the line is cut."""

    def __init__(self, target: Path, at: Path) -> None:
        self._target = target
        self._at = at
        self._lock = threading.Lock()
        self._open: list[socket.socket] = []

    @property
    def host(self) -> str:
        return f"unix://{self._at}"

    def __enter__(self) -> Self:
        self.mend()
        return self

    def __exit__(self, *_: object) -> None:
        self.cut()

    def mend(self) -> None:
        listener = socket.socket(socket.AF_UNIX)
        listener.bind(str(self._at))
        listener.listen(64)
        self._keep(listener)
        threading.Thread(target=self._accept, args=(listener,), daemon=True).start()

    def cut(self) -> None:
        """Nothing listens any more, and every connection breaks off."""
        self._at.unlink(missing_ok=True)
        with self._lock:
            ended, self._open = self._open, []
        for each in ended:
            with contextlib.suppress(OSError):
                each.shutdown(socket.SHUT_RDWR)
            each.close()

    def _keep(self, *sockets: socket.socket) -> None:
        with self._lock:
            self._open.extend(sockets)

    def _accept(self, listener: socket.socket) -> None:
        with contextlib.suppress(OSError):  # cut
            while True:
                near, _ = listener.accept()
                far = socket.socket(socket.AF_UNIX)
                far.connect(str(self._target))
                self._keep(near, far)
                for pair in ((near, far), (far, near)):
                    threading.Thread(target=_pump, args=pair, daemon=True).start()


def _pump(source: socket.socket, target: socket.socket) -> None:
    with contextlib.suppress(OSError):
        while data := source.recv(_CHUNK):
            target.sendall(data)
        target.shutdown(socket.SHUT_WR)
