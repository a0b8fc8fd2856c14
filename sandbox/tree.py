"""Archives in and out of a folder on this machine. Links in the folder are data: they are never followed.

Nothing may run in the folder meanwhile.
"""

import errno
import io
import mmap
import os
import stat
import tarfile
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import BinaryIO

from sandbox import folders
from sandbox.contract import SandboxError, WorkspaceFull
from sandbox.folders import Found, Making
from sandbox.paths import relative

_NEW_FILE = os.O_WRONLY | os.O_CREAT | os.O_EXCL | os.O_NOFOLLOW | os.O_CLOEXEC
_READ = os.O_RDONLY | os.O_NOFOLLOW | os.O_NONBLOCK | os.O_CLOEXEC
_NO_ROOM = frozenset({errno.ENOSPC, errno.EDQUOT, errno.EFBIG})


def unpack(archive: bytes, folder: Path) -> None:
    """Unpack files, folders and links; owners, devices and set-uid bits of the archive are passed over.

    Raises `SandboxError` for an archive that is damaged or that names something outside the folder, `WorkspaceFull`
    where there is no room.
    """
    _unpack(io.BytesIO(archive), memoryview(archive), folder)


def unpack_from(archive: BinaryIO, folder: Path) -> None:
    """`unpack`, of an archive that is an open file."""
    with _translated("unpacking"):
        mapped = mmap.mmap(archive.fileno(), 0, access=mmap.ACCESS_READ)
        _unpack(archive, memoryview(mapped), folder)  # neither can be closed while an error still points into it


def with_folders(archive: bytes) -> tuple[bytes, list[str]]:
    """The archive, made to name every folder before what is in it, and the paths of its files and links.

    A tar program then makes each a folder where a link was, instead of following the link. Raises `SandboxError` for
    an archive that is damaged, or names something outside the folder.
    """
    with _translated("unpacking"), tarfile.open(fileobj=io.BytesIO(archive), mode="r:") as opened:
        found, files = _folders_and_files(_entries(opened))
    return _folder_entries(found) + archive, files


def pack(folder: Path, paths: Sequence[str], *, exclude: Sequence[str], limit_bytes: int) -> bytes:
    """An archive of the paths (none: of everything), without what `exclude` names: files, folders and links.

    Raises `WorkspaceFull` when the files are larger than `limit_bytes`.
    """
    buffer = io.BytesIO()
    pack_into(buffer, folder, paths, exclude=exclude, limit_bytes=limit_bytes)
    return buffer.getvalue()


def pack_into(
    output: BinaryIO, folder: Path, paths: Sequence[str], *, exclude: Sequence[str], limit_bytes: int
) -> None:
    """`pack`, into an open file."""
    with (
        _translated("packing"),
        folders.opened(folder) as root,
        tarfile.open(fileobj=output, mode="w", format=tarfile.GNU_FORMAT) as archive,
    ):
        packed: dict[tuple[int, int], str] = {}  # where the content of a file with several names is
        for start in paths or (".",):
            for found in folders.below(root, _parts(relative(start)), frozenset(exclude)):
                earlier = packed.setdefault((found.status.st_dev, found.status.st_ino), found.path)
                is_file = stat.S_ISREG(found.status.st_mode)
                is_new = earlier == found.path
                if output.tell() + (found.status.st_size if is_file and is_new else 0) > limit_bytes:
                    raise WorkspaceFull(f"packing failed: more than {limit_bytes} bytes")
                if is_file and not is_new:
                    _pack_name(archive, found, earlier)
                else:
                    _pack_entry(archive, found)


def remove(folder: Path, path: str) -> None:
    """Delete a file, a link or a folder with all in it. What is behind a link is somewhere else, and not touched.

    Raises `OSError` when something is another user's.
    """
    parts = _parts(relative(path))
    with folders.opened(folder) as root:
        if not parts:
            folders.empty(root)
        elif (parent := folders.entered(root, parts[:-1])) is not None:
            with folders.closing(parent):
                folders.clear(parts[-1], parent)


def remove_all(folder: Path) -> None:
    """Delete a folder whatever the permissions in it say, as far as they are ours to change.

    Raises `OSError` when something is another user's.
    """
    with folders.opened(folder) as root:
        folders.empty(root)
    folder.rmdir()


def _parts(path: str) -> Sequence[str]:
    return [] if path == "." else path.split("/")


