"""New names: an import that fails without the change is evidence only where the change defines the name. Pure."""

import ast
import re
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from pathlib import PurePosixPath

from bot.proof.absences import SUFFIXES, Absent, absences, added_words, is_path_of, load_failed
from bot.proof.kinds import FileKind, kind_of_change
from bot.proof.languages import parsed
from bot.records import ChangedFile

_NO_NAME = re.compile(
    r"^E?[ \t]*ImportError: cannot import name '(?P<name>\w+)' from '?(?P<module>[\w.]+)'?", re.MULTILINE
)
_NO_MODULE = re.compile(r"^E?[ \t]*ModuleNotFoundError: No module named '(?P<module>[\w.]+)'", re.MULTILINE)
_INSTALLED = re.compile(r"[\\/](?:site|dist)-packages[\\/]|[\\/]lib[\\/]python3")
_NO_ATTRIBUTE = re.compile(r"^E?[ \t]*AttributeError: .*has no attribute '(?P<name>\w+)'", re.MULTILINE)
_IMPORT_FAILED = re.compile(r"^E?[ \t]*(ImportError|ModuleNotFoundError)\b", re.MULTILINE)


@dataclass(frozen=True, slots=True)
class Interface:
    """What a change adds that others can name: names in Python source, and modules by their dotted paths.

    `words` are of the lines that it adds to source in other languages, `paths` of the files that it adds in them.
    """

    names: frozenset[str]
    modules: frozenset[str]
    words: frozenset[str] = frozenset()
    paths: frozenset[str] = frozenset()

    def explains(self, message: str) -> bool:
        """Whether what is missing, by the failure's own words, is something that the change defines."""
        if found := _last(_NO_NAME, message):
            return found["name"] in self.names or self._has_module(f"{found['module']}.{found['name']}")
        if found := _last(_NO_MODULE, message):
            return self._has_module(found["module"])
        if found := _last(_NO_ATTRIBUTE, message):
            return found["name"] in self.names or any(
                module.endswith("." + found["name"]) or module == found["name"] for module in self.modules
            )
        missing = absences(message)
        return bool(missing) and all(self._brings(each) for each in missing)

    def _brings(self, missing: Absent) -> bool:
        if missing.is_module:
            return any(is_path_of(missing.name, path) for path in self.paths)
        return missing.name in self.words

    def _has_module(self, module: str) -> bool:
        return any(known == module or known.endswith("." + module) for known in self.modules)


def import_failed(message: str) -> bool:
    """Whether a failure is an import that failed, wherever it was asked for."""
    return _IMPORT_FAILED.search(message) is not None or load_failed(message)


def may_be_wanted(message: str) -> bool:
    """Whether what a file can't be loaded for may be what a change is to bring: part of a module that is there itself.

    A module that is missing whole looks like one that was not installed, and so does what an installed one lacks.
    """
    if found := _last(_NO_NAME, message):
        return _INSTALLED.search(message, found.end()) is None
    if found := _last(_NO_MODULE, message):
        return "." in found["module"]
    missing = absences(message)
    return bool(missing) and all(not each.is_module or each.name.startswith(".") for each in missing)


def new_interface(files: Sequence[ChangedFile]) -> Interface:
    """What the change's own source defines and the base's did not."""
    sources = [file for file in files if kind_of_change(file) is FileKind.SOURCE]
    python = [file for file in sources if file.path.endswith(".py")]
    others = [file for file in sources if PurePosixPath(file.path).suffix in SUFFIXES]
    return Interface(
        names=frozenset[str]().union(*(names_of(file.after) - names_of(file.before) for file in python)),
        modules=frozenset(module for file in python if _is_new(file) for module in _modules(file.path)),
        words=frozenset[str]().union(*(added_words(file.before, file.after) for file in others)),
        paths=frozenset(file.path for file in others if _is_new(file)),
    )


def names_of(source: bytes | None) -> frozenset[str]:
    """Every name that Python source defines at any level; empty where it can't be parsed."""
    tree = parsed(source or b"")
    return frozenset(_defined(ast.walk(tree))) if tree else frozenset()


def _defined(nodes: Iterable[ast.AST]) -> Iterator[str]:
    for node in nodes:
        match node:
            case ast.FunctionDef(name=name) | ast.AsyncFunctionDef(name=name) | ast.ClassDef(name=name):
                yield name
            case ast.Name(id=name, ctx=ast.Store()) | ast.Attribute(attr=name, ctx=ast.Store()):
                yield name
            case ast.alias(name=name, asname=asname):
                yield asname or name.split(".")[0]
            case _:
                pass


def _modules(path: str) -> Iterator[str]:
    """A file's dotted path, and that of each package that it makes importable."""
    parts = list(PurePosixPath(path).with_suffix("").parts)
    if parts[-1] == "__init__":
        parts.pop()
    yield ".".join(parts)
    if len(parts) > 1:
        yield ".".join(parts[:-1])


def _is_new(file: ChangedFile) -> bool:
    return file.before is None and file.after is not None


def _last(pattern: re.Pattern[str], text: str) -> re.Match[str] | None:
    found = None
    for match in pattern.finditer(text):
        found = match
    return found
