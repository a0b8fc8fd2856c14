"""compose.yaml: two services over one home, a database for who wants it. And what docs/deployment.md shows beside."""

import re
import shlex
from pathlib import Path
from typing import Any

import pytest
import yaml
from sqlalchemy import make_url

from tests.manual.blocks import blocks

ROOT = Path(__file__).parents[1]
COMPOSE = ROOT / "compose.yaml"
PAGE = (ROOT / "docs" / "deployment.md").read_text(encoding="utf-8")


def services() -> dict[str, Any]:
    found: dict[str, Any] = yaml.safe_load(COMPOSE.read_text(encoding="utf-8"))["services"]
    return found


def test_postgresql_is_there_for_who_asks_for_it_and_nobody_needs_it() -> None:
    found = services()

    assert [name for name, service in found.items() if "profiles" in service] == ["postgres"]
    assert not [name for name, service in found.items() if "depends_on" in service]


def test_the_address_that_is_told_is_that_of_the_service() -> None:
    [line] = [line for line in COMPOSE.read_text(encoding="utf-8").splitlines() if "SELFCODE_DATABASE_URL=" in line]
    address, database = make_url(line.partition("=")[2]), services()["postgres"]["environment"]

    assert (address.host, address.username, address.database) == ("postgres", *[database["POSTGRES_USER"]] * 2)


def test_the_web_which_the_internet_reaches_has_nothing_of_the_engine() -> None:
    found = services()

    assert not [mount for mount in found["web"]["volumes"] if "docker.sock" in mount]
    assert all("ports" not in service for name, service in found.items() if name != "web")
    assert all(port.startswith("127.0.0.1:") for port in found["web"]["ports"])


@pytest.mark.parametrize("name", ["web", "worker"])
def test_the_bot_can_write_to_its_home_and_to_tmp_alone_and_become_nobody_else(name: str) -> None:
    service = services()[name]

    assert service["read_only"]
    assert service["cap_drop"] == ["ALL"]
    assert service["security_opt"] == ["no-new-privileges:true"]
    assert [mount for mount in service["volumes"] if "docker.sock" not in mount] == ["home:/var/lib/selfcode"]


def test_git_can_start_the_program_that_it_asks_for_the_token() -> None:
    """A tmpfs of Docker's is `noexec` where nobody says otherwise."""
    assert services()["web"]["tmpfs"] == services()["worker"]["tmpfs"] == ["/tmp:exec,mode=1777"]


def test_one_container_is_as_tight_as_the_services_are() -> None:
    [command] = [block for block in blocks(PAGE, "sh") if "docker run" in block]
    words = shlex.split(command.replace("$(", "").replace("\\\n", " "), comments=True)
    worker = services()["worker"]

    assert "--read-only" in words
    for option, value in (("--tmpfs", worker["tmpfs"][0]), ("--cap-drop", "ALL"), ("--env-file", worker["env_file"])):
        assert words[words.index(option) + 1] == value


def test_the_image_runs_as_nobody_in_particular_and_takes_packages_by_their_hashes_alone() -> None:
    text = (ROOT / "Dockerfile").read_text(encoding="utf-8").replace("\\\n", " ")
    installs = [
        line for part in re.split(r"&&|\n", text) if (line := part.strip()) and "pip" in line and " install " in line
    ]

    assert re.findall(r"^USER (.*)$", text, re.MULTILINE) == ["10001:10001"]
    assert installs
    assert [line for line in installs if "--require-hashes" not in line and "--no-index" not in line] == []


def test_the_example_for_kubernetes_says_that_it_was_not_tried_and_is_as_tight() -> None:
    [example] = blocks(PAGE, "yaml", holding="kind: StatefulSet")
    pods = [
        found["spec"]["template"]["spec"]
        for found in yaml.safe_load_all(example)
        if "template" in found.get("spec", {})
    ]

    assert "**This example was not tried.**" in PAGE
    assert len(pods) == 2
    for pod in pods:
        [container] = pod["containers"]
        assert pod["securityContext"]["runAsUser"] == 10001
        assert container["securityContext"]["readOnlyRootFilesystem"]
        assert {mount["mountPath"] for mount in container["volumeMounts"]} >= {"/tmp", "/var/lib/selfcode"}
