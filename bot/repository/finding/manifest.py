"""What a Python project says of itself in pyproject.toml, setup.cfg, setup.py, Pipfile. Pure."""

import re
from collections.abc import Iterator, Mapping
from functools import cached_property
from typing import Any

from bot.repository.finding.formats import table, text_of, texts
from bot.repository.finding.requirements import Need, from_poetry, of_group, required
from bot.repository.finding.setup_py import SetupCall, read_setup
from bot.repository.finding.tree import Tree

FILES = ("pyproject.toml", "setup.py", "setup.cfg", "Pipfile")
_METADATA = re.compile(r"importlib[._]metadata|pkg_resources|from\s+\.?\S*_version\s+import|import\s+_version")
_ENTRIES = ("entry-points", "scripts", "gui-scripts")
_INITS_AT_MOST = 6


class Manifest:
    """One project's manifests, read once."""

    def __init__(self, tree: Tree) -> None:
        self.tree = tree
        self.pyproject = tree.toml("pyproject.toml")
        self.setup_cfg = tree.ini("setup.cfg")
        self.project = table(self.pyproject, "project")
        self.poetry = table(self.pyproject, "tool", "poetry")

    @cached_property
    def setup_py(self) -> SetupCall:
        return read_setup(self.tree.text("setup.py"))

    @cached_property
    def pipfile(self) -> Mapping[str, Any]:
        return self.tree.toml("Pipfile")

    # --- What it is

    @property
    def can_be_installed(self) -> bool:
        """Whether pip can install it: something says how it is built."""
        if self.poetry.get("package-mode") is False or table(self.pyproject, "tool", "uv").get("package") is False:
            return False
        has_pyproject = "pyproject.toml" in self.tree
        declared = "build-system" in self.pyproject or text_of(self.project.get("name"))
        return bool(declared or "setup.py" in self.tree or (has_pyproject and "metadata" in self.setup_cfg))

    @cached_property
    def backend(self) -> str:
        """The module that builds it, without what comes after its first dot."""
        named = text_of(table(self.pyproject, "build-system").get("build-backend"))
        return named.partition(":")[0].partition(".")[0] or "setuptools"

    @cached_property
    def build_requires(self) -> tuple[str, ...]:
        declared = texts(table(self.pyproject, "build-system").get("requires"))
        return declared or ("setuptools", "wheel")

    @cached_property
    def name(self) -> str:
        named = text_of(self.project.get("name")) or text_of(self.poetry.get("name"))
        return (
            named
            or text_of(self.setup_cfg.get("metadata", {}).get("name"))
            or text_of(self.setup_py.keywords.get("name"))
        )

    @cached_property
    def requires_python(self) -> tuple[str, str]:
        """The versions of Python that it is for, and the file that says so."""
        said = {
            "pyproject.toml": text_of(self.project.get("requires-python"))
            or text_of(table(self.poetry, "dependencies").get("python")),
            "setup.cfg": self.setup_cfg.get("options", {}).get("python_requires", ""),
            "setup.py": text_of(self.setup_py.keywords.get("python_requires")),
        }
        return next(((value, file) for file, value in said.items() if value), ("", ""))

    # --- What it needs

    def why_install(self) -> str:
        """Why the tests can't do with the bare files; "" where they can."""
        return next(self._reasons(), "")

    def _reasons(self) -> Iterator[str]:
        if not self.can_be_installed:
            return
        options = self.setup_cfg.get("options", {})
        dynamic = texts(self.project.get("dynamic"))
        poetry = set(table(self.poetry, "dependencies")) - {"python"}
        if self.project.get("dependencies") or poetry or "dependencies" in dynamic:
            yield "pyproject.toml: its dependencies"
        if options.get("install_requires"):
            yield "setup.cfg: install_requires"
        if self.setup_py.keywords.keys() & {"install_requires", "tests_require", "extras_require"}:
            yield "setup.py: its requirements"
        if (
            any(self.project.get(key) for key in _ENTRIES)
            or table(self.poetry, "scripts")
            or table(self.poetry, "plugins")
        ):
            yield "pyproject.toml: its entry points"
        if self.setup_cfg.get("options.entry_points") or self.setup_py.keywords.keys() & {"entry_points", "scripts"}:
            yield "its entry points"
        if init := next((name for name in self._inits() if _METADATA.search(self.tree.text(name))), ""):
            yield f"{init}: reads the installed package's metadata or version"

    def _inits(self) -> list[str]:
        return list(self.tree.matching(re.compile(r"^(src/)?(?!tests?/)[^/]+/__init__\.py$")))[:_INITS_AT_MOST]

    @cached_property
    def extras(self) -> Mapping[str, str]:
        """The names of its optional dependencies, each with the file that declares it."""
        in_setup_py = self.setup_py.keywords.get("extras_require")
        return {
            **dict.fromkeys(filter(None, in_setup_py or ()) if isinstance(in_setup_py, dict) else (), "setup.py"),
            **dict.fromkeys(self.setup_cfg.get("options.extras_require", {}), "setup.cfg"),
            **dict.fromkeys(table(self.poetry, "extras"), "pyproject.toml"),
            **dict.fromkeys(table(self.project, "optional-dependencies"), "pyproject.toml"),
        }

    @cached_property
    def groups(self) -> Mapping[str, tuple[Need, ...]]:
        """What is needed for work on it, by the name of the group, whoever's way of saying so it is."""
        standard = table(self.pyproject, "dependency-groups")
        found = {name: of_group(standard, name, f"pyproject.toml: group {name}") for name in standard}
        for name, group in table(self.poetry, "group").items():
            found[name] = from_poetry(table(group, "dependencies"), f"pyproject.toml: Poetry's group {name}")
        if old := table(self.poetry, "dev-dependencies"):
            found["dev"] = from_poetry(old, "pyproject.toml: Poetry's dev-dependencies")
        for name, items in table(self.pyproject, "tool", "pdm", "dev-dependencies").items():
            found[name] = required(texts(items), f"pyproject.toml: PDM's group {name}")
        if items := texts(table(self.pyproject, "tool", "uv").get("dev-dependencies")):
            found["dev"] = (*found.get("dev", ()), *required(items, "pyproject.toml: uv's dev-dependencies"))
        if dev := table(self.pipfile, "dev-packages"):
            found["dev"] = (*found.get("dev", ()), *from_poetry(dev, "Pipfile: dev-packages"))
        if asked := self.setup_py.keywords.get("tests_require"):
            found["tests_require"] = required(texts(asked), "setup.py: tests_require")
        if asked := self.setup_cfg.get("options", {}).get("tests_require"):
            found["tests_require"] = required(texts(asked), "setup.cfg: tests_require")
        return found

    def own_needs(self) -> tuple[Need, ...]:
        """What it needs to run, for a project that can't be installed."""
        return (
            *required(texts(self.project.get("dependencies")), "pyproject.toml: its dependencies"),
            *from_poetry(table(self.poetry, "dependencies"), "pyproject.toml: Poetry's dependencies"),
            *from_poetry(table(self.pipfile, "packages"), "Pipfile: packages"),
        )

    @cached_property
    def pytest_options(self) -> Mapping[str, Any]:
        """The settings of pytest with the name of their file below ``""``; empty where it has none."""
        candidates: list[tuple[str, bool, Mapping[str, Any]]] = [
            *(
                (name, name in self.tree, table(self.tree.toml(name), "pytest"))
                for name in ("pytest.toml", ".pytest.toml")
            ),
            *(
                (name, name in self.tree, self.tree.ini(name).get("pytest", {}))
                for name in ("pytest.ini", ".pytest.ini")
            ),
        ]
        native = table(self.pyproject, "tool", "pytest")
        options = {
            **{key: value for key, value in native.items() if key != "ini_options"},
            **table(native, "ini_options"),
        }
        candidates.append(("pyproject.toml", bool(native), options))
        for name, section in (("tox.ini", "pytest"), ("setup.cfg", "tool:pytest")):
            sections = self.tree.ini(name)
            candidates.append((name, section in sections, sections.get(section, {})))
        return next(({**options, "": name} for name, is_there, options in candidates if is_there), {})
