"""Prepared images, on a real engine."""

import base64
import io
import json
import multiprocessing
import os
import signal
import tarfile
import time
from collections.abc import Callable, Iterator, Mapping
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Any

import docker
import pytest

from sandbox.contract import Ending, File, Limits, SandboxError, SandboxUnavailable, archive_of, files_of
from sandbox.docker import DockerSandbox
from sandbox.environments import Environments, PreparedImage, SetupFailed
from sandbox.setup.shelf import REPOSITORY, REPOSITORY_LABEL
from sandbox.setup.wanted import cache_key
from sandbox.setup.way_out import WayOut
from tests.conftest import TEST_OWNER, image_under_test

LIMITS = Limits(wall_s=120, workspace_bytes=64 * 1024 * 1024)
SOURCES = archive_of({"app.py": File(b"x = 1\n"), "pkg/a.py": File(b"")})
TOKEN = b"s3cr3t/of+the-registry"


class Clock:
    """Starts with now: others on the engine are not to find what is made here too old."""

    def __init__(self) -> None:
        self.now_s = time.time()

    def __call__(self) -> float:
        return self.now_s


@pytest.fixture
def repository_id(docker_sandbox: DockerSandbox) -> Iterator[int]:
    """A repository of the test's own, whose images are gone afterwards."""
    found = 4711_000_000 + os.getpid()
    yield found
    docker_sandbox.remove_leftovers()
    environments_of(docker_sandbox).remove_repository(found)


@pytest.fixture
def environments(docker_sandbox: DockerSandbox) -> Environments:
    return environments_of(docker_sandbox)


def environments_of(sandbox: DockerSandbox, *, clock: Clock | None = None, **options: float) -> Environments:
    return Environments(
        sandbox,
        way_out=WayOut(),
        clock=clock or time.time,
        max_age_s=options.get("max_age_s", 1e6),
        setup_bytes=int(options.get("setup_bytes", 10**9)),
    )


def prepare(
    environments: Environments,
    repository_id: int,
    setup: str,
    *,
    declared: Mapping[str, bytes] | None = None,
    archive: bytes = SOURCES,
    secrets: Mapping[str, bytes] | None = None,
    directory: str = ".",
    stop: Callable[[], bool] | None = None,
) -> PreparedImage:
    return environments.prepare(
        base_image=image_under_test(),
        repository_id=repository_id,
        setup=setup,
        archive=archive,
        declared=declared or {},
        limits=LIMITS,
        secrets=secrets,
        directory=directory,
        stop=stop,
    )


def images_of(client: docker.DockerClient, repository_id: int) -> list[str]:
    found = client.images.list(filters={"label": f"{REPOSITORY_LABEL}={repository_id}"})
    return [str(image.id) for image in found]


def test_without_setup_the_base_image_itself_is_the_environment(environments: Environments) -> None:
    found = prepare(environments, 1, " \n")

    assert found == PreparedImage(image_under_test(), is_cached=True, output="", duration_s=0.0)


def test_what_setup_installs_is_in_the_image_and_what_it_leaves_in_the_workspace_is_there_again(
    docker_sandbox: DockerSandbox, environments: Environments, repository_id: int
) -> None:
    setup = (
        "id -u; test -f app.py\n"
        "site=$(python3 -c 'import site; print(site.getsitepackages()[0])')\n"
        "mkdir -p $site; echo 'greeting = 1' >$site/installed_by_setup.py\n"
        "mkdir -p built/deep; echo yes >built/deep/file; ln -s deep built/link; echo changed >app.py\n"
        "chmod 444 built/deep/file; chmod 500 built/deep; chmod 700 built"
    )

    prepared = prepare(environments, repository_id, setup)

    assert (prepared.is_cached, prepared.output, prepared.denied) == (False, "0\n", ())
    assert prepared.name.startswith(f"{REPOSITORY}:{repository_id}-")
    with docker_sandbox.open(image=prepared.name, limits=LIMITS) as workspace:
        assert set(dict(files_of(workspace.get()))) == {"built/deep/file", "built/link"}
        workspace.put(SOURCES)
        result = workspace.run(
            "id -u; cat built/link/file app.py; python -c 'import installed_by_setup'\n"
            "echo rebuilt >built/deep/file; touch built/x built/deep/y"
        )
        assert (result.stdout, result.stderr, result.exit_code) == ("1000\nyes\nx = 1\n", "", 0)


