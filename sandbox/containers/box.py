"""One running container, over the Docker engine's API."""

import time
from collections.abc import Callable, Mapping, Sequence
from contextlib import suppress
from typing import Any

import requests
from docker.errors import APIError, DockerException, NotFound

from sandbox.containers.census import ITSELF, Census
from sandbox.containers.command import Command
from sandbox.containers.container import INIT_USER, WORKSPACE
from sandbox.containers.engine import Engine, reported, translated
from sandbox.containers.images import OWNER_LABEL
from sandbox.containers.workspace import OutOfMemory
from sandbox.contract import SandboxError

_INIT_PROCESSES = 2
_NOT_RUNNING = (404, 409)


def remove(engine: Engine, volume: str) -> None:
    """Remove a workspace, known by its volume: every container that has it, with all that runs in it, and itself.

    What is gone already is fine. Raises `SandboxError`.
    """
    with translated(f"removing the workspace {volume}"):
        for found in engine.api.containers(all=True, filters={"volume": volume}):
            with suppress(NotFound):
                engine.api.remove_container(found["Id"], v=True, force=True)
        with suppress(NotFound):
            engine.api.remove_volume(volume, force=True)


class ContainerBox:
    """One running container, which can be replaced by another on the same volume.

    `volume` is its workspace, by the engine's name. `before_start` is told of each container when it is made, and does
    not run yet.
    """

    def __init__(
        self,
        engine: Engine,
        config: Mapping[str, Any],
        *,
        volume: str,
        name: str | None = None,
        before_start: Callable[[str], None] = lambda _: None,
    ) -> None:
        self._api = engine.api
        self._config = config
        self.volume = volume
        self._name = name
        self._before_start = before_start
        self.id = self._started()
        self._census = self._new_census()

    def execute(self, words: Sequence[str], *, user: str, env: Mapping[str, str]) -> Command:
        try:
            return Command(self._api, self.id, words, user=user, env=env)
        except SandboxError:
            self._require_running(self.id)
            raise

    def is_known_silent(self) -> bool:
        """Nothing runs but what is ours, at this moment. False also where nobody can tell."""
        return self._census.count() == _INIT_PROCESSES + ITSELF

    def is_silent(self, *, within_s: float = 0.0) -> bool:
        """Nothing runs but what is ours, at the latest after a time: what is killed takes a moment to go.

        Where nobody counts, a list has to do: all that it may miss is what escapes a `kill` of everything as well.
        """
        deadline = time.monotonic() + within_s
        while not (self.is_known_silent() or (not self._census.is_at_work and self._listed() <= _INIT_PROCESSES)):
            if time.monotonic() >= deadline:
                return False
            time.sleep(0.02)
        return True

    def is_running(self) -> bool:
        return self._state(self.id).get("Running") is True

    def kill(self) -> None:
        """End all that runs in it; where it has ended already that is fine."""
        with reported(f"ending the container {self.id[:12]}"):
            try:
                self._api.kill(self.id)
            except APIError as error:
                if error.status_code not in _NOT_RUNNING:
                    raise

    def replace(self) -> None:
        """Start another container on the volume, and remove the old one.

        Raises `SandboxError` where the old one has ended by itself: a volume in memory lives as long as somebody has it
        mounted, so the files are gone.
        """
        old = self.id
        self._require_running(old)
        new = self._started()
        self._require_running(old)  # until the new one had the volume
        self._census.close()
        self.id, self._census = new, self._new_census()
        self._remove(old)

    def commit(self, *, repository: str, tag: str, labels: Mapping[str, str]) -> str:
        config = {"Entrypoint": [], "Cmd": ["sh"], "Labels": {**labels, OWNER_LABEL: ""}, "WorkingDir": WORKSPACE}
        with translated("committing the image"):
            self._api.commit(self.id, repository=repository, tag=tag, conf=config)
        return f"{repository}:{tag}"

    def remove(self) -> None:
        self.close()
        self._remove(self.id)

    def close(self) -> None:
        """Use it no more; what runs in it, and the container, stay."""
        self._census.close()

    def _new_census(self) -> Census:
        return Census(lambda words: Command(self._api, self.id, words, user=INIT_USER, env={}))

    def _listed(self) -> int:
        with translated("listing processes"):
            try:
                return len(self._api.top(self.id, ps_args="-eo pid,uid")["Processes"] or ())
            except APIError as error:
                if error.status_code not in _NOT_RUNNING:
                    raise
        self._require_running(self.id)
        raise SandboxError(f"the container {self.id[:12]} is about to end, and not by our will")

    def _require_running(self, found: str) -> None:
        state = self._state(found)
        if state.get("Running") is not True:
            if state.get("OOMKilled"):
                raise OutOfMemory(f"the container {found[:12]} has ended for want of memory: its files are gone")
            how = "ended" if state else "removed"
            raise SandboxError(f"the container {found[:12]} was {how}, and not by us: its files are gone")

    def _state(self, found: str) -> Mapping[str, Any]:
        """What the engine says of a container; nothing where it has none of this name."""
        with translated("looking at a container"):
            try:
                state: Mapping[str, Any] = self._api.inspect_container(found)["State"]
            except NotFound:
                return {}
        return state

    def _started(self) -> str:
        with translated("starting a container"):
            config = dict(self._config)
            made = str(self._api.create_container_from_config(config, self._name)["Id"])  # type: ignore[no-untyped-call]
            try:
                self._before_start(made)
                self._api.start(made)
            except (DockerException, requests.RequestException, SandboxError):
                self._remove(made)
                raise
        return made

    def _remove(self, found: str) -> None:
        with reported(f"removing the container {found[:12]}"):
            self._api.remove_container(found, v=True, force=True)
