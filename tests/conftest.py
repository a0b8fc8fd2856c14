"""Sandboxes for every test that wants one, and a loud word about what was left out without an engine."""

import os
from collections.abc import Iterator

import pytest

import docker
from docker.errors import DockerException
from sandbox.docker import OWNER_LABEL, DockerSandbox
from sandbox.process import ProcessSandbox

TEST_OWNER = f"selfcode-tests-{os.getpid()}"
_LEFT_OUT = pytest.StashKey[list[str]]()
_HOW = "start Docker, or `make test INSTALL_DOCKER=1` (root, Debian or Ubuntu)"


def pytest_configure(config: pytest.Config) -> None:
    config.stash[_LEFT_OUT] = []


@pytest.fixture(scope="session")
def _engine() -> Iterator[docker.DockerClient | str]:
    """A connection to the engine that `tests.engine` prepared, or why there is none."""
    if not os.environ.get("SELFCODE_TEST_IMAGE"):
        yield "SELFCODE_TEST_IMAGE is not set: run the tests by `make test`, or name an image built from sandbox/"
        return
    try:
        client = docker.from_env()
    except DockerException as error:
        yield f"no Docker engine answers ({error})"
        return
    yield client
    leftovers = _leftovers(client)
    client.close()
    assert leftovers == [], "the tests have left something on the engine"


@pytest.fixture
def _engine_for_test(request: pytest.FixtureRequest, _engine: docker.DockerClient | str) -> docker.DockerClient:
    """The engine; without one the test is left out, and counted, or fails where CI promises one."""
    if not isinstance(_engine, str):
        return _engine
    if os.environ.get("CI"):
        pytest.fail(_engine)
    request.config.stash[_LEFT_OUT].append(request.node.nodeid)
    pytest.skip(f"{_engine}; {_HOW}")


@pytest.fixture(scope="session")
def _shared_docker_sandbox() -> Iterator[DockerSandbox]:
    sandbox = DockerSandbox(image=os.environ.get("SELFCODE_TEST_IMAGE", ""), owner=TEST_OWNER)
    yield sandbox
    sandbox.close()


@pytest.fixture
def docker_sandbox(_engine_for_test: docker.DockerClient, _shared_docker_sandbox: DockerSandbox) -> DockerSandbox:
    """Containers of the test image on a real engine."""
    return _shared_docker_sandbox


@pytest.fixture
def docker_client(_engine_for_test: docker.DockerClient) -> docker.DockerClient:
    """The engine itself, to look at what is there."""
    return _engine_for_test


@pytest.fixture
def process_sandbox() -> ProcessSandbox:
    return ProcessSandbox()


def pytest_terminal_summary(terminalreporter: pytest.TerminalReporter, config: pytest.Config) -> None:
    left_out = config.stash[_LEFT_OUT]
    if left_out:
        terminalreporter.section("Docker tests LEFT OUT", sep="!", red=True, bold=True)
        terminalreporter.write_line(f"{len(left_out)} tests need a Docker engine and did not run: {_HOW}", red=True)


def _leftovers(client: docker.DockerClient) -> list[str]:
    label = {"label": f"{OWNER_LABEL}={TEST_OWNER}"}
    containers = [f"container {found.name}" for found in client.containers.list(all=True, filters=label)]
    return containers + [f"volume {found.name}" for found in client.volumes.list(filters=label)]
