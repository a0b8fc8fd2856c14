"""Whether a failure was for want of the network, and of which host: read from its words. Pure."""

import ipaddress
import re
from collections.abc import Iterator, Mapping, Sequence
from urllib.parse import urlsplit

from bot.records import Offline, TestReport, TestStatus

WORDS_AT_MOST = 300
HOSTS_AT_MOST = 10
_LINE = 4000
_LINES = 200
"""Characters of a line, and telling lines, that are read: output may be anything."""

_UNRESOLVED = re.compile(
    r"name resolution|failure resolving '"
    r"|Name or service not known|nodename nor servname|No address associated with hostname"
    r"|getaddrinfo (?:failed|ENOTFOUND|EAI_AGAIN)|\b(?:ENOTFOUND|EAI_AGAIN)\b|gaierror|NameResolutionError"
    r"|could(?:n't| not) resolve|unable to resolve|unable to look up|failed to lookup address|dns error"
    r"|lookup \S+(?: on \S+)?: (?:no such host|server misbehaving|i/o timeout|read udp)|no such host is known"
    r"|bad address '|UnknownHostException|UnresolvedAddressException|nss_resolve|NoResolverConfiguration",
    re.IGNORECASE,
)
_UNREACHABLE = re.compile(
    r"Network is unreachable|network unreachable|NetworkUnreachable|\bENETUNREACH\b|\bENETDOWN\b|No route to host"
    r"|\bEHOSTUNREACH\b|\[Errno (?:100|101|113)\]|Network is down",
    re.IGNORECASE,
)
_REFUSED = re.compile(
    r"connection refused|\bECONNREFUSED\b|ConnectionRefused|failed to connect to|couldn't connect to server"
    r"|connect timeout|ConnectTimeout|\bETIMEDOUT\b|i/o timeout|connection timed out",
    re.IGNORECASE,
)
"""Says that nobody was there; that this was another machine is only known where the words name it."""

_NAME = r"[A-Za-z0-9_][A-Za-z0-9_.-]{0,252}"
_DOTTED = r"[A-Za-z0-9_][A-Za-z0-9_-]{0,62}(?:\.[A-Za-z0-9_-]{1,63}){1,20}"
_IPV4 = r"\d{1,3}(?:\.\d{1,3}){3}"
_NAMED = tuple(
    re.compile(pattern, re.IGNORECASE)
    for pattern in (
        rf"\bhost='\[?({_NAME}|[0-9a-f:]+)\]?'",
        rf"failed to resolve '({_NAME})'",
        rf"could(?:n't| not) resolve host(?:name)?:? ['\"‘]?({_NAME})",
        rf"unable to resolve host(?: address)? ['\"‘]?({_NAME})",
        rf"unable to look up ({_NAME})",
        rf"getaddrinfo (?:ENOTFOUND|EAI_AGAIN) ({_NAME})",
        rf"\blookup ({_NAME})(?: on \S+)?:",
        rf"cannot connect to host ({_NAME})",
        rf"failed to connect to ({_NAME})(?: port|:)",
        rf"failed to open TCP connection to ({_NAME})",
        rf"bad address '({_NAME})'",
        rf"failure resolving '({_NAME})'",
        rf"UnknownHostException: ({_NAME})",
        rf"connect (?:ENETUNREACH|ECONNREFUSED|EHOSTUNREACH|ETIMEDOUT) ({_IPV4}|[0-9a-f:]*::[0-9a-f:]*?)(?::\d+)?\b",
        rf"dial (?:tcp|udp)[46]?:? \[?({_IPV4}|[0-9a-f:]*::[0-9a-f]*)\]?:\d+: ",
        rf"dial (?:tcp|udp)[46]? \[?({_IPV4}|[0-9a-f:]*::[0-9a-f]*)\]?:\d+: connect",
        rf"\bresolving ({_NAME})(?: \([^)]*\))?\.\.\. failed",
        rf"\bconnecting to ({_NAME})(?: \([^)]*\))?(?::\d+)?\.\.\. failed",
        rf"({_DOTTED}): (?:Name or service not known|Temporary failure in name resolution|nodename nor servname)",
    )
)
_URL = re.compile(r"\b(?:https?|wss?|ftp|git|ssh)://[^\s'\"<>\\)\]}`]+", re.IGNORECASE)
_ADDRESS = re.compile(rf"""\(\s*["']({_NAME})["']\s*,\s*\d{{1,5}}\s*[,)]""")
_HEADING = re.compile(
    r"^_{2,} (?:ERROR (?:at (?:setup|teardown) of|collecting) )?(.{1,300}?) _{2,}$|^={3,} .{1,200} ={3,}$", re.MULTILINE
)
_NO_HOSTS = frozenset({"error", "gaierror", "socket", "urlopen", "reason", "server", "host", "ssh", "fatal", "curl"})


