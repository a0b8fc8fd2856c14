"""What a compiler or a module loader says is not there, in Go, Rust, JavaScript and TypeScript. Pure."""

import re
from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import PurePosixPath

from bot.proof.languages import JAVASCRIPT

SUFFIXES = frozenset({".go", ".rs", *JAVASCRIPT})

_WORD = re.compile(r"[A-Za-z_$][\w$]*")
_NOT_LOADED = re.compile(
    r"(?:\bdoes not provide an export named|\bNamed export) '(?P<name>[\w$]+)'"
    r"|\bCannot find module '(?P<path>[^'\n]+)'"
    r"|\bFailed to resolve import \"(?P<import>[^\"\n]+)\""
    r"|\bFailed to load url (?P<url>\S+)"
)
_NOT_COMPILED = (
    re.compile(r"\bundefined: (?:\w+\.)?(?P<name>\w+)"),
    re.compile(r"\bundefined \(type .* has no field or method (?P<name>\w+)"),
    re.compile(r"\bunknown field '?(?P<name>\w+)'? in struct literal"),
    re.compile(r"\b(?:not enough|too many) arguments in call to (?:\w+\.)*(?P<name>\w+)"),
    re.compile(r"\bassignment mismatch: .*\b(?P<name>\w+)(?:\([^)]*\))? returns \d"),
    re.compile(r"\bcannot find (?:[\w,]+ ){1,12}`(?P<name>\w+)` in"),
    re.compile(r"\bunresolved imports? `(?P<name>[\w:]+)`"),
    re.compile(r"\buse of (?:undeclared|unresolved) (?:\w+ ){1,12}`(?P<name>\w+)`"),
    re.compile(r"\bcould not find `(?P<name>\w+)` in"),
    re.compile(r"\bno (?:\w+ ){1,12}`(?P<name>\w+)` (?:found|on type)"),
    re.compile(r"\bhas no (?:field|variant) named `(?P<name>\w+)`"),
    re.compile(r"(?<![\w$])(?P<name>[\w$]+)\)? is not a (?:function|constructor)\b"),
    re.compile(r"\bhas no exported member(?: named)? '(?P<name>[\w$]+)'"),
    re.compile(r"\bCannot find name '(?P<name>[\w$]+)'"),
    re.compile(r"\bProperty '(?P<name>[\w$]+)' does not exist on type"),
    re.compile(r"\band '(?P<name>[\w$]+)' does not exist in type"),
)


@dataclass(frozen=True, slots=True)
class Absent:
    """A name that is missing; or a module, by its path as it was asked for."""

    name: str
    is_module: bool = False


def absences(message: str) -> frozenset[Absent]:
    """Everything that the message says is missing."""
    return frozenset((*_not_loaded(message), *_not_compiled(message)))


def load_failed(message: str) -> bool:
    """Whether a failure is a module of JavaScript or TypeScript that could not be loaded."""
    return _NOT_LOADED.search(message) is not None


def added_words(before: bytes | None, after: bytes | None) -> frozenset[str]:
    """The words of the lines that a change adds.

    A name that is missing without the change and there with it stands in one of them: in these languages nothing but
    source, and what the project depends on, can bring a name.
    """
    old, new = ((data or b"").decode("utf-8", "replace").splitlines() for data in (before, after))
    return frozenset(word for line in Counter(new) - Counter(old) for word in _WORD.findall(line))


def is_path_of(asked: str, path: str) -> bool:
    """Whether a module that is asked for as `asked` (relative to somewhere, perhaps without suffix) is this file."""
    names = [part for part in asked.split("/") if part not in ("", ".", "..", "@", "~")]
    file = PurePosixPath(path)
    forms = [file, file.with_suffix(""), *([file.parent] if file.stem == "index" else [])]
    wanted = tuple(names)
    if wanted and PurePosixPath(names[-1]).suffix in SUFFIXES:
        wanted = (*names[:-1], PurePosixPath(names[-1]).stem)
    return bool(wanted) and any(_ends(wanted, form.parts) or _ends(form.parts, wanted) for form in forms)


def _ends(parts: tuple[str, ...], end: tuple[str, ...]) -> bool:
    return bool(end) and parts[-len(end) :] == end


def _not_loaded(message: str) -> Iterator[Absent]:
    for found in _NOT_LOADED.finditer(message):
        if found["name"]:
            yield Absent(found["name"])
        else:
            yield Absent(found["path"] or found["import"] or found["url"], is_module=True)


def _not_compiled(message: str) -> Iterator[Absent]:
    for pattern in _NOT_COMPILED:
        for found in pattern.finditer(message):
            yield Absent(found["name"].rpartition("::")[2])
