"""What a Python project's tests need: what is called after tests, else what is for development. Pure."""

import re
from collections.abc import Iterable, Iterator, Sequence

from bot.repository.finding import pytest_plugins
from bot.repository.finding.ci import Job
from bot.repository.finding.manifest import Manifest
from bot.repository.finding.recipe import Recipe
from bot.repository.finding.requirements import Need, NeedKind, from_words, name_of, required
from bot.repository.finding.tree import Tree
from bot.repository.finding.workspaces import siblings

_TEST_NAMES = ("test", "tests", "testing", "tests_require", "unittest", "pytest", "unit", "test-core", "test_core")
_DEV_NAMES = ("dev", "develop", "development")
_TEST_FILES = re.compile(
    r"^(?:(tests?|testing|pytest|ci)[-_.]requirements?|requirements?[-_.]((unit)?(tests?|testing)|pytest)"
    r"|requirements/((unit)?(tests?|testing)|pytest)|tests?/requirements([-_]tests?)?|requirements/requirements[-_](tests?|testing|pytest))"
    r"\.(txt|in)$"
)
_DEV_FILES = re.compile(
    r"^(?:dev(elop(ment)?)?[-_.]requirements?|requirements?[-_.](dev(elop(ment)?)?|ci|all)|requirements/(dev(elop(ment)?)?|local|ci|all)"
    r"|requirements/requirements[-_]dev)\.(txt|in)$"
)
_TEST_FILE = re.compile(r"(^|/)(test_[^/]*|[^/]*_test|tests|conftest)\.py$")
_IMPORT = re.compile(r"^[ \t]*(?:import|from)[ \t]+([A-Za-z_]\w*)", re.MULTILINE)
_NOT_FOR_TESTS = re.compile(
    r"(pre-commit|twine|sphinx.*|furo|mkdocs.*|tox.*|nox|bump.*|commitizen|towncrier|ipython|ipdb|black|isort|flake8.*|pylint.*"
    r"|ruff|codecov|coveralls|pip|build|virtualenv|poetry|codespell|pyupgrade|autopep8|yapf|bandit|safety|pip-tools|rich-codex)"
)
_SCANNED_AT_MOST = 40
_KNOWN = {
    "aioresponses": "aioresponses",
    "approvaltests": "approvaltests",
    "ddt": "ddt",
    "dirty_equals": "dirty-equals",
    "factory": "factory-boy",
    "faker": "faker",
    "flaky": "flaky",
    "freezegun": "freezegun",
    "httpretty": "httpretty",
    "hypothesis": "hypothesis",
    "inline_snapshot": "inline-snapshot",
    "mock": "mock",
    "moto": "moto",
    "nose": "nose",
    "parameterized": "parameterized",
    "path": "path",
    "pretend": "pretend",
    "psutil": "psutil",
    "pyfakefs": "pyfakefs",
    "pytest_asyncio": "pytest-asyncio",
    "pytest_mock": "pytest-mock",
    "requests_mock": "requests-mock",
    "respx": "respx",
    "responses": "responses",
    "scripttest": "scripttest",
    "six": "six",
    "sybil": "sybil",
    "syrupy": "syrupy",
    "testfixtures": "testfixtures",
    "testpath": "testpath",
    "testtools": "testtools",
    "time_machine": "time-machine",
    "trio": "trio",
    "trustme": "trustme",
    "uvicorn": "uvicorn",
    "vcr": "vcrpy",
    "webtest": "webtest",
}
"""Libraries that tests use, by the module's name: only these are taken from an import, for a name proves nothing."""


def test_needs(manifest: Manifest, recipes: Sequence[Recipe], jobs: Sequence[Job]) -> tuple[Need, ...]:
    """Everything that the tests need beside the project itself, each with its source."""
    declared = (
        _declared(manifest, _TEST_NAMES, _TEST_FILES, recipes)
        or _for_tests(_declared(manifest, _DEV_NAMES, _DEV_FILES, ()))
        or _of_ci(jobs, manifest.tree)
    )
    says_more = not manifest.project.get("dependencies") or "pytest" in manifest.tree.text("requirements.txt")
    base = _files(manifest.tree, re.compile(r"^requirements(/base)?\.txt$")) if says_more else ()
    own = () if manifest.can_be_installed else manifest.own_needs()
    plugins = pytest_plugins.named(manifest.pytest_options)
    found = [*siblings(manifest.tree), *own, *declared, *base, *plugins, *_imported(manifest)]
    return merged(each for need in found for each in _of_itself(need, manifest))


