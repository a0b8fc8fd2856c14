"""One suite against every backend. A test says which guarantee it is about: `@pytest.mark.holds(Guarantee.MEMORY)`.

A backend that does not hold it on this machine is not tried, which the summary at the end says. Where CI runs as root,
Docker and bubblewrap have to hold everything.
"""

import os
import uuid
from collections.abc import Iterator, Mapping
from functools import cache

import pytest

from sandbox import backends
from sandbox.backends import Options
from sandbox.contract import MEBIBYTE, Guarantee, Limits, Sandbox, Workspace
from sandbox.process import ProcessSandbox
from tests.conftest import TEST_OWNER, image_under_test
from tests.sandbox.hostile.untried import UNTRIED

LIMITS = Limits(
    wall_s=60,
    memory_bytes=256 * MEBIBYTE,
    cpus=1.0,
    processes=64,
    file_size_bytes=48 * MEBIBYTE,
    workspace_bytes=32 * MEBIBYTE,
    tmp_bytes=16 * MEBIBYTE,
    output_bytes=64 * 1024,
)
BACKENDS = (pytest.param("docker", marks=pytest.mark.docker), "bubblewrap", "process")
_HOLD_ALL = ("docker", "bubblewrap")


def options(owner: str) -> Options:
    """What a backend that is made by its name gets."""
    return Options(owner=owner, image=image_under_test())


def pytest_configure(config: pytest.Config) -> None:
    config.addinivalue_line("markers", "holds(*guarantees): is for backends that hold these guarantees here")


def pytest_collection_modifyitems(config: pytest.Config, items: list[pytest.Item]) -> None:
    """What `process` does not claim anywhere is no test of it."""
    unclaimed = [item for item in items if _is_unclaimed(item)]
    if unclaimed:
        items[:] = [item for item in items if item not in unclaimed]
        config.hook.pytest_deselected(items=unclaimed)


def _is_unclaimed(item: pytest.Item) -> bool:
    parameters = item.callspec.params if isinstance(item, pytest.Function) and hasattr(item, "callspec") else {}
    wanted = {guarantee for mark in item.iter_markers("holds") for guarantee in mark.args}
    return parameters.get("sandbox") == "process" and not wanted.isdisjoint(_unheld("process"))


def pytest_runtest_setup(item: pytest.Function) -> None:
    if not hasattr(item, "callspec"):
        return
    backend = str(item.callspec.params["sandbox"])
    for mark in item.iter_markers("holds"):
        for guarantee in mark.args:
            if reason := _unheld(backend).get(guarantee):
                _leave_out(backend, f"{UNTRIED} {backend}: {guarantee.name}: {reason}")


def _leave_out(backend: str, reason: str) -> None:
    if os.environ.get("CI") and os.geteuid() == 0 and backend in _HOLD_ALL:
        pytest.fail(reason)
    pytest.skip(reason)


@cache
def _unheld(backend: str) -> Mapping[Guarantee, str]:
    return backends.make(backend, options(TEST_OWNER)).unheld


@pytest.fixture(scope="module", params=BACKENDS)
def sandbox(request: pytest.FixtureRequest) -> Sandbox:
    if request.param == "process":
        return ProcessSandbox()
    found: Sandbox = request.getfixturevalue(f"{request.param}_sandbox")
    return found


@pytest.fixture(scope="module")
def workspace(sandbox: Sandbox) -> Iterator[Workspace]:
    """One for all tests of a module: what one does to it, the next must be able to bear."""
    with sandbox.open(limits=LIMITS) as opened:
        yield opened


@pytest.fixture
def fresh(sandbox: Sandbox) -> Iterator[Workspace]:
    """One of the test's own."""
    with sandbox.open(limits=LIMITS) as opened:
        yield opened


@pytest.fixture
def mark() -> str:
    """A word by which the host finds a command's processes: an argument of it."""
    return f"mark-{uuid.uuid4().hex}"
