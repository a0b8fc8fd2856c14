"""What another tool (tox, nox, hatch, a Makefile, CI) would do to run the tests, and the test commands in it. Pure."""

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from enum import StrEnum

from bot.repository.finding.requirements import Need
from bot.repository.finding.tree import Tree, inside

Words = tuple[str, ...]


@dataclass(frozen=True, slots=True)
class Recipe:
    """Commands as words, what they need installed, their variables, and the folder that they run in."""

    source: str
    commands: tuple[Words, ...]
    needs: tuple[Need, ...] = ()
    variables: tuple[tuple[str, str], ...] = ()
    folder: str = ""


class Runner(StrEnum):
    """What runs the tests."""

    PYTEST = "pytest"
    UNITTEST = "unittest"
    DJANGO = "manage.py test"
    OTHER = "its own runner"


@dataclass(frozen=True, slots=True)
class TestCommand:
    """A command that runs tests. `words` are the runner's arguments, or with OTHER the whole command."""

    __test__ = False

    runner: Runner
    words: Words


_RUN = frozenset({"poetry", "pipenv", "pdm", "hatch", "uv", "rye", "pixi"})
_TAKES_A_VALUE = frozenset(
    {
        "--extra",
        "--group",
        "--with",
        "--python",
        "-p",
        "--package",
        "-e",
        "--env",
        "--source",
        "--rcfile",
        "--omit",
        "--include",
    }
    | {"--context", "--data-file", "--concurrency", "-s", "-n", "-W", "-X", "--directory", "--project", "--only-group"}
)
_RUNNERS = frozenset(
    {"trial", "nose2", "stestr", "zope-testrunner", "green", "ward", "behave", "django-admin", "testr", "subunit.run"}
)
_MODULES = frozenset(
    {"django", "nose2", "twisted.trial", "zope.testrunner", "doctest", "stestr", "green", "testtools.run", "xmlrunner"}
    | {"tornado.test.runtests", "tornado.test"}
)
_OF_TESTS = re.compile(r"(^|[/_.-])(run[_-]?)?(all[_-]?)?(unit)?tests?([/_.-]|$)|runtests|testsuite", re.IGNORECASE)
_PYTHON = re.compile(r"(.*/)?(python|pypy)[\d.]*")
_KEPT_WITH_VALUE = frozenset(
    {"-p", "-m", "-k", "-c", "-o", "--ds", "--pyargs", "--rootdir", "--import-mode", "--deselect"}
)
_KEPT = re.compile(
    r"--(doctest-modules|doctest-continue-on-failure|nomigrations|no-migrations|reuse-db|create-db)$"
    r"|--(doctest-glob|ds|import-mode|ignore|ignore-glob|deselect|rootdir|confcutdir)=|-p[a-z][\w.:]*$|-p=?no:\w+$"
)


def test_commands(recipe: Recipe, tree: Tree) -> Iterator[TestCommand]:
    """Those of the recipe's commands that run tests."""
    for words in recipe.commands:
        if found := tests_in(words, tree, folder=recipe.folder):
            yield found


def tests_in(words: Words, tree: Tree, *, folder: str) -> TestCommand | None:
    """What a command runs tests with, whatever it is wrapped in; None for linters, builds and the like."""
    for _ in range(6):
        if not words:
            return None
        program, rest = words[0], words[1:]
        if program in _RUN and rest[:1] == ("run",):
            words = _after_options(rest[1:])
        elif program in ("coverage", "coverage3") and rest[:1] == ("run",):
            words = _of_coverage(rest[1:])
        elif program in ("xvfb-run", "env", "nice"):
            words = _after_options(rest)
        elif _PYTHON.fullmatch(program) and _module(rest)[:1] == ("coverage",):
            words = _module(rest)
        else:
            return _direct(program, rest, tree, folder)
    return None


