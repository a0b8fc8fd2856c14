"""Workspaces in containers. The door to Docker is this module with `engine`, `box`, `command`, `builders`, `images`."""

import atexit
import uuid
from collections.abc import Iterator, Mapping
from contextlib import AbstractContextManager, contextmanager, suppress
from dataclasses import dataclass, replace
from pathlib import Path

from docker.errors import NotFound

from sandbox import scripts
from sandbox.containers import container
from sandbox.containers.box import ContainerBox, remove
from sandbox.containers.builders import Builders
from sandbox.containers.container import WORKSPACE, Plan
from sandbox.containers.engine import Engine, translated
from sandbox.containers.images import LEFT_LABEL, OWNER_LABEL, Image, Images
from sandbox.containers.removal import Removal
from sandbox.containers.spares import Spares
from sandbox.containers.workspace import SHELL, ContainerWorkspace, SetupWorkspace
from sandbox.contract import Capacity, Guarantee, Limits, SandboxError, SandboxUnavailable, Workspace


@dataclass(frozen=True)
class _Kind:
    """What decides how a workspace is made: two of one kind may take each other's place before anything has run."""

    image: Image
    limits: Limits

    def __eq__(self, other: object) -> bool:
        return isinstance(other, _Kind) and self._key == other._key

    def __hash__(self) -> int:
        return hash(self._key)

    @property
    def _key(self) -> tuple[str, Limits]:
        return self.image.id, replace(self.limits, wall_s=0.0, output_bytes=0)  # those two are no container's