def test_what_setup_leaves_in_its_home_is_there_again_beside_room_for_more(
    docker_sandbox: DockerSandbox, environments: Environments, repository_id: int
) -> None:
    setup = (
        "mkdir -p ~/go/pkg/mod ~/.cache/pypoetry/virtualenvs ~/.cache/pip\n"
        "echo module >~/go/pkg/mod/m; chmod 600 ~/go/pkg/mod/m; touch ~/.cache/pip/wheel\n"
        "cd ~/.cache/pypoetry/virtualenvs; printf '#!/bin/sh\\necho from $0' >run; chmod 700 run"
    )

    prepared = prepare(environments, repository_id, setup)

    with docker_sandbox.open(image=prepared.name, limits=LIMITS) as workspace:
        result = workspace.run(
            "cat ~/go/pkg/mod/m; ~/.cache/pypoetry/virtualenvs/run; touch ~/.cache/new ~/.x; ls ~/.cache"
        )
        assert (result.stdout, result.stderr) == (
            "module\nfrom /home/sandbox/.cache/pypoetry/virtualenvs/run\nnew\npypoetry\n",
            "",
        )


PROJECT = b"[project]\nname = 'thing'\nversion = '1'\n[build-system]\nrequires = ['setuptools']\n"
PROJECT += b"build-backend = 'setuptools.build_meta'\n"


def test_an_editable_install_finds_the_workspaces_own_code(
    docker_sandbox: DockerSandbox, environments: Environments, repository_id: int
) -> None:
    sources = {"py/pyproject.toml": File(PROJECT), "py/src/thing/__init__.py": File(b"value = 1\n")}
    later = {"py/src/thing/__init__.py": File(b"from thing.new import value\n")}
    later["py/src/thing/new.py"] = File(b"value = 2\n")

    prepared = prepare(
        environments,
        repository_id,
        "python3 -m pip install -q --no-build-isolation --no-deps --no-index -e .",
        archive=archive_of(sources),
        directory="py",
    )

    with docker_sandbox.open(image=prepared.name, limits=LIMITS) as workspace:
        workspace.put(archive_of(sources | later))
        result = workspace.run("cd /tmp && python -c 'import thing; print(thing.value)'")
        assert (result.stdout, result.stderr) == ("2\n", "")


def test_the_same_environment_is_made_once_until_it_is_too_old(
    docker_sandbox: DockerSandbox, docker_client: docker.DockerClient, repository_id: int
) -> None:
    clock = Clock()
    environments = environments_of(docker_sandbox, max_age_s=1000, clock=clock)
    lock = {"requirements.txt": b"a==1\n"}

    first = prepare(environments, repository_id, "echo made", declared=lock)
    clock.now_s += 900
    again = prepare(environments, repository_id, "echo made", declared=lock)
    clock.now_s += 101
    later = prepare(environments, repository_id, "echo made", declared=lock)

    assert [found.is_cached for found in (first, again, later)] == [False, True, False]
    assert first.name == again.name == later.name
    assert len(images_of(docker_client, repository_id)) == 1


def test_setup_that_fails_says_how_and_leaves_no_image(
    environments: Environments, docker_client: docker.DockerClient, repository_id: int
) -> None:
    with pytest.raises(SetupFailed, match="exit code 3: oh dear") as raised:
        prepare(environments, repository_id, "echo trying; echo oh dear >&2; (exit 3)\necho not reached")

    assert (raised.value.exit_code, raised.value.ending) == (3, Ending.EXITED)
    assert raised.value.output == "trying\noh dear\n"
    assert images_of(docker_client, repository_id) == []


