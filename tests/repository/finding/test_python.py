"""How the tests of Python projects are found."""

# ruff: noqa: E501 - a row of a table is one repository

import pytest

from tests.repository.finding.looking import command_of, commands, found, reasons, setup_of

PYTEST = "python3 -m pytest"
A_TEST = {"tests/test_a.py": "def test_a():\n    assert True\n"}
HATCH = "[build-system]\nrequires = ['hatchling']\nbuild-backend = 'hatchling.build'\n"
WITHOUT_THE_LAST = (
    "find . '(' -name '*.cpython-*.so' -o -name '*.abi3.so' ')' -not -path '*/site-packages/*' -delete && "
)
IN_PLACE = f"{WITHOUT_THE_LAST}python3 setup.py build_ext --inplace --force"
LEGACY = "[build-system]\nrequires = ['setuptools', 'cython>=3']\nbuild-backend = 'setuptools.build_meta'\n"


@pytest.mark.parametrize(
    ("files", "source"),
    [
        ({"pytest.ini": "", "tests/test_a.py": ""}, "pytest.ini"),
        ({"pytest.toml": "[pytest]\nminversion = '9'\n"}, "pytest.toml"),
        ({"pyproject.toml": "[tool.pytest.ini_options]\n"}, "pyproject.toml"),
        ({"pyproject.toml": "[tool.pytest.ini_options]\nminversion = '7'\n"}, "pyproject.toml"),
        ({"pyproject.toml": "[tool.pytest]\nminversion = '9'\n"}, "pyproject.toml"),
        ({"setup.cfg": "[tool:pytest]\n"}, "setup.cfg"),
        ({"tox.ini": "[pytest]\n[testenv]\ncommands = nose\n"}, "tox.ini"),
        ({"conftest.py": ""}, "conftest.py"),
        ({"tests/test_a.py": "import unittest"}, "tests/test_a.py"),
    ],
)
def test_pytest_is_run_where_it_is_configured_or_finds_tests(files: dict[str, str], source: str) -> None:
    findings = found({**A_TEST, **files})

    assert findings.plan is not None
    assert (findings.plan.test, findings.plan.setup, findings.plan.guessed_from) == (PYTEST, "", source)


def test_a_src_layout_that_needs_nothing_is_tested_from_its_source_without_a_set_up() -> None:
    findings = found({**A_TEST, "src/tool/__init__.py": "", "pyproject.toml": f"{HATCH}[project]\nname = 'tool'\n"})

    assert findings.plan is not None
    assert (findings.plan.test, findings.plan.setup) == (f"PYTHONPATH=src {PYTEST}", "")


@pytest.mark.parametrize(
    ("files", "test"),
    [
        # tox, whose commands are run without it
        (
            {"tox.ini": "[testenv]\ncommands = pytest --cov=a {posargs:checks}\n", "checks/a_test.py": ""},
            f"{PYTEST} checks",
        ),
        (
            {"tox.ini": "[testenv]\ncommands =\n    coverage run -m pytest -m 'not slow' {posargs}\n"},
            f"{PYTEST} -m 'not slow'",
        ),
        (
            {"tox.ini": "[testenv]\nsetenv =\n    A = {toxinidir}/b\ncommands = {envpython} -m pytest\n"},
            f'A="$PWD/b" {PYTEST}',
        ),
        ({"tox.ini": "[testenv]\nchangedir = {toxinidir}/tests\ncommands = pytest\n"}, f"cd tests && {PYTEST}"),
        (
            {"tox.ini": "[testenv]\ncommands = {[base]run}\n[base]\nrun = py.test -p no:cacheprovider\n"},
            f"{PYTEST} -p no:cacheprovider",
        ),
        (
            {"tox.ini": "[testenv]\ncommands = zope-testrunner --test-path=src {posargs:-vc}\n", "tests/test_a.py": ""},
            "zope-testrunner --test-path=src -vc",
        ),
        ({"tox.ini": "[testenv]\ncommands = python runtests.py {posargs}\n", "runtests.py": ""}, "python3 runtests.py"),
        ({"tox.ini": "[testenv]\ncommands =\n  python a.py {posargs:-v}\n", "a.py": "", "tests/test_a.py": ""}, PYTEST),
        ({"tox.toml": "[env_run_base]\ncommands = [['trial', {replace='posargs', default=['pkg']}]]\n"}, "trial pkg"),
        (
            {"tox.toml": "[env.lint]\ncommands = [['ruff']]\n[env_run_base]\ncommands = [['pytest', 'tests']]\n"},
            f"{PYTEST} tests",
        ),
        (
            {"pyproject.toml": '[tool.tox]\nlegacy_tox_ini = """\n[testenv]\ncommands = pytest tests\n"""\n'},
            f"{PYTEST} tests",
        ),
        # nox, hatch, PDM, poe, Makefile, CI
        (
            {
                "noxfile.py": "import nox\n@nox.session\ndef lint(s):\n  s.run('ruff')\n@nox.session()\ndef tests(s):\n  s.run('pytest', 'tests')\n"
            },
            f"{PYTEST} tests",
        ),
        ({"pyproject.toml": "[tool.hatch.envs.default.scripts]\ntest = 'pytest {args:tests}'\n"}, f"{PYTEST} tests"),
        ({"pyproject.toml": "[tool.pdm.scripts]\ntest = {cmd = 'pytest tests'}\n"}, f"{PYTEST} tests"),
        (
            {"pyproject.toml": "[tool.poe.tasks]\ntest = 'pytest --doctest-modules tests'\n"},
            f"{PYTEST} --doctest-modules tests",
        ),
        ({"Makefile": "test:\n\t@$(PYTHON) -m pytest tests -q\n"}, f"{PYTEST} tests"),
        (
            {
                ".github/workflows/ci.yml": "jobs:\n  t:\n    steps:\n    - run: |\n        pip install x\n        pytest -k 'not net' tests\n"
            },
            f"{PYTEST} -k 'not net' tests",
        ),
    ],
)
def test_what_other_tools_would_run_is_run_directly(files: dict[str, str], test: str) -> None:
    assert command_of({"setup.py": "", **A_TEST, **files}) == test


