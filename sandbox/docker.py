"""Containers and images: the only door to the Docker engine."""

import logging
import os
import socket
import time
import uuid
from collections.abc import Iterator, Mapping, Sequence
from contextlib import AbstractContextManager, contextmanager, suppress
from dataclasses import dataclass
from pathlib import Path
from threading import Lock
from typing import Any, Self

import docker
import requests
from docker.errors import APIError, DockerException, NotFound

from sandbox import container, scripts
from sandbox.container import WORKSPACE, Plan
from sandbox.contract import Ending, Limits, SandboxError, SandboxUnavailable, Workspace
from sandbox.frames import Frames, Stream
from sandbox.output import Output, Watch
from sandbox.workspace import SHELL, ContainerWorkspace, SetupWorkspace

OWNER_LABEL = "selfcode.owner"
LEFT_LABEL = "selfcode.left"
"""On an image: the path in it of an archive of what its setup left in the workspace."""

_CHUNK = 256 * 1024
_ENGINE_S = 60.0
_PROBE_S = 5.0
_ANY_VERSION = "1.44"  # for a question whose address holds no version
_LAG_S = 5.0
_DRAIN_S = 1.0
_LOOK_S = 0.5
_INIT_PROCESSES = 2
_log = logging.getLogger(__name__)


@dataclass(frozen=True, slots=True)
class Image:
    """An image on the engine. `id` is its digest."""

    name: str
    id: str
    labels: Mapping[str, str]
    volumes: Sequence[str]


class DockerSandbox:
    """Containers with the limits of `sandbox.container`, one a workspace, for code that nobody vouches for.

    Containers and volumes carry `owner` as a label: two workers on one engine need two names. Nothing is connected
    to before the first use. Threads may share one.
    """

    def __init__(self, *, image: str, docker_host: str | None = None, owner: str = "selfcode") -> None:
        self._image = image
        self._owner = owner
        self._engine = _Engine(docker_host)

    @property
    def name(self) -> str:
        return "docker"

    @property
    def isolated(self) -> bool:
        return True

    @property
    def host(self) -> str:
        """Where the engine is looked for."""
        return self._engine.host

    def open(self, *, image: str | None = None, limits: Limits | None = None) -> AbstractContextManager[Workspace]:
        return self._opened(image or self._image, limits or Limits())

    def check(self) -> str:
        """Engine and image in a line. Raises `SandboxUnavailable`, within seconds, where one is missing."""
        version = self._engine.probe()
        found = self.required_image(self._image)
        return f"Docker {version} at {self._engine.host}, image {found.name} ({found.id[7:19]})"

    def remove_leftovers(self) -> int:
        """Remove every container and volume of this owner, and say how many: for a worker that starts."""
        api = self._engine.api
        label = {"label": f"{OWNER_LABEL}={self._owner}"}
        with _translated("removing leftovers"):
            containers = [found["Id"] for found in api.containers(all=True, filters=label)]
            volumes = [found["Name"] for found in api.volumes(filters=label)["Volumes"] or ()]
            for found in containers:
                with suppress(NotFound):
                    api.remove_container(found, v=True, force=True)
            for found in volumes:
                with suppress(NotFound):
                    api.remove_volume(found, force=True)
        return len(containers) + len(volumes)

    def find_image(self, name: str) -> Image | None:
        """The image of this name or digest, if the engine has it."""
        with _translated(f"looking for the image {name}"):
            try:
                found = self._engine.api.inspect_image(name)  # type: ignore[no-untyped-call] # in its stubs
            except NotFound:
                return None
        config = found.get("Config") or {}
        return Image(
            name=name,
            id=str(found["Id"]),
            labels=dict(config.get("Labels") or {}),
            volumes=tuple(config.get("Volumes") or ()),
        )

    def required_image(self, name: str) -> Image:
        """The image of this name. Raises `SandboxUnavailable`, which says how to make it."""
        found = self.find_image(name)
        if found is None:
            folder = Path(__file__).parent
            raise SandboxUnavailable(
                f"the image {name!r} is not on the Docker engine at {self._engine.host}: build it with "
                f"`docker build -t {name} {folder}`, or choose an image that is there"
            )
        return found

    def build_default_image(self, *, base: str | None = None) -> None:
        """Build this sandbox's image from the Dockerfile beside this module, on another base where one is given.

        The base is pulled where the engine does not have it.

        Raises `SandboxUnavailable` with the builder's last words where it can't be had.
        """
        folder = str(Path(__file__).parent)
        with _translated(f"building the image {self._image}"):
            arguments = {"BASE": base} if base else {}
            told = self._engine.api.build(
                path=folder, tag=self._image, buildargs=arguments, rm=True, forcerm=True, decode=True
            )
            for line in told:
                if "error" in line:
                    raise SandboxUnavailable(f"the image {self._image!r} can't be built: {line['error'].strip()}")

    def remove_image(self, name: str) -> None:
        """Remove an image; one that is in use or gone stays as it is."""
        with _translated(f"removing the image {name}"), suppress(NotFound):
            try:
                self._engine.api.remove_image(name)
            except APIError as error:
                if error.status_code != 409:  # conflict: a container uses it
                    raise

    @contextmanager
    def setup(self, *, image: str, limits: Limits, binds: Mapping[str, str]) -> Iterator[SetupWorkspace]:
        """A workspace in which root prepares an image: its root directory is writable, and it has no network.

        `binds` are host folders by where they appear, read-only.
        """
        found = self.required_image(image)
        with self._volume(limits) as volume:
            plan = self._plan(found, volume, limits)
            with _running(self._engine, container.setup_container(plan, binds=binds)) as box:
                yield SetupWorkspace(box, limits, user=container.ROOT, home="/root")

    def close(self) -> None:
        """Close the connections to the engine."""
        self._engine.close()

    @contextmanager
    def _opened(self, image: str, limits: Limits) -> Iterator[Workspace]:
        found = self.required_image(image)
        with self._volume(limits) as volume:
            config = container.workspace_container(self._plan(found, volume, limits))
            with _running(self._engine, config) as box:
                workspace = ContainerWorkspace(box, limits, user=container.USER, home=container.HOME)
                if left := found.labels.get(LEFT_LABEL):
                    workspace.command([*SHELL, scripts.UNPACK_LEFT, "sh", left, WORKSPACE], doing="unpacking")
                yield workspace

    def _plan(self, image: Image, volume: str, limits: Limits) -> Plan:
        return Plan(
            image=image.id,
            volume=volume,
            limits=limits,
            labels={OWNER_LABEL: self._owner},
            seccomp=Path(__file__).with_name("seccomp.json").read_text(),
            image_volumes=image.volumes,
        )

    @contextmanager
    def _volume(self, limits: Limits) -> Iterator[str]:
        name = f"selfcode-{uuid.uuid4().hex}"
        with _translated("making a workspace"):
            self._engine.api.create_volume(**container.workspace_volume(name, limits, {OWNER_LABEL: self._owner}))
        try:
            yield name
        finally:
            with _reported(f"removing the volume {name}"):
                self._engine.api.remove_volume(name, force=True)