def test_what_setup_leaves_running_is_not_waited_for(environments: Environments, repository_id: int) -> None:
    prepared = prepare(environments, repository_id, "sleep 1000 & setsid sleep 1000 & echo ready")

    assert prepared.output == "ready\n"
    assert prepared.duration_s < 60


def test_a_setup_that_fills_the_disk_is_ended(docker_sandbox: DockerSandbox, repository_id: int) -> None:
    environments = environments_of(docker_sandbox, setup_bytes=20_000_000)

    with pytest.raises(SetupFailed, match="more than 20000000 bytes outside the workspace") as slow:
        prepare(environments, repository_id, "head -c 30000000 /dev/zero >/big; echo written; sleep 100")
    with pytest.raises(SetupFailed, match="more than 20000000 bytes"):
        prepare(environments, repository_id, "head -c 30000000 /dev/zero >/big")

    assert (slow.value.ending, slow.value.output) == (Ending.OUTPUT_LIMIT, "written\n")


def test_hosts_that_setup_could_not_reach_are_told_with_the_image_and_with_the_failure(
    environments: Environments, repository_id: int
) -> None:
    fetch = "python3 -c 'import urllib.request; urllib.request.urlopen(\"http://blocked.example/x\")' 2>/dev/null"

    made = prepare(environments, repository_id, f"{fetch} || true")
    found = prepare(environments, repository_id, f"{fetch} || true")
    with pytest.raises(SetupFailed, match=r"(?s)exit code 1.*blocked\.example") as raised:
        prepare(environments, repository_id, fetch)

    (denial,) = made.denied
    assert (denial.host, denial.port) == ("blocked.example", 80)
    assert (found.is_cached, found.denied) == (True, made.denied)
    assert raised.value.denied == made.denied
    assert denial.remedy is not None
    assert denial.remedy in str(raised.value)


def test_a_missing_base_image_is_said_so(environments: Environments) -> None:
    with pytest.raises(SandboxUnavailable, match="docker build -t no-such-image:1"):
        environments.prepare(
            base_image="no-such-image:1", repository_id=1, setup="true", archive=SOURCES, declared={}, limits=LIMITS
        )


def test_every_part_of_an_environment_counts_in_its_key() -> None:
    def key(
        *,
        base: str = "b",
        repository: int = 1,
        setup: str = "s",
        declared: Mapping[str, bytes] | None = None,
        directory: str = ".",
        secrets: tuple[str, ...] = (),
    ) -> str:
        return cache_key(
            base_id=base,
            repository_id=repository,
            setup=setup,
            declared=declared or {"f": b"1"},
            directory=directory,
            secret_names=secrets,
        )

    variants = [
        key(),
        key(base="other"),
        key(repository=2),
        key(setup="other"),
        key(declared={"f": b"2"}),
        key(declared={"g": b"1"}),
        key(declared={"f": b"1", "g": b""}),
        key(declared={"f1": b""}),
        key(directory="sub"),
        key(secrets=("A",)),
        key(secrets=("A", "B")),
    ]

    assert len(set(variants)) == len(variants)
    assert key(declared={"f": b"1", "g": b"2"}) == key(declared={"g": b"2", "f": b"1"})
    assert key(secrets=("A", "B")) == key(secrets=("B", "A"))


