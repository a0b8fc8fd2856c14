"""From what a file imports to the repository's files. Pure."""

import re
from collections.abc import Iterable, Sequence
from pathlib import PurePosixPath
from posixpath import normpath

from bot.agent.viewing.mentions import ending_in, module_paths

_QUOTED = re.compile(r"""["'<]([^"'<>]+)["'>]""")
_FROM = re.compile(r"from\s+(\.*)([\w.]*)\s+import\s+(.+)", re.DOTALL)
_SUFFIXES = ("", ".ts", ".tsx", ".js", ".jsx", ".mjs", ".rb", ".py", "/index.ts", "/index.js")


def imported(path: str, statements: Iterable[str], paths: Sequence[str]) -> list[str]:
    """The repository's files that a file imports, as far as their names tell."""
    there = frozenset(paths)
    found: list[str] = []
    for statement in statements:
        found += (
            _python(path, statement, paths) if path.endswith((".py", ".pyi")) else _other(path, statement, paths, there)
        )
    return [one for one in dict.fromkeys(found) if one != path]


def _python(path: str, statement: str, paths: Sequence[str]) -> list[str]:
    match = _FROM.match(statement)
    if match is None:
        names = re.findall(r"[\w.]+", statement.removeprefix("import"))
        return [one for name in names for one in _module([*name.split(".")], paths)]
    dots, module, names_text = match[1], match[2], match[3]
    parts = [part for part in module.split(".") if part]
    if dots:
        parts = [*PurePosixPath(path).parts[: -len(dots)], *parts]
    names = re.findall(r"\w+", names_text)[:30]
    deeper = [one for name in names for one in _exact([*parts, name], paths)]
    return deeper or _module(parts, paths)


def _module(parts: list[str], paths: Sequence[str]) -> list[str]:
    return _exact(parts, paths) or module_paths(parts, paths)


def _exact(parts: list[str], paths: Sequence[str]) -> list[str]:
    stem = "/".join(parts)
    return [*ending_in(f"{stem}.py", paths), *ending_in(f"{stem}/__init__.py", paths)] if stem else []


def _other(path: str, statement: str, paths: Sequence[str], there: frozenset[str]) -> list[str]:
    folder = str(PurePosixPath(path).parent)
    quoted = _QUOTED.search(statement)
    if quoted:
        name = quoted[1]
        beside = [near for suffix in _SUFFIXES if (near := normpath(f"{folder}/{name}{suffix}")) in there]
        package = [one for one in paths if one.endswith(".go") and name.endswith(str(PurePosixPath(one).parent))][:3]
        return beside[:1] or (package if path.endswith(".go") else ending_in(name, paths))
    parts = [
        part for part in re.findall(r"\w+", statement) if part not in ("use", "crate", "pub", "mod", "import", "static")
    ]
    suffix = PurePosixPath(path).suffix
    for end in range(len(parts), 0, -1):
        found = ending_in("/".join(parts[:end]) + suffix, paths)
        if found:
            return found
    return []