def _direct(program: str, rest: Words, tree: Tree, folder: str) -> TestCommand | None:
    if _PYTHON.fullmatch(program):
        return _of_python(rest, tree, folder)
    if program in ("pytest", "py.test"):
        return TestCommand(Runner.PYTEST, _kept(rest, tree, folder))
    if program in _RUNNERS and (program != "django-admin" or rest[:1] == ("test",)):
        return TestCommand(Runner.OTHER, (program, *rest))
    if program.startswith("./") or program.endswith((".py", ".sh")):
        return _of_script(inside(program), rest, tree, folder, with_python=program.endswith(".py"))
    return None


def _of_python(rest: Words, tree: Tree, folder: str) -> TestCommand | None:
    module = _module(rest)
    match module[:1]:
        case ("pytest",) | ("py.test",):
            return TestCommand(Runner.PYTEST, _kept(module[1:], tree, folder))
        case ("unittest",):
            return TestCommand(Runner.UNITTEST, module[1:])
        case (name,) if name in _MODULES and (name != "django" or module[1:2] == ("test",)):
            return TestCommand(Runner.OTHER, ("python3", "-m", *module))
        case (name,) if _OF_TESTS.search(name) and _is_module(name, tree):
            return TestCommand(Runner.OTHER, ("python3", "-m", *module))
        case ():
            script = _after_options(rest)
            return _of_script(inside(script[0]), script[1:], tree, folder, with_python=True) if script else None
        case _:
            return None


def _of_script(name: str, rest: Words, tree: Tree, folder: str, *, with_python: bool) -> TestCommand | None:
    if not name or (f"{folder}/{name}".lstrip("/") not in tree):
        return None
    if name.rpartition("/")[2] == "manage.py":
        is_test = rest[:1] == ("test",)
        return (
            TestCommand(Runner.DJANGO, (name, *(word for word in rest[1:] if word != "--keepdb"))) if is_test else None
        )
    if name == "setup.py" or not _OF_TESTS.search(name):
        return None
    return TestCommand(Runner.OTHER, ("python3", name, *rest) if with_python else (f"./{name}", *rest))


def _module(rest: Words) -> Words:
    """What comes after `-m`, the options of the interpreter before it left out."""
    for place, word in enumerate(rest):
        if word == "-m":
            return rest[place + 1 :]
        if not word.startswith("-") and (place == 0 or rest[place - 1] not in ("-W", "-X")):
            return ()
    return ()


def _is_module(name: str, tree: Tree) -> bool:
    path = name.replace(".", "/")
    return any(f"{base}{path}{end}" in tree for base in ("", "src/") for end in (".py", "/__main__.py"))


def _of_coverage(rest: Words) -> Words:
    module = _module(rest)
    if module:
        return ("python3", "-m", *module)
    script = _after_options(rest)
    return script if script and script[0] in ("pytest", "py.test") else (("python3", *script) if script else ())


def _after_options(rest: Words) -> Words:
    place = 0
    while place < len(rest) and rest[place].startswith("-"):
        if rest[place] == "--":
            return rest[place + 1 :]
        place += 2 if rest[place] in _TAKES_A_VALUE else 1
    return rest[place:]


def _kept(rest: Sequence[str], tree: Tree, folder: str) -> Words:
    """Of pytest's arguments those that say which tests and by what rules; not how to report, measure or stop early."""
    kept: list[str] = []
    place = 0
    while place < len(rest):
        word, value = rest[place], rest[place + 1] if place + 1 < len(rest) else ""
        if word in _KEPT_WITH_VALUE and value:
            kept += [word, value]
            place += 1
        elif _KEPT.match(word) or (not word.startswith("-") and _is_path(word, tree, folder)):
            kept.append(word)
        place += 1
    return tuple(kept)


def _is_path(word: str, tree: Tree, folder: str) -> bool:
    path = inside(word.partition("::")[0])
    full = f"{folder}/{path}".lstrip("/")
    return bool(path) and (full in tree or full in tree.folders)
