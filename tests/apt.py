"""Installing Debian packages on this machine, where the one who runs the tests has allowed it."""

import os
import shutil
import subprocess
from collections.abc import Callable, Sequence

from tests.providing import CannotProvide


class CannotInstall(CannotProvide):
    """The packages could not be installed; the text says why."""


def install(packages: Sequence[str], *, say: Callable[[str], None]) -> None:
    """Install packages without what they recommend. Raises `CannotInstall`."""
    names = " ".join(packages)
    say(f"installing {names} by apt-get")
    if os.geteuid() != 0:
        raise CannotInstall(f"installing {names} needs root")
    if shutil.which("apt-get") is None:
        raise CannotInstall(f"installing {names} needs apt-get (Debian or Ubuntu)")
    if not _apt_get("install", "-y", "-q", "--no-install-recommends", *packages):
        return
    _apt_get("update", "-q")  # the lists may be old or empty: tried only then
    if problem := _apt_get("install", "-y", "-q", "--no-install-recommends", *packages):
        raise CannotInstall(f"apt-get install {names} failed:\n{problem}")


def _apt_get(*arguments: str) -> str:
    """Nothing when it worked, else the end of what apt-get wrote."""
    env = {**os.environ, "DEBIAN_FRONTEND": "noninteractive"}
    done = subprocess.run(
        ["apt-get", *arguments], env=env, check=False, stdin=subprocess.DEVNULL, capture_output=True, text=True
    )
    return "" if done.returncode == 0 else (done.stdout + done.stderr)[-2000:] or f"exit code {done.returncode}"