def _unpack(archive: BinaryIO, contents: memoryview, folder: Path) -> None:
    with (
        _translated("unpacking"),
        tarfile.open(fileobj=archive, mode="r:") as opened,
        folders.opened(folder) as root,
        Making(root) as making,
    ):
        entries = _entries(opened)
        _folders_and_files(entries)
        files: dict[str, tarfile.TarInfo] = {}
        for path, entry in entries:
            if path == ".":
                continue
            if entry.isdir():
                os.fchmod(making.folder(path), stat.S_IRWXU | (entry.mode & 0o077))
            elif entry.issym():
                _link(entry.linkname, path, making)
            elif entry.isreg():
                files[path] = entry
                _write(_content(opened, entry, contents), entry.mode, path, making)
            elif entry.islnk():
                if (target := files.get(relative(entry.linkname))) is None:
                    raise SandboxError(f"unpacking failed: a hard link to nothing: {path!r}")
                _write(_content(opened, target, contents), target.mode, path, making)


def _entries(opened: tarfile.TarFile) -> Sequence[tuple[str, tarfile.TarInfo]]:
    """What is in an archive, by its path."""
    return [(relative(entry.name), entry) for entry in opened]


def _content(opened: tarfile.TarFile, entry: tarfile.TarInfo, contents: memoryview) -> bytes | memoryview:
    if entry.issparse():
        file = opened.extractfile(entry)
        return b"" if file is None else file.read()
    return contents[entry.offset_data : entry.offset_data + entry.size]


def _link(target: str, path: str, making: Making) -> None:
    parent, _, name = path.rpartition("/")
    at = making.folder(parent)
    folders.clear(name, at)
    os.symlink(target, name, dir_fd=at)


def _write(content: bytes | memoryview, mode: int, path: str, making: Making) -> None:
    parent, _, name = path.rpartition("/")
    at = making.folder(parent)
    try:
        made = os.open(name, _NEW_FILE, 0o600, dir_fd=at)
    except FileExistsError:
        folders.clear(name, at)
        made = os.open(name, _NEW_FILE, 0o600, dir_fd=at)
    with folders.closing(made):
        while len(content):
            content = content[os.write(made, content) :]
        os.fchmod(made, stat.S_IRUSR | stat.S_IWUSR | (mode & 0o777))


def _folders_and_files(entries: Sequence[tuple[str, tarfile.TarInfo]]) -> tuple[list[str], list[str]]:
    """The folders, those that only a file's path names too, and the files and links. Raises `SandboxError`."""
    found: set[str] = set()
    files: list[str] = []
    for path, entry in entries:
        parent = path if entry.isdir() else path.rpartition("/")[0]
        while parent and parent not in found:
            found.add(parent)
            parent = parent.rpartition("/")[0]
        if not entry.isdir():
            files.append(path)
    if inside := found.intersection(files):
        raise SandboxError(f"unpacking failed: the archive has files in what is a file or a link: {min(inside)!r}")
    return sorted(found - {"."}), files


def _folder_entries(found: Sequence[str]) -> bytes:
    """The start of an archive that holds the folders: another archive may follow."""
    buffer = io.BytesIO()
    with tarfile.open(fileobj=buffer, mode="w", format=tarfile.GNU_FORMAT) as archive:
        for folder in found:
            entry = tarfile.TarInfo(folder)
            entry.type, entry.mode = tarfile.DIRTYPE, 0o755
            archive.addfile(entry)
        end = buffer.tell()
    return buffer.getvalue()[:end]


def _pack_name(archive: tarfile.TarFile, found: Found, earlier: str) -> None:
    entry = tarfile.TarInfo(found.path)
    entry.type, entry.linkname = tarfile.LNKTYPE, earlier
    entry.mode = stat.S_IMODE(found.status.st_mode)
    entry.mtime = found.status.st_mtime
    archive.addfile(entry)


def _pack_entry(archive: tarfile.TarFile, found: Found) -> None:
    entry = tarfile.TarInfo(found.path)
    entry.mode = stat.S_IMODE(found.status.st_mode)
    entry.mtime = found.status.st_mtime
    if stat.S_ISREG(found.status.st_mode):
        entry.size = found.status.st_size
        if not found.status.st_mode & stat.S_IRUSR:
            os.chmod(found.name, entry.mode | stat.S_IRUSR, dir_fd=found.at)  # a file, as its status says: no link
        with os.fdopen(os.open(found.name, _READ, dir_fd=found.at), "rb") as content:
            archive.addfile(entry, content)
    elif stat.S_ISDIR(found.status.st_mode):
        entry.type = tarfile.DIRTYPE
        archive.addfile(entry)
    elif stat.S_ISLNK(found.status.st_mode):
        entry.type, entry.linkname = tarfile.SYMTYPE, os.readlink(found.name, dir_fd=found.at)
        archive.addfile(entry)


@contextmanager
def _translated(doing: str) -> Iterator[None]:
    """Say in the contract's words what the folder or the archive refuses."""
    try:
        yield
    except OSError as error:
        kind = WorkspaceFull if error.errno in _NO_ROOM else SandboxError
        raise kind(f"{doing} failed: {error.strerror or error}") from error
    except (tarfile.TarError, ValueError) as error:  # ValueError: an empty file, numbers that no file can have
        raise SandboxError(f"{doing} failed: {error}") from error
