"""What may be left of a run that is over, in the places where its parts were."""

from collections.abc import Sequence
from contextlib import closing
from fnmatch import fnmatch
from pathlib import Path

import docker

from sandbox.containers.images import OWNER_LABEL
from sandbox.resident import owners
from tests import remains
from tests.chaos.places import Place, PlaceKind
from tests.engine import private

PATIENCE_S = 20.0
"""What is being removed in the background takes a while."""


def left(place: Place) -> Sequence[str]:
    """What is there that nobody needs, by now or after a moment: the bot itself stays, and waits for the next run."""
    return remains.after_a_moment(lambda: _left(place), patience_s=PATIENCE_S, look_every_s=0.5)


def left_at_the_end(place: Place) -> Sequence[str]:
    """What is there once the bot was told to end, as operators do it."""
    place.web.end()
    place.worker.end()
    return left(place)


def _left(place: Place) -> list[str]:
    return [*_processes(place), *_control_groups(place), *_files(place), *_containers(place)]


def _processes(place: Place) -> list[str]:
    """Those in the place that no process of the bot's that lives has started, and keepers that keep something."""
    bots = [process.pid for bot in (place.web, place.worker) for process in bot.processes.values()]
    worker = owners.process_name(place.worker.pid) if place.worker.pid else ""
    tag = f"{owners.MARK} {place.worker.owner_tag} "
    keepers = remains.processes(f"{tag}{worker} ")
    others = [each for each in remains.processes(tag) if each not in keepers]
    homes = (Path(place.worker.environment[name]) for name in ("SELFCODE_HOME", "TMPDIR"))
    return [*others, *keepers[1:], *(each for home in homes for each in remains.processes_in(home, but_below=bots))]


def _control_groups(place: Place) -> Sequence[str]:
    return remains.control_groups(owners.group_prefix(place.worker.owner_tag))


def _files(place: Place) -> list[str]:
    """Temporary files, and what of a mirror is for the moment only."""
    temporary = Path(place.worker.environment["TMPDIR"])
    apart = [path for path in temporary.glob("*/*") if path.parent.name.startswith("selfcode-worker-")]
    its_own = "selfcode-worker-*" if place.worker.pid else ""
    strangers = [path for path in temporary.glob("*") if not fnmatch(path.name, its_own)]
    home = Path(place.worker.environment["SELFCODE_HOME"])
    locks = [*home.glob("mirrors/*/**/*.lock"), *home.glob("mirrors/*/objects/**/tmp_*"), *home.glob("*.new")]
    return [f"file {path}" for path in (*apart, *strangers, *locks)]


def _containers(place: Place) -> list[str]:
    if place.kind is not PlaceKind.CONTAINERS:
        return []
    spare = 1 if place.worker.pid else 0  # the worker has one ready, for a minute
    of_ours: dict[str, str | list[str] | bool] = {"label": f"{OWNER_LABEL}={place.worker.owner_tag}"}
    with closing(docker.DockerClient(base_url=private.address(place.folder / "engine"))) as client:
        containers = [f"container {each.name}" for each in client.containers.list(all=True, filters=of_ours)]
        volumes = [f"volume {each.name}" for each in client.volumes.list(filters=of_ours)]
        return containers[spare:] + volumes[spare:]
