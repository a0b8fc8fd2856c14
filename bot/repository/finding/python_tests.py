"""Which command runs a Python project's tests. Pure."""

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from bot.repository.finding.manifest import Manifest
from bot.repository.finding.pytest_plugins import measures_coverage
from bot.repository.finding.recipe import Recipe, Runner, TestCommand, test_commands
from bot.repository.finding.requirements import Need, name_of
from bot.repository.finding.shell import quoted
from bot.repository.finding.tree import Tree

_PYTEST_FILE = re.compile(r"(?:^|/)(?:test_[^/]*|[^/]*_test)\.py$")
_UNITTEST_FILE = re.compile(r"^(?:[^/]+/){0,2}tests?/(?:tests?|[^/]*_tests?|[^/]*tests|test[^/]*)\.py$")
_BENCHMARKS = re.compile(r"(?:bench|benchmark|benchmarks|benches|perf)/")
_CONFTEST = re.compile(r"(^|/)conftest\.py$")


@dataclass(frozen=True, slots=True)
class Tests:
    """The command, its variables, what says so (`source` the file, `reason` in words), and whether it is pytest's."""

    command: str
    reason: str
    source: str
    is_pytest: bool = False
    variables: tuple[tuple[str, str], ...] = ()
    folder: str = ""


def python_tests(manifest: Manifest, recipes: Sequence[Recipe], needs: Sequence[Need]) -> Tests | None:
    """The command: pytest wherever it will do, for it reports test by test; else what the project's own tools run."""
    return next(_candidates(manifest, recipes, needs), None)


def _candidates(manifest: Manifest, recipes: Sequence[Recipe], needs: Sequence[Need]) -> Iterator[Tests]:
    tree = manifest.tree
    named = [(recipe, command) for recipe in recipes for command in test_commands(recipe, tree)]
    if said := _pytest_is_meant(manifest, needs) or _named(named, Runner.PYTEST):
        yield _with_pytest(manifest, named, said)
    for recipe, command in named:
        if command.runner in (Runner.DJANGO, Runner.OTHER):
            yield _as_named(recipe, command)
    if "manage.py" in tree and "DJANGO_SETTINGS_MODULE" in tree.text("manage.py"):
        yield Tests("python3 manage.py test", "manage.py: a Django project", "manage.py")
    if file := next((path for path in tree.matching(_PYTEST_FILE) if path != "setup_test.py"), ""):
        yield _with_pytest(manifest, named, f"{file}: a test that pytest finds")
    for recipe, command in named:
        if command.runner is Runner.UNITTEST:
            yield Tests(
                quoted(["python3", "-m", "unittest", *command.words]),
                f"{recipe.source} runs unittest",
                _file(recipe.source),
                variables=recipe.variables,
                folder=recipe.folder,
            )
    yield from _unittest(manifest)
    yield from _scripts(recipes, tree)


def _pytest_is_meant(manifest: Manifest, needs: Sequence[Need]) -> str:
    """Settings of pytest, or a conftest, or a need of it; "" where none is there."""
    if file := manifest.pytest_options.get("", ""):
        return f"{file}: pytest's settings"
    if file := next(manifest.tree.matching(_CONFTEST), ""):
        return f"{file}: a conftest of pytest's"
    files = any(_PYTEST_FILE.search(path) for path in manifest.tree.paths)
    asked = next((need for need in needs if name_of(need.value).partition("-")[0] == "pytest"), None)
    return f"{asked.source} asks for pytest" if asked and files else ""


def _named(named: Sequence[tuple[Recipe, TestCommand]], runner: Runner) -> str:
    return next((f"{recipe.source} runs {runner}" for recipe, command in named if command.runner is runner), "")


def _with_pytest(manifest: Manifest, named: Sequence[tuple[Recipe, TestCommand]], said: str) -> Tests:
    """The command with the arguments that another tool gives it: its settings' own `testpaths` stand above paths."""
    recipe, command = next(((each, one) for each, one in named if one.runner is Runner.PYTEST), (None, None))
    words = command.words if command else ()
    if manifest.pytest_options.get("testpaths"):
        words = words if any(word.startswith("-") for word in words) else ()
    elif not words and not manifest.pytest_options and recipe is None and "conftest.py" not in manifest.tree:
        words = ()
    reason = f"{said}; its arguments from {recipe.source}" if recipe and words and recipe.source not in said else said
    if not words and not manifest.pytest_options.get("testpaths") and (aside := _benchmarks(manifest.tree)):
        words, reason = tuple(f"--ignore={folder}" for folder in aside), f"{reason}; without its benchmarks"
    if measures_coverage(manifest.pytest_options):
        words, reason = (*words, "--no-cov"), f"{reason}; without the coverage that they measure"
    return Tests(
        quoted(["python3", "-m", "pytest", *words]),
        reason,
        _file(said),
        is_pytest=True,
        variables=recipe.variables if recipe else (),
        folder=recipe.folder if recipe else "",
    )


def _benchmarks(tree: Tree) -> tuple[str, ...]:
    """The folders of benchmarks that pytest would collect too; none where there is nothing else to collect."""
    files = [path for path in tree.paths if _PYTEST_FILE.search(path)]
    inside = {found[0].rstrip("/") for path in files if (found := _BENCHMARKS.match(path))}
    return tuple(sorted(inside)) if any(not _BENCHMARKS.match(path) for path in files) else ()


def _as_named(recipe: Recipe, command: TestCommand) -> Tests:
    words = (
        ("python3", command.words[0], "test", *command.words[1:]) if command.runner is Runner.DJANGO else command.words
    )
    return Tests(
        quoted(words),
        f"{recipe.source} runs it",
        _file(recipe.source),
        variables=recipe.variables,
        folder=recipe.folder,
    )


def _unittest(manifest: Manifest) -> Iterator[Tests]:
    suite = manifest.setup_py.keywords.get("test_suite")
    if isinstance(suite, str) and re.fullmatch(r"[A-Za-z_][\w.]*", suite) and _is_module(manifest.tree, suite):
        yield Tests(f"python3 -m unittest {suite}", "setup.py: test_suite", "setup.py")
    if file := next(manifest.tree.matching(_UNITTEST_FILE), ""):
        folder, _, name = file.rpartition("/")
        words = ["python3", "-m", "unittest", "discover", "-s", folder, "-t", ".", "-p", name]
        yield Tests(quoted(words), f"{file}: its name is one of tests that pytest does not find", file)


def _is_module(tree: Tree, dotted: str) -> bool:
    return f"{dotted.replace('.', '/')}.py" in tree


def _scripts(recipes: Sequence[Recipe], tree: Tree) -> Iterator[Tests]:
    """The scripts that a recipe starts, whatever they are called."""
    for recipe in recipes:
        scripts = [
            ("python3", *words[1:])
            for words in recipe.commands
            if words[0].startswith("python") and len(words) > 1 and words[1] in tree and words[1] != "setup.py"
        ]
        if scripts:
            command = " && ".join(map(quoted, scripts))
            yield Tests(command, f"{recipe.source} runs it", _file(recipe.source), variables=recipe.variables)


def _file(source: str) -> str:
    return source.partition(":")[0].removesuffix(" imports").split(" ")[0]
