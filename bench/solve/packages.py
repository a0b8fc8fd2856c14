"""Published packages, pinned by hash: fetched at set-up into a cache, and unpacked as the files of a repository."""

import hashlib
import io
import shutil
import subprocess
import sys
import tarfile
import tempfile
import zipfile
from collections.abc import Callable, Iterable, Mapping
from pathlib import Path, PurePosixPath
from typing import Annotated

from pydantic import BaseModel, ConfigDict, Field

PATIENCE_S = 300.0


class NotFetched(Exception):
    """A package can't be had; the text says why."""


class Package(BaseModel):
    """One published archive, known by its hash."""

    model_config = ConfigDict(extra="forbid", frozen=True)

    package: str
    version: str
    file: Annotated[str, Field(pattern=r"^[\w.+-]+\.(whl|tar\.gz)$")]
    sha256: Annotated[str, Field(pattern=r"^[0-9a-f]{64}$")]

    @property
    def requirement(self) -> str:
        return f"{self.package}=={self.version} --hash=sha256:{self.sha256}"


Download = Callable[[Iterable[Package], Path], None]


def fetch(packages: Iterable[Package], cache: Path, download: Download | None = None) -> tuple[Package, ...]:
    """Bring what is missing into the cache, and say what that was. Raises `NotFetched`; then nothing was put there."""
    wanted = tuple(sorted({one for one in packages if content(one, cache) is None}, key=lambda one: one.file))
    if not wanted:
        return ()
    cache.mkdir(parents=True, exist_ok=True)
    with tempfile.TemporaryDirectory(dir=cache, prefix="fetching-") as room:
        (download or _downloaded)(wanted, Path(room))
        # Found by hash, not by name: how a client spells the file's name is its own affair.
        arrived = {hashlib.sha256(path.read_bytes()).hexdigest(): path for path in Path(room).iterdir()}
        lacking = [one.file for one in wanted if one.sha256 not in arrived]
        if lacking:
            raise NotFetched(f"the download lacks {', '.join(lacking)}, or its hash is another")
        for one in wanted:
            shutil.move(arrived[one.sha256], cache / one.file)
    return wanted


def _downloaded(packages: Iterable[Package], into: Path) -> None:
    """Download with the package client of this interpreter. Raises `NotFetched`.

    A source distribution's metadata is read with its build backend, which must be installed: nothing is fetched for it.
    """
    wanted = tuple(packages)
    for only, suffix in (("--only-binary", ".whl"), ("--no-binary", ".tar.gz")):
        lines = [one.requirement for one in wanted if one.file.endswith(suffix)]
        if not lines:
            continue
        requirements = into / "requirements.txt"
        requirements.write_text("\n".join(lines) + "\n", "utf-8")
        command = [sys.executable, "-m", "pip", "download", "--quiet", "--disable-pip-version-check", "--no-input"]
        command += ["--no-deps", only, ":all:", "--no-build-isolation", "--require-hashes"]
        command += ["--requirement", str(requirements), "--dest", str(into)]
        try:
            done = subprocess.run(command, capture_output=True, text=True, timeout=PATIENCE_S, check=False)
        except subprocess.TimeoutExpired as late:
            raise NotFetched(f"the download did not end within {PATIENCE_S:.0f} s") from late
        if done.returncode:
            raise NotFetched("\n".join(done.stderr.strip().splitlines()[-4:]) or f"pip ended with {done.returncode}")


def content(package: Package, cache: Path) -> bytes | None:
    """The archive's bytes; None where it is not in the cache, or is not what its hash says."""
    try:
        data = (cache / package.file).read_bytes()
    except FileNotFoundError:
        return None
    return data if hashlib.sha256(data).hexdigest() == package.sha256 else None


def source(package: Package, cache: Path) -> dict[str, bytes]:
    """The files that belong into a repository, by path. Raises `NotFetched`.

    Of a wheel all but its metadata; of a source distribution all below its one folder, but generated metadata.
    """
    data = content(package, cache)
    if data is None:
        raise NotFetched(f"{package.file} is not in {cache}: fetch it first")
    files = _wheel(data) if package.file.endswith(".whl") else _sdist(data)
    return {path: files[path] for path in sorted(files) if not _foreign(PurePosixPath(path))}


def _wheel(data: bytes) -> Mapping[str, bytes]:
    with zipfile.ZipFile(io.BytesIO(data)) as archive:
        return {one.filename: archive.read(one) for one in archive.infolist() if not one.is_dir()}


def _sdist(data: bytes) -> Mapping[str, bytes]:
    found: dict[str, bytes] = {}
    with tarfile.open(fileobj=io.BytesIO(data)) as archive:
        for member in archive:
            path = PurePosixPath(member.name)
            if member.isfile() and len(path.parts) > 1 and (file := archive.extractfile(member)):
                found[PurePosixPath(*path.parts[1:]).as_posix()] = file.read()
    return found


def _foreign(path: PurePosixPath) -> bool:
    """Metadata of the packaging, and what would lead out of the folder."""
    if path.is_absolute() or ".." in path.parts:
        return True
    return path.parts[0].endswith((".dist-info", ".data", ".egg-info")) or path.name == "PKG-INFO"
