"""Backends by their names, those that other packages bring too."""

import importlib
import sys
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path

import pytest

from sandbox import backends
from sandbox.backends import GROUP, STRONGEST_FIRST, Options
from sandbox.contract import Guarantee, SandboxUnavailable
from sandbox.docker import DockerSandbox
from tests.machines import where_no_sandbox_answers

OPTIONS = Options(owner="selfcode-tests-backends", image="no-such-image:1", docker_host="unix:///nonexistent.sock")
BACKEND = """
from sandbox.process import ProcessSandbox

class Borrowed(ProcessSandbox):
    name = "borrowed"

def make(options):
    assert options.owner
    return Borrowed()
"""


@pytest.fixture
def installed(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[None]:
    """A package on sys.path, as pip leaves one, that brings the backends `borrowed`, `broken` and a false `process`."""
    (tmp_path / "borrowed_sandbox.py").write_text(BACKEND)
    metadata = tmp_path / "borrowed_sandbox-1.0.dist-info"
    metadata.mkdir()
    (metadata / "METADATA").write_text("Metadata-Version: 2.1\nName: borrowed-sandbox\nVersion: 1.0\n")
    (metadata / "entry_points.txt").write_text(
        f"[{GROUP}]\nborrowed = borrowed_sandbox:make\nbroken = borrowed_sandbox:nothing\n"
        "missing = no_such_module:make\nprocess = borrowed_sandbox:make\n"
    )
    monkeypatch.syspath_prepend(str(tmp_path))
    importlib.invalidate_caches()
    yield
    sys.modules.pop("borrowed_sandbox", None)


def test_those_that_come_along_can_be_named() -> None:
    assert tuple(backends.names())[:3] == ("docker", "bubblewrap", "process")


@pytest.mark.parametrize("name", ["docker", "bubblewrap", "process"])
def test_each_is_made_by_its_name_and_nothing_is_connected_to_yet(name: str) -> None:
    sandbox = backends.make(name, OPTIONS)

    assert sandbox.name == name
    assert set(sandbox.unheld) <= set(Guarantee)


def test_a_name_that_nobody_has_is_told_with_those_that_there_are() -> None:
    with pytest.raises(SandboxUnavailable, match="'dokcer': choose one of docker, bubblewrap, process"):
        backends.make("dokcer", OPTIONS)


@pytest.mark.parametrize(
    ("runtime", "complaint"), [("no-such-runtime", "knows no runtime 'no-such-runtime'"), (None, "no-such-image:1")]
)
def test_docker_gets_engine_image_and_runtime(
    docker_sandbox: DockerSandbox, runtime: str | None, complaint: str
) -> None:
    sandbox = backends.make("docker", replace(OPTIONS, docker_host=docker_sandbox.host, runtime=runtime))
    assert isinstance(sandbox, DockerSandbox)

    with pytest.raises(SandboxUnavailable, match=complaint):
        sandbox.check()
    sandbox.close()


def test_bubblewrap_gets_the_folders_to_show() -> None:
    sandbox = backends.make("bubblewrap", replace(OPTIONS, readable=[Path("/nowhere")]))

    with pytest.raises(SandboxUnavailable, match=r"^/nowhere can't be shown"):
        sandbox.check()


@pytest.mark.usefixtures("installed")
def test_a_backend_of_another_package_is_named_loaded_and_opened() -> None:
    sandbox = backends.make("borrowed", OPTIONS)

    assert "borrowed" in backends.names()
    assert sandbox.name == "borrowed"
    with sandbox.open() as workspace:
        assert workspace.run("echo works").stdout == "works\n"


@pytest.mark.usefixtures("installed")
@pytest.mark.parametrize(("name", "why"), [("broken", "nothing"), ("missing", "no_such_module")])
def test_a_backend_that_cannot_be_loaded_says_what_is_wrong(name: str, why: str) -> None:
    with pytest.raises(SandboxUnavailable, match=f"the sandbox '{name}' can't be loaded.*{why}"):
        backends.make(name, OPTIONS)


@pytest.mark.usefixtures("installed")
def test_no_package_takes_the_name_of_one_that_comes_along() -> None:
    assert type(backends.make("process", OPTIONS)).__module__ == "sandbox.process"
    assert list(backends.names()).count("process") == 1


def test_the_strongest_is_never_the_one_that_isolates_nothing() -> None:
    assert "process" not in STRONGEST_FIRST
    assert all(backends.make(name, OPTIONS).isolated for name in STRONGEST_FIRST)


def test_the_strongest_is_the_first_that_answers(docker_sandbox: DockerSandbox) -> None:
    options = Options(owner="selfcode-tests-backends", image=docker_sandbox.check().split("image ")[1].split()[0])

    assert backends.strongest(options).name == "docker"


def test_where_none_answers_each_says_what_keeps_it() -> None:
    told = where_no_sandbox_answers(
        "from sandbox import backends\n"
        "from sandbox.backends import Options\n"
        "from sandbox.contract import SandboxUnavailable\n"
        "try: backends.strongest(Options(owner='x', image='x'))\n"
        "except SandboxUnavailable as told: print(told)\n"
    )

    first, docker, bubblewrap = told.splitlines()
    assert first == "no sandbox answers."
    assert docker.startswith("docker: no Docker engine answers at unix:///nonexistent.sock: start Docker")
    assert bubblewrap.startswith("bubblewrap: ")
