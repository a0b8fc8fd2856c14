"""A Docker engine of the tests' own: started beside any other, and gone afterwards with all that it made."""

import shutil
import signal
import socket
import subprocess
import tempfile
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from functools import partial
from pathlib import Path

import docker
from docker.errors import DockerException

from tests import apt
from tests.providing import CannotProvide
from tests.with_parent import end_with_parent

_READY_S = 60.0
_STOP_S = 30.0


class CannotStart(CannotProvide):
    """No engine could be started; the text says why."""


@contextmanager
def private_engine(*, say: Callable[[str], None]) -> Iterator[str]:
    """Start an engine, installing it where it is missing; its address, for `DOCKER_HOST`.

    It has no bridge and touches no firewall rules: the tests' containers have no network. Raises `CannotProvide`.
    """
    if shutil.which("dockerd") is None:
        apt.install(["docker.io", "iptables"], say=say)
    folder = Path(tempfile.mkdtemp(prefix="selfcode-engine-"))
    try:
        process = started(folder)
        try:
            say(f"a private Docker engine answers at {address(folder)}")
            yield address(folder)
            remove_containers(address(folder))
        finally:
            end(process)
    finally:
        unmount_below(folder)
        shutil.rmtree(folder, ignore_errors=True)
        if folder.exists():
            say(f"could not remove {folder}")


def started(folder: Path) -> "subprocess.Popen[bytes]":
    """An engine that answers, over what one before it may have left in the folder. Raises `CannotStart`."""
    options = ["--bridge=none", "--iptables=false", "--ip6tables=false", "--log-level=warn"]
    places = ["--data-root", f"{folder}/data", "--exec-root", f"{folder}/exec", "--pidfile", f"{folder}/pid"]
    with (folder / "log").open("ab") as log:
        process = subprocess.Popen(
            ["dockerd", *places, "-H", address(folder), *options],
            stdin=subprocess.DEVNULL,
            stdout=log,
            stderr=log,
            start_new_session=True,  # Ctrl-C is for the tests: the engine is stopped after them
            preexec_fn=partial(end_with_parent, signal.SIGTERM),  # noqa: PLW1509 - it does what is safe beside threads
        )
    try:
        _wait_until_ready(process, address(folder), folder / "log")
    except BaseException:
        process.kill()
        process.wait()
        raise
    return process


def end(process: "subprocess.Popen[bytes]") -> None:
    """End an engine, in its own way if it can."""
    process.terminate()
    try:
        process.wait(_STOP_S)
    except subprocess.TimeoutExpired:
        process.kill()
        process.wait()


def address(folder: Path) -> str:
    """Where the engine of this folder answers, for `DOCKER_HOST`."""
    return f"unix://{folder}/docker.sock"


def answers(host: str | None) -> bool:
    """Whether an engine answers there (None: where the environment says, or at the usual place)."""
    if host is not None and host.startswith("unix://"):
        return _answers_at(host.removeprefix("unix://"))
    try:
        client = docker.DockerClient(base_url=host) if host else docker.from_env()
    except DockerException:
        return False
    client.close()
    return True


def remove_containers(host: str) -> None:
    """Remove all that an engine has, with their volumes."""
    with suppress(DockerException):
        client = docker.DockerClient(base_url=host)
        for container in client.containers.list(all=True):
            container.remove(force=True, v=True)
        client.close()


def unmount_below(folder: Path) -> None:
    """Unmount what an engine leaves: deepest first."""
    mounted = [line.split()[1] for line in Path("/proc/mounts").read_text().splitlines()]
    for path in sorted((path for path in mounted if path.startswith(f"{folder}/")), reverse=True):
        subprocess.run(["umount", path], check=False, capture_output=True)


def _wait_until_ready(process: subprocess.Popen[bytes], host: str, log: Path) -> None:
    deadline = time.monotonic() + _READY_S
    while not answers(host):
        if process.poll() is not None or time.monotonic() > deadline:
            raise CannotStart(f"dockerd did not start:\n{log.read_text(errors='replace')[-2000:]}")
        time.sleep(0.1)


def _answers_at(path: str) -> bool:
    """The library leaves a connection open where an engine takes it and says nothing."""
    with socket.socket(socket.AF_UNIX) as asking, suppress(OSError):
        asking.settimeout(5)
        asking.connect(path)
        asking.sendall(b"GET /_ping HTTP/1.0\r\n\r\n")
        return b" 200 " in asking.recv(64)
    return False
