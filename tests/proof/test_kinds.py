import pytest

from bot.proof import A, B, C, FileKind, Side, goes_with_tests, kind_of, kind_of_change, overlay, place, protected
from bot.records import ChangedFile
from sandbox.contract import File
from sandbox.process import ProcessSandbox
from tests.proof.laboratory import changed

PATHS = {
    FileKind.TEST: """
        tests/test_a.py test_a.py a_test.py src/pkg/tests/test_a.py tests/helpers.py src/a.test.ts src/__tests__/a.js
        a.spec.jsx pkg/a_test.go tests/cli.rs spec/a_spec.rb src/test/java/ATest.java app/tests.py
    """,
    FileKind.TEST_SUPPORT: """
        tests/data/a.json tests/__init__.py src/__snapshots__/a.snap pkg/testdata/a.golden tests/fixtures/a.py
        testutils.py src/testhelpers.py __mocks__/fs.js tests/data/a.whl
    """,
    FileKind.TEST_CONFIG: """
        conftest.py tests/conftest.py pytest.ini .pytest.ini tox.ini noxfile.py .coveragerc jest.config.js
        vitest.config.mts sitecustomize.py src/usercustomize.py lib/a.pth .mocharc.yml spec/spec_helper.rb
        .github/selfcode.yml .env .env.test lib/a.egg-link a.egg-info/PKG-INFO src/setupTests.ts
    """,
    FileKind.DEPENDENCY: """
        pyproject.toml setup.py setup.cfg requirements.txt requirements/dev.txt requirements-dev.txt uv.lock
        poetry.lock package.json package-lock.json yarn.lock Cargo.toml Cargo.lock go.mod go.sum Gemfile Gemfile.lock
        pom.xml Makefile web/package.json Dockerfile .gitmodules dodo.py gulpfile.js
    """,
    FileKind.COMPILED: "a.pyc tests/__pycache__/a.cpython-311.pyc lib/a.so.1 lib/a.jar addon/a.node",
    FileKind.CI: ".github/workflows/ci.yml .gitlab-ci.yml .circleci/config.yml Jenkinsfile",
    FileKind.DOCS: "README.md docs/index.rst CHANGELOG.md docs/logo.png LICENSE",
    FileKind.SOURCE: """
        src/a.py a.js pkg/latest.py contest.py src/testing.py main.go src/lib.rs data/table.csv docs/conf.py
        .env.example .gitignore environment.py
    """,
}


@pytest.mark.parametrize("kind", PATHS)
def test_a_path_says_what_a_file_is(kind: FileKind) -> None:
    paths = PATHS[kind].split()

    assert {path: kind_of(path) for path in paths} == dict.fromkeys(paths, kind)


def test_python_source_that_holds_pytest_hooks_configures_tests() -> None:
    assert goes_with_tests(
        changed("src/plugin.py", None, "def pytest_collection_modifyitems(items):\n    items.clear()")
    )
    assert not goes_with_tests(changed("src/plugin.py", None, "def collect(items):\n    items.clear()"))


@pytest.mark.parametrize(
    ("path", "before", "after"),
    [
        ("pytest.py", None, ""),
        ("src/pluggy/__init__.py", None, ""),
        ("backend/_pytest/runner.py", None, ""),
        ("unittest/__init__.py", None, ""),
        ("lib/xml.py", None, ""),
        ("a-1.dist-info/entry_points.txt", None, "[pytest11]\na = a"),
        ("run.sh", "pytest -q\n", "pytest -q || true\n"),
        ("check", "exec pytest\n", "exit 0\n"),
        ("src/a.py", "a = 1\n", "import pytest\n"),
        ("src/a.py", "a = 1\n", "import sys\na = 'pytest' in sys.modules\n"),
        ("src/a.py", "a = 1\n", "import os\na = os.environ.get('PYTEST_CURRENT_TEST')\n"),
        ("src/a.py", "a = 1\n", "from unittest import TestCase\n"),
        ("src/a.py", "import pytest\n", "a = 1\n"),
        ("src/a.js", "", "const a = process.env.VITEST;\n"),
        ("a.go", "package a\n", 'package a\n\nimport "testing"\n'),
        ("check", "go test ./...\n", "true\n"),
    ],
)
def test_what_takes_pytests_place_or_steers_it_configures_tests(path: str, before: str | None, after: str) -> None:
    assert kind_of_change(changed(path, before, after)) is FileKind.TEST_CONFIG


