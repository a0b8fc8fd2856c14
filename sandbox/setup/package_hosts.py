"""Which hosts an image's package managers fetch from: read as data from the image, never asked of a program in it."""

import ipaddress
import re
from collections.abc import Iterator, Mapping, Sequence
from urllib.parse import urlsplit

from sandbox.setup.addresses import is_public

COMMON_HOSTS: Sequence[str] = (
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
"""Where package managers go that are asked for no configuration. `*` stands for anything, dots too."""

_COMPANIONS: Mapping[str, Sequence[str]] = {
    "pypi.org": ("files.pythonhosted.org",),
    "registry.npmjs.org": ("registry.yarnpkg.com",),
    "registry.yarnpkg.com": ("registry.npmjs.org",),
    "deb.debian.org": ("security.debian.org",),
    "archive.ubuntu.com": ("security.ubuntu.com",),
}
"""Whoever needs the first needs the others as well."""

_INDEX, _NPM, _SYSTEM, _EXTRA = "index", "npm", "system", "extra"
_DEFAULTS: Mapping[str, Sequence[str]] = {
    _INDEX: ("https://pypi.org",),
    _NPM: ("https://registry.npmjs.org",),
    _SYSTEM: ("http://deb.debian.org", "http://archive.ubuntu.com"),
}
_VARIABLES: Mapping[str, str] = {
    **dict.fromkeys(("PIP_INDEX_URL", "UV_INDEX_URL", "UV_DEFAULT_INDEX"), _INDEX),
    **dict.fromkeys(("NPM_CONFIG_REGISTRY", "YARN_REGISTRY", "YARN_NPM_REGISTRY_SERVER"), _NPM),
    **dict.fromkeys(("PIP_EXTRA_INDEX_URL", "PIP_FIND_LINKS", "UV_EXTRA_INDEX_URL", "UV_INDEX", "GOPROXY"), _EXTRA),
}
_PIP_KEYS: Mapping[str, str] = {"index-url": _INDEX, "extra-index-url": _EXTRA, "find-links": _EXTRA}

_PORTS = (80, 443)
_FIRST_USER_PORT = 1024
_HOST = re.compile(r"[a-z0-9._-]+")
_URL = re.compile(r"https?://[^\s\"',;|<>]+", re.IGNORECASE)

READ = r"""
show() {
    [ -f "$2" ] || return 0
    case $(readlink -f "$2") in /workspace/*) return 0 ;; esac
    printf '\n\036%s\n' "$1"; head -c 16384 "$2"
}
read_all() {
    printf '\036env\n'; env | head -c 32768
    base=$(command -v python3) && base=$(dirname "$(dirname "$(readlink -f "$base")")")
    for file in "$PIP_CONFIG_FILE" /etc/pip.conf /etc/xdg/pip/pip.conf /root/.pip/pip.conf /root/.config/pip/pip.conf \
        "$base/pip.conf" "$VIRTUAL_ENV/pip.conf"; do show pip "$file"; done
    node=$(command -v npm) && node=$(dirname "$(dirname "$node")")
    for file in "$NPM_CONFIG_USERCONFIG" "$NPM_CONFIG_GLOBALCONFIG" /root/.npmrc "$node/etc/npmrc" /etc/npmrc \
        /usr/local/etc/npmrc /usr/local/lib/node_modules/npm/npmrc /usr/share/nodejs/npm/npmrc; do
        show npm "$file"; done
    for file in /etc/apt/sources.list /etc/apt/sources.list.d/*.list; do show apt "$file"; done
    for file in /etc/apt/sources.list.d/*.sources; do show deb822 "$file"; done
    for file in /etc/apt/mirrors/* /etc/apk/repositories; do show apt "$file"; done
}
cd / && read_all 2>/dev/null | head -c 200000
"""
"""A script that prints what `configured_hosts` reads, from the image alone: nothing that lies in the workspace."""


def configured_hosts(printed: str) -> Sequence[str]:
    """The hosts, as HOST or HOST:PORT, that pip, npm, apt and apk fetch from in an image, and the companions of these.

    Where pip, npm or the system's packages are told nothing, their own defaults count. Addresses that are not public
    are left out, ports of services that are no web server's too: whoever makes an image is not who runs this machine.
    """
    found = [told for section in printed.split("\x1e")[1:] for told in _told(*section.split("\n", 1))]
    urls = [url for wanted, default in _DEFAULTS.items() for url in _of(wanted, found) or default]
    hosts = dict.fromkeys(host for url in [*urls, *_of(_EXTRA, found)] if (host := _host(url)) is not None)
    return list(dict.fromkeys(name for host in hosts for name in (host, *_COMPANIONS.get(host, ()))))


def _of(wanted: str, found: Sequence[tuple[str, str]]) -> Sequence[str]:
    return [url for what, url in found if what == wanted]


def _told(kind: str, text: str = "") -> Iterator[tuple[str, str]]:
    """What one section of `READ`'s output names: URLs, each with what it is for."""
    match kind:
        case "env":
            yield from _env_urls(text)
        case "pip":
            yield from _pip_urls(text)
        case "npm":
            yield from _npm_urls(text)
        case "apt":
            for line in _without_comments(text):
                yield from ((_SYSTEM, url) for url in _URL.findall(line)[:1])
        case "deb822":
            yield from ((_SYSTEM, url) for url in _deb822_urls(text))


def _env_urls(text: str) -> Iterator[tuple[str, str]]:
    for line in text.splitlines():
        name, _, value = line.partition("=")
        if (what := _VARIABLES.get(name.upper())) is not None:
            yield from ((what, url) for url in _URL.findall(value))


def _pip_urls(text: str) -> Iterator[tuple[str, str]]:
    """Those of a pip.conf, where an indented line goes on with the value before."""
    key = ""
    for line in _without_comments(text):
        if not line[:1].isspace():
            key = re.split(r"[=:]", line, maxsplit=1)[0].strip().lower().replace("_", "-")
        if (what := _PIP_KEYS.get(key)) is not None:
            yield from ((what, url) for url in _URL.findall(line))


def _npm_urls(text: str) -> Iterator[tuple[str, str]]:
    """Those of an .npmrc: the registry of everything, or of one scope."""
    for line in _without_comments(text):
        key, _, value = line.partition("=")
        name = key.strip()
        if name == "registry" or name.endswith(":registry"):
            yield from ((_NPM if name == "registry" else _EXTRA, url) for url in _URL.findall(value))


def _deb822_urls(text: str) -> Iterator[str]:
    for stanza in re.split(r"\n[ \t]*\n", "\n".join(_without_comments(text))):
        if re.search(r"^enabled:\s*(no|false|0)\s*$", stanza, re.IGNORECASE | re.MULTILINE):
            continue
        for uris in re.findall(r"^uris:((?:.*\n?)(?:[ \t].*\n?)*)", stanza, re.IGNORECASE | re.MULTILINE):
            yield from _URL.findall(uris)


def _without_comments(text: str) -> list[str]:
    return [line for line in text.splitlines() if not line.lstrip().startswith(("#", ";"))]


def _host(url: str) -> str | None:
    """The host of a URL as it stands in a list of hosts; None for what does not belong in one."""
    try:
        parts = urlsplit(url)
        host, port = parts.hostname, parts.port
    except ValueError:
        return None
    if host is None or not _HOST.fullmatch(host):
        return None
    try:
        if not is_public(ipaddress.ip_address(host)):
            return None
    except ValueError:
        pass
    if port is None or port in _PORTS:
        return host.rstrip(".")
    return f"{host.rstrip('.')}:{port}" if port >= _FIRST_USER_PORT else None
