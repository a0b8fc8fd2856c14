"""Fetch the source distributions that the tests with real packages work on: `python -m tests.real.fetch`.

They are pinned by hash, kept in `.cache/sdists` and never committed. What is there already is not fetched again, so a
second call needs no network. Exit code 1 says that they can't be had, and why.
"""

import hashlib
import re
import shutil
import subprocess
import sys
import tempfile
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path

REQUIREMENTS = Path(__file__).with_name("requirements.txt")
SDISTS = Path(__file__).parents[2] / ".cache" / "sdists"
PATIENCE_S = 300.0

_PIN = re.compile(r"^(?P<name>[\w.-]+)==(?P<version>\S+) --hash=sha256:(?P<sha256>[0-9a-f]{64})$", re.MULTILINE)


class NotFetched(Exception):
    """The source distributions can't be had; the text says why."""


@dataclass(frozen=True, slots=True)
class Pin:
    """One source distribution, known by its hash."""

    name: str
    version: str
    sha256: str

    @property
    def file_name(self) -> str:
        return f"{self.name}-{self.version}.tar.gz"


def pins() -> tuple[Pin, ...]:
    """Every source distribution that the requirements name."""
    return tuple(Pin(**found.groupdict()) for found in _PIN.finditer(REQUIREMENTS.read_text("utf-8")))


def content(pin: Pin, directory: Path = SDISTS) -> bytes | None:
    """The archive's bytes; None where it is not there or is not what the pin says."""
    try:
        data = (directory / pin.file_name).read_bytes()
    except FileNotFoundError:
        return None
    return data if hashlib.sha256(data).hexdigest() == pin.sha256 else None


def missing(directory: Path = SDISTS) -> tuple[Pin, ...]:
    """What is still to be fetched."""
    return tuple(pin for pin in pins() if content(pin, directory) is None)


def download(into: Path) -> None:
    """Download what the requirements name, as source, with the package client of this interpreter.

    The client reads each package's metadata with its build backend, so the backends must be installed; nothing is
    fetched for them. Raises `NotFetched`.
    """
    command = [sys.executable, "-m", "pip", "download", "--quiet", "--disable-pip-version-check", "--no-input"]
    command += ["--no-deps", "--no-binary", ":all:", "--no-build-isolation", "--require-hashes"]
    command += ["--requirement", str(REQUIREMENTS), "--dest", str(into)]
    try:
        done = subprocess.run(command, capture_output=True, text=True, timeout=PATIENCE_S, check=False)
    except subprocess.TimeoutExpired as late:
        raise NotFetched(f"the download did not end within {PATIENCE_S:.0f} s") from late
    if done.returncode:
        raise NotFetched("\n".join(done.stderr.strip().splitlines()[-4:]) or f"pip ended with {done.returncode}")


def fetch(directory: Path = SDISTS, download: Callable[[Path], None] = download) -> Sequence[Pin]:
    """Bring in what is missing, and say what that was. Raises `NotFetched`; then nothing was put in place."""
    wanted = missing(directory)
    if not wanted:
        return ()
    directory.mkdir(parents=True, exist_ok=True)
    with tempfile.TemporaryDirectory(dir=directory, prefix="fetching-") as room:
        download(Path(room))
        # Found by hash, not by name: how a client spells the file's name is its own affair.
        arrived = {hashlib.sha256(path.read_bytes()).hexdigest(): path for path in Path(room).iterdir()}
        lacking = [pin.file_name for pin in wanted if pin.sha256 not in arrived]
        if lacking:
            raise NotFetched(f"the download lacks {', '.join(lacking)}, or its hash is another")
        for pin in wanted:
            shutil.move(arrived[pin.sha256], directory / pin.file_name)
    return wanted


def main() -> None:
    try:
        fetched = fetch()
    except NotFetched as reason:
        sys.exit(f"The source distributions for the tests with real packages can't be had:\n{reason}")
    for pin in fetched:
        sys.stderr.write(f"fetched {pin.file_name}\n")


if __name__ == "__main__":
    main()
