"""Prepared images, on a real engine."""

import socket
import threading
from collections.abc import Iterator, Mapping
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path

import docker
import pytest

from sandbox.contract import Ending, File, Limits, SandboxUnavailable, archive_of, files_of
from sandbox.docker import DockerSandbox
from sandbox.egress import EgressProxy
from sandbox.environments import (
    REPOSITORY,
    REPOSITORY_LABEL,
    Environments,
    PreparedImage,
    SetupFailed,
    cache_key,
    setup_environment,
)
from tests.conftest import image_under_test

LIMITS = Limits(wall_s=120, workspace_bytes=64 * 1024 * 1024)
SOURCES = archive_of({"app.py": File(b"x = 1\n"), "pkg/a.py": File(b"")})


class Clock:
    now_s = 1000.0

    def __call__(self) -> float:
        return self.now_s


@pytest.fixture
def repository_id(docker_client: docker.DockerClient) -> Iterator[int]:
    """A repository of the test's own, whose images are gone afterwards."""
    found = 4711
    yield found
    for image in docker_client.images.list(filters={"label": f"{REPOSITORY_LABEL}={found}"}):
        docker_client.images.remove(str(image.id), force=True)


def prepare(
    environments: Environments,
    repository_id: int,
    setup: str,
    *,
    declared: Mapping[str, bytes] | None = None,
    archive: bytes = SOURCES,
) -> PreparedImage:
    return environments.prepare(
        base_image=image_under_test(),
        repository_id=repository_id,
        setup=setup,
        archive=archive,
        declared=declared or {},
        limits=LIMITS,
    )


def test_without_setup_the_base_image_itself_is_the_environment(docker_sandbox: DockerSandbox) -> None:
    found = prepare(Environments(docker_sandbox), 1, " \n")

    assert found == PreparedImage(image_under_test(), is_cached=True, output="", duration_s=0.0)


def test_what_setup_installs_is_in_the_image_and_what_it_leaves_in_the_workspace_is_there_again(
    docker_sandbox: DockerSandbox, repository_id: int
) -> None:
    setup = (
        "id -u; test -f app.py\n"
        "site=$(python3 -c 'import site; print(site.getsitepackages()[0])')\n"
        "mkdir -p $site; echo 'greeting = 1' >$site/installed_by_setup.py\n"
        "mkdir -p built/deep; echo yes >built/deep/file; ln -s deep built/link; echo changed >app.py; chmod 700 built"
    )

    prepared = prepare(Environments(docker_sandbox), repository_id, setup)

    assert (prepared.is_cached, prepared.output) == (False, "0\n")
    with docker_sandbox.open(image=prepared.name, limits=LIMITS) as workspace:
        assert set(dict(files_of(workspace.get()))) == {"built/deep/file", "built/link"}
        workspace.put(SOURCES)
        result = workspace.run(
            "id -u; cat built/link/file app.py; python -c 'import installed_by_setup'; touch built/x"
        )
        assert (result.stdout, result.stderr, result.exit_code) == ("1000\nyes\nx = 1\n", "", 0)


def test_an_editable_install_finds_the_workspaces_own_code(docker_sandbox: DockerSandbox, repository_id: int) -> None:
    project = b"[project]\nname = 'thing'\nversion = '1'\n[build-system]\nrequires = ['setuptools']\n"
    project += b"build-backend = 'setuptools.build_meta'\n[tool.setuptools]\npackages = ['thing']\n"
    sources = {"pyproject.toml": File(project), "thing/__init__.py": File(b"value = 1\n")}

    prepared = prepare(
        Environments(docker_sandbox),
        repository_id,
        "python3 -m pip install -q --no-build-isolation --no-deps --no-index -e .",
        archive=archive_of(sources),
    )

    with docker_sandbox.open(image=prepared.name, limits=LIMITS) as workspace:
        workspace.put(archive_of(sources | {"thing/__init__.py": File(b"value = 2\n")}))
        assert workspace.run("cd /tmp && python -c 'import thing; print(thing.value)'").stdout == "2\n"


def test_the_same_environment_is_made_once_until_it_is_too_old(
    docker_sandbox: DockerSandbox, docker_client: docker.DockerClient, repository_id: int
) -> None:
    clock = Clock()
    environments = Environments(docker_sandbox, max_age_s=100, clock=clock)
    lock = {"requirements.txt": b"a==1\n"}

    first = prepare(environments, repository_id, "echo made", declared=lock)
    again = prepare(environments, repository_id, "echo made", declared=lock)
    clock.now_s += 101
    later = prepare(environments, repository_id, "echo made", declared=lock)
    other = prepare(environments, repository_id, "echo made", declared={"requirements.txt": b"a==2\n"})

    assert [found.is_cached for found in (first, again, later, other)] == [False, True, False, False]
    assert first.name == again.name == later.name != other.name
    made = docker_client.images.list(all=True, filters={"label": f"{REPOSITORY_LABEL}={repository_id}"})
    assert len(made) == 2


