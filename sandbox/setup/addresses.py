"""Which addresses a setup may reach: those of the public Internet, and those of networks that the operator names."""

import ipaddress
from collections.abc import Sequence
from dataclasses import dataclass

Address = ipaddress.IPv4Address | ipaddress.IPv6Address
Network = ipaddress.IPv4Network | ipaddress.IPv6Network

_NEVER = {
    "this machine itself": ("127.0.0.0/8", "::1/128", "0.0.0.0/8", "::/128"),
    "link-local, where clouds keep their metadata": ("169.254.0.0/16", "fe80::/10"),
    # Source: the clouds' own pages on instance metadata: AWS, Google, Scaleway, Alibaba, Oracle; Azure's WireServer.
    "where a cloud keeps its metadata": (
        "fd00:ec2::/32",
        "fd20:ce::254/128",
        "fd00:42::42/128",
        "100.100.100.200/32",
        "192.0.0.192/32",
        "168.63.129.16/32",
    ),
    "no single machine": ("224.0.0.0/4", "ff00::/8", "255.255.255.255/32"),
}
_NAT64 = ipaddress.IPv6Network("64:ff9b::/96")
_MAY_END_IN_IPV4 = tuple(map(ipaddress.IPv6Network, ("64:ff9b:1::/48", "::/96", "::ffff:0:0:0/96")))
"""Source: RFC 8215 (a network's own NAT64), RFC 4291 2.5.5.1 (IPv4-compatible), RFC 2765 (IPv4-translated)."""


@dataclass(frozen=True, slots=True)
class Objection:
    """Why an address may not be reached; `is_final` where no operator's network could change that."""

    reason: str
    is_final: bool


def objection(address: Address, *, networks: Sequence[Network] = ()) -> Objection | None:
    """What speaks against an address, be it for itself or as the IPv4 address that an IPv6 one stands for."""
    if isinstance(address, ipaddress.IPv6Address) and (inner := _inner(address)) is not None:
        return objection(inner, networks=networks)
    for reason, never in _NEVER.items():
        if any(meant in ipaddress.ip_network(network) for meant in _meanings(address) for network in never):
            return Objection(f"{address} is {reason}", is_final=True)
    if any(address in network for network in networks):
        return None
    if not address.is_global or address.is_reserved or _is_site_local(address):
        return Objection(f"{address} is not a public address", is_final=False)
    return None


def is_public(address: Address) -> bool:
    """Whether an address is one of the public Internet: not private, loopback, link-local, multicast or reserved."""
    return objection(address) is None


def _is_site_local(address: Address) -> bool:
    """Private by an older rule, of which `is_global` knows nothing. Source: RFC 3879."""
    return isinstance(address, ipaddress.IPv6Address) and address.is_site_local


def _meanings(address: Address) -> Sequence[Address]:
    """The address, and the IPv4 address that it may stand for, where a network is set up so."""
    if any(address in network for network in _MAY_END_IN_IPV4):
        return (address, ipaddress.IPv4Address(int(address) & 0xFFFFFFFF))
    return (address,)


def _inner(address: ipaddress.IPv6Address) -> ipaddress.IPv4Address | None:
    if address in _NAT64:
        return ipaddress.IPv4Address(int(address) & 0xFFFFFFFF)
    return address.ipv4_mapped or address.sixtofour or (address.teredo[1] if address.teredo else None)
