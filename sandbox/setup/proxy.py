"""The program through which a setup reaches the network: an HTTP proxy that holds `sandbox.setup.egress`'s rules."""

import ipaddress
import logging
import selectors
import socket
import threading
import time
from collections import Counter
from collections.abc import Callable, Sequence
from contextlib import suppress
from dataclasses import dataclass, field
from typing import Self

from sandbox.setup.addresses import Address, Network, objection
from sandbox.setup.egress import Denial, Failure, Target, decide, objection_to, refusal

_HEAD_BYTES = 16 * 1024
_CHUNK = 64 * 1024
_IDLE_S = 120.0
_CONNECT_S = 10.0
_HEAD_S = 15.0
_ENDING_S = 60.0
_THREADS = 128
_POLL_S = 1.0
_LIMIT_BYTES = 8 * 1024**3
_DENIALS = 100
_log = logging.getLogger(__name__)


class EgressProxy:
    """An HTTP proxy for whoever is given to `accept`, for as long as the context lasts.

    Names are resolved here, each address is checked, and the connection goes to the checked address: a name can't mean
    one thing when it is checked and another when it is used. `denied` fills meanwhile, each place once.
    """

    def __init__(
        self,
        *,
        allowed_hosts: Sequence[str],
        networks: Sequence[Network] = (),
        resolve: Callable[[str, int], Sequence[str]] | None = None,
        connect: Callable[[str, int], socket.socket] | None = None,
        limit_bytes: int = _LIMIT_BYTES,
        idle_s: float = _IDLE_S,
    ) -> None:
        self._allowed_hosts = allowed_hosts
        self._networks = networks
        self._resolve = resolve or _resolved
        self._connect = connect or _connected
        self._closing = threading.Event()
        self._lock = threading.Lock()
        self._threads: set[threading.Thread] = set()
        self._limit_bytes = self._left_bytes = limit_bytes
        self._idle_s = idle_s
        self.denied: list[Denial] = []

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        """End every connection. One that is being made is waited for, a minute at most."""
        self._closing.set()
        deadline = time.monotonic() + _ENDING_S
        with self._lock:
            threads = list(self._threads)
        for thread in threads:
            thread.join(max(0.0, deadline - time.monotonic()))

    def accept(self, client: socket.socket) -> None:
        """Serve a client, which is the proxy's from now on, in a thread of its own."""
        thread = threading.Thread(target=self._serve, args=(client,), name="egress", daemon=True)
        with self._lock:
            has_room = len(self._threads) < _THREADS and not self._closing.is_set()
            if has_room:
                self._threads.add(thread)
        if has_room:
            thread.start()
        else:
            client.close()

    def _serve(self, client: socket.socket) -> None:
        try:
            with client:
                client.settimeout(_HEAD_S)
                self._answer(client)
        except OSError as error:
            _log.debug("a setup's connection ended: %s", error)
        finally:
            with self._lock:
                self._threads.discard(threading.current_thread())

    def _answer(self, client: socket.socket) -> None:
        head, more = _read_head(client)
        if not head:
            return
        found = decide(head, allowed_hosts=self._allowed_hosts)
        if isinstance(found, Target):
            upstream = self._reach(found)
            if isinstance(upstream, socket.socket):
                with upstream:
                    self._join(client, upstream, found, more)
                return
            found = upstream
        if isinstance(found, Denial):
            self._remember(found)
        client.sendall(refusal(found))

    def _join(self, client: socket.socket, upstream: socket.socket, target: Target, more: bytes) -> None:
        down = _Lane(upstream, client)
        if target.head:
            upstream.sendall(target.head)
            self._carry([down], target)  # one request a connection: a second might mean another host
        else:
            down.pending += b"HTTP/1.1 200 Connection established\r\n\r\n"
            self._carry([down, _Lane(client, upstream, bytearray(more))], target)

    def _remember(self, denial: Denial) -> None:
        with self._lock:
            if denial not in self.denied and len(self.denied) < _DENIALS:
                self.denied.append(denial)

    def _reach(self, target: Target) -> socket.socket | Denial | Failure:
        try:
            addresses = [ipaddress.ip_address(found) for found in self._resolve(target.host, target.port)]
        except OSError as error:
            return Failure(502, f"{target.host} cannot be resolved: {error}")
        found = [(address, objection(address, networks=self._networks)) for address in addresses]
        allowed = [address for address, against in found if against is None]
        against = [(address, against) for address, against in found if against is not None]
        if against and not allowed:
            return objection_to(target, against)
        problem: OSError | str = "it has no address"
        for address in _by_turns(allowed):
            if self._closing.is_set():
                return Failure(503, "setup has ended")
            try:
                return self._connect(str(address), target.port)
            except OSError as error:
                problem = error
        return Failure(502, f"{target.host} does not answer: {problem}")

    def _carry(self, lanes: Sequence["_Lane"], target: Target) -> None:
        """Carry bytes along each lane until all have ended, both ends are silent for long, or the proxy closes."""
        for lane in lanes:
            lane.source.setblocking(False)
            lane.sink.setblocking(False)
        silent_since = time.monotonic()
        while not self._closing.is_set() and not all(lane.has_ended for lane in lanes):
            with selectors.PollSelector() as selector:
                for lane in lanes:
                    lane.watch(selector)
                ready = selector.select(min(_POLL_S, self._idle_s))
            if ready:
                silent_since = time.monotonic()
            elif time.monotonic() - silent_since > self._idle_s:
                return
            for lane in lanes:
                if not self._grants(lane.move()):
                    reason = f"more than {self._limit_bytes} bytes for one setup"
                    self._remember(Denial(target.host, target.port, reason))
                    return

    def _grants(self, size_bytes: int) -> bool:
        with self._lock:
            self._left_bytes -= size_bytes
            return self._left_bytes >= 0


