"""What pip is to install, out of the many ways to say it; only what is plainly a name with versions goes on. Pure."""

import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from enum import StrEnum
from typing import Any

from bot.repository.finding.formats import texts
from bot.repository.finding.tree import Tree, inside

REQUIREMENTS_AT_MOST = 120
LINES_AT_MOST = 2000
FILES_AT_MOST = 12
_LENGTH_AT_MOST = 200
_INCLUDES_DEEP = 4
_NAME = re.compile(r"[A-Za-z0-9]([A-Za-z0-9._-]*[A-Za-z0-9])?")
_REST = re.compile(r"[\sA-Za-z0-9._\-\[\],<>=!~*+();'\"]*")
_EXTRAS = re.compile(r"\[([A-Za-z0-9._,\s-]*)\]$")
_TAKES_A_VALUE = frozenset(
    {"-r", "--requirement", "-e", "--editable", "-c", "--constraint", "-i", "--index-url", "--extra-index-url", "-f"}
    | {
        "--find-links",
        "--group",
        "--only-binary",
        "--no-binary",
        "-t",
        "--target",
        "--python",
        "-C",
        "--config-settings",
    }
    | {
        "--progress-bar",
        "--upgrade-strategy",
        "--log",
        "--timeout",
        "--retries",
        "--root",
        "--prefix",
        "--trusted-host",
    }
)
_OPTION = re.compile(r"(-r|--requirement|-e|--editable|-c|--constraint)[\s=]*(\S+)")
_OUTSIDE = re.compile(r"\b(git|hg|svn|bzr)\+|://")


class NeedKind(StrEnum):
    """REQUIREMENT: a name with versions. FILE: a requirements file. EXTRA: one of the project's own. FOLDER: a path."""

    REQUIREMENT = "requirement"
    FILE = "file"
    EXTRA = "extra"
    FOLDER = "folder"


@dataclass(frozen=True, slots=True)
class Need:
    """Something that the tests need installed, and where that is said."""

    kind: NeedKind
    value: str
    source: str


def plain(line: str) -> str:
    """A requirement without its comment and its hashes; "" where it is anything but a name with versions."""
    text = re.split(r"\s#|\s--", f" {line}", maxsplit=1)[0].strip().rstrip("\\").strip()
    name = _NAME.match(text)
    is_plain = name is not None and len(text) <= _LENGTH_AT_MOST and _REST.fullmatch(text[name.end() :])
    return text if is_plain and not text.endswith((".txt", ".in", ".whl", ".tar.gz")) else ""


def name_of(requirement: str) -> str:
    """The distribution that a requirement names, as the index compares names. Source: PEP 503."""
    found = _NAME.match(requirement)
    return re.sub(r"[-_.]+", "-", found[0]).lower() if found else ""


def required(items: Iterable[str], source: str) -> tuple[Need, ...]:
    """The plain ones of some requirements."""
    found = (text for item in items if (text := plain(item)))
    return tuple(Need(NeedKind.REQUIREMENT, text, source) for text in found)[:REQUIREMENTS_AT_MOST]


def from_words(words: Sequence[str], source: str, tree: Tree, *, at: str = "") -> Iterator[Need]:
    """What the arguments of a `pip install` ask for: requirements, files, the project's own extras, folders of it.

    `at` is the folder that paths are relative to.
    """
    option = ""
    for word in words:
        if option:
            value, flag, option = word, option, ""
        elif word in _TAKES_A_VALUE:
            option = word
            continue
        elif found := re.fullmatch(r"(-r|-e|-c|--requirement=|--editable=|--constraint=)\s*(.+)", word):
            flag, value = found[1].rstrip("="), found[2].strip()
        else:
            flag, value = "", word
        yield from _need(flag, value, source, tree, at=at)


def _need(flag: str, value: str, source: str, tree: Tree, *, at: str) -> Iterator[Need]:
    value = value.strip().removeprefix("file:")
    extras = _EXTRAS.search(value)
    path = inside(f"{at}/{value}".lstrip("/") if not value.startswith("/") else value)
    if flag in ("-r", "--requirement"):
        if path in tree:
            yield Need(NeedKind.FILE, path, source)
    elif flag in ("-e", "--editable") or (value.startswith(".") and not flag):
        folder = inside(value[: extras.start()] if extras else value)
        if not folder:
            yield from (Need(NeedKind.EXTRA, name.strip(), source) for name in (extras[1] if extras else "").split(","))
        elif {f"{folder}/pyproject.toml", f"{folder}/setup.py"} & tree.paths:
            yield Need(NeedKind.FOLDER, folder, source)
    elif not flag and not value.startswith("-"):
        yield from required([value], source)


