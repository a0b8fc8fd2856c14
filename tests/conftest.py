"""Sandboxes for every test that wants one, and a loud word about what was left out without an engine."""

import os
from collections.abc import Iterator, Sequence

import docker
import pytest

from sandbox.contract import SandboxUnavailable
from sandbox.docker import OWNER_LABEL, DockerSandbox
from sandbox.process import ProcessSandbox
from tests.engine.image import TAG

TEST_OWNER = f"selfcode-tests-{os.getpid()}"
_NEEDS_ENGINE = ("docker_sandbox", "docker_client")
_LEFT_OUT = "left out for want of Docker"
_HOW = "start Docker, or `make test INSTALL_DOCKER=1` (root, Debian or Ubuntu)"


def pytest_collection_modifyitems(items: Sequence[pytest.Item]) -> None:
    for item in items:
        if set(_NEEDS_ENGINE).intersection(getattr(item, "fixturenames", ())):
            item.add_marker(pytest.mark.docker)


@pytest.fixture(scope="session")
def docker_client() -> Iterator[docker.DockerClient]:
    """The engine that `tests.engine` prepared, to look at what is there.

    Without one the test is left out, and counted, or fails where CI promises one.
    """
    client = _connected()
    if isinstance(client, str):
        if os.environ.get("CI"):
            pytest.fail(client)
        pytest.skip(f"{_LEFT_OUT}: {client}")
    yield client
    leftovers = _leftovers(client)
    client.close()
    assert leftovers == [], "the tests have left something on the engine"


@pytest.fixture(scope="session")
def docker_sandbox(docker_client: docker.DockerClient) -> Iterator[DockerSandbox]:
    """Containers of the test image on a real engine."""
    sandbox = DockerSandbox(image=image_under_test(), owner=TEST_OWNER)
    yield sandbox
    sandbox.close()


@pytest.fixture
def process_sandbox() -> ProcessSandbox:
    return ProcessSandbox()


@pytest.fixture(autouse=True)
def _engine_for_marked_tests(request: pytest.FixtureRequest) -> None:
    """A test that is marked `docker` and makes its own sandbox is left out as well where there is no engine."""
    if request.node.get_closest_marker("docker"):
        request.getfixturevalue("docker_client")


def pytest_terminal_summary(terminalreporter: pytest.TerminalReporter) -> None:
    skipped = [str(report.longrepr) for report in terminalreporter.stats.get("skipped", ())]
    count = sum(_LEFT_OUT in reason for reason in skipped)
    if count:
        terminalreporter.section(f"{count} tests {_LEFT_OUT}", sep="!", red=True, bold=True)
        terminalreporter.write_line(f"To have them: {_HOW}", red=True)


def image_under_test() -> str:
    """The image that `tests.engine` made, and named in the environment."""
    return os.environ.get("SELFCODE_TEST_IMAGE", TAG)


def _connected() -> docker.DockerClient | str:
    """A client of an engine that has the test image, or what is missing."""
    sandbox = DockerSandbox(image=image_under_test())
    try:
        sandbox.check()
    except SandboxUnavailable as error:
        return str(error)
    finally:
        sandbox.close()
    return docker.from_env()


def _leftovers(client: docker.DockerClient) -> list[str]:
    """What is still there; in CI whoever made it, elsewhere of this session alone: others may use the engine."""
    label: dict[str, str | list[str] | bool] = {
        "label": OWNER_LABEL if os.environ.get("CI") else f"{OWNER_LABEL}={TEST_OWNER}"
    }
    containers = [f"container {found.name}" for found in client.containers.list(all=True, filters=label)]
    return containers + [f"volume {found.name}" for found in client.volumes.list(filters=label)]
