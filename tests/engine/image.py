"""The image that the tests run in, `selfcode-sandbox:test`: made once an engine, and again when its recipe changes."""

import hashlib
import shutil
import tempfile
from collections.abc import Callable
from contextlib import suppress
from pathlib import Path

import docker
from docker.errors import APIError, BuildError, DockerException, ImageNotFound

from tests import apt
from tests.engine import host_packages
from tests.providing import CannotProvide

TAG = "selfcode-sandbox:test"
RECIPE_LABEL = "selfcode.recipe"
_FOLDER = Path(__file__).parents[2] / "sandbox"
_HOST_BASE = "selfcode-host-packages"


class CannotMakeImage(CannotProvide):
    """No way to the image on this machine; the text says what was tried."""


def ensure_image(client: docker.DockerClient, *, may_install: bool, say: Callable[[str], None]) -> str:
    """The tag of an up-to-date test image on the engine, built where it is not there yet.

    Made from the host's Debian packages where all are installed or may be; else from the Dockerfile's own base image,
    which needs a registry.
    """
    if shutil.which("dpkg-query") is None:
        return _from_registry(client, say)
    packages = host_packages.installed()
    missing = [name for name in host_packages.PACKAGES if name not in packages]
    if missing and may_install:
        apt.install(missing, say=say)
        packages, missing = host_packages.installed(), []
    if missing:
        say(f"not installed on this host: {' '.join(missing)}; trying the Dockerfile's own base image")
        return _from_registry(client, say)
    chosen = host_packages.closure(host_packages.PACKAGES, packages)
    recipe = _digest(*(f"{name}={package.version}" for name, package in sorted(chosen.items())))
    if _is_current(client, recipe):
        return TAG
    say(f"making {TAG} of {len(chosen)} of this host's Debian packages (10 to 60 s, once)")
    with tempfile.TemporaryFile() as archive:
        host_packages.write_root(chosen, archive)
        archive.seek(0)
        client.api.import_image_from_data(archive, repository=_HOST_BASE, tag=recipe)
    _build(client, recipe=recipe, base=f"{_HOST_BASE}:{recipe}", network="none")
    client.images.remove(f"{_HOST_BASE}:{recipe}")  # its name alone: the image built on it keeps its layers
    return TAG


def _from_registry(client: docker.DockerClient, say: Callable[[str], None]) -> str:
    recipe = _digest("registry")
    if _is_current(client, recipe):
        return TAG
    say(f"building {TAG} from sandbox/Dockerfile (pulls its base image, once)")
    return _build(client, recipe=recipe)


def _build(client: docker.DockerClient, *, recipe: str, base: str | None = None, network: str | None = None) -> str:
    replaced = client.images.list(TAG)
    try:
        client.images.build(
            path=str(_FOLDER),
            tag=TAG,
            buildargs={"BASE": base} if base else {},
            labels={RECIPE_LABEL: recipe},
            network_mode=network,
            rm=True,
            forcerm=True,
        )
    except BuildError as error:
        log = "".join(str(chunk.get("stream", "")) for chunk in error.build_log if isinstance(chunk, dict))
        raise CannotMakeImage(f"building {TAG} failed: {error}\n{log[-2000:]}") from error
    except DockerException as error:
        raise CannotMakeImage(f"building {TAG} failed: {error}") from error
    current = client.images.get(TAG).id
    for image in replaced:
        if image.id != current:
            with suppress(APIError):  # in use by someone
                client.images.remove(str(image.id))
    return TAG


def _is_current(client: docker.DockerClient, recipe: str) -> bool:
    try:
        return bool(client.images.get(TAG).labels.get(RECIPE_LABEL) == recipe)
    except ImageNotFound:
        return False


def _digest(*parts: str) -> str:
    recipes = (_FOLDER / "Dockerfile", Path(host_packages.__file__))
    text = "\n".join((*parts, *(recipe.read_text() for recipe in recipes)))
    return hashlib.sha256(text.encode()).hexdigest()[:16]