@pytest.mark.parametrize(
    ("path", "before", "after"),
    [
        ("queue.py", "a = 1\n", "a = 2\n"),
        ("shop/types.py", None, "a = 1\n"),
        ("site/index.html", None, "pytest"),
        ("src/a.py", "import pytest\na = 1\n", "import pytest\na = 2\n"),
        ("src/a.py", "a = 1\n", "a = 2  # see pytest\n"),
        ("src/a.py", "a = 1\n", 'def f():\n    """Like pytest."""\n'),
        ("src/a.js", "", "let a = 1; // as in jest\n"),
        (".gitignore", "", "pytest\n"),
        ("install.sh", "make\n", "make all\n"),
    ],
)
def test_what_only_looks_like_it_is_source(path: str, before: str | None, after: str) -> None:
    assert kind_of_change(changed(path, before, after)) is FileKind.SOURCE


def test_a_submodule_is_a_dependency_wherever_it_stands() -> None:
    pointer = ChangedFile("tests/shared", b"1" * 40, b"2" * 40, "160000", "160000")

    assert kind_of_change(pointer) is FileKind.DEPENDENCY


def test_workflows_and_what_the_repository_protects_are_found() -> None:
    paths = ["src/a.py", ".github/workflows/ci.yml", "infra/prod/main.tf", "migrations/1.sql", "keep/migrations/1.sql"]

    assert protected(paths, ["infra/", "/migrations/*.sql"]) == (
        ".github/workflows/ci.yml",
        "infra/prod/main.tf",
        "migrations/1.sql",
    )


def test_no_pattern_gives_workflows_free() -> None:
    assert protected([changed(".github/workflows/ci.yml", "a", "b")], ["!.github/workflows/ci.yml"])


# --- Arrangements

FILES = (
    changed("src/a.py", "old\n", "new\n"),
    changed("tests/test_a.py", "old\n", "new\n"),
    changed("tests/test_new.py", None, "new\n"),
    changed("tests/test_gone.py", "old\n", None),
    changed("conftest.py", "old\n", "new\n"),
    changed("pyproject.toml", "old\n", "new\n"),
    changed("uv.lock", "old\n", "new\n"),
)


def test_run_a_is_the_base_with_the_tests_of_the_head() -> None:
    assert overlay(FILES, A) == (
        Side.BASE,
        {
            "tests/test_a.py": File(b"new\n"),
            "tests/test_new.py": File(b"new\n"),
            "tests/test_gone.py": None,
            "conftest.py": File(b"new\n"),
            "pyproject.toml": File(b"new\n"),
        },
    )


def test_run_b_is_the_head() -> None:
    assert overlay(FILES, B) == (Side.HEAD, {})


def test_run_c_is_the_head_with_the_tests_and_the_configuration_of_the_base() -> None:
    assert overlay(FILES, C) == (
        Side.HEAD,
        {
            "tests/test_a.py": File(b"old\n"),
            "tests/test_new.py": None,
            "tests/test_gone.py": File(b"old\n"),
            "conftest.py": File(b"old\n"),
            "pyproject.toml": File(b"old\n"),
        },
    )


def test_an_overlay_is_laid_over_a_checkout_and_never_through_a_link() -> None:
    with ProcessSandbox().open() as workspace:
        workspace.run("echo source > a.py; mkdir tests; ln -s ../a.py tests/test_a.py; echo x > tests/test_b.py")
        place(workspace, {"tests/test_a.py": File(b"test\n", executable=True), "tests/test_b.py": None})

        assert workspace.run("cat a.py tests/*; test -x tests/test_a.py && echo yes").stdout == "source\ntest\nyes\n"
