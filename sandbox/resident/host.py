"""What a workspace without an image shows of this machine, read-only: programs and libraries, and no one's files."""

import os
import stat
import sys
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

from sandbox.contract import SandboxUnavailable
from sandbox.resident import stage

OWN = (*stage.FOLDERS, "/proc", "/dev")
"""What the sandbox has of its own, where nothing of the machine shows."""

_SYSTEM = ("/usr", "/bin", "/sbin", "/lib", "/lib32", "/lib64", "/libx32", "/nix/store")
_ETC = (  # what programs don't start without, and nothing in which people put secrets
    "alternatives",
    "ca-certificates",
    "ca-certificates.conf",
    "crypto-policies",
    "debian_version",
    "fonts",
    "gai.conf",
    "java*",
    "ld.so.cache",
    "ld.so.conf",
    "ld.so.conf.d",
    "localtime",
    "magic",
    "mime.types",
    "os-release",
    "perl",
    "pki/ca-trust",
    "pki/tls/certs",
    "protocols",
    "python3*",
    "services",
    "ssl/cert.pem",
    "ssl/certs",
    "ssl/openssl.cnf",
    "timezone",
)
_FILES = {
    "/etc/passwd": (
        "root:x:0:0:root:/root:/usr/sbin/nologin\n"
        "sandbox:x:1000:1000:sandbox:/home/sandbox:/bin/sh\n"
        "nobody:x:65534:65534:nobody:/nonexistent:/usr/sbin/nologin\n"
    ),
    "/etc/group": "root:x:0:\nsandbox:x:1000:\nnogroup:x:65534:\n",
    "/etc/hosts": "127.0.0.1 localhost sandbox\n::1 localhost\n",
    "/etc/nsswitch.conf": "passwd: files\ngroup: files\nhosts: files\n",
}
_LINKS_AT_MOST = 40
_BY_OTHERS = stat.S_IROTH | stat.S_IXOTH


class NotShown(SandboxUnavailable):
    """A folder of the machine can't be shown to the code in the sandbox."""


@dataclass(frozen=True, slots=True)
class View:
    """Folders and files that show at their own paths, links made again, files of the sandbox's own; and PATH."""

    shown: Sequence[str]
    links: Mapping[str, str]
    files: Mapping[str, str]
    path: str


def view(
    readable: Sequence[Path] = (), *, environment: Mapping[str, str] | None = None, is_root: bool | None = None
) -> View:
    """The view that lets the caller's Python run, with the active virtual environment and the `readable` folders.

    Every link on the way to what is shown is made again, so that each path means what it means outside. `is_root`:
    whether the caller is, whose code in the sandbox is somebody else; None: this process. Raises `NotShown`.
    """
    active = (os.environ if environment is None else environment).get("VIRTUAL_ENV")
    interpreter = [sys.prefix, sys.exec_prefix, sys.base_prefix, sys.base_exec_prefix, sys.executable]
    settings = [str(path) for name in _ETC for path in Path("/etc").glob(name)]
    wanted = [*_SYSTEM, *settings, *interpreter, *([active] if active else [])]
    for folder in readable:
        if not folder.is_absolute() or not folder.exists():
            raise NotShown(f"{folder} can't be shown in the sandbox: it must be a path from / that is there")
        if (os.geteuid() == 0 if is_root is None else is_root) and folder.stat().st_mode & _BY_OTHERS != _BY_OTHERS:
            raise NotShown(
                f"{folder} can't be shown in the sandbox: it is for its owner alone, and the code there runs as an "
                "ordinary user (`chmod o+rx`)"
            )
    links: dict[str, str] = {}
    found: set[str] = set()
    for start in (*wanted, *map(str, readable)):
        if os.path.lexists(start):
            found.add(_resolved(start, links))
    shown = _outermost(found)
    return View(
        shown=shown,
        links={path: target for path, target in links.items() if not _is_below(path, shown)},
        files=_FILES,
        path=":".join(_programs(active)),
    )


def _programs(active: str | None) -> Iterator[str]:
    """The folders of PATH, the interpreter's own first: as with a plain process."""
    yield str(Path(sys.executable).parent)
    if active:
        yield f"{active}/bin"
    yield from ("/usr/local/sbin", "/usr/local/bin", "/usr/sbin", "/usr/bin", "/sbin", "/bin")


def _resolved(path: str, links: dict[str, str]) -> str:
    """The path without links; each link on the way is noted by where it is, with what it says."""
    current, ahead = "/", os.path.normpath(path).split("/")
    for _ in range(_LINKS_AT_MOST):
        for index, part in enumerate(ahead):
            step = os.path.normpath(os.path.join(current, part))  # noqa: PTH118 - as text
            if step != "/" and os.path.islink(step):  # noqa: PTH114 - as text
                links[step] = os.readlink(step)  # noqa: PTH115 - as text
                ahead = [*links[step].split("/"), *ahead[index + 1 :]]
                current = "/" if links[step].startswith("/") else os.path.dirname(step)  # noqa: PTH120 - as text
                break
            current = step
        else:
            return current
    raise NotShown(f"{path} can't be shown in the sandbox: too many links")


def _outermost(found: set[str]) -> Sequence[str]:
    """The paths that are below no other, none of which may hide what the sandbox has of its own."""
    shown: list[str] = []
    for path in sorted(path for path in found if os.path.exists(path)):  # noqa: PTH110 - as text
        if any(own == path or own.startswith(path.rstrip("/") + "/") for own in OWN):
            raise NotShown(f"{path} can't be shown in the sandbox: it would hide the sandbox's own folders")
        if not _is_below(path, shown):
            shown.append(path)
    return shown


def _is_below(path: str, folders: Sequence[str]) -> bool:
    return any(path == folder or path.startswith(folder + "/") for folder in folders)