def offline_of(text: str, *, around: str = "") -> tuple[tuple[str, ...], str] | None:
    """The hosts that a failure wanted, as far as it names them, and the line that says so; None where it did not.

    `around` is a longer text of the same failure, looked at for hosts where the failure itself names none. A connection
    that was refused counts only where another machine is named: on this one it is a service that is not there.
    """
    lines = [line[:_LINE] for line in text.splitlines()]
    certain = [line for line in lines if _UNRESOLVED.search(line) or _UNREACHABLE.search(line)][-_LINES:]
    refused = [line for line in lines if _REFUSED.search(line)][-_LINES:]
    telling = [*certain, *refused]
    hosts = _hosts(telling, text, around) if telling else ()
    if certain and not _is_about_this_machine(certain, text):
        return hosts, _words(certain[-1])
    if refused and hosts:
        return hosts, _words(refused[-1])
    return None


def offline_in(reports: Sequence[TestReport]) -> tuple[Offline, ...]:
    """The tests that failed for want of the network in any of these runs; the command, where no test is known."""
    found: dict[str, Offline] = {}
    for report in reports:
        for test, text, around in _failures(report):
            if test not in found and (wanted := offline_of(text, around=around)) is not None:
                found[test] = Offline(test, *wanted)
    return tuple(found.values())


def _failures(report: TestReport) -> Iterator[tuple[str, str, str]]:
    """Each failure's test, its message, which is bounded, and its part of the output, which says more."""
    if report.cases:
        bad = (TestStatus.FAILED, TestStatus.ERROR)
        parts = _by_heading(report.output)
        yield from (
            (each.id, each.message, parts.get(_heading(each.id), "")) for each in report.cases if each.status in bad
        )
    elif not report.is_green:
        yield "", report.output, ""


def _by_heading(output: str) -> Mapping[str, str]:
    """The account of each failure that pytest writes, by the words over it, without “ERROR at setup of”."""
    pieces = _HEADING.split(output)
    return dict(zip(pieces[1::2], pieces[2::2], strict=True))


def _heading(test_id: str) -> str:
    """What pytest writes over the failure of a test. Source: `reports.py`, `head_line`: its place in the file."""
    return test_id.partition("::")[2].replace("::", ".") or test_id


def _hosts(lines: Sequence[str], *texts: str) -> tuple[str, ...]:
    """Those that the telling lines name; else those of addresses in the code that failed, else anywhere around it."""
    by_line = [match[1] for line in lines for pattern in _NAMED for match in pattern.finditer(line)]
    by_line += [host for line in lines for host in _of_addresses(line)]
    failed = ("\n".join(line for line in text.splitlines() if line.startswith(">")) for text in texts)
    shown = (_others(_of_addresses(text)) for text in (*failed, *texts))
    return _others(by_line) or next((hosts for hosts in shown if hosts), ())


def _of_addresses(text: str) -> list[str]:
    urls = [host for match in _URL.finditer(text) if (host := _host_of(match[0]))]
    return urls + [match[1] for match in _ADDRESS.finditer(text)]


def _host_of(url: str) -> str:
    try:
        return urlsplit(url).hostname or ""
    except ValueError:
        return ""


def _others(hosts: Sequence[str]) -> tuple[str, ...]:
    """The hosts that are another machine, each once."""
    names = (host.strip("[]").rstrip(".").lower() for host in hosts)
    return tuple(dict.fromkeys(host for host in names if host and not _is_here(host) and host not in _NO_HOSTS))[
        :HOSTS_AT_MOST
    ]


def _is_here(host: str) -> bool:
    if host == "localhost" or host.endswith(".localhost"):
        return True
    try:
        address = ipaddress.ip_address(host)
    except ValueError:
        return False
    return address.is_loopback or address.is_unspecified


def _is_about_this_machine(lines: Sequence[str], text: str) -> bool:
    """Whether all that the failure names is this machine: no name resolves without a network, but ours do."""
    named = [match[1] for line in lines for pattern in _NAMED for match in pattern.finditer(line)]
    hosts = named or _of_addresses(text)
    return bool(hosts) and not _others(hosts) and all(_is_here(host.strip("[]").lower()) for host in hosts)


def _words(line: str) -> str:
    line = line.strip()
    return line if len(line) <= WORDS_AT_MOST else line[: WORDS_AT_MOST - 1] + "…"
