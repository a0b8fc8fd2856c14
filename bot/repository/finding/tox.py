"""What tox would run: tox itself makes environments by the network, and hides variables. Pure."""

import itertools
import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from bot.repository.finding.formats import ini, table, text_of, texts
from bot.repository.finding.recipe import Recipe, Words
from bot.repository.finding.requirements import Need, NeedKind, from_words, of_group
from bot.repository.finding.shell import split
from bot.repository.finding.tree import Tree, inside

ENVIRONMENTS_AT_MOST = 300
_TEXT_AT_MOST = 20_000
_VALUE_AT_MOST = 80
_NEWEST = 13
_NOT_FOR_TESTS = re.compile(
    r"(^|[-_.])(lint(er|ers)?|docs?|documentation|mypy|typing|types?|typecheck|pyright|ty|flake8|style|format|fmt|fix|black|ruff"
    r"|isort|pylint|coverage|report|clean|min(imum|imal)?|old(est)?|dev(el)?|main|master|trunk|nightly|pypy\d*|jython|release"
    r"|build|package|packaging|manifest|bench(mark)?|check|checks|pre-?commit|twine|publish|spell|security|bandit|freeze"
    r"|integration|e2e|conda|pip|upgrade|requirements|compile|deps|changelog|pkg_meta|precommit|sphinx|linkcheck)($|[-_.])"
)
_FACTOR = re.compile(r"([!\w.{},-]+):\s+(.*)|([!\w.{},-]+):$")
_REFERENCE = re.compile(r"\{\[([^\]{}]+)\]([\w-]+)\}")
_PLACEHOLDER = re.compile(r"\{([^{}]*)\}")
_HIDDEN = re.compile(r"COV|PIP_|VIRTUAL|PYTHONHASHSEED|TOX|PYTHONDONTWRITE|_TOKEN|SETUPTOOLS|PYTEST_ADDOPTS|^UV_")


@dataclass(frozen=True, slots=True)
class _Environment:
    """One environment: its name, and its settings as lines, factors and placeholders still in them."""

    name: str
    where: str
    settings: Mapping[str, Any]


def tox_recipe(tree: Tree) -> Recipe | None:
    """The environment that runs the tests on the newest Python, from tox.ini, tox.toml, pyproject.toml or setup.cfg."""
    return _from_ini(tree) or _from_toml(tree)


def _from_ini(tree: Tree) -> Recipe | None:
    legacy = text_of(table(tree.toml("pyproject.toml"), "tool", "tox").get("legacy_tox_ini"))
    for file, sections in (
        ("tox.ini", tree.ini("tox.ini")),
        ("setup.cfg", {name.replace("tox:tox", "tox"): keys for name, keys in tree.ini("setup.cfg").items()}),
        ("pyproject.toml", ini(legacy)),
    ):
        if any(name == "testenv" or name.startswith("testenv:") for name in sections):
            reading = _IniReading(file, sections, tree)
            recipes = (reading.recipe(environment) for environment in reading.environments())
            if found := next((recipe for recipe in recipes if recipe.commands), None):
                return found
    return None


