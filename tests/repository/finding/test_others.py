"""How the tests of other projects are found, and what hints at what they need."""

# ruff: noqa: E501 - a row of a table is one repository

import pytest

from tests.repository.finding.looking import command_of, commands, found, reasons

GO = {"go.mod": "module example.com/a\n\ngo 1.22\n\nrequire example.com/b v1.0.0\n", "a_test.go": ""}
PYTHON = {"setup.py": "setup(install_requires=['psycopg2'])", "tests/test_a.py": ""}
WORKFLOW = """
on: [push]
jobs:
  lint:
    steps:
      - run: sudo apt-get install -y shellcheck
  test:
    strategy:
      matrix: {python: ["3.9", "3.12", "3.14-dev"]}
    steps:
      - uses: actions/setup-python@v5
        with: {python-version: "${{ matrix.python }}"}
      - run: |
          sudo apt-get update
          sudo apt-get install -y libpq-dev git "bad;name" $(id)
          pytest
"""


@pytest.mark.parametrize(
    ("files", "test"),
    [
        (GO, "GOMODCACHE=/opt/selfcode/go GOPROXY=off go test ./..."),
        ({**GO, "vendor/modules.txt": ""}, "go test ./..."),
        (
            {"go.work": "use ./a\n", "a/go.mod": "module a\n", "a/a_test.go": ""},
            "GOMODCACHE=/opt/selfcode/go GOPROXY=off go test $(go list -f '{{.Dir}}/...' -m)",
        ),
        (
            {"Cargo.toml": "[package]\nname = 'a'\n"},
            "CARGO_HOME=/opt/selfcode/cargo cargo test --offline --no-fail-fast",
        ),
        (
            {"Cargo.toml": "[workspace]\nmembers = ['a']\n", "Cargo.lock": ""},
            "CARGO_HOME=/opt/selfcode/cargo cargo test --offline --no-fail-fast --workspace --locked",
        ),
        ({"Makefile": "all:\n\techo\ntest: all\n\t./run\n"}, "make test"),
        ({"GNUmakefile": "check:\n\t./run\n", "Makefile": "test:\n"}, "make check"),
        ({"Makefile": "test := x\ntest::= y\nother:\n"}, None),
        (
            {"CMakeLists.txt": "project(a)\nenable_testing()\n"},
            "ctest --test-dir build --output-on-failure --output-junit results.xml",
        ),
        ({"CMakeLists.txt": "project(a)\n"}, None),
        ({"meson.build": "project('a', 'c')\n", "t/meson.build": "test('a', exe)\n"}, "meson test -C build"),
        ({"configure.ac": "AC_INIT\n", "Makefile.am": ""}, "make check"),
        ({"Gemfile": "", "spec/a_spec.rb": ""}, None),
    ],
)
def test_each_kind_of_project_is_tested_by_its_own_tool(files: dict[str, str], test: str | None) -> None:
    assert command_of(files) == test


def test_modules_and_crates_are_kept_where_the_tests_can_read_them() -> None:
    rust = {"Cargo.toml": "[package]\nname = 'a'\n[dependencies]\nb = '1'\n"}

    assert commands(found(GO), "setup")[-1] == "GOMODCACHE=/opt/selfcode/go go mod download"
    assert commands(found(rust), "setup")[-1] == "CARGO_HOME=/opt/selfcode/cargo cargo fetch"


@pytest.mark.parametrize(
    ("files", "report"),
    [
        ({"CMakeLists.txt": "enable_testing()\n"}, "build/results.xml"),
        ({"meson.build": "test('a', exe)\n"}, "build/meson-logs/testlog.junit.xml"),
    ],
)
def test_results_are_read_where_the_tool_writes_them_test_by_test(files: dict[str, str], report: str) -> None:
    plan = found(files).plan

    assert plan is not None
    assert plan.report == report
    assert plan.build


def test_system_packages_come_from_the_job_that_runs_the_tests_and_only_by_name() -> None:
    findings = found({**PYTHON, ".github/workflows/ci.yml": WORKFLOW.replace(' "bad;name" $(id)', "")})

    assert "for package in libpq-dev; do" in commands(findings, "setup")[0]
    assert ".github/workflows/ci.yml: job test: its system packages" in reasons(findings, "setup")


def test_a_line_that_a_shell_would_have_to_read_is_no_hint() -> None:
    findings = found({**PYTHON, ".github/workflows/ci.yml": WORKFLOW})

    assert not any("apt-get" in command for command in commands(findings, "setup"))


@pytest.mark.parametrize(
    ("files", "package"),
    [
        ({"Dockerfile": "FROM debian\nRUN apt-get update && \\\n  apt-get install -y --no-install-recommends \\\n    libxml2-dev curl\n"}, "libxml2-dev"),
        ({"apt.txt": "# needed\nlibgeos-dev\n"}, "libgeos-dev"),
        ({".travis.yml": "addons: {apt: {packages: [libffi-dev]}}\nscript: pytest\n"}, "libffi-dev"),
        ({".gitlab-ci.yml": "before_script: [apt-get install -y libyaml-dev]\nunit:\n  script: [pytest]\n"}, "libyaml-dev"),
        ({".devcontainer/devcontainer.json": '{// why\n"postCreateCommand": "sudo apt-get install -y libpq-dev",}'}, "libpq-dev"),
    ],
)  # fmt: skip
def test_other_files_hint_at_system_packages_too(files: dict[str, str], package: str) -> None:
    assert f"for package in {package}; do" in commands(found({**PYTHON, **files}), "setup")[0]


@pytest.mark.parametrize(
    ("files", "wish"),
    [
        ({".python-version": "3.11.4\n"}, "python 3.11.4"),
        ({"pyproject.toml": "[project]\nrequires-python = '>=3.8,<3.12'\n"}, "python 3.11"),
        ({"setup.cfg": "[options]\npython_requires = ~=3.9.1\n"}, "python 3.9"),
        ({"pyproject.toml": "[tool.poetry.dependencies]\npython = '^3.8'\n", **PYTHON, ".github/workflows/t.yml": WORKFLOW}, "python 3.12"),
        ({"Dockerfile": "FROM node:20-slim AS build\nFROM docker.io/library/python:3.10-slim\nCOPY --from=build a b\n"}, "python 3.10"),
        ({".nvmrc": "v20.1\n"}, "node 20.1"),
        ({"package.json": '{"engines": {"node": "^18.2 || >=20"}}'}, "node 20"),
        ({"package.json": "{}"}, "node"),
        (GO, "go 1.22"),
        ({"rust-toolchain.toml": "[toolchain]\nchannel = '1.75'\n"}, "rust 1.75"),
        ({".tool-versions": "nodejs 22.1.0\nruby 3.2\n"}, "node 22.1.0"),
        ({"pom.xml": ""}, "java"),
        ({"Gemfile": ""}, "ruby"),
    ],
)  # fmt: skip
def test_languages_and_versions_are_only_wished_for(files: dict[str, str], wish: str) -> None:
    findings = found(files)

    assert wish in findings.wishes
    assert findings.plan is None or findings.plan.image == ""


def test_a_version_that_every_python_satisfies_is_no_wish() -> None:
    assert found({"pyproject.toml": "[project]\nrequires-python = '>=3.8'\n"}).wishes == ()