@pytest.mark.parametrize(
    ("files", "test"),
    [
        ({"tests/tests.py": ""}, "python3 -m unittest discover -s tests -t . -p tests.py"),
        ({"setup.py": "setup(test_suite='pkg.suite')", "pkg/suite.py": ""}, "python3 -m unittest pkg.suite"),
        (
            {"tox.ini": "[testenv]\ncommands = python -m unittest discover -v\n", "pkg/checks.py": ""},
            "python3 -m unittest discover -v",
        ),
        ({"manage.py": "os.environ['DJANGO_SETTINGS_MODULE']", "app/tests.py": ""}, "python3 manage.py test"),
        (
            {"Makefile": "test:\n\tpython manage.py test --keepdb app\n", "manage.py": "", "app/tests.py": ""},
            "python3 manage.py test app",
        ),
        (
            {
                "tox.ini": "[testenv]\ncommands =\n    python check.py {posargs:-v}\n    python more.py\n",
                "check.py": "",
                "more.py": "",
            },
            "python3 check.py -v && python3 more.py",
        ),
    ],
)
def test_tests_that_pytest_would_not_find_run_as_their_project_runs_them(files: dict[str, str], test: str) -> None:
    assert command_of(files) == test


def test_benchmarks_beside_the_tests_are_not_collected() -> None:
    bench = {"benchmarks/test_speed.py": "def test_speed(benchmark): ...\n"}

    assert command_of({**A_TEST, **bench}) == f"{PYTEST} --ignore=benchmarks"
    assert command_of(bench) == PYTEST
    assert command_of({**A_TEST, **bench, "pytest.ini": "[pytest]\ntestpaths = tests\n"}) == PYTEST


def test_paths_of_another_tool_give_way_to_pytests_own() -> None:
    files = {"tox.ini": "[testenv]\ncommands = pytest tests\n[pytest]\ntestpaths = checks\n", **A_TEST}

    assert command_of(files) == PYTEST