class _IniReading:
    """The sections of an INI file as tox reads them. Source: https://tox.wiki/en/latest/config.html"""

    def __init__(self, file: str, sections: Mapping[str, Mapping[str, str]], tree: Tree) -> None:
        self._file = file
        self._sections = sections
        self._tree = tree

    def environments(self) -> Iterator[_Environment]:
        """Those that may run the tests, the likeliest first."""
        base = self._sections.get("testenv", {})
        own = {
            name: (f"{self._file}: [{section}]", {**base, **keys})
            for section, keys in self._sections.items()
            if section.startswith("testenv:")
            for name in expanded(section.removeprefix("testenv:"))
        }
        listed = self._sections.get("tox", {}).get("envlist", "") or self._sections.get("tox", {}).get("env_list", "")
        names = list(dict.fromkeys([*(name for line in listed.splitlines() for name in expanded(line)), *own]))
        for name in _ranked(names):
            where, settings = own.get(name, (f"{self._file}: [testenv]", base))
            yield _Environment(name, where, settings)
        yield _Environment("py", f"{self._file}: [testenv]", base)

    def recipe(self, environment: _Environment) -> Recipe:
        lines = {
            key: self._lines(environment, key)
            for key in ("deps", "commands", "extras", "setenv", "set_env", "changedir")
        }
        groups = table(self._tree.toml("pyproject.toml"), "dependency-groups")
        asked = [word for line in self._lines(environment, "dependency_groups") for word in re.split(r"[\s,]+", line)]
        folder = inside(" ".join(lines["changedir"] or self._lines(environment, "change_dir")))
        return Recipe(
            source=environment.where,
            commands=tuple(_commands(lines["commands"])),
            needs=(
                *_needs(lines["deps"], environment.where, self._tree),
                *_extras(lines["extras"], environment.where),
                *(need for name in asked for need in of_group(groups, name, f"{environment.where} dependency_groups")),
            ),
            variables=tuple(_variables([*lines["setenv"], *lines["set_env"]])),
            folder=folder if folder in self._tree.folders else "",
        )

    def _lines(self, environment: _Environment, key: str) -> list[str]:
        """The lines of a setting that hold for the environment, placeholders filled in as far as they are known."""
        raw = self._referred(str(environment.settings.get(key, "")))
        found: list[str] = []
        for line in re.sub(r"\\\n\s*", " ", raw).splitlines():
            text = line.strip()
            if factor := _FACTOR.fullmatch(text):
                if not _holds(factor[1] or factor[3], environment.name):
                    continue
                text = factor[2] or ""
            if text and not text.startswith("#"):
                found.append(filled(text, name=environment.name))
        return found

    def _referred(self, text: str) -> str:
        """The text with `{[section]key}` filled in, a few levels deep."""
        for _ in range(4):
            if "{[" not in text:
                break
            text = _REFERENCE.sub(self._reference, text[:_TEXT_AT_MOST], count=20)
        return text[:_TEXT_AT_MOST]

    def _reference(self, match: re.Match[str]) -> str:
        return self._sections.get(match[1], {}).get(match[2].replace("-", "_").lower(), "")[:4000]


def _from_toml(tree: Tree) -> Recipe | None:
    for file, settings in (
        ("tox.toml", tree.toml("tox.toml")),
        ("pyproject.toml", table(tree.toml("pyproject.toml"), "tool", "tox")),
    ):
        base = table(settings, "env_run_base")
        own = {name: {**base, **table(keys)} for name, keys in table(settings, "env").items()}
        names = _ranked(own)
        candidates = [(f"{file}: env_run_base", base), *((f"{file}: env.{name}", own[name]) for name in names)]
        for where, found in candidates:
            commands = [_flat(command) for command in found.get("commands") or () if isinstance(command, list)]
            if any(commands):
                return _of_table(where, found, tuple(filter(None, commands)), tree)
    return None


def _of_table(where: str, found: Mapping[str, Any], commands: tuple[Words, ...], tree: Tree) -> Recipe:
    groups = table(tree.toml("pyproject.toml"), "dependency-groups")
    deps = (
        [filled(line) for line in _flat(found["deps"])]
        if isinstance(found.get("deps"), list)
        else texts(found.get("deps"))
    )
    folder = inside(filled(text_of(found.get("change_dir"))))
    return Recipe(
        source=where,
        commands=commands,
        needs=(
            *_needs(deps, where, tree),
            *_extras(texts(found.get("extras")), where),
            *(need for name in texts(found.get("dependency_groups")) for need in of_group(groups, name, where)),
        ),
        variables=tuple(
            _variables([f"{key}={value}" for key, value in table(found, "set_env").items() if isinstance(value, str)])
        ),
        folder=folder if folder in tree.folders else "",
    )


def _flat(command: Sequence[Any]) -> Words:
    """A command of TOML as words: of a replacement of the arguments its default."""
    words: list[str] = []
    for item in command[:200]:
        if isinstance(item, str):
            words.append(filled(item))
        elif isinstance(item, dict) and item.get("replace") == "posargs":
            words += [filled(word) for word in texts(item.get("default"))]
    return tuple(words)


def expanded(text: str) -> list[str]:
    """The names that `py{311,312}-{a,b}, docs` stands for."""
    names: list[str] = []
    for part in re.split(r"[,\s]+(?![^{}]*\})", text[:4000].strip()):
        pieces = [
            [choice.strip() for choice in piece[1:-1].split(",")] if piece.startswith("{") else [piece]
            for piece in re.findall(r"\{[^{}]*\}|[^{}]+", part)
        ]
        names += ["".join(chosen) for chosen in itertools.islice(itertools.product(*pieces), ENVIRONMENTS_AT_MOST)]
    return [_ranged(name) for name in names if name][:ENVIRONMENTS_AT_MOST]


def _ranged(name: str) -> str:
    """A range of versions (`py3{10-13}`) is taken for its last."""
    return re.sub(r"^py3(\d+)-(\d+)$", r"py3\2", name)