def test_a_secret_is_a_file_of_root_during_setup_and_in_nothing_that_stays(
    docker_sandbox: DockerSandbox, environments: Environments, docker_client: docker.DockerClient, repository_id: int
) -> None:
    setup = (
        "stat -c '%a %u %n' /run/secrets/*; df -P /run/secrets | grep -c tmpfs\n"
        "cat /run/secrets/TOKEN; echo; base64 /run/secrets/TOKEN\n"
        "printf 'user:%s' $(cat /run/secrets/TOKEN) | base64 -w0; echo; env; echo used >/etc/used"
    )

    prepared = prepare(environments, repository_id, setup, secrets={"TOKEN": TOKEN})

    assert prepared.output.startswith("400 0 /run/secrets/TOKEN\n1\n***\n***\ndXNlcjp***")
    assert not {TOKEN.decode(), base64.b64encode(TOKEN).decode(), "czNjcjN0"} & set(prepared.output.split())
    image = docker_client.images.get(prepared.name)
    assert TOKEN.decode() not in json.dumps(image.attrs) + json.dumps(image.history())
    assert TOKEN not in layers_of(docker_client, prepared.name)
    with docker_sandbox.open(image=prepared.name, limits=LIMITS) as workspace:
        assert workspace.run("ls -A /run/secrets; cat /etc/used").stdout == "used\n"


def layers_of(client: docker.DockerClient, name: str) -> bytes:
    """The bytes of the image's own layer, as another engine would get them, and of its configuration."""
    saved = b"".join(client.images.get(name).save())
    with tarfile.open(fileobj=io.BytesIO(saved)) as archive:
        manifest = json.loads(_member(archive, "manifest.json"))[0]
        return _member(archive, manifest["Config"]) + _member(archive, manifest["Layers"][-1])


def _member(archive: tarfile.TarFile, name: str) -> bytes:
    found = archive.extractfile(name)
    assert found is not None
    return found.read()


@pytest.mark.parametrize(
    ("setup", "place"),
    [
        ("cp /run/secrets/TOKEN /etc/pip.conf", "/etc/pip.conf"),
        ("printf 'user:%s' $(cat /run/secrets/TOKEN) | base64 >auth", "/workspace/auth"),
        ("ln -s https://user:$(cat /run/secrets/TOKEN)@host/ /etc/origin", "/etc/origin -> https://user:"),
    ],
)
def test_a_secret_that_setup_leaves_behind_refuses_the_image(
    environments: Environments, docker_client: docker.DockerClient, repository_id: int, setup: str, place: str
) -> None:
    with pytest.raises(SetupFailed, match=f"'TOKEN' in .*{place}") as raised:
        prepare(environments, repository_id, setup, secrets={"OTHER": b"another-secret", "TOKEN": TOKEN})

    assert TOKEN.decode() not in str(raised.value) + raised.value.output
    assert images_of(docker_client, repository_id) == []


def test_an_image_that_cannot_be_searched_for_secrets_is_refused(
    environments: Environments, docker_client: docker.DockerClient, repository_id: int
) -> None:
    with pytest.raises(SetupFailed, match="can't be searched for its secrets"):
        prepare(environments, repository_id, "printf '#!/bin/sh\n' >/usr/bin/xargs", secrets={"TOKEN": TOKEN})

    assert images_of(docker_client, repository_id) == []


def test_a_secret_with_a_paths_name_is_refused(environments: Environments, repository_id: int) -> None:
    with pytest.raises(SandboxError, match=r"can't be named '\.\./TOKEN'"):
        prepare(environments, repository_id, "true", secrets={"../TOKEN": TOKEN})


def test_threads_that_want_the_same_environment_make_it_once(
    environments: Environments, docker_client: docker.DockerClient, repository_id: int
) -> None:
    with ThreadPoolExecutor() as executor:
        made = list(executor.map(lambda _: prepare(environments, repository_id, "sleep 0.3"), range(2)))

    assert sorted(found.is_cached for found in made) == [False, True]
    assert len(images_of(docker_client, repository_id)) == 1


def prepare_elsewhere(owner: str, repository_id: int, setup: str, answer: "multiprocessing.Queue[str]") -> None:
    """What another worker's process does."""
    sandbox = DockerSandbox(image=image_under_test(), owner=owner)
    answer.put(str(prepare(environments_of(sandbox), repository_id, setup).is_cached))
    sandbox.close()


