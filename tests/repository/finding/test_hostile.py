"""Files that were made to harm whoever reads them."""

# ruff: noqa: E501 - a row of a table is one repository

import shlex
import subprocess

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from bot.repository import find
from tests.repository.finding.looking import command_of, commands, found

NAMES = (
    "pyproject.toml",
    "setup.py",
    "setup.cfg",
    "tox.ini",
    "tox.toml",
    "noxfile.py",
    "pytest.ini",
    "Pipfile",
    "hatch.toml",
    "requirements-test.txt",
    "package.json",
    "pnpm-workspace.yaml",
    ".yarnrc.yml",
    "go.mod",
    "Cargo.toml",
    "Makefile",
    "CMakeLists.txt",
    "meson.build",
    "Dockerfile",
    "apt.txt",
    ".devcontainer/devcontainer.json",
    ".github/workflows/test.yml",
    ".gitlab-ci.yml",
    ".travis.yml",
    "tests/test_a.py",
)

MERGES = "\n".join(
    [
        "a0: &a0 {x: y}",
        *(
            f"a{n}: &a{n}\n  <<: [{', '.join([f'*a{n - 1}'] * 9)}]\n  k: [{', '.join([f'*a{n - 1}'] * 9)}]"
            for n in range(1, 12)
        ),
    ]
)


@pytest.mark.parametrize(
    "content",
    [
        b"\xff\xfe\x00\x01",
        b"[" * 50_000,
        b"{" * 50_000,
        b"(" * 50_000,
        b"- " * 30_000,
        b"-" * 50_000 + b"1",
        b"a." * 50_000 + b"b = 1",
        b"'$'." * 40_000 + b"b = 1",
        b'"\\"".' * 30_000 + b"b = 1",
        b"x = " + b"[" * 150 + b"]" * 150,
        b"a: &a [*a]\njobs: *a\n",
        b"jobs: &j\n  test: *j\n",
        MERGES.encode(),
        b"a" * 3_000_000,
        b"[testenv]\ncommands = " + b"{[testenv]commands}" * 1000,
        b"[tox]\nenvlist = " + b"{a,b}" * 800 + b"\n[testenv]\ncommands = pytest\n",
        b"[testenv]\ncommands = " + b"{posargs:" * 5000 + b"\n",
        b"-r requirements-test.txt\n" * 2000,
        b'{"scripts": ' * 30_000,
        b"[project]\noptional-dependencies = 5\ndependencies = {a = 1}\nrequires-python = 7\n[build-system]\nrequires = {}\n",
        b"[tool]\npytest = 1\ntox = []\nhatch = 'a'\n[tool.poetry]\ngroup = 5\ndependencies = []\nextras = 1\n",
        b"project = [1]\ntool = 5\ndependency-groups = 'x'\n",
        b"[dependency-groups]\ntest = [{include-group = 'test'}, 5, {include-group = 7}]\n",
        b"setup(**setup(**x), install_requires=x(), extras_require={1: 2, **y}, test_suite=5, name=None)",
        b"true",
        b"[]",
        b'"text"',
        b"1" * 6000,
        b"jobs: {a: {steps: [1, {run: [x]}, {uses: {}}], strategy: 5, container: [1]}, b: 7}\nscript: {a: b}\n",
    ],
    ids=range(29),
)
def test_whatever_the_files_hold_they_are_read_to_the_end(content: bytes) -> None:
    contents = dict.fromkeys(NAMES, content)

    findings = find(contents.get, contents)

    assert all(len(finding.value) <= 4000 and "\n" not in finding.reason for finding in findings.findings)


@settings(max_examples=40, deadline=None)
@given(st.dictionaries(st.sampled_from(NAMES), st.text(alphabet="[]{}()=:-'\"\n\t #*&<.,ab1testdeps", max_size=80)))
def test_nonsense_is_read_to_the_end_too(files: dict[str, str]) -> None:
    findings = found(files)

    assert all(len(finding.value) <= 4000 and "\n" not in finding.reason for finding in findings.findings)


def test_a_tree_of_very_many_files_is_looked_at_within_bounds() -> None:
    reads: list[str] = []
    paths = [f"d{number % 300}/e{number}/package.json" for number in range(20_000)]

    findings = find(reads.append, paths)

    assert findings.plan is None
    assert len(reads) <= 400


@pytest.mark.parametrize("name", ["$(touch hit)", "a; touch hit", "a' 'b", "`touch hit`", "-o x=y", "a\nb", "ü \\ *"])
def test_odd_names_of_files_are_words_and_nothing_else(name: str) -> None:
    files = {
        f"tests/{name}_tests.py": "",
        f"requirements/{name}/tests.txt": "a",
        "tox.ini": f"[testenv]\ndeps = -r{name}\ncommands = pytest {shlex.quote(f'tests/{name}_tests.py')}\n",
    }

    for command in [command_of(files) or "", command_of({f"tests/{name}_tests.py": ""}) or ""]:
        words = subprocess.run(
            ["sh", "-c", f"set -- {command}\nprintf '%s\\0' \"$@\""], capture_output=True, check=True
        ).stdout
        assert words.count(b"python3") == 1
        assert b"hit\0" not in words.replace(f"{name}".encode(), b"")


@pytest.mark.parametrize(
    "requirement",
    [
        "a; rm -rf /",
        "a && b",
        "$(id)",
        "`id`",
        "--index-url=http://x",
        "a @ https://example.com/a.whl",
        "../a",
        "-e git+https://x/y",
    ],
)
def test_what_is_no_plain_requirement_goes_into_no_command(requirement: str) -> None:
    manifest = f"[dependency-groups]\ntest = ['mock', {requirement!r}]\n"

    assert commands(found({"pyproject.toml": manifest, "tests/test_a.py": ""}), "setup") == [
        "python3 -m pip install mock pytest"
    ]


def test_a_path_that_leads_out_of_the_repository_is_passed_over() -> None:
    files = {
        "tox.ini": "[testenv]\ndeps = -r../../etc/passwd\nchangedir = /etc\ncommands = pytest /etc ../x\n",
        "tests/test_a.py": "",
    }

    assert command_of(files) == "python3 -m pytest"
    assert commands(found(files), "setup") == []