class DockerSandbox:
    """Containers with the limits of `sandbox.containers.container`, one a workspace, for code that nobody vouches for.

    Containers and volumes carry `owner` as a label: two workers on one engine need two names. Nothing is connected
    to before the first use. Threads may share one.

    What a closed workspace leaves is removed in the background: nothing of it runs any more, and `close` waits for it.
    Where one kind of workspace (image and limits) is opened again and again, the next one's container is made ready
    while the last one is in use: `spares` of them at most, each for `spare_idle_s` at most. No code has run in one.
    """

    def __init__(
        self,
        *,
        image: str,
        docker_host: str | None = None,
        owner: str = "selfcode",
        runtime: str | None = None,
        spares: int = 1,
        spare_idle_s: float = 60.0,
    ) -> None:
        self._image = image
        self._owner = owner
        self._runtime = runtime
        self._engine = Engine(docker_host)
        self.images = Images(self._engine, let_go=self._end_spares)
        self.builders = Builders(self._engine)
        self._removal: Removal[str] = Removal(lambda volume: remove(self._engine, volume))
        self._spares: Spares[_Kind, ContainerBox] = Spares(
            self._made, lambda box: self._removal.add(box.volume), most=spares, idle_s=spare_idle_s
        )

    @property
    def name(self) -> str:
        return "docker"

    @property
    def isolated(self) -> bool:
        return True

    @property
    def unheld(self) -> Mapping[Guarantee, str]:
        return {}

    @property
    def host(self) -> str:
        """Where the engine is looked for."""
        return self._engine.host

    def open(self, *, image: str | None = None, limits: Limits | None = None) -> AbstractContextManager[Workspace]:
        return self._opened(image or self._image, container.within_memory(limits or Limits()))

    def check(self) -> str:
        """Engine and image in a line. Raises `SandboxUnavailable`, within seconds, where one is missing."""
        facts = self._engine.probe()
        if self._runtime and _is_plain(self._runtime) and self._runtime not in facts.runtimes:
            raise SandboxUnavailable(
                f"the Docker engine at {self._engine.host} knows no runtime {self._runtime!r}, only "
                f"{', '.join(facts.runtimes)}: add it to the engine's daemon.json, or choose one of these"
            )
        found = self.images.required(self._image)
        runtime = f", runtime {self._runtime}" if self._runtime else ""
        return f"Docker {facts.version} at {self._engine.host}, image {found.name} ({found.id[7:19]}){runtime}"

    def capacity(self) -> Capacity:
        """The engine's own, which may be on another machine, or in a virtual one that has less than this."""
        return self._engine.facts.capacity

    def remove_leftovers(self) -> int:
        """Remove every container and volume of this owner, and say how many: for a worker that starts."""
        self._end_spares()
        api = self._engine.api
        label = {"label": f"{OWNER_LABEL}={self._owner}"}
        with translated("removing leftovers"):
            containers = api.containers(all=True, filters=label)
            volumes = {found["Name"] for found in api.volumes(filters=label)["Volumes"] or ()}
            # An engine that was killed makes volumes anew for its containers, without their labels.
            volumes |= {mount["Name"] for found in containers for mount in found["Mounts"] if mount["Type"] == "volume"}
            for found in containers:
                with suppress(NotFound):
                    api.remove_container(found["Id"], v=True, force=True)
            for name in volumes:
                with suppress(NotFound):
                    api.remove_volume(name, force=True)
        return len(containers) + len(volumes)

    @contextmanager
    def setup(self, *, image: str, limits: Limits, name: str) -> Iterator[SetupWorkspace]:
        """A workspace in which root prepares an image: its root directory is writable, and it has no network.

        `name` is the container's, which one at a time can have on an engine. Raises `BeingMade` where another has it.
        """
        found = self.images.required(image)
        limits = container.within_memory(limits)
        with self._volume(limits) as volume:
            plan = self._plan(found, volume, limits)
            with self.builders.building(container.setup_container(plan), volume=volume, name=name) as box:
                yield SetupWorkspace(box, limits, user=container.ROOT, home=container.HOME)

    def close(self) -> None:
        """Remove what there is left to remove, spares too, and close the connections to the engine.

        The interpreter's exit does it as well. Workspaces can be opened afterwards, without spares.
        """
        atexit.unregister(self.close)
        for box in self._spares.close():
            self._removal.add(box.volume)
        self._removal.wait()
        self._engine.close()

    @contextmanager
    def _opened(self, image: str, limits: Limits) -> Iterator[Workspace]:
        kind = _Kind(self.images.required(image), limits)
        box = self._spare(kind) or self._made(kind)
        left = kind.image.labels.get(LEFT_LABEL)
        workspace = ContainerWorkspace(box, limits, user=container.USER, home=container.HOME, left=left)
        try:
            self._prepare(kind)
            yield workspace
        finally:
            try:
                box.close()
                if not workspace.is_quiet:
                    box.kill()
            finally:
                self._removal.add(box.volume)

    def _spare(self, kind: _Kind) -> ContainerBox | None:
        box = self._spares.take(kind)
        if box is None:
            return None
        is_running = False  # somebody else may have ended it
        try:
            is_running = box.is_running()
        finally:
            if not is_running:
                self._removal.add(box.volume)
        return box if is_running else None

    def _made(self, kind: _Kind) -> ContainerBox:
        volume = self._new_volume(kind.limits)
        try:
            config = container.workspace_container(self._plan(kind.image, volume, kind.limits))
            box = ContainerBox(self._engine, config, volume=volume)
            self._unpack_left(box, kind)
        except SandboxError:
            self._removal.add(volume)
            raise
        return box

    def _end_spares(self) -> None:
        for box in self._spares.clear():
            self._removal.add(box.volume)
        self._removal.wait()

    def _prepare(self, kind: _Kind) -> None:
        atexit.unregister(self.close)
        atexit.register(self.close)
        self._spares.prepare(kind)

    def _unpack_left(self, box: ContainerBox, kind: _Kind) -> None:
        if left := kind.image.labels.get(LEFT_LABEL):
            workspace = ContainerWorkspace(box, kind.limits, user=container.USER, home=container.HOME)
            workspace.command([*SHELL, scripts.RESTORE_LEFT, "sh", left, WORKSPACE], doing="unpacking what setup left")

    def _plan(self, image: Image, volume: str, limits: Limits) -> Plan:
        return Plan(
            image=image.id,
            volume=volume,
            limits=limits,
            labels={OWNER_LABEL: self._owner},
            seccomp=Path(container.__file__).with_name("seccomp.json").read_text(),
            image_volumes=image.volumes,
            runtime=self._runtime,
        )

    @contextmanager
    def _volume(self, limits: Limits) -> Iterator[str]:
        name = self._new_volume(limits)
        try:
            yield name
        finally:
            self._removal.add(name)

    def _new_volume(self, limits: Limits) -> str:
        name = f"selfcode-{uuid.uuid4().hex}"
        facts = self._engine.facts
        config = container.workspace_volume(
            name, limits, {OWNER_LABEL: self._owner}, first_uid=facts.first_uid, first_gid=facts.first_gid
        )
        try:
            with translated("making a workspace"):
                self._engine.api.create_volume(**config)
        except SandboxError:  # an engine that shuts down may have made it all the same
            self._removal.add(name)
            raise
        return name


def _is_plain(runtime: str) -> bool:
    """A name that the engine's own list must have; later engines take a shim's name or path as well."""
    return "." not in runtime and "/" not in runtime
