"""Both streams of a command as they arrive through pipes."""

import os
import selectors

from sandbox.contract import Limits
from sandbox.output import Output, Watch

_CHUNK = 65536
_DRAIN_S = 1.0


class Streams:
    """The reading ends of two pipes, which the caller closes, and `also`: a descriptor that only wakes the reader."""

    def __init__(self, stdout: int, stderr: int, *, also: int | None = None) -> None:
        self._stdout = stdout
        self._also = also
        self._open = {stdout, stderr}
        self._selector = selectors.DefaultSelector()
        for descriptor in (stdout, stderr):
            os.set_blocking(descriptor, False)
        for descriptor in (stdout, stderr, *(() if also is None else (also,))):
            self._selector.register(descriptor, selectors.EVENT_READ)

    @property
    def at_end(self) -> bool:
        """Nobody has the writing ends any more."""
        return not self._open

    def read(self, output: Output, wait_s: float) -> bool:
        """Take what has arrived, at the latest after a time; whether `also` is ready."""
        is_ready = False
        for key, _ in self._selector.select(wait_s):
            if key.fd == self._also:
                is_ready = True
                continue
            try:
                chunk = os.read(key.fd, _CHUNK)
            except BlockingIOError:  # a command may read what it has written itself
                continue
            if chunk:
                (output.stdout if key.fd == self._stdout else output.stderr).add(chunk)
            else:
                self._selector.unregister(key.fd)
                self._open.remove(key.fd)
        return is_ready

    def drain(self, output: Output) -> None:
        """Take what is still on its way, for a second at most."""
        if self._also is not None:
            self._selector.unregister(self._also)
            self._also = None
        watch = Watch(Limits(), _DRAIN_S, None)
        while not self.at_end and watch.verdict(output) is None:
            self.read(output, watch.wait_s)

    def close(self) -> None:
        self._selector.close()