def elsewhere(repository_id: int, setup: str) -> "tuple[multiprocessing.Process, multiprocessing.Queue[str]]":
    context = multiprocessing.get_context("spawn")
    answer: multiprocessing.Queue[str] = context.Queue()
    process = context.Process(target=prepare_elsewhere, args=(TEST_OWNER, repository_id, setup, answer))
    process.start()
    return process, answer  # type: ignore[return-value] # a spawned process is a Process


def until_made_by_another(client: docker.DockerClient, repository_id: int) -> None:
    deadline = time.monotonic() + 30
    while not client.containers.list(filters={"name": f"{REPOSITORY}-{repository_id}-"}):
        assert time.monotonic() < deadline
        time.sleep(0.02)


def test_processes_that_want_the_same_environment_make_it_once_and_who_waits_can_be_stopped(
    environments: Environments, docker_client: docker.DockerClient, repository_id: int
) -> None:
    process, answer = elsewhere(repository_id, "sleep 0.7")
    until_made_by_another(docker_client, repository_id)

    with pytest.raises(SetupFailed) as stopped:
        prepare(environments, repository_id, "sleep 0.7", stop=lambda: True)
    here = prepare(environments, repository_id, "sleep 0.7")

    assert stopped.value.ending is Ending.STOPPED
    assert (answer.get(timeout=30), here.is_cached) == ("False", True)
    process.join()


def test_who_waits_for_a_setup_that_fails_runs_it_and_fails_for_himself(
    environments: Environments, docker_client: docker.DockerClient, repository_id: int
) -> None:
    def fail() -> str:
        with pytest.raises(SetupFailed, match="exit code 5: no luck") as raised:
            prepare(environments, repository_id, "sleep 0.3; echo no luck; exit 5")
        return raised.value.output

    with ThreadPoolExecutor() as executor:
        first = executor.submit(fail)
        until_made_by_another(docker_client, repository_id)
        assert fail() == "no luck\n"
        assert first.result() == "no luck\n"


def test_a_builder_that_is_killed_is_not_waited_for(
    environments: Environments, docker_client: docker.DockerClient, docker_sandbox: DockerSandbox, repository_id: int
) -> None:
    setup = "[ -e /workspace/first ] || sleep 1; echo made"
    process, _ = elsewhere(repository_id, setup)
    until_made_by_another(docker_client, repository_id)
    assert process.pid is not None
    os.kill(process.pid, signal.SIGKILL)
    process.join()

    made = prepare(environments, repository_id, setup)

    assert (made.is_cached, made.output) == (False, "made\n")
    assert docker_client.containers.list(all=True, filters={"name": f"{REPOSITORY}-{repository_id}-"}) == []
    docker_sandbox.remove_leftovers()


def test_a_builder_is_held_before_it_runs(
    environments: Environments, repository_id: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    """One that runs, and that nobody holds yet, would outlive who is killed at this moment by its whole time limit."""
    attach = docker.APIClient.attach_socket
    held: list[str] = []

    def attached(api: docker.APIClient, container: str, **options: Any) -> object:
        held.append(api.inspect_container(container)["State"]["Status"])
        return attach(api, container, **options)

    monkeypatch.setattr(docker.APIClient, "attach_socket", attached)

    made = prepare(environments, repository_id, "echo made")

    assert (made.output, held) == ("made\n", ["created"])


def test_a_ca_bundle_is_named_to_every_package_manager(
    docker_sandbox: DockerSandbox, repository_id: int, tmp_path: Path
) -> None:
    (tmp_path / "company.pem").write_text("the company's certificate\n")
    environments = Environments(docker_sandbox, way_out=WayOut(ca_bundle=tmp_path / "company.pem"))

    prepared = prepare(environments, repository_id, 'cat "$PIP_CERT" "$SSL_CERT_FILE"')

    assert prepared.output == "the company's certificate\n" * 2
