"""A base image without a registry: the host's own installed Debian packages, as the tar archive of a root directory."""

import io
import os
import re
import stat
import subprocess
import tarfile
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import BinaryIO

PACKAGES: Sequence[str] = (
    "base-files",
    "base-passwd",
    "bash",
    "ca-certificates",
    "coreutils",
    "dash",
    "debianutils",
    "diffutils",
    "findutils",
    "git",
    "grep",
    "gzip",
    "hostname",
    "libc-bin",
    "make",
    "mawk",
    "ncurses-base",
    "patch",
    "perl-base",
    "procps",
    "python3",
    "python3-pip",
    "python3-pytest",
    "python3-setuptools",
    "python3-venv",
    "python3-wheel",
    "sed",
    "tar",
    "util-linux",
)
"""What the tests expect in the image; their dependencies come along."""

_NOT_NEEDED = re.compile(
    r"^/usr/share/(man|locale|info|lintian|bug|doc|doc-base|perl|gitweb|i18n|zoneinfo)(/|$)|/__pycache__(/|$)"
    r"|/EXTERNALLY-MANAGED$"  # the image is nobody's system: pip may install into it, as in the official Python images
)
_MADE_BY_INSTALL_SCRIPTS = (
    "/etc/alternatives",
    "/etc/ld.so.cache",
    "/etc/nsswitch.conf",
    "/etc/ssl/certs/ca-certificates.crt",
)
_MERGED = ("/bin", "/sbin", "/lib", "/lib32", "/lib64", "/libx32")
_EMPTY_FOLDERS: Mapping[str, int] = {
    "dev": 0o755,
    "proc": 0o755,
    "root": 0o700,
    "run": 0o755,
    "sys": 0o755,
    "tmp": 0o1777,
    "usr/local/bin": 0o755,
    "var/tmp": 0o1777,
}
_TEXTS: Mapping[str, str] = {
    "etc/passwd": "root:x:0:0:root:/root:/bin/bash\nnobody:x:65534:65534:nobody:/nonexistent:/usr/sbin/nologin\n",
    "etc/group": "root:x:0:\ntty:x:5:\nmail:x:8:\nnogroup:x:65534:\n",
}


@dataclass(frozen=True, slots=True)
class Package:
    """An installed package. `depends` are the groups of alternatives that it needs."""

    name: str
    version: str
    depends: Sequence[Sequence[str]]
    provides: Sequence[str]


def installed() -> Mapping[str, Package]:
    """The packages that are installed on this machine, by name."""
    fields = ("db:Status-Status", "Package", "Version", "Pre-Depends", "Depends", "Provides")
    shown = subprocess.run(
        ["dpkg-query", "-W", "-f", "\\t".join(f"${{{field}}}" for field in fields) + "\\n"],
        check=True,
        capture_output=True,
        text=True,
    ).stdout
    packages: dict[str, Package] = {}
    for line in shown.splitlines():
        status, name, version, before, depends, provides = line.split("\t")
        if status == "installed":
            needs = [_names(group, "|") for group in f"{before},{depends}".split(",") if group.strip()]
            packages.setdefault(name, Package(name, version, needs, _names(provides, ",")))
    return packages


def closure(wanted: Iterable[str], packages: Mapping[str, Package]) -> Mapping[str, Package]:
    """The wanted packages and all that they depend on, as far as it is installed."""
    providers = {virtual: package.name for package in packages.values() for virtual in package.provides}
    found: dict[str, Package] = {}
    queue = [name for name in wanted if name in packages]
    while queue:
        name = queue.pop()
        if name in found:
            continue
        found[name] = packages[name]
        for alternatives in packages[name].depends:
            direct = next((other for other in alternatives if other in packages), None)
            virtual = next((providers[other] for other in alternatives if other in providers), None)
            queue.extend(chosen for chosen in (direct or virtual,) if chosen is not None)
    return found


def write_root(packages: Mapping[str, Package], output: BinaryIO) -> None:
    """Write the packages' files as a tar archive: no manuals, no caches, nothing set-uid."""
    listed = subprocess.run(["dpkg-query", "-L", *sorted(packages)], check=True, capture_output=True, text=True).stdout
    paths = {line for line in listed.splitlines() if line.startswith("/") and not _NOT_NEEDED.search(line)}
    with tarfile.open(fileobj=output, mode="w", format=tarfile.GNU_FORMAT) as archive:
        root = _Root(archive)
        for name, text in _TEXTS.items():
            root.add_text(name, text)
        for top in _MERGED:
            root.add(top)
        for path in sorted(paths - {"/."}):
            root.add(path)
        compiled = {f"{Path(path).parent}/__pycache__" for path in paths if path.endswith(".py")}
        for path in (*_MADE_BY_INSTALL_SCRIPTS, *sorted(compiled)):
            for below in _walk(path):
                root.add(below)
        for name, mode in _EMPTY_FOLDERS.items():
            root.add_folder(name, mode)


class _Root:
    """A tar archive of host paths in which each path stands once, below its parents."""

    def __init__(self, archive: tarfile.TarFile) -> None:
        self._archive = archive
        self._done: set[str] = set()

    def add(self, path: str) -> None:
        path = _resolved(path)
        if path in self._done or not os.path.lexists(path) or stat.S_ISSOCK(os.lstat(path).st_mode):
            return
        if (parent := str(Path(path).parent)) != "/":
            self.add(parent)
        self._done.add(path)
        entry = self._archive.gettarinfo(path, arcname=path.lstrip("/"))
        entry.mode &= ~0o6000
        if entry.isreg():
            with Path(path).open("rb") as content:
                self._archive.addfile(entry, content)
        else:
            self._archive.addfile(entry)

    def add_text(self, name: str, text: str) -> None:
        entry = tarfile.TarInfo(name)
        entry.size = len(text.encode())
        self._done.add(f"/{name}")
        self._archive.addfile(entry, io.BytesIO(text.encode()))

    def add_folder(self, name: str, mode: int) -> None:
        entry = tarfile.TarInfo(name)
        entry.type, entry.mode = tarfile.DIRTYPE, mode
        if f"/{name}" not in self._done:
            self._archive.addfile(entry)


def _names(field: str, separator: str) -> Sequence[str]:
    return [re.split(r"[ (:]", part.strip())[0] for part in field.split(separator) if part.strip()]


def _resolved(path: str) -> str:
    """Where the file really is, on a host whose /bin and /lib are links: /usr/bin/sh for the package's /bin/sh."""
    parent, name = os.path.split(path)
    return path if parent == "/" else str(Path(os.path.realpath(parent)) / name)


def _walk(path: str) -> Iterator[str]:
    yield path
    if os.path.isdir(path) and not os.path.islink(path):  # noqa: PTH112, PTH114 - strings throughout, as dpkg lists them
        for name in sorted(os.listdir(path)):  # noqa: PTH208
            yield from _walk(f"{path}/{name}")