@pytest.mark.parametrize(
    ("files", "install"),
    [
        ({"setup.py": "setup(install_requires=['a'])"}, "-e . pytest"),
        ({"setup.py": "setup(name='a')"}, None),
        ({"setup.py": "T = ['x']\nsetup(extras_require={'test': T + ['y']})"}, "-e '.[test]' pytest"),
        ({"setup.py": "setup(tests_require=['mock>=2', 'pytest<9'])"}, "-e . 'mock>=2' 'pytest<9'"),
        ({"setup.py": "", "setup.cfg": "[options]\ninstall_requires =\n  a\n"}, "-e . pytest"),
        ({"setup.py": "", "setup.cfg": "[options.extras_require]\ntesting = a\n"}, "-e '.[testing]' pytest"),
        ({"setup.cfg": "[options]\ninstall_requires = a\n"}, None),
        ({"setup.py": "import pkg_resources\nsetup(install_requires=['a'])"}, "-e . pytest 'setuptools<81'"),
        ({"pyproject.toml": f"{HATCH}[project]\nname = 'a'\ndependencies = ['b']\n"}, "-e . pytest"),
        ({"pyproject.toml": f"{HATCH}[project]\nname = 'a'\n[project.scripts]\na = 'a:b'\n"}, "-e . pytest"),
        ({"pyproject.toml": f"{HATCH}[project]\nname = 'a'\n[project.optional-dependencies]\ndev = ['x']\ndocs = ['y']\n"}, "-e '.[dev]' pytest"),
        ({"pyproject.toml": f"{HATCH}[project]\nname='a'\n[project.optional-dependencies]\ndev=['x']\ntest=['y']\n"}, "-e '.[test]' pytest"),
        ({"a/__init__.py": "from importlib.metadata import version", "pyproject.toml": HATCH}, "-e . pytest"),
        ({"pyproject.toml": "[tool.poetry.dependencies]\npython = '^3'\n"}, None),
        (
            {
                "pyproject.toml": "[tool.poetry]\npackage-mode = false\n[tool.poetry.dependencies]\na = '^1.2'\nb = {version = '~2.0', extras = ['c']}\n"
                "g = {git = 'https://example.com/g'}\n[tool.poetry.group.test.dependencies]\npytest = '^8'\n[build-system]\nrequires = ['poetry-core']\n"
            },
            "'a>=1.2,<2' 'b[c]>=2.0,<2.1' 'pytest>=8,<9'",
        ),
        ({"Pipfile": "[packages]\na = '*'\n[dev-packages]\nmock = '==5.1'\nblack = '*'\n"}, "a mock==5.1 pytest"),
        (
            {"pyproject.toml": "[dependency-groups]\nbase = ['mock']\ntest = [{include-group = 'base'}, 'pytest>=8']\ndev = ['sphinx']\n"},
            "'pytest>=8' mock",
        ),
        ({"pyproject.toml": "[tool.uv]\ndev-dependencies = ['respx', 'ruff']\n"}, "respx pytest"),
        ({"pyproject.toml": "[tool.pdm.dev-dependencies]\ntest = ['respx']\n"}, "respx pytest"),
        ({"pyproject.toml": "[tool.hatch.envs.test]\ndependencies = ['respx', 'pytest']\n"}, "respx pytest"),
        ({"requirements.txt": "# nothing\n\n"}, None),
        ({"requirements.txt": "a\n", "requirements-dev.txt": "-r requirements.txt\n"}, "-r requirements-dev.txt -r requirements.txt pytest"),
        ({"pyproject.toml": f"{HATCH}[project]\nname='a'\ndependencies=['b']\n", "requirements.txt": "b==1\n"}, "-e . pytest"),
        ({"pyproject.toml": f"{HATCH}[project]\nname='a'\ndependencies=['b']\n", "requirements.txt": "-e .[c]\npytest\n"}, "-e . -r requirements.txt pytest"),
        ({"requirements/pytest.txt": "pytest==9\n", "requirements/dev.txt": "-r lint.txt\n"}, "-r requirements/pytest.txt pytest"),
        ({"requirements/tests.in": "a\n", "requirements/tests.txt": "a==1\n"}, "-r requirements/tests.txt pytest"),
        ({"requirements-test.txt": "a\ngit+https://example.com/b\n-r more.txt\n", "more.txt": "c>2  # why\n"}, "a 'c>2' pytest"),
        ({"tox.ini": "[testenv]\ndeps =\n  -rreqs.txt\n  mock ; python_version > '3'\n  py27: enum34\nextras = a\ncommands = pytest\n", "reqs.txt": "x\n"}, "-r reqs.txt \"mock ; python_version > '3'\" pytest"),
        ({"tox.ini": "[tox]\nenvlist = lint, py{310,312}-{dj41,dj50}\n[testenv]\ndeps =\n  dj41: Django<5\n  dj50: Django>=5,<6\n  !dj50: old\ncommands = pytest\n"}, "'Django>=5,<6' pytest"),
        ({"noxfile.py": "import nox\nDEPS = ['mock', 'pytest']\n@nox.session(python=['3.12'])\ndef test(session):\n    session.install(*DEPS, '-r', 'r.txt')\n    session.install('-e', '.')\n    session.run('pytest', *session.posargs)\n", "r.txt": "a\n"}, "-r r.txt mock pytest"),
        ({"pytest.ini": "[pytest]\naddopts = --cov=a -n auto --timeout 5\nasyncio_mode = auto\nrequired_plugins = pytest-mock>=3\n"}, "pytest-asyncio pytest-cov pytest-xdist pytest-timeout 'pytest-mock>=3' pytest"),
        ({"pyproject.toml": "[tool.pytest.ini_options]\nfilterwarnings = ['error', 'ignore: old:trio.TrioDeprecationWarning']\n"}, "trio pytest"),
        ({"setup.py": "setup(name='mock', tests_require=['mock', 'six'])"}, "-e . six pytest"),
        ({"tests/test_a.py": "import os\nfrom freezegun import freeze_time\n"}, "freezegun pytest"),
        ({".github/workflows/test.yml": "jobs:\n  a:\n    steps:\n    - run: python -m pip install mock coveralls $X\n    - run: pip install -U requests 'mock>3'\n    - run: pytest\n"}, "requests 'mock>3' pytest"),
    ],
)  # fmt: skip
def test_the_set_up_installs_what_the_manifests_ask_for(files: dict[str, str], install: str | None) -> None:
    expected = "" if install is None else f"python3 -m pip install {install}"

    assert setup_of({**A_TEST, **files}) == expected


