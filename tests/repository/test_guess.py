"""How tests are run where nobody has said."""

import json
from collections.abc import Mapping

import pytest

from bot.records import TestPlan
from bot.repository import guess


def guessed(files: Mapping[str, str | bytes]) -> TestPlan | None:
    """The guess for a repository that holds these files."""
    contents = {path: text.encode() if isinstance(text, str) else text for path, text in files.items()}
    return guess(contents.get, contents)


def a_package(**manifest: object) -> dict[str, str]:
    return {"package.json": json.dumps(manifest)}


@pytest.mark.parametrize(
    ("files", "source"),
    [
        ({"pytest.ini": "", "tests/test_a.py": ""}, "pytest.ini"),
        ({"pyproject.toml": "[tool.pytest.ini_options]\n"}, "pyproject.toml"),
        ({"pyproject.toml": "[tool.pytest]\nminversion = '9'\n"}, "pyproject.toml"),
        ({"setup.cfg": "[tool:pytest]\n"}, "setup.cfg"),
        ({"tox.ini": "[pytest]\n[testenv]\ncommands = nose\n"}, "tox.ini"),
        ({"conftest.py": ""}, "conftest.py"),
        ({"tests/test_a.py": "import unittest"}, "tests/test_a.py"),
        ({"pkg/a_test.py": ""}, "pkg/a_test.py"),
    ],
)
def test_a_python_project_with_pytests_files_runs_pytest_and_needs_no_set_up(
    files: dict[str, str], source: str
) -> None:
    assert guessed(files) == TestPlan(test="python3 -m pytest", guessed_from=source)


def test_a_src_layout_that_needs_nothing_is_tested_from_its_source() -> None:
    plan = guessed({"src/tool/__init__.py": "", "tests/test_a.py": "", "pyproject.toml": "[project]\nname = 'tool'\n"})

    assert plan == TestPlan(test="PYTHONPATH=src python3 -m pytest", guessed_from="tests/test_a.py")


def test_dependencies_and_test_extras_are_installed_with_the_project_itself() -> None:
    manifest = "[project]\ndependencies = ['attrs']\n[project.optional-dependencies]\ntest = ['x']\ndocs = ['y']\n"

    plan = guessed({"pyproject.toml": manifest, "tests/test_a.py": "", "src/a.py": ""})

    assert plan == TestPlan(
        test="python3 -m pytest",
        setup="python3 -m pip install -e '.[test]' pytest",
        guessed_from="tests/test_a.py",
    )


@pytest.mark.parametrize(
    ("files", "setup"),
    [
        ({"setup.py": "setup(install_requires=['a'])"}, "python3 -m pip install -e . pytest"),
        ({"setup.py": "setup(ext_modules=[x])"}, "python3 -m pip install -e . pytest"),
        ({"setup.py": "setup(name='a')"}, ""),
        ({"setup.cfg": "[options]\ninstall_requires =\n  a\n"}, "python3 -m pip install -e . pytest"),
        ({"setup.cfg": "[options.extras_require]\ntesting = a\n"}, "python3 -m pip install -e '.[testing]' pytest"),
        ({"pyproject.toml": "[tool.poetry.dependencies]\npython = '^3'\n"}, ""),
        ({"pyproject.toml": "[tool.poetry.dependencies]\na = '*'\n"}, "python3 -m pip install -e . pytest"),
        ({"pyproject.toml": "[project]\ndynamic = ['dependencies']\n"}, "python3 -m pip install -e . pytest"),
        (
            {"pyproject.toml": "[build-system]\nrequires = ['setuptools-scm']\n[project]\ndependencies = ['a']\n"},
            "SETUPTOOLS_SCM_PRETEND_VERSION=0.0.0 PBR_VERSION=0.0.0 python3 -m pip install -e . pytest",
        ),
        ({"requirements.txt": "# nothing\n\n"}, ""),
        (
            {"requirements.txt": "a\n", "requirements-dev.txt": "-r requirements.txt\n"},
            "python3 -m pip install -r requirements-dev.txt -r requirements.txt pytest",
        ),
    ],
)
def test_a_set_up_is_guessed_only_where_a_manifest_asks_for_something(files: dict[str, str], setup: str) -> None:
    plan = guessed({**files, "tests/test_a.py": ""})

    assert plan is not None
    assert plan.setup == setup


def test_tests_that_pytest_would_not_find_run_with_unittest() -> None:
    plan = guessed({"tests/tests.py": "import unittest", "setup.py": ""})

    assert plan == TestPlan(
        test="python3 -m unittest discover -s tests -t . -p tests.py", guessed_from="tests/tests.py"
    )


def test_toxs_own_commands_run_without_tox_which_would_need_the_network() -> None:
    plan = guessed({"tox.ini": "[testenv]\ncommands =\n    python check.py {posargs:-v}\n    python more.py\n"})

    assert plan == TestPlan(test="python check.py && python more.py", guessed_from="tox.ini")


def test_toxs_commands_that_need_toxs_own_folders_are_no_guess() -> None:
    assert guessed({"tox.ini": "[testenv]\ncommands = python {toxinidir}/x.py\n"}) is None


@pytest.mark.parametrize(
    ("files", "plan"),
    [
        (a_package(scripts={"test": "node --test"}), TestPlan(test="npm test", guessed_from="package.json")),
        (
            {**a_package(scripts={"test": "jest"}), "package-lock.json": "{}"},
            TestPlan(test="npm test", setup="npm ci", guessed_from="package.json"),
        ),
        (
            {**a_package(scripts={"test": "jest"}), "yarn.lock": ""},
            TestPlan(test="npm test", setup="yarn install --frozen-lockfile", guessed_from="package.json"),
        ),
        (
            a_package(scripts={"test": "jest"}, devDependencies={"jest": "*"}),
            TestPlan(test="npm test", setup="npm install", guessed_from="package.json"),
        ),
        (a_package(scripts={"test": 'echo "Error: no test specified" && exit 1'}), None),
        (a_package(scripts={"test": ["odd"]}), None),
        (a_package(scripts="odd"), None),
    ],
)
def test_a_node_project_runs_its_own_test_script(files: dict[str, str], plan: TestPlan | None) -> None:
    assert guessed(files) == plan


def test_a_makefile_with_a_test_target_is_the_last_resort() -> None:
    assert guessed({"Makefile": "all:\n\techo\ntest: all\n\t./run\n"}) == TestPlan("make test", guessed_from="Makefile")
    assert guessed({"Makefile": "test := x\ntests:\n"}) is None


@pytest.mark.parametrize(
    "files",
    [
        {},
        {"README.md": "hello"},
        {"package.json": "{"},
        {"package.json": "[]"},
        {"package.json": b"\xff"},
        {"pyproject.toml": "= nonsense", "setup.cfg": "nonsense", "tox.ini": b"\xff\xfe[pytest"},
        {"pyproject.toml": "tool = 5\nproject = 'x'\n"},
    ],
)
def test_where_nothing_tells_there_is_no_guess(files: dict[str, str | bytes]) -> None:
    assert guessed(files) is None