class _Engine:
    """A connection that is made at the first use."""

    def __init__(self, docker_host: str | None) -> None:
        self._docker_host = docker_host
        self._lock = Lock()
        self._client: docker.DockerClient | None = None

    @property
    def host(self) -> str:
        return self._docker_host or os.environ.get("DOCKER_HOST") or "unix:///var/run/docker.sock"

    @property
    def api(self) -> docker.APIClient:
        with self._lock:
            if self._client is None:
                self._client = self._connected()
            return self._client.api

    def probe(self) -> str:
        """The engine's version, asked anew and waited for a few seconds only."""
        return str(self._asked()["Version"])

    def close(self) -> None:
        with self._lock:
            if self._client is not None:
                self._client.close()
                self._client = None

    def _connected(self) -> docker.DockerClient:
        version = str(self._asked()["ApiVersion"])
        return docker.from_env(environment=self._environment, version=version, timeout=int(_ENGINE_S))

    def _asked(self) -> Mapping[str, Any]:
        """What the engine says of itself. Raises `SandboxUnavailable`."""
        try:
            if self.host.startswith("unix://"):
                _connect_once(self.host.removeprefix("unix://"))
            asking = docker.from_env(environment=self._environment, version=_ANY_VERSION, timeout=int(_PROBE_S))
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


def _connect_once(path: str) -> None:
    """Raise `OSError` where nothing listens: the SDK says so as well, but leaves its socket open."""
    with socket.socket(socket.AF_UNIX) as probe:
        probe.settimeout(_PROBE_S)
        probe.connect(path)


class _Box:
    """One running container, which can be replaced by another on the same volume."""

    def __init__(self, engine: _Engine, config: Mapping[str, Any]) -> None:
        self._api = engine.api
        self._config = config
        self.id = self._started()

    def execute(self, words: Sequence[str], *, user: str, env: Mapping[str, str]) -> "_Exec":
        return _Exec(self._api, self.id, words, user=user, env=env)

    def is_silent(self, *, within_s: float = 0.0) -> bool:
        """Nothing runs but process 1 and its sleep, at the latest after a time: what is killed takes a moment to go."""
        deadline = time.monotonic() + within_s
        with _translated("listing processes"):
            while len(self._api.top(self.id, ps_args="-eo pid,uid")["Processes"] or ()) > _INIT_PROCESSES:
                if time.monotonic() >= deadline:
                    return False
                time.sleep(0.02)
        return True

    def replace(self) -> None:
        old = self.id
        self.id = self._started()  # before the old one goes: a volume in memory lives as long as someone has it mounted
        self._remove(old)

    def commit(self, *, repository: str, tag: str, labels: Mapping[str, str]) -> str:
        config = {"Entrypoint": [], "Cmd": ["sh"], "Labels": {**labels, OWNER_LABEL: ""}, "WorkingDir": WORKSPACE}
        with _translated("committing the image"):
            self._api.commit(self.id, repository=repository, tag=tag, conf=config)
        return f"{repository}:{tag}"

    def remove(self) -> None:
        self._remove(self.id)

    def _started(self) -> str:
        with _translated("starting a container"):
            config = dict(self._config)
            made = str(self._api.create_container_from_config(config)["Id"])  # type: ignore[no-untyped-call]
            try:
                self._api.start(made)
            except (DockerException, requests.RequestException):
                self._remove(made)
                raise
        return made

    def _remove(self, found: str) -> None:
        with _reported(f"removing the container {found[:12]}"):
            self._api.remove_container(found, v=True, force=True)