@dataclass(frozen=True, slots=True)
class RequirementsFile:
    """A requirements file with those it includes. `outside` counts lines that lead away from the package index.

    `is_of_the_top`: it names folders as they are called at the repository's top, which pip then has to run in.
    """

    needs: tuple[Need, ...]
    outside: int = 0
    has_hashes: bool = False
    is_of_the_top: bool = False


def read_file(tree: Tree, name: str) -> RequirementsFile:
    """What a requirements file asks for, line by line, each file that it includes once."""
    lines: list[tuple[str, str]] = []
    _gather(tree, name, lines, set())
    needs: list[Need] = []
    for file, line in lines:
        option = _OPTION.match(line)
        if option:
            needs += from_words([option[1], option[2]], file, tree, at=file.rpartition("/")[0])
        elif not line.startswith("-") and not _OUTSIDE.search(line):
            needs += required([line], file)
    return RequirementsFile(
        tuple(needs),
        outside=sum(bool(_OUTSIDE.search(line)) for _, line in lines),
        has_hashes=any("--hash=" in line for _, line in lines),
        is_of_the_top=any(_is_of_the_top(line, tree) for _, line in lines),
    )


def _is_of_the_top(line: str, tree: Tree) -> bool:
    """Whether it names a project's folder that is not in this one. Source: pip takes a path from where it runs."""
    option = _OPTION.match(line)
    named = option[2] if option and option[1] in ("-e", "--editable") else line if line.startswith("./") else ""
    folder = inside(named.partition("[")[0])
    return bool(folder) and tree.top is not None and folder not in tree.folders and folder in tree.top.folders


def _gather(tree: Tree, name: str, lines: list[tuple[str, str]], seen: set[str]) -> None:
    seen.add(name)
    for line in tree.text(name).replace("\\\n", " ").splitlines()[:LINES_AT_MOST]:
        text = line.strip()
        option = _OPTION.match(text)
        if option and option[1] in ("-r", "--requirement"):
            included = inside(f"{name.rpartition('/')[0]}/{option[2]}".lstrip("/"))
            if included and included not in seen and len(seen) < FILES_AT_MOST:
                _gather(tree, included, lines, seen)
        elif text and not text.startswith("#"):
            lines.append((name, text[:1000]))


def of_group(groups: Mapping[str, Any], name: str, source: str, *, depth: int = 0) -> tuple[Need, ...]:
    """What a dependency group asks for, with the groups that it includes. Source: PEP 735."""
    items = groups.get(name)
    if not isinstance(items, list) or depth > _INCLUDES_DEEP:
        return ()
    found = list(required(texts(items), source))
    for item in items:
        included = item.get("include-group") if isinstance(item, dict) else None
        if isinstance(included, str):
            found += of_group(groups, included, source, depth=depth + 1)
    return tuple(dict.fromkeys(found))[:REQUIREMENTS_AT_MOST]


def from_poetry(dependencies: Mapping[str, Any], source: str) -> tuple[Need, ...]:
    """Poetry's dependencies as requirements; those from paths and repositories are left out."""
    found = [_of_poetry(name, value) for name, value in dependencies.items() if name != "python"]
    return required(filter(None, found), source)


def _of_poetry(name: str, value: Any) -> str:
    if isinstance(value, list):
        value = value[0] if value else "*"
    details = value if isinstance(value, dict) else {"version": value}
    if not isinstance(details.get("version"), str):
        return ""
    extras = ",".join(texts(details.get("extras")))
    markers = details.get("markers")
    versions = ",".join(filter(None, (_versions(part.strip()) for part in details["version"].split(","))))
    marker = f"; {markers}" if isinstance(markers, str) else ""
    return f"{name}{f'[{extras}]' if extras else ''}{versions}{marker}"


def _versions(constraint: str) -> str:
    """Source: https://python-poetry.org/docs/dependency-specification/"""
    if constraint in ("", "*") or "|" in constraint:
        return ""
    if not (found := re.fullmatch(r"(\^|~(?!=)|)\s*v?(\d+(?:\.\d+)*)(\S*)", constraint)):
        return constraint.replace(" ", "")
    sign, version, rest = found[1], found[2], found[3]
    if not sign:
        return f"=={version}{rest}"
    parts = [int(part) for part in version.split(".")[:4] if len(part) < 9]
    if not parts:
        return ""
    fixed = (
        next((place for place, part in enumerate(parts) if part), len(parts) - 1)
        if sign == "^"
        else min(1, len(parts) - 1)
    )
    upper = [*parts[:fixed], parts[fixed] + 1]
    return f">={version}{rest},<{'.'.join(map(str, upper))}"
