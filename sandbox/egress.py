"""Which way out a setup has: a proxy to public package hosts, and nowhere else.

`decide` and `is_public` are the rules; `EgressProxy` is the program that holds them, on a Unix socket that is mounted
into a container which has no network of its own.
"""

import ipaddress
import logging
import re
import selectors
import socket
import threading
import time
from collections.abc import Callable, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass
from fnmatch import fnmatchcase
from pathlib import Path
from typing import Self
from urllib.parse import urlsplit

DEFAULT_HOSTS: Sequence[str] = (
    "pypi.org",
    "files.pythonhosted.org",
    "registry.npmjs.org",
    "registry.yarnpkg.com",
    "deb.debian.org",
    "security.debian.org",
    "archive.ubuntu.com",
    "security.ubuntu.com",
    "dl-cdn.alpinelinux.org",
    "crates.io",
    "index.crates.io",
    "static.crates.io",
    "static.rust-lang.org",
    "proxy.golang.org",
    "sum.golang.org",
    "rubygems.org",
    "index.rubygems.org",
    "repo.maven.apache.org",
    "repo1.maven.org",
    "repo.packagist.org",
    "github.com",
    "codeload.github.com",
    "*.githubusercontent.com",
)
"""Public package hosts, and where packages are fetched from. `*` stands for anything, dots too."""

_PORTS = (80, 443)
_HEAD_BYTES = 16 * 1024
_CHUNK = 64 * 1024
_IDLE_S = 120.0
_CONNECT_S = 15.0
_CONNECTIONS = 64
_POLL_S = 0.2
_LIMIT_BYTES = 8 * 1024**3
_HOST = re.compile(r"[A-Za-z0-9._-]+|[0-9a-fA-F:.]+")
_FORWARDED_HEADERS = frozenset(
    b"accept accept-encoding cache-control if-modified-since if-none-match if-range range user-agent".split()
)
_log = logging.getLogger(__name__)

Address = ipaddress.IPv4Address | ipaddress.IPv6Address


@dataclass(frozen=True, slots=True)
class Target:
    """Where a request wants to go. `head` is what is sent there first: nothing for a tunnel."""

    host: str
    port: int
    head: bytes


@dataclass(frozen=True, slots=True)
class Denied:
    """Why a request goes nowhere: a status and a sentence for who reads setup's output."""

    status: int
    reason: str


def decide(head: bytes, *, allowed_hosts: Sequence[str]) -> Target | Denied:
    """What becomes of a proxy request, by its head alone (request line and headers, up to the empty line)."""
    try:
        method, uri, version = head.split(b"\r\n", 1)[0].decode("ascii").split(" ")
        target = _target(method, uri)
    except ValueError:
        return Denied(400, "not a proxy request")
    if not version.startswith("HTTP/1."):
        return Denied(400, "not a proxy request")
    host, port = target
    if port not in _PORTS:
        return Denied(403, f"port {port} is not open to a setup: 80 and 443 are")
    if not any(fnmatchcase(host, pattern.lower()) for pattern in allowed_hosts):
        return Denied(403, f"{host} is not among the hosts that a setup may reach")
    return Target(host, port, b"" if method == "CONNECT" else _forwarded(method, uri, head))


def is_public(address: Address) -> bool:
    """Whether an address is one of the public Internet: not private, loopback, link-local (where clouds keep their
    metadata), multicast or reserved, neither itself nor as the IPv4 address that an IPv6 one stands for.
    """
    if isinstance(address, ipaddress.IPv6Address):
        inner = address.ipv4_mapped or address.sixtofour or (address.teredo[1] if address.teredo else None)
        if inner is None and address in _NAT64:
            inner = ipaddress.IPv4Address(int(address) & 0xFFFFFFFF)
        if inner is not None and not is_public(inner):
            return False
    return address.is_global and not (address.is_multicast or address.is_reserved or address.is_unspecified)


_NAT64 = ipaddress.IPv6Network("64:ff9b::/96")


