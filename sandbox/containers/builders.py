"""Containers in which environments are made, known to every worker of an engine by their names.

A name can be had once: whoever has it makes the environment, the others wait. The container ends when the process
that made it does, even by `kill -9`, for then the engine closes what the container reads from: that is opened before it
starts, so that none runs which nobody holds.
"""

from collections.abc import Iterator, Mapping
from contextlib import ExitStack, contextmanager, suppress
from dataclasses import dataclass
from typing import Any

from docker.errors import APIError, NotFound

from sandbox.containers.box import ContainerBox
from sandbox.containers.engine import Engine, translated
from sandbox.contract import SandboxError

_CONFLICT = 409


class BeingMade(SandboxError):
    """Another thread, process or machine is making this environment."""


@dataclass(frozen=True, slots=True)
class Builder:
    """A container that makes an environment. One that is not running has not been started yet."""

    id: str
    is_running: bool


class Builders:
    """Sees and ends builders of one engine."""

    def __init__(self, engine: Engine) -> None:
        self._engine = engine

    def find(self, name: str) -> Builder | None:
        """The builder of this name; one that has died is removed, and is none."""
        with translated(f"looking for the container {name}"):
            try:
                found = self._engine.api.inspect_container(name)
            except NotFound:
                return None
        builder = Builder(str(found["Id"]), is_running=bool(found["State"]["Running"]))
        if builder.is_running or found["State"]["Status"] == "created":
            return builder
        self.end(builder)
        return None

    def end(self, builder: Builder) -> None:
        """Remove this one container, and not another that has its name by now."""
        with translated(f"removing the container {builder.id[:12]}"), suppress(NotFound):
            try:
                self._engine.api.remove_container(builder.id, v=True, force=True)
            except APIError as error:
                if error.status_code != _CONFLICT:  # somebody else is removing it
                    raise

    def written_bytes(self, name: str) -> int:
        """How much is in the container's own layer, at this moment."""
        with translated(f"measuring the container {name}"):
            found = self._engine.api.containers(all=True, size=True, filters={"name": f"^/{name}$"})
        return sum(int(container.get("SizeRw") or 0) for container in found)

    @contextmanager
    def building(self, config: Mapping[str, Any], *, volume: str, name: str) -> Iterator[ContainerBox]:
        """A container of this name. Raises `BeingMade` where there is one."""
        with ExitStack() as held:

            def hold(made: str) -> None:
                held.enter_context(self._held(made))

            try:
                box = ContainerBox(self._engine, config, volume=volume, name=name, before_start=hold)
            except SandboxError as error:
                if isinstance(error.__cause__, APIError) and error.__cause__.status_code == _CONFLICT:
                    raise BeingMade(f"the container {name} is there already") from error
                raise
            try:
                yield box
            finally:
                box.remove()

    @contextmanager
    def _held(self, container_id: str) -> Iterator[None]:
        """Keep a container alive by its stdin: at the context's end, or this process's, it ends."""
        with translated("holding a container"):
            stream = self._engine.api.attach_socket(container_id, params={"stdin": 1, "stream": 1})
        try:
            yield
        finally:
            # The SDK leaves the response on the stream, "to stop it being garbage collected".
            getattr(stream, "_response", stream).close()
            stream.close()
