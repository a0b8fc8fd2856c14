"""Run a command with a Docker engine for the tests: `python -m tests.engine -- COMMAND…`.

The engine that answers is used; where none does, INSTALL_DOCKER=1 or CI have one installed and started.
"""

from collections.abc import Iterator, Mapping
from contextlib import contextmanager

import docker

from tests.engine.image import CannotMakeImage, ensure_image
from tests.engine.private import answers, private_engine
from tests.providing import Provision, main


@contextmanager
def engine(*, may_install: bool) -> Iterator[Mapping[str, str]]:
    """An engine with the test image."""
    if answers(None):
        yield _with_image(None, may_install=may_install)
    elif may_install:
        with private_engine(say=PROVISION.say) as host:
            yield {"DOCKER_HOST": host, **_with_image(host, may_install=True)}
    else:
        PROVISION.say("No Docker engine answers: THE DOCKER TESTS ARE LEFT OUT.")
        PROVISION.say(
            "To have them, start Docker, or: make test INSTALL_DOCKER=1  (root on Debian or Ubuntu; installs docker.io)"
        )
        yield {}


PROVISION = Provision("tests.engine", "a Docker engine to test on", "INSTALL_DOCKER", engine)


def _with_image(host: str | None, *, may_install: bool) -> Mapping[str, str]:
    client = docker.DockerClient(base_url=host) if host else docker.from_env()
    try:
        return {"SELFCODE_TEST_IMAGE": ensure_image(client, may_install=may_install, say=PROVISION.say)}
    except CannotMakeImage as error:
        if may_install:
            raise
        PROVISION.say(f"An engine answers, but THE DOCKER TESTS ARE LEFT OUT, for want of their image: {error}")
        PROVISION.say(
            "To have them: make test INSTALL_DOCKER=1  (installs Debian packages to make the image of), or a registry"
        )
        return {}
    finally:
        client.close()


if __name__ == "__main__":
    main(PROVISION)