@dataclass(slots=True)
class _Lane:
    """One direction of a connection: no more than a chunk is on its way."""

    source: socket.socket
    sink: socket.socket
    pending: bytearray = field(default_factory=bytearray)
    is_read: bool = True
    has_ended: bool = False

    def watch(self, selector: selectors.BaseSelector) -> None:
        if self.pending:
            _also(selector, self.sink, selectors.EVENT_WRITE)
        elif self.is_read:
            _also(selector, self.source, selectors.EVENT_READ)

    def move(self) -> int:
        """Move what can be moved without waiting; how many bytes came in."""
        came = 0
        with suppress(BlockingIOError):
            if not self.pending and self.is_read:
                data = self.source.recv(_CHUNK)
                came = len(data)
                self.is_read = bool(data)
                self.pending += data
            self._hand_on()
        return came

    def _hand_on(self) -> None:
        try:
            if self.pending:
                del self.pending[: self.sink.send(self.pending)]
            if not (self.pending or self.is_read or self.has_ended):
                self.has_ended = True
                self.sink.shutdown(socket.SHUT_WR)
        except BlockingIOError:
            return
        except OSError:  # it takes no more, and may still have something to say
            self.pending.clear()
            self.is_read = False
            self.has_ended = True


def _also(selector: selectors.BaseSelector, found: socket.socket, events: int) -> None:
    known = selector.get_map().get(found)
    if known is None:
        selector.register(found, events)
    else:
        selector.modify(found, known.events | events)


def _by_turns(addresses: Sequence[Address]) -> Sequence[Address]:
    """One of each family after the other: a family without a route costs the time of one try, not of all."""
    seen: Counter[int] = Counter()
    turns = []
    for address in addresses:
        turns.append((seen[address.version], address))
        seen[address.version] += 1
    return [address for _, address in sorted(turns, key=lambda turn: turn[0])]


def _read_head(client: socket.socket) -> tuple[bytes, bytes]:
    """The request line and headers, and what came after; nothing where the client says less, or far too much."""
    head = b""
    while b"\r\n\r\n" not in head:
        data = client.recv(_HEAD_BYTES - len(head)) if len(head) < _HEAD_BYTES else b""
        if not data:
            return b"", b""
        head += data
    found, _, more = head.partition(b"\r\n\r\n")
    return found, more


def _resolved(host: str, port: int) -> Sequence[str]:
    try:
        found = socket.getaddrinfo(host, port, type=socket.SOCK_STREAM)
    except UnicodeError as error:  # a label that is empty or too long
        raise socket.gaierror(str(error)) from error
    return list(dict.fromkeys(str(entry[4][0]) for entry in found))


def _connected(address: str, port: int) -> socket.socket:
    return socket.create_connection((address, port), timeout=_CONNECT_S)
