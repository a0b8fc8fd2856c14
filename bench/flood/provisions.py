"""Probot, fetched at set-up, pinned by its lock file, kept outside git."""

import hashlib
import shutil
import subprocess
from pathlib import Path

from bot.errors import ConfigError

CACHE = Path(__file__).parents[2] / ".cache" / "flood"
SOURCE = Path(__file__).parent / "probot"
PINNED = ("package.json", "package-lock.json")
_FETCH_S = 300.0


def probot(cache: Path = CACHE) -> Path:
    """The folder that Probot and the program that runs it are in, fetched where it is missing. Raises `ConfigError`."""
    folder = cache / "probot"
    digest = hashlib.sha256(b"".join((SOURCE / name).read_bytes() for name in PINNED)).hexdigest()[:12]
    mark = folder / f".ready-{digest}"
    if not mark.is_file():
        _fetch(folder)
        mark.touch()
    shutil.copy(SOURCE / "app.mjs", folder)
    return folder


def _fetch(folder: Path) -> None:
    """Everything that the lock file names, each with its hash; no package runs anything of its own for that."""
    if shutil.which("npm") is None or shutil.which("node") is None:
        raise ConfigError("Node.js is not installed")
    shutil.rmtree(folder, ignore_errors=True)
    folder.mkdir(parents=True)
    for name in PINNED:
        shutil.copy(SOURCE / name, folder)
    command = ["npm", "ci", "--no-audit", "--no-fund", "--ignore-scripts"]
    try:
        done = subprocess.run(command, cwd=folder, capture_output=True, text=True, check=False, timeout=_FETCH_S)
    except subprocess.TimeoutExpired as slow:
        raise ConfigError(f"npm did not come to an end in {_FETCH_S:.0f} s") from slow
    if done.returncode:
        raise ConfigError("npm failed:\n" + "\n".join(done.stderr.strip().splitlines()[-4:]))
