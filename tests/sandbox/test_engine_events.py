"""What happens to a workspace when its container or its engine does not stay."""

import gc
import threading
import time
from collections.abc import Callable, Iterator
from pathlib import Path

import docker
import pytest
from docker.models.containers import Container

from sandbox.containers.images import OWNER_LABEL
from sandbox.contract import MEBIBYTE, Ending, File, Limits, SandboxError, SandboxUnavailable, Workspace, archive_of
from sandbox.docker import DockerSandbox
from tests.conftest import TEST_OWNER, image_under_test
from tests.sandbox.line import Line

OWNER = f"{TEST_OWNER}-events"
LIMITS = Limits(wall_s=60, memory_bytes=256 * MEBIBYTE, processes=64, workspace_bytes=16 * MEBIBYTE)
WITHIN_S = 20.0

pytestmark = [
    pytest.mark.docker,
    pytest.mark.filterwarnings("ignore:unclosed <socket:ResourceWarning"),  # the SDK's, where nothing listens
]


@pytest.fixture
def line(docker_sandbox: DockerSandbox, tmp_path: Path) -> Iterator[Line]:
    with Line(Path(docker_sandbox.host.removeprefix("unix://")), tmp_path / "engine.sock") as opened:
        yield opened
    gc.collect()  # the sockets that the SDK left open: here, where their warning is expected


@pytest.fixture
def sandbox(line: Line, docker_client: docker.DockerClient) -> Iterator[DockerSandbox]:
    """One of the test's own, of which nothing is left."""
    made = DockerSandbox(image=image_under_test(), docker_host=line.host, owner=OWNER)
    yield made
    made.close()
    assert of_ours(docker_client) == []


def of_ours(client: docker.DockerClient) -> list[str]:
    label: dict[str, str | list[str] | bool] = {"label": f"{OWNER_LABEL}={OWNER}"}
    containers = [str(found.id) for found in client.containers.list(all=True, filters=label)]
    return containers + [str(found.id) for found in client.volumes.list(filters=label)]


def while_it_runs(workspace: Workspace, happening: Callable[[], object]) -> float:
    """Run a long command, let something happen in the middle of it, and say how long until its error came."""
    timer = threading.Timer(0.5, happening)
    timer.start()
    began = time.monotonic()
    try:
        with pytest.raises(SandboxError):
            workspace.run("sleep 300", timeout_s=100)
    finally:
        timer.join()
    return time.monotonic() - began


@pytest.mark.parametrize("happening", ["kill", "stop", "remove"])
def test_a_container_that_somebody_ends_is_said_at_once_and_the_next_workspace_works(
    sandbox: DockerSandbox, docker_client: docker.DockerClient, happening: str
) -> None:
    options = {"remove": {"force": True}}.get(happening, {})
    with sandbox.open(limits=LIMITS) as workspace:
        container = docker_client.containers.get(workspace.run("hostname").stdout.strip())
        took_s = while_it_runs(workspace, lambda: getattr(container, happening)(**options))
        with pytest.raises(SandboxError):
            workspace.run("true")

    assert took_s < WITHIN_S
    with sandbox.open(limits=LIMITS) as workspace:
        assert workspace.run("echo works").stdout == "works\n"


def test_a_container_without_its_files_is_never_taken_for_the_old_one(
    sandbox: DockerSandbox, docker_client: docker.DockerClient
) -> None:
    with sandbox.open(limits=LIMITS) as workspace:
        workspace.put(archive_of({"kept": File(b"1")}))
        docker_client.containers.get(workspace.run("hostname").stdout.strip()).kill()

        with pytest.raises(SandboxError, match="was ended, and not by us: its files are gone"):
            workspace.run("ls; exit 1")


def test_a_paused_container_is_replaced_at_the_time_limit_and_the_files_stay(
    sandbox: DockerSandbox, docker_client: docker.DockerClient
) -> None:
    with sandbox.open(limits=LIMITS) as workspace:
        workspace.put(archive_of({"kept": File(b"1")}))
        container = docker_client.containers.get(workspace.run("hostname").stdout.strip())
        timer = threading.Timer(0.3, container.pause)
        timer.start()

        assert workspace.run("sleep 300", timeout_s=1).ending is Ending.TIMED_OUT
        timer.join()
        assert workspace.run("ls").stdout == "kept\n"


def test_an_engine_that_breaks_off_is_said_at_once_and_the_next_workspace_works_when_it_is_back(
    sandbox: DockerSandbox, line: Line, docker_client: docker.DockerClient
) -> None:
    with sandbox.open(limits=LIMITS) as workspace:
        took_s = while_it_runs(workspace, line.cut)
        with pytest.raises(SandboxUnavailable):
            workspace.run("true")
    with pytest.raises(SandboxUnavailable), sandbox.open(limits=LIMITS):
        pass
    line.mend()

    assert took_s < WITHIN_S
    with sandbox.open(limits=LIMITS) as workspace:
        assert workspace.run("echo works").stdout == "works\n"
    sandbox.close()
    assert of_ours(docker_client) == []


def test_an_engine_that_never_comes_back_holds_nobody_up_and_its_leftovers_are_found_later(
    line: Line, docker_client: docker.DockerClient
) -> None:
    sandbox = DockerSandbox(image=image_under_test(), docker_host=line.host, owner=OWNER)
    with sandbox.open(limits=LIMITS) as workspace:
        took_s = while_it_runs(workspace, line.cut)
    began = time.monotonic()
    sandbox.close()

    assert max(took_s, time.monotonic() - began) < WITHIN_S
    assert len(of_ours(docker_client)) == 2
    successor = DockerSandbox(image=image_under_test(), owner=OWNER)
    assert successor.remove_leftovers() == 2
    successor.close()


def test_a_spare_that_somebody_ended_is_not_used(sandbox: DockerSandbox, docker_client: docker.DockerClient) -> None:
    for _ in range(2):
        with sandbox.open(limits=LIMITS) as workspace:
            used = workspace.run("hostname").stdout.strip()
    for found in spares(docker_client, used):
        found.remove(force=True)

    with sandbox.open(limits=LIMITS) as workspace:
        assert workspace.run("echo works").stdout == "works\n"


def spares(client: docker.DockerClient, used: str) -> list[Container]:
    """Every container of ours but the one that was used, as soon as there is one."""
    label: dict[str, str | list[str] | bool] = {"label": f"{OWNER_LABEL}={OWNER}"}
    deadline = time.monotonic() + WITHIN_S
    while time.monotonic() < deadline:
        if found := [each for each in client.containers.list(filters=label) if each.short_id != used]:
            return found
        time.sleep(0.05)
    raise AssertionError("no spare was made")
