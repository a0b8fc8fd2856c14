"""A client that costs little: bytes made beforehand, connections that stay open, one thread, nothing parsed twice."""

import selectors
import socket
import statistics
import time
from collections import Counter, deque
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field

LIMIT_S = 900.0
"""How long all of it may take."""


@dataclass(frozen=True, slots=True)
class Poured:
    """What came back. `waits_s` are from the first byte sent to the last one received, one for each request."""

    seconds: float
    waits_s: Sequence[float]
    statuses: Counter[int]

    @property
    def rate(self) -> float:
        """Answers a second."""
        return len(self.waits_s) / self.seconds

    @property
    def p99_s(self) -> float:
        return statistics.quantiles(self.waits_s, n=100, method="inclusive")[-1]


@dataclass(slots=True)
class _Line:
    """A connection with at most one request under way."""

    socket: socket.socket
    request: bytes = b""
    begun: float = 0.0
    sent: int = 0
    got: bytearray = field(default_factory=bytearray)


def pour(
    port: int, requests: Sequence[bytes], *, connections: int = 16, answered: Callable[[int], None] = lambda _: None
) -> Poured:
    """Send all of them, each connection the next one as soon as its answer is there; without one, it is sent again.

    `answered` is told each time how many there are by now. Raises `TimeoutError`.
    """
    waiting, waits, statuses = deque(requests), list[float](), Counter[int]()
    begun = time.perf_counter()
    with selectors.DefaultSelector() as selector:
        for _ in range(min(connections, len(requests))):
            _begin(_Line(_connected(port)), waiting, selector)
        while selector.get_map():
            if time.perf_counter() - begun > LIMIT_S:
                raise TimeoutError(f"{len(waiting)} of {len(requests)} deliveries were not sent in {LIMIT_S:.0f} s")
            for key, _ in selector.select(1.0):
                line: _Line = key.data
                if _write(line, selector):
                    continue
                status = _read(line)
                if status is None:
                    continue
                selector.unregister(line.socket)
                if status == 0:  # the server has closed a connection that was idle, or had its share of requests
                    line.socket.close()
                    waiting.appendleft(line.request)
                    line = _Line(_connected(port))
                else:
                    waits.append(time.perf_counter() - line.begun)
                    statuses[status] += 1
                    answered(len(waits))
                _begin(line, waiting, selector)
    return Poured(time.perf_counter() - begun, waits, statuses)


def _connected(port: int) -> socket.socket:
    made = socket.create_connection(("127.0.0.1", port), timeout=30)
    made.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
    made.setblocking(False)
    return made


def _begin(line: _Line, waiting: deque[bytes], selector: selectors.BaseSelector) -> None:
    if not waiting:
        line.socket.close()
        return
    line.request, line.sent, line.begun = waiting.popleft(), 0, time.perf_counter()
    line.got.clear()
    selector.register(line.socket, selectors.EVENT_WRITE, line)
    _write(line, selector)


def _write(line: _Line, selector: selectors.BaseSelector) -> bool:
    """Whether there is more to be written before an answer can come."""
    if line.sent == len(line.request):
        return False
    try:
        line.sent += line.socket.send(line.request[line.sent :])
    except BlockingIOError:
        return True
    except (BrokenPipeError, ConnectionResetError):
        line.sent = len(line.request)
    if line.sent == len(line.request):
        selector.modify(line.socket, selectors.EVENT_READ, line)
    return True


def _read(line: _Line) -> int | None:
    """The status of a whole answer, 0 where the connection ended without one, None while there is more to come."""
    try:
        more = line.socket.recv(65536)
    except BlockingIOError:
        return None
    except ConnectionResetError:
        more = b""
    if not more:
        return 0
    line.got += more
    head, found, body = line.got.partition(b"\r\n\r\n")
    if not found:
        return None
    names = bytes(head).lower()
    _, has_length, rest = names.partition(b"content-length:")
    is_whole = len(body) >= int(rest.split(b"\r\n")[0]) if has_length else body.endswith(b"0\r\n\r\n")
    return int(names.split(b" ", 2)[1]) if is_whole else None
