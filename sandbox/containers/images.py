"""The images on a Docker engine."""

from collections.abc import Callable, Iterable, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from docker.errors import APIError, NotFound

from sandbox.containers.engine import Engine, translated
from sandbox.contract import ImageGone, SandboxUnavailable

OWNER_LABEL = "selfcode.owner"
LEFT_LABEL = "selfcode.left"
"""On an image: the folder in it of what its setup left in the workspace and in HOME."""

_DOCKERFILE_FOLDER = Path(__file__).parents[1]
_CONFLICT = 409
_NAMELESS = "<none>:<none>"
"""Source: Engine API up to v1.42, ImageList."""


@dataclass(frozen=True, slots=True)
class Image:
    """An image on the engine. `id` is its digest, `tags` are all its names, `size_bytes` counts its base with it."""

    name: str
    id: str
    labels: Mapping[str, str]
    volumes: Sequence[str] = ()
    tags: Sequence[str] = ()
    size_bytes: int = 0


class Images:
    """Finds, builds and removes images of one engine.

    `let_go` ends what only waits to be used, and is called where an image can't be removed because it is in use.
    """

    def __init__(self, engine: Engine, *, let_go: Callable[[], None] = lambda: None) -> None:
        self._engine = engine
        self._let_go = let_go

    def find(self, name: str) -> Image | None:
        """The image of this name or digest, if the engine has it."""
        with translated(f"looking for the image {name}"):
            try:
                found = self._engine.api.inspect_image(name)  # type: ignore[no-untyped-call] # in its stubs
            except NotFound:
                return None
        config = found.get("Config") or {}
        return _image(found, name, labels=config.get("Labels"), volumes=config.get("Volumes") or ())

    def labelled(self, label: str) -> Sequence[Image]:
        """Every image with this label, whatever its value, or with it and this value: `label=value`. No `volumes`."""
        with translated(f"listing the images of {label}"):
            listed = self._engine.api.images(filters={"label": label})
        return [_image(found, str(found["Id"]), labels=found.get("Labels")) for found in listed]

    def in_use(self) -> frozenset[str]:
        """The ids of images that a container has, running or not."""
        with translated("listing what uses images"):
            return frozenset(str(found["ImageID"]) for found in self._engine.api.containers(all=True))

    def required(self, name: str) -> Image:
        """The image of this name. Raises `ImageGone`, which says how to make it."""
        found = self.find(name)
        if found is None:
            raise ImageGone(
                f"the image {name!r} is not on the Docker engine at {self._engine.host}: build it with "
                f"`docker build -t {name} {_DOCKERFILE_FOLDER}`, or choose an image that is there"
            )
        return found

    def build_default(self, name: str, *, base: str | None = None) -> None:
        """Build the default image, under this name, from `sandbox/Dockerfile`.

        With `base`, on another base than its own. The base is pulled where the engine does not have it.

        Raises `SandboxUnavailable` with the builder's last words where it can't be had.
        """
        with translated(f"building the image {name}"):
            arguments = {"BASE": base} if base else {}
            told = self._engine.api.build(
                path=str(_DOCKERFILE_FOLDER), tag=name, buildargs=arguments, rm=True, forcerm=True, decode=True
            )
            for line in told:
                if "error" in line:
                    raise SandboxUnavailable(f"the image {name!r} can't be built: {line['error'].strip()}")

    def tag(self, image: str, name: str) -> None:
        """Give an image one more name; one that has just gone gets none."""
        repository, _, tag = name.rpartition(":")
        with translated(f"naming the image {name}"), suppress(NotFound):
            self._engine.api.tag(image, repository, tag=tag)

    def remove(self, name: str, *, force: bool = False) -> bool:
        """Take a name from an image, and with its last name the image itself. False where a container uses it.

        What is in use stays as it is, or with `force` loses its name only; what is gone, or goes at this moment by
        another's hand, is no error.
        """
        with translated(f"removing the image {name}"):
            if not self._is_removed(name, force=force):
                self._let_go()
                return self._is_removed(name, force=force)
        return True

    def _is_removed(self, name: str, *, force: bool) -> bool:
        """Remove it; False where it is in use.

        Two removals of one image at a time: the engine answers the slower one with an error of its own (500).
        """
        try:
            self._engine.api.remove_image(name, force=force)
        except APIError as error:
            if error.status_code == _CONFLICT:
                return False
            if self.find(name) is not None:
                raise
        return True


def _image(
    found: Mapping[str, Any], name: str, *, labels: Mapping[str, str] | None, volumes: Iterable[str] = ()
) -> Image:
    return Image(
        name=name,
        id=str(found["Id"]),
        labels=dict(labels or {}),
        volumes=tuple(volumes),
        tags=tuple(tag for tag in found.get("RepoTags") or () if tag != _NAMELESS),
        size_bytes=int(found.get("Size") or 0),
    )
