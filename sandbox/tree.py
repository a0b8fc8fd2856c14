"""Archives in and out of a folder on this machine. Links in the folder are data: they are never followed."""

import io
import os
import shutil
import stat
import tarfile
from collections.abc import Iterator, Sequence
from pathlib import Path, PurePosixPath

from sandbox.contract import SandboxError, WorkspaceFull
from sandbox.paths import relative


def unpack(archive: bytes, folder: Path) -> None:
    """Unpack files, folders and links; owners, devices and set-uid bits of the archive are passed over.

    Raises `SandboxError` for an archive that is damaged or that names something outside the folder.
    """
    prepared, _ = with_folders(archive)
    try:
        with tarfile.open(fileobj=io.BytesIO(prepared), mode="r:") as opened:
            for entry in opened:
                _unpack_entry(opened, entry, folder)
    except (tarfile.TarError, OSError) as error:
        raise SandboxError(f"unpacking failed: {error}") from error


def with_folders(archive: bytes) -> tuple[bytes, list[str]]:
    """The archive, made to name every folder before what is in it, and the paths of its files and links.

    A tar program then makes each a folder where a link was, instead of following the link. Raises `SandboxError` for
    an archive that is damaged, or names something outside the folder.
    """
    folders: set[str] = set()
    files: list[str] = []
    try:
        with tarfile.open(fileobj=io.BytesIO(archive), mode="r:") as opened:
            for entry in opened:
                path = relative(entry.name)
                folders.update(str(parent) for parent in PurePosixPath(path).parents)
                if not entry.isdir():
                    files.append(path)
    except tarfile.TarError as error:
        raise SandboxError(f"unpacking failed: {error}") from error
    if inside := folders.intersection(files):
        raise SandboxError(f"unpacking failed: the archive has files in what is a file or a link: {min(inside)!r}")
    return _folder_entries(sorted(folders - {"."})) + archive, files


def pack(folder: Path, paths: Sequence[str], *, exclude: Sequence[str], limit_bytes: int) -> bytes:
    """An archive of the paths (none: of everything), without what `exclude` names.

    Raises `WorkspaceFull` when the files are larger than `limit_bytes`.
    """
    buffer = io.BytesIO()
    left_out = frozenset(exclude)
    try:
        with tarfile.open(fileobj=buffer, mode="w", format=tarfile.GNU_FORMAT) as archive:
            for start in paths or (".",):
                for path in _below(folder, relative(start), left_out):
                    if buffer.tell() + (folder / path).lstat().st_size > limit_bytes:
                        raise WorkspaceFull(f"packing failed: more than {limit_bytes} bytes")
                    _pack_entry(archive, folder, path)
    except (tarfile.TarError, OSError) as error:
        raise SandboxError(f"packing failed: {error}") from error
    return buffer.getvalue()


def remove(folder: Path, path: str) -> None:
    """Delete a file, a link or a folder with all in it. What is behind a link is somewhere else, and not touched."""
    target = folder / relative(path)
    if not _parents_are_folders(folder, target):
        return
    if target.is_dir() and not target.is_symlink():
        remove_all(target)
        if target == folder:
            folder.mkdir()
    else:
        target.unlink(missing_ok=True)


def remove_all(folder: Path) -> None:
    """Delete a folder whatever the permissions in it say, as far as they are ours to change.

    Raises `OSError` when something is another user's.
    """
    for current, names, _ in os.walk(folder):  # top down: a folder is opened up before it is looked into
        for name in names:
            below = Path(current, name)
            if not below.is_symlink():
                _let_owner(below, stat.S_IRWXU)
    shutil.rmtree(folder)


def _folder_entries(folders: Sequence[str]) -> bytes:
    """The start of an archive that holds the folders: another archive may follow."""
    buffer = io.BytesIO()
    with tarfile.open(fileobj=buffer, mode="w", format=tarfile.GNU_FORMAT) as archive:
        for folder in folders:
            entry = tarfile.TarInfo(folder)
            entry.type, entry.mode = tarfile.DIRTYPE, 0o755
            archive.addfile(entry)
        end = buffer.tell()
    return buffer.getvalue()[:end]


def _unpack_entry(opened: tarfile.TarFile, entry: tarfile.TarInfo, folder: Path) -> None:
    target = folder / relative(entry.name)
    if target == folder:
        return
    for parent in reversed(target.relative_to(folder).parents[:-1]):
        _make_folder(folder / parent)
    if entry.isdir():
        _make_folder(target)
        target.chmod(stat.S_IRWXU | (entry.mode & 0o077))
        return
    if not (entry.isreg() or entry.issym() or entry.islnk()):
        return
    _clear(target)
    if entry.issym():
        target.symlink_to(entry.linkname)
        return
    content = opened.extractfile(entry)
    if content is None:
        raise SandboxError(f"a hard link to nothing: {entry.name!r}")
    with target.open("xb") as output:
        shutil.copyfileobj(content, output)
    target.chmod(stat.S_IRUSR | stat.S_IWUSR | (entry.mode & 0o777))


def _make_folder(path: Path) -> None:
    """Make sure that a real folder, not a link to one, has this name."""
    if path.is_symlink() or not path.is_dir():
        _clear(path)
        path.mkdir()


def _clear(path: Path) -> None:
    if path.is_dir() and not path.is_symlink():
        remove_all(path)
    else:
        path.unlink(missing_ok=True)


def _below(folder: Path, start: str, left_out: frozenset[str]) -> Iterator[str]:
    """The path and all below it, folders before what is in them."""
    target = folder / start
    if left_out.intersection(start.split("/")) or not _parents_are_folders(folder, target):
        return
    if not os.path.lexists(target):
        return
    yield start
    if target.is_dir() and not target.is_symlink():
        if not os.access(target, os.R_OK | os.X_OK):
            _let_owner(target, stat.S_IRUSR | stat.S_IXUSR)
        for name in sorted(os.listdir(target)):  # noqa: PTH208 - names alone
            if name not in left_out:
                yield from _below(folder, name if start == "." else f"{start}/{name}", left_out)


def _pack_entry(archive: tarfile.TarFile, folder: Path, path: str) -> None:
    target = folder / path
    if stat.S_ISSOCK(target.lstat().st_mode):  # it has no place in an archive
        return
    entry = archive.gettarinfo(target, arcname=path)
    entry.uid = entry.gid = 0
    entry.uname = entry.gname = ""
    if not entry.isreg():
        archive.addfile(entry)
        return
    if not os.access(target, os.R_OK):
        _let_owner(target, stat.S_IRUSR)
    with target.open("rb") as content:
        archive.addfile(entry, content)


def _parents_are_folders(folder: Path, target: Path) -> bool:
    between = [folder / parent for parent in target.relative_to(folder).parents]
    return all(parent.is_dir() and (parent == folder or not parent.is_symlink()) for parent in between)


def _let_owner(path: Path, bits: int) -> None:
    path.chmod(stat.S_IMODE(path.lstat().st_mode) | bits)