def test_a_requirements_file_with_hashes_is_installed_by_itself() -> None:
    files = {**A_TEST, "requirements.txt": "a==1 --hash=sha256:00\n", "requirements-test.txt": "b\n"}

    assert commands(found(files), "setup") == [
        "python3 -m pip install -r requirements.txt",
        "python3 -m pip install -r requirements-test.txt pytest",
    ]


@pytest.mark.parametrize(
    ("files", "variables"),
    [
        ({"CHANGES.rst": "Changes\n=======\n\n4.1.0 (2024-01-02)\n-----\n"}, "SETUPTOOLS_SCM_PRETEND_VERSION=4.1.0"),
        ({"CHANGELOG.md": "# Changelog\n## Unreleased\n## [v2.0.1] - 2024\n"}, "SETUPTOOLS_SCM_PRETEND_VERSION=2.0.1"),
        ({"PKG-INFO": "Name: a\nVersion: 3.0\n"}, "SETUPTOOLS_SCM_PRETEND_VERSION=3.0"),
        ({}, "SETUPTOOLS_SCM_PRETEND_VERSION=999.0.0"),
    ],
)
def test_a_version_that_comes_from_git_is_said_in_a_variable(files: dict[str, str], variables: str) -> None:
    manifest = "[build-system]\nrequires = ['hatch-vcs']\n[project]\nname = 'a'\ndependencies = ['b']\n"

    assert (
        setup_of({**A_TEST, "pyproject.toml": manifest, **files}) == f"{variables} python3 -m pip install -e . pytest"
    )


def test_a_version_that_only_a_tag_gives_gets_one_outside_of_the_workspace() -> None:
    manifest = "[build-system]\nrequires = ['hatchling', 'versioningit']\n[project]\nname = 'a'\ndependencies = ['b']\n"

    tag, install = commands(found({**A_TEST, "pyproject.toml": manifest}), "setup")

    assert tag.startswith('(export GIT_DIR=/tmp/selfcode-version.git GIT_WORK_TREE="$PWD" && git init')
    assert install.startswith('GIT_DIR=/tmp/selfcode-version.git GIT_WORK_TREE="$PWD/" python3 -m pip install -e .')