class EgressProxy:
    """An HTTP proxy on a Unix socket, for as long as the context lasts.

    Names are resolved here, each address is checked, and the connection goes to the checked address: a name can't mean
    one thing when it is checked and another when it is used.
    """

    def __init__(
        self,
        path: Path,
        *,
        allowed_hosts: Sequence[str],
        resolve: Callable[[str, int], Sequence[str]] | None = None,
        is_allowed: Callable[[Address], bool] = is_public,
        connect: Callable[[str, int], socket.socket] | None = None,
    ) -> None:
        self._path = path
        self._allowed_hosts = allowed_hosts
        self._resolve = resolve or _resolved
        self._is_allowed = is_allowed
        self._connect = connect or _connected
        self._closing = threading.Event()
        self._slots = threading.BoundedSemaphore(_CONNECTIONS)
        self._passed_bytes = 0
        self.denied: list[str] = []

    def __enter__(self) -> Self:
        self._listener = socket.socket(socket.AF_UNIX, socket.SOCK_STREAM)
        self._listener.bind(str(self._path))
        self._path.chmod(0o666)  # setup may become another user; the folder above says who on the host comes near
        self._listener.listen(_CONNECTIONS)
        self._listener.settimeout(_POLL_S)
        self._thread = threading.Thread(target=self._accept, name="egress", daemon=True)
        self._thread.start()
        return self

    def __exit__(self, *_: object) -> None:
        self._closing.set()
        self._thread.join()
        self._listener.close()
        self._path.unlink(missing_ok=True)

    def _accept(self) -> None:
        threads: list[threading.Thread] = []
        while not self._closing.is_set():
            with suppress(TimeoutError):
                client, _ = self._listener.accept()
                thread = threading.Thread(target=self._serve, args=(client,), name="egress", daemon=True)
                threads = [*(running for running in threads if running.is_alive()), thread]
                thread.start()
        for thread in threads:
            thread.join(_CONNECT_S)

    def _serve(self, client: socket.socket) -> None:
        with client:
            if not self._slots.acquire(timeout=_CONNECT_S):
                return
            try:
                self._answer(client)
            except OSError as error:
                _log.debug("a setup's connection ended: %s", error)
            finally:
                self._slots.release()

    def _answer(self, client: socket.socket) -> None:
        client.settimeout(_CONNECT_S)
        head = _read_head(client)
        if not head:
            return
        found = decide(head, allowed_hosts=self._allowed_hosts)
        upstream = self._reach(found) if isinstance(found, Target) else found
        if isinstance(upstream, Denied):
            self.denied.append(upstream.reason)
            client.sendall(_refusal(upstream))
            return
        with upstream:
            if isinstance(found, Target) and found.head:
                upstream.sendall(found.head)
                self._pass_on({upstream: client})  # one request a connection: a second might mean another host
            else:
                client.sendall(b"HTTP/1.1 200 Connection established\r\n\r\n")
                self._pass_on({upstream: client, client: upstream})

    def _reach(self, target: Target) -> socket.socket | Denied:
        try:
            addresses = self._resolve(target.host, target.port)
        except OSError as error:
            return Denied(502, f"{target.host} cannot be resolved: {error}")
        allowed = [address for address in addresses if self._is_allowed(ipaddress.ip_address(address))]
        if not allowed:
            return Denied(403, f"{target.host} leads to an address that is not public")
        problem: OSError | None = None
        for address in allowed:
            try:
                return self._connect(address, target.port)
            except OSError as error:
                problem = error
        return Denied(502, f"{target.host} does not answer: {problem}")

    def _pass_on(self, routes: Mapping[socket.socket, socket.socket]) -> None:
        """Carry bytes along each route until both ends are silent for long, one has closed, or the proxy closes."""
        with selectors.DefaultSelector() as selector:
            for source in routes:
                selector.register(source, selectors.EVENT_READ)
            silent_since = time.monotonic()
            while not self._closing.is_set() and time.monotonic() - silent_since < _IDLE_S and selector.get_map():
                for key, _ in selector.select(_POLL_S):
                    source = next(known for known in routes if known is key.fileobj)
                    data = source.recv(_CHUNK)
                    silent_since = time.monotonic()
                    if not data:
                        selector.unregister(source)
                        routes[source].shutdown(socket.SHUT_WR)
                        continue
                    self._passed_bytes += len(data)
                    if self._passed_bytes > _LIMIT_BYTES:
                        self.denied.append(f"more than {_LIMIT_BYTES} bytes for one setup")
                        return
                    routes[source].sendall(data)


def _target(method: str, uri: str) -> tuple[str, int]:
    """Host and port of a request. Raises `ValueError` for what is none that a package manager makes."""
    parts = urlsplit(f"//{uri}" if method == "CONNECT" else uri)
    if method == "CONNECT":
        if parts.port is None or parts.path or parts.query:
            raise ValueError(uri)
    elif method not in ("GET", "HEAD") or parts.scheme != "http":
        raise ValueError(uri)
    if parts.hostname is None or parts.username is not None or not _HOST.fullmatch(parts.hostname):
        raise ValueError(uri)
    return parts.hostname.lower().rstrip("."), parts.port or 80


def _forwarded(method: str, uri: str, head: bytes) -> bytes:
    """The request as the server itself gets it, for one answer only."""
    parts = urlsplit(uri)
    path = f"{parts.path or '/'}?{parts.query}" if parts.query else parts.path or "/"
    host = parts.netloc
    lines = [f"{method} {path} HTTP/1.1".encode(), f"Host: {host}".encode(), b"Connection: close"]
    for line in head.split(b"\r\n")[1:]:
        name = line.partition(b":")[0].lower()
        if name.isascii() and name in _FORWARDED_HEADERS:
            lines.append(line)
    return b"\r\n".join(lines) + b"\r\n\r\n"


def _read_head(client: socket.socket) -> bytes:
    """The request line and headers; nothing where the client says less, or far too much."""
    head = b""
    while b"\r\n\r\n" not in head:
        data = client.recv(_HEAD_BYTES - len(head)) if len(head) < _HEAD_BYTES else b""
        if not data:
            return b""
        head += data
    return head.partition(b"\r\n\r\n")[0]


def _refusal(denied: Denied) -> bytes:
    body = f"selfcode: {denied.reason}\n".encode()
    # The sentence stands in the status line too: package managers show no more than that.
    line = f"HTTP/1.1 {denied.status} {denied.reason}".encode("ascii", "replace")
    return line + b"\r\nConnection: close\r\nContent-Length: " + str(len(body)).encode() + b"\r\n\r\n" + body


def _resolved(host: str, port: int) -> Sequence[str]:
    return [str(found[4][0]) for found in socket.getaddrinfo(host, port, type=socket.SOCK_STREAM)]


def _connected(address: str, port: int) -> socket.socket:
    return socket.create_connection((address, port), timeout=_CONNECT_S)
