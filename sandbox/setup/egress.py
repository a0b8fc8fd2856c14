"""What a setup may ask of its proxy: the rule on requests, and the words for what comes of them. Pure."""

import ipaddress
import re
from collections.abc import Sequence
from dataclasses import dataclass
from fnmatch import fnmatchcase
from urllib.parse import urlsplit

from sandbox.setup.addresses import Address, Objection, objection

_HOSTS_SETTING = "SELFCODE_SETUP_HOSTS"
_NETWORKS_SETTING = "SELFCODE_SETUP_NETWORKS"

_PORTS = (80, 443)
_HOST = re.compile(r"[A-Za-z0-9._-]+|[0-9a-fA-F:.]+")
_HOST_LENGTH = 253  # Source: RFC 1035, 2.3.4
_CONTROL = re.compile(rb"[\x00-\x08\x0a-\x1f\x7f]")
_FORWARDED_HEADERS = frozenset(
    b"accept accept-encoding cache-control if-modified-since if-none-match if-range range user-agent".split()
)


@dataclass(frozen=True, slots=True)
class Target:
    """Where a request wants to go. `head` is what is sent there first: nothing for a tunnel."""

    host: str
    port: int
    head: bytes


@dataclass(frozen=True, slots=True)
class Denial:
    """A place that a setup wanted and may not reach. `remedy` is the operator's line that would allow it, if any."""

    host: str
    port: int
    reason: str
    remedy: str | None = None

    def __str__(self) -> str:
        return self.reason if self.remedy is None else f"{self.reason} (the operator's {self.remedy} would allow it)"


@dataclass(frozen=True, slots=True)
class Failure:
    """Why a request comes to nothing though no rule forbids it: a status and a sentence for who reads the output."""

    status: int
    reason: str


def decide(head: bytes, *, allowed_hosts: Sequence[str]) -> Target | Denial | Failure:
    """What becomes of a proxy request, by its head alone (request line and headers, without the empty line).

    An entry of `allowed_hosts` is a host on ports 80 and 443, or HOST:PORT; `*` in it stands for anything, dots too.
    """
    try:
        method, uri, version = head.split(b"\r\n", 1)[0].decode("ascii").split(" ")
        host, port = _target(method, uri)
    except ValueError:
        return Failure(400, "not a proxy request")
    if not version.startswith("HTTP/1.") or _CONTROL.search(head.replace(b"\r\n", b"")):
        return Failure(400, "not a proxy request")
    patterns = [pattern.lower() for pattern in allowed_hosts]
    names = (host, f"{host}:{port}") if port in _PORTS else (f"{host}:{port}",)
    if any(fnmatchcase(name, pattern) for name in names for pattern in patterns if _fits(name, pattern)):
        return Target(host, port, b"" if method == "CONNECT" else _forwarded(method, uri, head))
    if any(fnmatchcase(host, pattern) for pattern in patterns):
        return Denial(
            host, port, f"port {port} of {host} is not open to a setup: 80 and 443 are", _host_line(host, port)
        )
    return Denial(host, port, f"{host} is not among the hosts that a setup may reach", _host_line(host, port))


def objection_to(target: Target, against: Sequence[tuple[Address, Objection]]) -> Denial:
    """Why a host may not be reached, none of whose addresses may: one that the operator could allow is named first."""
    address, first = min(against, key=lambda one: one[1].is_final)
    remedy = None if first.is_final else f"{_NETWORKS_SETTING}={ipaddress.ip_network(address)}"
    return Denial(target.host, target.port, f"{target.host} leads where no setup may go: {first.reason}", remedy)


def refusal(found: Denial | Failure) -> bytes:
    """The answer to a request that goes nowhere."""
    status = found.status if isinstance(found, Failure) else 403
    body = f"selfcode: {found.reason}\n".encode()
    # The sentence stands in the status line too: package managers show no more than that.
    line = f"HTTP/1.1 {status} {found.reason}".encode("ascii", "replace")
    return line + b"\r\nConnection: close\r\nContent-Length: " + str(len(body)).encode() + b"\r\n\r\n" + body


def _target(method: str, uri: str) -> tuple[str, int]:
    """Host and port of a request. Raises `ValueError` for what is none that a package manager makes."""
    parts = urlsplit(f"//{uri}" if method == "CONNECT" else uri)
    if method == "CONNECT":
        if parts.port is None or parts.path or parts.query:
            raise ValueError(uri)
    elif method not in ("GET", "HEAD") or parts.scheme != "http":
        raise ValueError(uri)
    if parts.hostname is None or parts.username is not None or parts.port == 0:
        raise ValueError(uri)
    if len(parts.hostname) > _HOST_LENGTH or not _HOST.fullmatch(parts.hostname):
        raise ValueError(uri)
    return parts.hostname.lower().rstrip("."), 80 if parts.port is None else parts.port


def _fits(name: str, pattern: str) -> bool:
    """A pattern without a port is for a name without one: its `*` must not reach into the port."""
    return (":" in pattern) == (":" in name)


def _host_line(host: str, port: int) -> str | None:
    """The operator's line that allows a host; none where its address is never allowed."""
    line = f"{_HOSTS_SETTING}={host}" if port in _PORTS else f"{_HOSTS_SETTING}={host}:{port}"
    try:
        address = ipaddress.ip_address(host)
    except ValueError:
        return line
    match objection(address):
        case None:
            return line
        case against:
            return None if against.is_final else f"{line} {_NETWORKS_SETTING}={ipaddress.ip_network(address)}"


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