def is_for_tests(name: str) -> bool:
    """Whether an environment of this name is one that runs the tests as they are meant to pass."""
    return not _NOT_FOR_TESTS.search(name.lower())


def _ranked(names: Iterable[str]) -> list[str]:
    """Those for tests, the likeliest first: of several for one Python the last, which is for the newest of the rest."""
    kept = [name for name in names if is_for_tests(name)][:ENVIRONMENTS_AT_MOST]
    places = {name: place if _rank(name)[1] > 1 else -place for place, name in enumerate(kept)}
    return sorted(kept, key=lambda name: (*_rank(name), places[name]), reverse=True)


def _rank(name: str) -> tuple[bool, int]:
    """The newest Python that is around, then what is called a test."""
    version = re.match(r"py3\.?(\d{1,2})(?!\d)", name)
    minor = int(version[1]) if version else 0
    generic = bool(re.match(r"(py3?|python3?)($|-)", name)) or "test" in name or "unit" in name
    return (minor > 0 or generic, minor if 0 < minor <= _NEWEST else (1 if generic else 0))


def _holds(condition: str, name: str) -> bool:
    """Whether factors in front of a line hold for an environment: `py311-a, !b`."""
    factors = set(name.split("-")) | {name, "py3"} | ({"py"} if name.startswith("py") else set())
    return any(
        all((factor.lstrip("!") in factors) is not factor.startswith("!") for factor in choice.split("-") if factor)
        for choice in expanded(condition)
    )


def filled(text: str, *, name: str = "py") -> str:
    """The text with those of tox's placeholders filled in that mean something outside of tox."""
    for _ in range(5):
        text, count = _PLACEHOLDER.subn(lambda match: _meaning(match, name), text)
        if not count:
            break
    return text.replace("\x01", "{").replace("\x02", "}").replace("\\#", "#")


def _meaning(match: re.Match[str], name: str) -> str:
    key, colon, rest = match[1].strip().partition(":")
    plain = {
        **dict.fromkeys(("toxinidir", "tox_root", "package_root", "setupdir"), "."),
        **dict.fromkeys(("envpython", "env_python", "basepython"), "python3"),
        **dict.fromkeys(("envtmpdir", "env_tmp_dir", "tmpdir", "temp_dir", "distdir"), "/tmp"),  # noqa: S108 - the container's
        **dict.fromkeys(("envname", "env_name"), name),
        "/": "/",
        "homedir": "/tmp",  # noqa: S108 - the container's
    }
    if key == "" and colon:
        return ":"
    if key == "posargs":
        return rest.replace("{", "").strip()
    if key == "env":
        return rest.partition(":")[2]
    if key.endswith(("bindir", "bin_dir")) and not rest:
        return "."
    return plain.get(key, f"\x01{match[1]}\x02")


def _commands(lines: Sequence[str]) -> Iterator[Words]:
    for line in lines:
        words = split(re.sub(r"^[-!@]\s*", "", line))
        if words and not any("{" in word and "}" in word for word in words):
            program = (
                words[0].removeprefix("./") if words[0].startswith("./") and words[0].count("/") == 1 else words[0]
            )
            is_script = program.endswith((".py", ".sh"))
            yield (words[0] if is_script else program, *words[1:])


def _needs(lines: Sequence[str], where: str, tree: Tree) -> Iterator[Need]:
    for line in lines:
        if "{" not in line:
            words = [line] if not line.startswith("-") else [re.sub(r"\s+#.*$", "", line)]
            yield from from_words(words, f"{where} deps", tree)


def _extras(lines: Sequence[str], where: str) -> Iterator[Need]:
    for line in lines:
        for name in re.split(r"[\s,]+", line):
            if re.fullmatch(r"[A-Za-z0-9._-]+", name):
                yield Need(NeedKind.EXTRA, name, f"{where} extras")


def _variables(lines: Sequence[str]) -> Iterator[tuple[str, str]]:
    for line in lines:
        name, equals, value = line.partition("=")
        name, value = name.strip(), value.strip()
        is_plain = re.fullmatch(r"[A-Za-z_][A-Za-z0-9_]*", name) and len(value) <= _VALUE_AT_MOST
        if equals and is_plain and not _HIDDEN.search(name) and not re.search(r"[{#]|://", value):
            value = re.sub(r"^\./?(?=$|\w)", "$PWD/", value).removesuffix("/") if value.startswith(".") else value
            yield name, value
