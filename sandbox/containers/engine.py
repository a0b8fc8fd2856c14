"""The connection to a Docker engine, and its errors in our words."""

import logging
import os
import re
import socket
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from threading import Lock
from typing import Any

import docker
import requests
from docker.errors import DockerException, NotFound

from sandbox.contract import Capacity, SandboxError, SandboxUnavailable

ENGINE_S = 60.0
"""How long the engine may take for an answer."""

_PROBE_S = 5.0
_ANY_VERSION = "1.44"  # for a question whose address holds no version
_REMAPPED = re.compile(r"/(\d+)\.(\d+)/*$")
_log = logging.getLogger(__name__)


@dataclass(frozen=True, slots=True)
class Facts:
    """What an engine says of itself. `first_uid` and `first_gid` are whom root in a container is outside of it."""

    version: str
    runtimes: Sequence[str]
    first_uid: int
    first_gid: int
    capacity: Capacity


class Engine:
    """A connection that is made at the first use."""

    def __init__(self, docker_host: str | None) -> None:
        self._docker_host = docker_host
        self._lock = Lock()
        self._client: docker.DockerClient | None = None
        self._facts: Facts | None = None

    @property
    def host(self) -> str:
        return self._docker_host or os.environ.get("DOCKER_HOST") or "unix:///var/run/docker.sock"

    @property
    def api(self) -> docker.APIClient:
        with self._lock:
            if self._client is None:
                self._client = self._connected()
            return self._client.api

    @property
    def facts(self) -> Facts:
        """What it said when it was asked last."""
        return self._facts or self.probe()

    def probe(self) -> Facts:
        """What it says of itself, asked anew and waited for a few seconds only. Raises `SandboxUnavailable`."""
        version = str(self._asked()["Version"])
        with translated("asking the Docker engine what it is"):
            told: Mapping[str, Any] = self.api.info()
        self._facts = facts_of(version, told)
        return self._facts

    def close(self) -> None:
        self._facts = None
        with self._lock:
            if self._client is not None:
                self._client.close()
                self._client = None

    def _connected(self) -> docker.DockerClient:
        version = str(self._asked()["ApiVersion"])
        return self._opened(version, ENGINE_S)

    def _opened(self, version: str, timeout_s: float) -> docker.DockerClient:
        client = docker.from_env(environment=self._environment, version=version, timeout=int(timeout_s))
        if isinstance(client.api.verify, str):  # else REQUESTS_CA_BUNDLE goes before the engine's own CA
            client.api.trust_env = False
        return client

    def _asked(self) -> Mapping[str, Any]:
        """What the engine says of itself. Raises `SandboxUnavailable`."""
        try:
            if self.host.startswith("unix://"):
                _connect_once(self.host.removeprefix("unix://"))
            if self.host.startswith("ssh://"):
                raise SandboxUnavailable(
                    f"ssh:// is not spoken here: forward the engine's socket, `ssh -nNT -L /run/sandbox.sock:"
                    f"/var/run/docker.sock {self.host.removeprefix('ssh://')}`, and set DOCKER_HOST=unix:///run/sandbox.sock"
                )
            asking = self._opened(_ANY_VERSION, _PROBE_S)
            try:
                found: Mapping[str, Any] = asking.api.version(api_version=False)
            finally:
                asking.close()
        except (DockerException, requests.RequestException, OSError) as error:
            raise SandboxUnavailable(
                f"no Docker engine answers at {self.host}: start Docker, or set DOCKER_HOST to where it listens "
                f"(`docker context ls` shows it) ({error})"
            ) from error
        return found

    @property
    def _environment(self) -> Mapping[str, str]:
        return {**os.environ, "DOCKER_HOST": self.host}


def facts_of(version: str, told: Mapping[str, Any]) -> Facts:
    """What matters of an engine's answer to `info`. Raises `SandboxUnavailable` where it leaves out what we need.

    Source: Docker, "Isolate containers with a user namespace": the engine's folder is named after the ids of its root.
    """
    first = (0, 0)
    if any("name=userns" in option for option in told.get("SecurityOptions") or ()):
        found = _REMAPPED.search(str(told.get("DockerRootDir")))
        if found is None:
            raise SandboxUnavailable(
                "the Docker engine remaps users (`userns-remap`) and does not say to whom: its folder "
                f"{told.get('DockerRootDir')!r} should end in UID.GID"
            )
        first = (int(found[1]), int(found[2]))
    capacity = Capacity(cpus=int(told.get("NCPU") or 1), memory_bytes=int(told.get("MemTotal") or 0))
    return Facts(version, tuple(told.get("Runtimes") or ()), *first, capacity)


def _connect_once(path: str) -> None:
    """Raise `OSError` where nothing listens: the SDK says so as well, but leaves its socket open."""
    with socket.socket(socket.AF_UNIX) as probe:
        probe.settimeout(_PROBE_S)
        probe.connect(path)


@contextmanager
def translated(doing: str) -> Iterator[None]:
    """Turn what the SDK and its connection raise into our errors."""
    try:
        yield
    except (requests.ConnectionError, requests.Timeout) as error:
        raise SandboxUnavailable(f"{doing} failed: the Docker engine does not answer ({error})") from error
    except (DockerException, requests.RequestException, OSError, ValueError) as error:
        raise SandboxError(f"{doing} failed: {error}") from error


@contextmanager
def reported(doing: str) -> Iterator[None]:
    """Log a failed clean-up and go on: it must not hide what came of the work. What is gone already is fine."""
    try:
        with suppress(NotFound):
            yield
    except (DockerException, requests.RequestException, OSError) as error:
        _log.warning("%s failed: %s", doing, error)
