"""A fresh clone up to `make demo`'s pull request: seconds, and MB that are downloaded; and the bot's image: MB.

`python -m bench.first_time [--image NAME]`. It downloads what a newcomer downloads, into a folder that is removed
afterwards: packages first, so that the network's time is known apart, then all else without it. Not counted is the
image that the demo's tests run in, which it makes where an engine answers and lacks it.
"""

import argparse
import os
import subprocess
import sys
import tempfile
import time
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

import docker
from docker.errors import DockerException, ImageNotFound

ROOT = Path(__file__).parents[1]
MB = 1_000_000
CLONE = ("git", "clone", "--quiet", "--no-local")
DOWNLOAD = ("-m", "pip", "download", "--quiet", "--no-deps", "--require-hashes", "-r", "requirements-dev.lock", "-d")


@dataclass(frozen=True, slots=True)
class Step:
    """What one step took."""

    name: str
    seconds: float
    downloaded_bytes: int


def main() -> None:
    """Do it once, and print what it took."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--image", default="selfcode", help="the bot's image, where it is built")
    image = parser.parse_args().image
    with tempfile.TemporaryDirectory(prefix="selfcode-first-") as name:
        folder, clone, packages = Path(name), Path(name) / "selfcode", Path(name) / "packages"
        offline = {"PIP_NO_INDEX": "1", "PIP_FIND_LINKS": str(packages)}
        make = ["make", "--silent", f"PYTHON={sys.executable}"]
        steps = [
            _step("git clone", [*CLONE, str(ROOT), str(clone)], folder, brings=clone / ".git"),
            _step("packages", [sys.executable, *DOWNLOAD, str(packages)], clone, brings=packages),
            _step("the virtual environment", [*make, ".venv/.ready"], clone, variables=offline),
            _step("make demo, to the pull request", [*make, "demo"], clone, variables=offline),
        ]
        disk_bytes = _size(clone / ".venv")
    seconds, downloaded_bytes = sum(step.seconds for step in steps), sum(step.downloaded_bytes for step in steps)
    for step in (*steps, Step("all", seconds, downloaded_bytes)):
        print(f"{step.name:32} {step.seconds:7.1f} s   {step.downloaded_bytes / MB:7.1f} MB downloaded")
    print(f"{'.venv on the disk':32} {disk_bytes / MB:19.1f} MB")
    print(f"{'image ' + image:32} {_image(image):>19}")


def _step(
    name: str,
    command: Sequence[str],
    folder: Path,
    *,
    brings: Path | None = None,
    variables: Mapping[str, str] | None = None,
) -> Step:
    """Do it; `brings` is where what it downloads lies afterwards."""
    began = time.monotonic()
    done = subprocess.run(command, cwd=folder, env={**os.environ, **(variables or {})}, stdout=sys.stderr, check=False)
    if done.returncode != 0:
        sys.exit(f"{name}: exit code {done.returncode}")
    return Step(name, time.monotonic() - began, _size(brings) if brings else 0)


def _size(folder: Path) -> int:
    return sum(path.lstat().st_size for path in folder.rglob("*") if path.is_file() and not path.is_symlink())


def _image(name: str) -> str:
    try:
        return f"{docker.from_env().images.get(name).attrs['Size'] / MB:.1f} MB"
    except ImageNotFound:
        return "not built"
    except DockerException:
        return "no engine answers"


if __name__ == "__main__":
    main()