def test_setup_that_fails_says_how_and_leaves_no_image(
    docker_sandbox: DockerSandbox, docker_client: docker.DockerClient, repository_id: int
) -> None:
    with pytest.raises(SetupFailed, match="exit code 3") as raised:
        prepare(
            Environments(docker_sandbox), repository_id, "echo trying; echo oh dear >&2; (exit 3)\necho not reached"
        )

    assert (raised.value.exit_code, raised.value.ending) == (3, Ending.EXITED)
    assert raised.value.output == "trying\noh dear\n"
    assert docker_client.images.list(filters={"label": f"{REPOSITORY_LABEL}={repository_id}"}) == []


def test_what_setup_leaves_running_is_not_waited_for(docker_sandbox: DockerSandbox, repository_id: int) -> None:
    prepared = prepare(Environments(docker_sandbox), repository_id, "sleep 1000 & setsid sleep 1000 & echo ready")

    assert prepared.output == "ready\n"
    assert prepared.duration_s < 60


def test_setup_reaches_allowed_hosts_by_the_proxy_and_others_not(
    docker_sandbox: DockerSandbox, repository_id: int
) -> None:
    class Handler(BaseHTTPRequestHandler):
        def do_GET(self) -> None:
            self.send_response(200)
            self.end_headers()
            self.wfile.write(f"{self.headers['Host']}{self.path}".encode())

        def log_message(self, format: str, *args: object) -> None:  # noqa: A002 - the library's name
            pass

    with ThreadingHTTPServer(("127.0.0.1", 0), Handler) as server:
        thread = threading.Thread(target=server.serve_forever)
        thread.start()

        def egress(path: Path) -> EgressProxy:
            return EgressProxy(
                path,
                allowed_hosts=["pkgs.example"],
                resolve=lambda _host, _port: ["151.101.0.223"],
                connect=lambda _address, _port: socket.create_connection(("127.0.0.1", server.server_port), timeout=5),
            )

        fetch = 'import sys, urllib.request; print(urllib.request.urlopen("http://" + sys.argv[1]).read().decode())'
        setup = f"python3 -c '{fetch}' pkgs.example/simple; python3 -c '{fetch}' 169.254.169.254/latest 2>&1 || true"
        direct = "\npython3 -c 'import socket; socket.create_connection((\"1.1.1.1\", 80), 3)' 2>&1 | tail -1"
        prepared = prepare(Environments(docker_sandbox, egress=egress), repository_id, setup + direct)
        server.shutdown()
        thread.join()

    assert "pkgs.example/simple\n" in prepared.output
    assert "403: 169.254.169.254 is not among the hosts that a setup may reach" in prepared.output
    assert "unreachable" in prepared.output


def test_an_engine_elsewhere_is_told_apart(docker_sandbox: DockerSandbox) -> None:
    class Elsewhere(DockerSandbox):
        @property
        def host(self) -> str:
            return "tcp://engine.example:2376"

    elsewhere = Elsewhere(image=image_under_test())
    with pytest.raises(SandboxUnavailable, match=r"another one's \(tcp://engine.example:2376\)"):
        prepare(Environments(elsewhere), 1, "true")
    elsewhere.close()


def test_a_missing_base_image_is_said_so(docker_sandbox: DockerSandbox) -> None:
    with pytest.raises(SandboxUnavailable, match="docker build -t no-such-image:1"):
        Environments(docker_sandbox).prepare(
            base_image="no-such-image:1", repository_id=1, setup="true", archive=SOURCES, declared={}, limits=LIMITS
        )


def test_every_part_of_an_environment_counts_in_its_key() -> None:
    def key(base: str = "b", repository: int = 1, setup: str = "s", declared: Mapping[str, bytes] | None = None) -> str:
        return cache_key(base_id=base, repository_id=repository, setup=setup, declared=declared or {"f": b"1"})

    variants = [
        key(),
        key(base="other"),
        key(repository=2),
        key(setup="other"),
        key(declared={"f": b"2"}),
        key(declared={"g": b"1"}),
        key(declared={"f": b"1", "g": b""}),
        key(declared={"f1": b""}),
    ]

    assert len(set(variants)) == len(variants)
    assert key(declared={"f": b"1", "g": b"2"}) == key(declared={"g": b"2", "f": b"1"})


def test_a_ca_bundle_is_named_to_every_package_manager(
    docker_sandbox: DockerSandbox, repository_id: int, tmp_path: Path
) -> None:
    (tmp_path / "company.pem").write_text("the company's certificate\n")

    prepared = prepare(
        Environments(docker_sandbox, ca_bundle=tmp_path / "company.pem"),
        repository_id,
        'cat "$PIP_CERT" "$SSL_CERT_FILE"',
    )

    assert prepared.output == "the company's certificate\n" * 2
    assert "PIP_CERT" not in setup_environment(has_ca=False)


def test_prepared_images_are_named_by_repository(docker_sandbox: DockerSandbox, repository_id: int) -> None:
    assert prepare(Environments(docker_sandbox), repository_id, "true").name.startswith(
        f"{REPOSITORY}:{repository_id}-"
    )
