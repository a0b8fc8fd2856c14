"""What a proof says that it was made of, and when it is stale."""

import json

import pytest

from bot.records import Evidence, ImageIdentity, Proof, Provenance, ReportState, TestPlan, TestReport, dump, load
from bot.runs.provenance import provenance_of, question, staleness, versions_in, versions_told, with_head
from bot.wire.sandboxes import identity_of
from sandbox.docker import DockerSandbox
from sandbox.process import ProcessSandbox
from tests.conftest import image_under_test

HEAD, LATER = "a" * 40, "b" * 40


def a_proof(provenance: Provenance | None) -> Proof:
    return Proof((), Evidence(), TestReport("pytest", ReportState.PASSED), provenance=provenance)


def test_a_proof_is_stale_once_the_head_is_another_commit() -> None:
    made = Provenance(base="c" * 40, head=HEAD, command="pytest")

    assert staleness(made, HEAD) == ""
    assert "`aaaaaaaaaaaa`" in staleness(made, LATER)
    assert "`bbbbbbbbbbbb`" in staleness(made, LATER)


def test_a_proof_that_names_no_head_is_stale_for_every_one() -> None:
    assert staleness(Provenance(base="c" * 40, head="", command="pytest"), LATER)


def test_the_head_is_known_once_the_tree_is_a_commit() -> None:
    named = with_head(a_proof(Provenance("c" * 40, "", "pytest")), HEAD).provenance

    assert named is not None
    assert named.head == HEAD
    assert with_head(a_proof(None), HEAD) == a_proof(None)


def test_a_proof_from_before_provenance_was_kept_is_read_still() -> None:
    old = json.loads(dump(a_proof(None)))
    for later in ("accepted_by", "hunks", "provenance"):
        del old[later]

    assert load(Proof, json.dumps(old)) == a_proof(None)


def test_provenance_is_kept_whole() -> None:
    made = provenance_of(
        "c" * 40,
        HEAD,
        plan=TestPlan("pytest -q", build="make", directory="lib"),
        sandbox="docker",
        image=ImageIdentity("prepared:1", "sha256:12", "python:3.12", "sha256:34"),
        versions={"python": "3.12.1"},
    )

    assert load(Proof, dump(a_proof(made))).provenance == made
    assert (made.command, made.build, made.directory) == ("pytest -q", "make", "lib")
    assert (made.image, made.image_digest) == ("prepared:1", "sha256:12")
    assert (made.base_image, made.base_image_digest) == ("python:3.12", "sha256:34")
    assert {"selfcode", "python"} <= set(made.versions)


def test_an_image_is_identified_by_the_engine_s_digests(docker_sandbox: DockerSandbox) -> None:
    name = image_under_test()

    identity = identity_of(docker_sandbox, name, "selfcode-no-such-image:1")

    assert identity.name == name
    assert identity.digest.startswith("sha256:")
    assert (identity.base, identity.base_digest) == ("selfcode-no-such-image:1", "")


def test_the_workspace_tells_the_versions_of_what_the_command_starts() -> None:
    with ProcessSandbox().open() as workspace:
        versions = versions_in(workspace, TestPlan("cd . && python3 -m pytest -q"))

    assert set(versions) >= {"python", "pytest"}
    assert versions["python"].startswith("3.")


@pytest.mark.parametrize(
    ("command", "reader", "asked", "left_alone"),
    [
        ("npm test", "jest", ["node -e", '"jest"'], ["python", "pytest", "mocha"]),
        ("npx tap", "tap", ["node -e", '"tap"'], ["python", "pytest"]),
        ("./test.sh", "mocha", ["node -e", '"mocha"'], ["python", "pytest"]),
        ("prove -v t", "tap", [], ["node", "python"]),
        ("make check", "exit code", [], ["node", "python", "pytest", "go version"]),
        ("make check", "pytest", ["python3 -I", "pytest"], ["node", "tox"]),
        ("make check", "go", ["go version"], ["python"]),
        ("cargo test", "cargo", ["cargo --version", "rustc --version"], ["python", "go version"]),
        ("python3 -m unittest", "unittest", ["python3 -I", "hypothesis"], ["pytest", "tox"]),
        ("tox -e py", "pytest", ["python3 -I", "tox", "pytest"], ["nox", "node"]),
        ("npm test && pytest", "jest + pytest", ["node -e", "python3 -I", "pytest"], ["mocha"]),
    ],
)
def test_only_what_belongs_to_the_command_that_ran_is_asked(
    command: str, reader: str, asked: list[str], left_alone: list[str]
) -> None:
    said = question(command, reader)

    assert [part for part in asked if part not in said] == []
    assert [part for part in left_alone if part in said] == []


def test_a_workspace_without_these_programs_tells_nothing() -> None:
    with ProcessSandbox().open() as workspace:
        assert versions_in(workspace, TestPlan("./no/such/python -m pytest")) == {}


def test_files_of_the_repository_are_not_asked_in_the_place_of_programs() -> None:
    with ProcessSandbox().open() as workspace:
        workspace.run("mkdir importlib; echo 'raise SystemExit(1)' | tee sys.py pytest.py importlib/__init__.py")

        assert "pytest" in versions_in(workspace, TestPlan("python3 -m pytest"))


@pytest.mark.parametrize(
    ("line", "name", "version"),
    [
        ("python 3.12.1", "python", "3.12.1"),
        ("pytest 8.3.4", "pytest", "8.3.4"),
        ("node v20.11.0", "node", "20.11.0"),
        ("go version go1.22.1 linux/amd64", "go", "1.22.1"),
        ("cargo 1.78.0 (54d8815d0 2024-03-26)", "cargo", "1.78.0"),
        ("pytest 9.0.0.dev12+g1a2b3c", "pytest", "9.0.0.dev12+g1a2b3c"),
    ],
)
def test_each_program_names_its_version_in_its_own_way(line: str, name: str, version: str) -> None:
    assert versions_told(line) == {name: version}


def test_what_is_told_is_bounded_and_nothing_else_gets_in() -> None:
    flood = "\n".join(f"tool-{'x' * number} 1.{number}" for number in range(1, 200))

    assert len(versions_told(flood)) <= 20
    assert versions_told("<script>alert(1)</script> 1.0\nTraceback (most recent call last):\npytest " + "9" * 500) == {}


def test_a_command_s_words_are_quoted_where_they_are_asked() -> None:
    assert "rm -rf" not in question("python3';rm -rf /'")