@pytest.mark.parametrize(
    ("files", "install", "build"),
    [
        (
            {"setup.py": "setup(ext_modules=[Extension('a', ['a.c'])])"},
            "-e . pytest",
            IN_PLACE,
        ),
        ({"setup.py": "setup(cffi_modules=['b.py:ffi'])"}, "-e . pytest", IN_PLACE),
        (
            {"pyproject.toml": f"{LEGACY}[[tool.setuptools.ext-modules]]\nname = 'a'\n"},
            "-e . pytest",
            f"{WITHOUT_THE_LAST}python3 -c 'import setuptools.build_meta as backend; backend.build_editable(\"/tmp\")'",
        ),
        (
            {"pyproject.toml": "[build-system]\nrequires = ['meson-python']\nbuild-backend = 'mesonpy'\n"},
            "--no-build-isolation -e . pytest",
            None,
        ),
        (
            {
                "pyproject.toml": "[build-system]\nrequires = ['scikit-build-core']\nbuild-backend = 'scikit_build_core.build'\n"
            },
            ". pytest",
            "python3 -m pip install --no-index --no-deps --no-build-isolation --upgrade --target build/selfcode .",
        ),
    ],
)
def test_compiled_code_is_built_again_before_each_run_without_the_network(
    files: dict[str, str], install: str, build: str | None
) -> None:
    findings = found({**A_TEST, **files})

    assert setup_of({**A_TEST, **files}) == f"python3 -m pip install {install}"
    assert commands(findings, "build") == ([build] if build else [])
    assert "command -v gcc" in commands(findings, "setup")[0]
    assert "build-system.requires" in reasons(findings, "setup")


@pytest.mark.parametrize(
    ("requires", "installed"),
    [
        ("['setuptools >= 77']", "'setuptools >= 77' 'packaging>=24.2'"),
        ("['setuptools', 'packaging>=25']", "setuptools 'packaging>=25'"),
        ("['setuptools-scm']", "setuptools-scm setuptools 'packaging>=24.2'"),
    ],
)
def test_setuptools_gets_a_packaging_that_reads_licences_by_their_spdx_names(requires: str, installed: str) -> None:
    manifest = f"[build-system]\nrequires = {requires}\nbuild-backend = 'setuptools.build_meta'\n"

    findings = found({**A_TEST, "setup.py": "setup(ext_modules=[])", "pyproject.toml": manifest})

    assert f"python3 -m pip install {installed}" in commands(findings, "setup")


@pytest.mark.parametrize(
    "settings",
    [
        {"pytest.ini": "[pytest]\naddopts =\n  -ra\n  # a note\n  --cov\n  --cov-context=test\n"},
        {"pyproject.toml": "[tool.pytest.ini_options]\naddopts = ['--cov=a', '--cov-fail-under=90']\n"},
        {"setup.cfg": "[tool:pytest]\naddopts = --cov a\n"},
    ],
)
def test_coverage_that_pytests_settings_ask_for_is_not_measured(settings: dict[str, str]) -> None:
    findings = found({**A_TEST, **settings})

    assert commands(findings, "test") == [f"{PYTEST} --no-cov"]
    assert "without the coverage" in reasons(findings, "test")
    assert "pytest-cov" in setup_of({**A_TEST, **settings})


def test_code_that_can_not_be_built_in_place_is_tested_where_it_is_built() -> None:
    manifest = "[build-system]\nrequires = ['scikit-build-core']\nbuild-backend = 'scikit_build_core.build'\n"

    assert command_of({**A_TEST, "pyproject.toml": manifest}) == f'PYTHONPATH="$PWD/build/selfcode" {PYTEST}'


def test_rust_inside_a_python_package_is_built_from_crates_that_are_there() -> None:
    manifest = "[build-system]\nrequires = ['maturin>=1']\nbuild-backend = 'maturin'\n[project]\nname = 'a'\n"

    findings = found({**A_TEST, "pyproject.toml": manifest, "Cargo.toml": "[package]\nname = 'a'\n"})

    assert commands(findings, "setup")[-1] == "CARGO_HOME=/opt/selfcode/cargo python3 -m pip install -e . pytest"
    assert commands(findings, "build")[0].startswith("CARGO_HOME=/opt/selfcode/cargo CARGO_NET_OFFLINE=true python3 -c")


def test_each_part_has_its_reason() -> None:
    manifest = f"{HATCH}[project]\nname = 'a'\ndependencies = ['b']\n[dependency-groups]\ntest = ['mock']\n"

    findings = found({**A_TEST, "pyproject.toml": manifest, "uv.lock": ""})

    assert reasons(findings, "test") == "tests/test_a.py: a test that pytest finds"
    assert reasons(findings, "setup") == (
        "pyproject.toml: its dependencies; pyproject.toml: group test; uv.lock is not used, for pip can't read it"
    )


def test_a_variable_of_pytests_own_is_left_to_who_runs_the_tests() -> None:
    assert command_of({**A_TEST, "tox.ini": "[testenv]\nsetenv = PYTEST_ADDOPTS=-n4\ncommands = pytest\n"}) == PYTEST
