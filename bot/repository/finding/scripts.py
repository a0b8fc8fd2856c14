"""Test commands that a project's own scripts name: hatch, PDM, poe, a Makefile's recipe. Pure."""

import re
from collections.abc import Iterator, Mapping
from typing import Any

from bot.repository.finding.formats import table, texts
from bot.repository.finding.recipe import Recipe, Words
from bot.repository.finding.requirements import Need, NeedKind, of_group, required
from bot.repository.finding.shell import simple_commands
from bot.repository.finding.tree import Tree

MAKEFILES = ("GNUmakefile", "makefile", "Makefile")
TEST_TARGETS = ("test", "check", "tests", "unittest", "unit", "test-unit")
_ENVIRONMENTS = ("hatch-test", "test", "tests", "testing", "default", "dev")
_TASKS = ("test", "tests", "unit", "unittest", "pytest", "run-tests", "_test", "run", "no-cov", "cov", "all", "ci")
_PYTHON = re.compile(r"\$[({](PYTHON3?|PY|python|PYTHON_EXE|VENV_PYTHON)[)}]")


def script_recipes(tree: Tree) -> Iterator[Recipe]:
    """What each of these tools would run."""
    yield from _of_hatch(tree)
    tool = table(tree.toml("pyproject.toml"), "tool")
    for name, tasks in (("pdm.scripts", table(tool, "pdm", "scripts")), ("poe.tasks", table(tool, "poe", "tasks"))):
        if commands := _commands(tasks):
            yield Recipe(f"pyproject.toml: tool.{name}", commands)
    if (target := make_target(tree)) and (recipe := make_recipe(tree, *target)):
        yield Recipe(f"{target[0]}: target {target[1]}", recipe)


def _of_hatch(tree: Tree) -> Iterator[Recipe]:
    pyproject = tree.toml("pyproject.toml")
    for file, environments in (
        ("hatch.toml", table(tree.toml("hatch.toml"), "envs")),
        ("pyproject.toml", table(pyproject, "tool", "hatch", "envs")),
    ):
        for name in _ENVIRONMENTS:
            if found := table(environments, name):
                source = f"{file}: hatch's environment {name}"
                yield Recipe(source, _commands(table(found, "scripts")), tuple(_hatch_needs(found, source, pyproject)))


def _hatch_needs(found: Mapping[str, Any], source: str, pyproject: Mapping[str, Any]) -> Iterator[Need]:
    for key in ("dependencies", "extra-dependencies"):
        yield from required(texts(found.get(key)), source)
    for name in texts(found.get("features")):
        yield Need(NeedKind.EXTRA, name, source)
    for name in texts(found.get("dependency-groups")):
        yield from of_group(table(pyproject, "dependency-groups"), name, source)


def _commands(tasks: Mapping[str, Any]) -> tuple[Words, ...]:
    """The commands of the first task that is called after tests. hatch's `{args:tests}` is its default."""
    for name in _TASKS:
        value = tasks.get(name)
        value = (value.get("cmd") or value.get("shell")) if isinstance(value, dict) else value
        lines = [re.sub(r"\{args:?([^{}]*)\}", r"\1", line) for line in texts(value)]
        if lines:
            return tuple(simple_commands("\n".join(lines)))
    return ()


def make_target(tree: Tree) -> tuple[str, str] | None:
    """The Makefile and its target that runs the tests. Source: GNU make looks for its file in this order."""
    file = tree.first(*MAKEFILES)
    text = tree.text(file) if file else ""
    found = (name for name in TEST_TARGETS if re.search(rf"^{name}\s*:(?![:=]|\s*=)", text, re.MULTILINE))
    target = next(found, None)
    return (file, target) if target else None


def make_recipe(tree: Tree, file: str, target: str) -> tuple[Words, ...]:
    """Those of a target's commands that are plain ones."""
    lines: list[str] = []
    is_inside = False
    for line in tree.text(file).splitlines():
        if re.match(rf"{re.escape(target)}\s*:", line):
            is_inside = True
        elif is_inside and line.startswith("\t"):
            lines.append(_PYTHON.sub("python3", line.strip().lstrip("@-+")))
        elif is_inside and line.strip() and not line.startswith("#"):
            break
    return tuple(simple_commands("\n".join(lines)))
