"""Sandboxes for every test that wants one, and a loud word about what was left out without an engine."""

import gc
import os
import sys
from collections.abc import Iterator, Sequence
from contextlib import ExitStack

import docker
import pytest

from sandbox.bubblewrap import BubblewrapSandbox
from sandbox.containers.images import OWNER_LABEL
from sandbox.contract import SandboxUnavailable
from sandbox.docker import DockerSandbox
from sandbox.process import ProcessSandbox
from tests import bare_python, remains
from tests.engine.image import TAG
from tests.left_out import leave_out, tell
from tests.sandbox.hostile import untried

pytest_plugins = ["tests.postgres.fixtures"]

TEST_OWNER = f"selfcode-tests-{os.getpid()}"
_SLOW_FIRST = (
    "tests/chaos/",
    "tests/story/",
    "tests/browser/",
    "tests/sandbox/",
    "tests/runs/",
    "tests/test_cli.py",
    "tests/proof/test_proving.py",
    "tests/proof/redteam/",
    "tests/test_verify_command.py",
    "tests/real/",
    "tests/proof/",
    "tests/agent/",
    "tests/demo/",
)
_NEEDS_ENGINE = ("docker_sandbox", "docker_client")
_HAD_BY = {"Docker": "docker", "PostgreSQL": "postgres", "Chromium": "chromium"}
_FOUND_BEFORE = pytest.StashKey[frozenset[str]]()


def pytest_configure(config: pytest.Config) -> None:
    """The processes among which the tests are dealt out have the environment of the one that deals."""
    if not hasattr(config, "workerinput"):
        stack = ExitStack()
        config.add_cleanup(stack.close)
        stack.enter_context(bare_python.first_on_path())


@pytest.hookimpl(wrapper=True)
def pytest_collection() -> Iterator[None]:
    """Ten thousand tests are made, and all of them stay: nothing is looked through for garbage meanwhile, nor later."""
    gc.disable()
    try:
        return (yield)
    finally:
        gc.freeze()
        gc.enable()


def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    """What takes longest comes first: the file that is handed out last decides when all processes are done."""
    items.sort(key=_place_in_the_order)
    for item in items:
        if set(_NEEDS_ENGINE).intersection(getattr(item, "fixturenames", ())):
            item.add_marker(pytest.mark.docker)


def _place_in_the_order(item: pytest.Item) -> int:
    ranks = (rank for rank, start in enumerate(_SLOW_FIRST) if item.nodeid.startswith(start))
    return next(ranks, len(_SLOW_FIRST))


@pytest.fixture(scope="session", autouse=True)
def _nothing_runs_on() -> Iterator[None]:
    """Set up before all else, so that it looks when all else is gone: processes and control groups of this session."""
    yield
    left = remains.after_a_moment(
        lambda: remains.processes(TEST_OWNER), lambda: remains.control_groups(f"-{os.getpid()}.")
    )
    assert left == [], "the tests have left something on the machine"


@pytest.fixture(scope="session")
def docker_client() -> Iterator[docker.DockerClient]:
    """The engine that `tests.engine` prepared, to look at what is there.

    Without one the test is left out, and counted, or fails where CI promises one.
    """
    client = _connected()
    if isinstance(client, str):
        leave_out("Docker", client)
    yield client
    leftovers = _leftovers(client, f"{OWNER_LABEL}={TEST_OWNER}")
    client.close()
    assert leftovers == [], "the tests have left something on the engine"


def pytest_sessionstart(session: pytest.Session) -> None:
    """In CI, note what is of ours on this machine before the first test: somebody else's, or an earlier session's."""
    if _watches_the_machine(session):
        session.config.stash[_FOUND_BEFORE] = before = frozenset(_ours())
        if before:
            sys.stderr.write(f"Here before the tests, and left to whoever has it: {', '.join(sorted(before))}\n")


@pytest.hookimpl(trylast=True)
def pytest_sessionfinish(session: pytest.Session) -> None:
    """In CI the tests may leave nothing of ours behind, once all test processes have ended."""
    if not _watches_the_machine(session):
        return
    before = session.config.stash.get(_FOUND_BEFORE, frozenset())
    left = remains.after_a_moment(lambda: [what for what in _ours() if what not in before])
    if left:
        sys.stderr.write(f"FAILED: the tests have left something behind: {', '.join(left)}\n")
        session.exitstatus = pytest.ExitCode.TESTS_FAILED


def _watches_the_machine(session: pytest.Session) -> bool:
    return bool(os.environ.get("CI")) and not hasattr(session.config, "workerinput")


def _ours() -> Sequence[str]:
    """Whatever on this machine, and on the engine, has a name that selfcode or its tests give."""
    found = [
        *remains.processes("selfcode-tests-"),
        *remains.control_groups(""),
        *remains.mounts("/volumes/selfcode-"),
    ]
    client = _connected()
    if not isinstance(client, str):
        found += _leftovers(client, OWNER_LABEL)
        client.close()
    return found


@pytest.fixture(scope="session")
def docker_sandbox(docker_client: docker.DockerClient) -> Iterator[DockerSandbox]:
    """Containers of the test image on a real engine."""
    sandbox = DockerSandbox(image=image_under_test(), owner=TEST_OWNER)
    yield sandbox
    sandbox.close()


@pytest.fixture(scope="session")
def bubblewrap_sandbox() -> Iterator[BubblewrapSandbox]:
    """Namespaces of this machine. Without them the test is left out, and counted, or fails where CI promises them."""
    sandbox = BubblewrapSandbox(owner=TEST_OWNER)
    try:
        sandbox.check()
    except SandboxUnavailable as error:
        leave_out("bubblewrap", str(error))
    yield sandbox
    sandbox.close()
    assert sandbox.remove_leftovers() == 0, "the tests have left control groups or processes behind"


@pytest.fixture
def process_sandbox() -> ProcessSandbox:
    return ProcessSandbox()


@pytest.fixture(autouse=True)
def _engine_for_marked_tests(request: pytest.FixtureRequest) -> None:
    """A test that is marked `docker` and makes its own sandbox is left out as well where there is no engine."""
    if request.node.get_closest_marker("docker"):
        request.getfixturevalue("docker_client")


def pytest_terminal_summary(terminalreporter: pytest.TerminalReporter) -> None:
    for what, program in _HAD_BY.items():
        setting = f"INSTALL_{program.upper()}=1"
        tell(terminalreporter, what, to_have=f"start or install it, or `make test {setting}` (root, Debian or Ubuntu)")
    untried.tell(terminalreporter)


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


def _leftovers(client: docker.DockerClient, label: str) -> list[str]:
    """What is still there with this label."""
    filters: dict[str, str | list[str] | bool] = {"label": label}
    containers = [f"container {found.name}" for found in client.containers.list(all=True, filters=filters)]
    networks = [f"network {found.name}" for found in client.networks.list(filters=filters)]
    return [*containers, *networks, *(f"volume {found.name}" for found in client.volumes.list(filters=filters))]