@contextmanager
def _running(engine: _Engine, config: Mapping[str, Any]) -> Iterator[_Box]:
    box = _Box(engine, config)
    try:
        yield box
    finally:
        box.remove()


class _Exec:
    """One command in a container, over the engine's raw stream."""

    def __init__(
        self, api: docker.APIClient, box: str, words: Sequence[str], *, user: str, env: Mapping[str, str]
    ) -> None:
        self._api = api
        with _translated("starting a command"):
            made = api.exec_create(box, list(words), stdin=True, user=user, environment=dict(env), workdir=WORKSPACE)
            self._id = str(made["Id"])
            self._stream: Any = api.exec_start(self._id, socket=True)
        # The SDK hands out a `SocketIO` around the socket for Unix and TCP, the socket itself for TLS.
        self._socket: Any = getattr(self._stream, "_sock", self._stream)
        self._frames = Frames()

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        # The SDK leaves the response on the stream, "to stop it being garbage collected": closing it closes the stream.
        getattr(self._stream, "_response", self._stream).close()
        self._socket.close()

    def send(self, data: bytes) -> None:
        with _translated("writing to a command"):
            self._socket.settimeout(_ENGINE_S)
            for start in range(0, len(data), _CHUNK):
                self._socket.sendall(data[start : start + _CHUNK])

    def read(self, wait_s: float) -> list[tuple[Stream, bytes]] | None:
        """What has arrived within the time, perhaps nothing; None at the stream's end."""
        with _translated("reading a command's output"):
            self._socket.settimeout(max(wait_s, 0.001))
            try:
                data = self._socket.recv(_CHUNK)
            except TimeoutError:
                return []
            return list(self._frames.feed(data)) if data else None

    def follow(self, watch: Watch, output: Output) -> Ending:
        """Read until the command has ended, whatever it left running, or has to be ended."""
        next_look = time.monotonic() + _LOOK_S
        while (pieces := self.read(watch.wait_s)) is not None:
            _collect(pieces, output)
            if (verdict := watch.verdict(output)) is not None:
                return verdict
            if time.monotonic() > next_look:  # the stream stays open while a background process has it
                next_look = time.monotonic() + _LOOK_S
                if self._ended() is not None:
                    break
        return Ending.EXITED

    def drain(self, output: Output) -> None:
        """Take what is still on its way, for a second at most."""
        watch = Watch(Limits(wall_s=_DRAIN_S), None, None)
        while watch.verdict(output) is None and (pieces := self.read(watch.wait_s)) is not None:
            _collect(pieces, output)

    def exit_code(self) -> int:
        deadline = time.monotonic() + _LAG_S
        while (code := self._ended()) is None:  # it may lag behind the stream's end
            if time.monotonic() > deadline:
                raise SandboxError("the Docker engine does not say how a command ended")
            time.sleep(0.01)
        return code

    def _ended(self) -> int | None:
        with _translated("looking at a command"):
            found = self._api.exec_inspect(self._id)
        return None if found["Running"] or found["ExitCode"] is None else int(found["ExitCode"])


def _collect(pieces: Sequence[tuple[Stream, bytes]], output: Output) -> None:
    for stream, piece in pieces:
        (output.stderr if stream is Stream.STDERR else output.stdout).add(piece)


@contextmanager
def _translated(doing: str) -> Iterator[None]:
    """Turn what the SDK and its connection raise into our errors."""
    try:
        yield
    except requests.ConnectionError as error:
        raise SandboxUnavailable(f"{doing} failed: the Docker engine does not answer ({error})") from error
    except (DockerException, requests.RequestException, OSError, ValueError) as error:
        raise SandboxError(f"{doing} failed: {error}") from error


@contextmanager
def _reported(doing: str) -> Iterator[None]:
    """Log a failed clean-up and go on: it must not hide what came of the work. What is gone already is fine."""
    try:
        with suppress(NotFound):
            yield
    except (DockerException, requests.RequestException, OSError) as error:
        _log.warning("%s failed: %s", doing, error)
