"""What a source file defines, calls and imports. Values, and questions to them. Pure."""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from pathlib import PurePosixPath

_LANGUAGES = {
    "python": "py pyi pyw",
    "javascript": "js jsx mjs cjs",
    "typescript": "ts mts cts",
    "tsx": "tsx",
    "go": "go",
    "rust": "rs",
    "java": "java",
    "ruby": "rb rake",
    "c": "c",
    "cpp": "h cc cpp cxx hh hpp hxx ipp",
    "csharp": "cs",
    "php": "php",
}
_BY_SUFFIX = {f".{suffix}": language for language, suffixes in _LANGUAGES.items() for suffix in suffixes.split()}


@dataclass(frozen=True, slots=True)
class Definition:
    """A function, class or constant. Lines count from 1; `line` holds the name, which decorators may stand above.

    `owner` is the class or namespace that it belongs to, outermost first, with dots, or "".
    """

    name: str
    owner: str
    first: int
    line: int
    last: int

    @property
    def qualified(self) -> str:
        return f"{self.owner}.{self.name}" if self.owner else self.name

    @property
    def lines(self) -> int:
        return self.last - self.first + 1

    def holds(self, line: int) -> bool:
        """Whether a line is one of its own."""
        return self.first <= line <= self.last


@dataclass(frozen=True, slots=True)
class Called:
    """A name that is called, or handed on to be called, and where."""

    name: str
    line: int


@dataclass(frozen=True, slots=True)
class Symbols:
    """A file's symbols; all empty for a file in a language that is not known, or that could not be read."""

    definitions: tuple[Definition, ...] = ()
    calls: tuple[Called, ...] = ()
    imports: tuple[str, ...] = ()

    def innermost(self, line: int) -> Definition | None:
        """The smallest definition that a line is in."""
        around = [one for one in self.definitions if one.holds(line)]
        return min(around, key=lambda one: (one.lines, -one.first), default=None)

    def called_in(self, definition: Definition) -> frozenset[str]:
        """The names that a definition calls."""
        return frozenset(call.name for call in self.calls if definition.holds(call.line))

    def callers_of(self, names: Iterable[str]) -> tuple[Definition, ...]:
        """The innermost definitions that call one of the names."""
        wanted = frozenset(names)
        found = (self.innermost(call.line) for call in self.calls if call.name in wanted)
        return tuple(dict.fromkeys(one for one in found if one is not None))


NO_SYMBOLS = Symbols()


def language_of(path: str) -> str | None:
    """The grammar for a file, by its name."""
    return _BY_SUFFIX.get(PurePosixPath(path).suffix.lower())


def with_owners(definitions: Sequence[Definition]) -> tuple[Definition, ...]:
    """The definitions in the order of the file, each with the names of those that it stands in."""
    ordered = sorted(definitions, key=lambda one: (one.first, -one.last, one.line))
    around: list[Definition] = []
    found: list[Definition] = []
    for one in ordered:
        while around and not (around[-1].last >= one.last and around[-1] != one):
            around.pop()
        above = [outer.name for outer in around]
        owner = ".".join([*above, *one.owner.replace("::", ".").split(".")]).strip(".")
        found.append(Definition(one.name, owner, one.first, one.line, one.last))
        around.append(one)
    return tuple(found)