def _of_itself(need: Need, manifest: Manifest) -> Iterator[Need]:
    """The project is there already, whoever asks for it: of `itself[extra]` the extra stays."""
    itself = name_of(manifest.name)
    if need.kind is not NeedKind.REQUIREMENT or not itself or name_of(need.value) != itself:
        yield need
        return
    extras = re.search(r"\[([^]]*)\]", need.value)
    for name in extras[1].split(",") if extras else ():
        if is_name(name.strip()):
            yield Need(NeedKind.EXTRA, name.strip(), need.source)


def merged(needs: Iterable[Need]) -> tuple[Need, ...]:
    """Each need once. Of the requirements with one name those of the first source that says a version."""
    found = list(dict.fromkeys(needs))
    chosen: dict[str, str] = {}
    for need in sorted(found, key=lambda need: name_of(need.value) == need.value.lower()):
        if need.kind is NeedKind.REQUIREMENT:
            chosen.setdefault(name_of(need.value), need.source)
    seen: set[tuple[NeedKind, str]] = set()
    kept: list[Need] = []
    for need in found:
        is_chosen = need.kind is not NeedKind.REQUIREMENT or chosen[name_of(need.value)] == need.source
        if is_chosen and (need.kind, need.value) not in seen:
            seen.add((need.kind, need.value))
            kept.append(need)
    return tuple(kept)


def _declared(
    manifest: Manifest, names: Sequence[str], files: re.Pattern[str], recipes: Sequence[Recipe]
) -> tuple[Need, ...]:
    extras = manifest.extras
    found = [
        need for recipe in recipes for need in recipe.needs if need.kind is not NeedKind.EXTRA or need.value in extras
    ]
    known = {re.sub(r"[-_.]+", "-", name).lower(): name for name in extras}
    wanted = [known[name] for name in dict.fromkeys(re.sub(r"_", "-", name) for name in names) if name in known]
    found += [Need(NeedKind.EXTRA, name, f"{extras[name]}: extra {name}") for name in wanted if is_name(name)]
    found += [need for name in names for need in manifest.groups.get(name, ())]
    return (*found, *_files(manifest.tree, files))


def is_name(text: str) -> bool:
    """Whether it is what an extra may be called."""
    return re.fullmatch(r"[A-Za-z0-9][A-Za-z0-9._-]{0,80}", text) is not None


def _files(tree: Tree, pattern: re.Pattern[str]) -> tuple[Need, ...]:
    """The requirements files of such a name; of one that comes compiled and as source, the compiled one."""
    found = [
        name for name in tree.matching(pattern) if any(_says_something(line) for line in tree.text(name).splitlines())
    ]
    kept = (name for name in found if not (name.endswith(".in") and f"{name[:-3]}.txt" in found))
    return tuple(Need(NeedKind.FILE, name, name) for name in kept)


def _says_something(line: str) -> bool:
    return bool(line.partition("#")[0].strip())


def _of_ci(jobs: Sequence[Job], tree: Tree) -> tuple[Need, ...]:
    """What CI installs by plain `pip install` commands."""
    found: list[Need] = []
    for job in jobs[:2]:
        for words in job.commands:
            program = words[words.index("pip") :] if "pip" in words[:4] else words
            if program[0] in ("pip", "pip3") and program[1:2] == ("install",):
                found += from_words(program[2:], job.source, tree)
    return _for_tests(found)


def _for_tests(needs: Iterable[Need]) -> tuple[Need, ...]:
    """Without the tools of development that no test imports."""
    return tuple(
        need
        for need in needs
        if need.kind is not NeedKind.REQUIREMENT or not _NOT_FOR_TESTS.fullmatch(name_of(need.value))
    )


def _imported(manifest: Manifest) -> Iterator[Need]:
    tree = manifest.tree
    for path in list(tree.matching(_TEST_FILE))[:_SCANNED_AT_MOST]:
        for module in dict.fromkeys(_IMPORT.findall(tree.text(path))):
            if (
                module in _KNOWN
                and not {f"{module}.py", f"{module}/__init__.py", f"src/{module}/__init__.py"} & tree.paths
            ):
                yield from required([_KNOWN[module]], f"{path} imports {module}")
