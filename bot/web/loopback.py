"""Who may see what operators see, as long as nobody can sign in: whoever is on this machine."""

from ipaddress import ip_address

from flask import Request, abort

_FORWARDED = ("forwarded", "via", "x-real-ip")
"""What proxies put in, by one of which they say that they passed it on."""


def is_local(request: Request) -> bool:
    """The request was made on this machine and to this machine, and no proxy passed it on for someone else.

    The Host header counts, so that a page in a local browser can't read ours by a name of its own that points here.
    Without one nothing is known: the framework would name this machine.
    """
    names = [name.lower() for name, _ in request.headers]
    forwarded = any(name in _FORWARDED or name.startswith("x-forwarded-") for name in names)
    if forwarded or "host" not in names:
        return False
    host = request.host.rpartition(":")[0] if request.host.rpartition(":")[2].isdigit() else request.host
    return _is_loopback(request.remote_addr or "") and _is_loopback(host.strip("[]"))


def require_local(request: Request) -> None:
    """Answer 404 to everyone else, as if there were no such page."""
    if not is_local(request):
        abort(404)


def _is_loopback(host: str) -> bool:
    if host.lower() == "localhost":
        return True
    try:
        return ip_address(host).is_loopback
    except ValueError:
        return False
