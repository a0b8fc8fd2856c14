"""How a Python project's tests are run, from its manifests and the names of its files. Pure."""

import configparser
import re
import shlex
import tomllib
from collections.abc import Callable, Mapping
from typing import Any

from bot.records import TestPlan

Read = Callable[[str], bytes | None]

_PYTEST_FILE = re.compile(r"(?:^|/)(?:test_[^/]*|[^/]*_test)\.py$")
_UNITTEST_FILE = re.compile(r"^(tests?)/(?:tests?|[^/]*_tests?|[^/]*tests)\.py$")
_EXTRAS = ("test", "tests", "testing", "dev")
_REQUIREMENTS = (
    "requirements-dev.txt",
    "requirements_dev.txt",
    "dev-requirements.txt",
    "requirements-test.txt",
    "requirements_test.txt",
    "test-requirements.txt",
    "tests/requirements.txt",
    "requirements.txt",
)
_FROM_SCM = re.compile(r"setuptools[-_]scm|hatch[-_]vcs|versioningit|pbr\b|use_scm_version|poetry-dynamic-versioning")
_PIP = "python3 -m pip install"


def python_plan(read: Read, paths: frozenset[str]) -> TestPlan | None:
    """`python3 -m pytest` where pytest is configured or has files to find, else unittest, else tox's own commands."""
    project = _Project(read, paths)
    if source := project.pytest_evidence():
        return TestPlan(test=project.with_source("python3 -m pytest"), setup=project.setup(), guessed_from=source)
    if source := next((path for path in sorted(paths) if _UNITTEST_FILE.search(path)), None):
        folder, _, name = source.partition("/")
        test = f"python3 -m unittest discover -s {folder} -t . -p {shlex.quote(name)}"
        return TestPlan(test=project.with_source(test), setup=project.setup(), guessed_from=source)
    if commands := project.tox_commands():
        return TestPlan(test=project.with_source(commands), setup=project.setup(), guessed_from="tox.ini")
    return None


class _Project:
    """The manifests of one Python project, read once."""

    def __init__(self, read: Read, paths: frozenset[str]) -> None:
        self._paths = paths
        self._text = {
            name: (read(name) or b"").decode("utf-8", "replace") if name in paths else ""
            for name in ("pyproject.toml", "setup.cfg", "setup.py", "tox.ini", "pytest.ini", *_REQUIREMENTS)
        }
        self._pyproject = _toml(self._text["pyproject.toml"])
        self._setup_cfg = _ini(self._text["setup.cfg"])
        self._tox = _ini(self._text["tox.ini"])

    def pytest_evidence(self) -> str | None:
        """The file that says that pytest is meant: its configuration first, then a test that it finds."""
        configured = {
            "pytest.ini": "pytest.ini" in self._paths,
            ".pytest.ini": ".pytest.ini" in self._paths,
            "pyproject.toml": bool(_table(self._pyproject, "tool", "pytest")),
            "tox.ini": self._tox.has_section("pytest"),
            "setup.cfg": self._setup_cfg.has_section("tool:pytest"),
        }
        files = (path for path in sorted(self._paths) if path.endswith("conftest.py") or _PYTEST_FILE.search(path))
        return next((name for name, is_there in configured.items() if is_there), None) or next(files, None)

    def with_source(self, command: str) -> str:
        """The command, with `src` on the path where nothing installs the package: the workspace's own is tested."""
        return f"PYTHONPATH=src {command}" if self._has_src and not self.setup() else command

    def setup(self) -> str:
        """What installs the project and its tests' needs; "" where no manifest asks for a package."""
        requirements = [name for name in _REQUIREMENTS if self._asks(name)]
        install = [*(["-e", shlex.quote(f".{self._extras()}")] if self._must_be_installed() else [])]
        install += [word for name in requirements for word in ("-r", name)]
        if not install:
            return ""
        version = "SETUPTOOLS_SCM_PRETEND_VERSION=0.0.0 PBR_VERSION=0.0.0 " if self._version_is_from_git() else ""
        return f"{version if '-e' in install else ''}{_PIP} {' '.join(install)} pytest"

    def tox_commands(self) -> str:
        """The test commands of tox's main environment, without its placeholders; "" where they don't stand alone."""
        lines = self._tox.get("testenv", "commands", fallback="").splitlines()
        commands = [re.sub(r"\{posargs(?::[^}]*)?\}", "", line).strip() for line in lines if line.strip()]
        return "" if any("{" in command for command in commands) else " && ".join(commands)

    @property
    def _has_src(self) -> bool:
        return any(path.startswith("src/") and path.endswith(".py") for path in self._paths)

    def _asks(self, requirements: str) -> bool:
        lines = (line.partition("#")[0].strip() for line in self._text[requirements].splitlines())
        return any(line for line in lines)

    def _must_be_installed(self) -> bool:
        """Whether the manifest names packages that it needs, a test extra, or code to be compiled."""
        project = _table(self._pyproject, "project")
        poetry = _table(self._pyproject, "tool", "poetry", "dependencies")
        return bool(
            project.get("dependencies")
            or self._extras()
            or "dependencies" in (project.get("dynamic") or ())
            or set(poetry) - {"python"}
            or self._setup_cfg.get("options", "install_requires", fallback="").strip()
            or re.search(r"\b(?:install_requires|tests_require|ext_modules|cffi_modules)\b", self._text["setup.py"])
        )

    def _extras(self) -> str:
        declared = set(_table(self._pyproject, "project", "optional-dependencies"))
        if self._setup_cfg.has_section("options.extras_require"):
            declared |= set(self._setup_cfg.options("options.extras_require"))
        found = [name for name in _EXTRAS if name in declared]
        return f"[{','.join(found)}]" if found else ""

    def _version_is_from_git(self) -> bool:
        """Whether the version is taken from git's history, which a workspace does not have."""
        return any(_FROM_SCM.search(self._text[name]) for name in ("pyproject.toml", "setup.cfg", "setup.py"))


def _toml(text: str) -> Mapping[str, Any]:
    try:
        return tomllib.loads(text)
    except (tomllib.TOMLDecodeError, RecursionError):
        return {}


def _ini(text: str) -> configparser.ConfigParser:
    parser = configparser.ConfigParser(interpolation=None, strict=False)
    try:
        parser.read_string(text)
    except configparser.Error:
        return configparser.ConfigParser()
    return parser


def _table(value: Any, *keys: str) -> Mapping[str, Any]:
    for key in keys:
        value = value.get(key) if isinstance(value, dict) else None
    return value if isinstance(value, dict) else {}
