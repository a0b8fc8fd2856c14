"""What an issue or a test's output names: files, lines in tracebacks, names of code. Pure."""

import re
from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import PurePosixPath

IDENTIFIERS = 12
FRAMES = 40
WORDS = 12
MODULE_DEPTH = 8

_WORD = re.compile(r"[\w./+-]{3,200}")
_DOTTED = re.compile(r"\b[A-Za-z_]\w*(?:\.[A-Za-z_]\w*)+\b")
_NAME = re.compile(
    r"`(?:\w+\.)*([A-Za-z_]\w{2,})(?:\(\))?`|\b([A-Za-z_]\w{2,})\(|\b([a-z]+(?:_[a-z0-9]+)+)\b"
    r"|\b([A-Z][a-z]+[A-Z]\w+)\b|\b\w+\.([a-z]\w{3,})\b"
)
_PYTHON_FRAME = re.compile(r'File "([^"\n]{1,300})", line (\d{1,7})')
_FRAME = re.compile(r"([\w./@+-]{1,300}\.[A-Za-z]{1,5}):(\d{1,7})\b")
_PART = re.compile(r"[A-Z]?[a-z]+|[A-Z]+(?![a-z])")
_PROSE = re.compile(r"[A-Za-z]{4,30}")
_COMMON_WORDS = """
about after again also because been before below cannot code could does error example expected fails file first
from function given have here instead into issue just like line method more most must only other output please
problem python raise return returns should some such test tests than that their them then there these they this
traceback using value values version what when where which while will with without work works would wrong your
"""
_COMMON = frozenset(_COMMON_WORDS.split())


@dataclass(frozen=True, slots=True)
class Frame:
    """A line of a file that a traceback goes through."""

    path: str
    line: int


def frames(text: str, paths: Sequence[str]) -> list[Frame]:
    """The frames of tracebacks in the repository's files, the innermost first: Python has it last, the others first."""
    python = [(match[1], int(match[2])) for match in _PYTHON_FRAME.finditer(text)][::-1]
    others = [(match[1], int(match[2])) for match in _FRAME.finditer(text)]
    found = [Frame(path, line) for name, line in (python + others)[:FRAMES] for path in ending_in(_bare(name), paths)]
    return list(dict.fromkeys(found))


def named_paths(text: str, paths: Sequence[str]) -> list[str]:
    """The repository's files that a text names, as a path, by its end, or as a dotted module."""
    found: list[str] = []
    for match in _WORD.finditer(text):
        word = _bare(match[0])
        found += ending_in(word, paths) if "/" in word or "." in word else []
    for match in _DOTTED.finditer(text):
        found += module_paths(match[0].split(".", maxsplit=MODULE_DEPTH)[:MODULE_DEPTH], paths)
    return list(dict.fromkeys(found))


def module_paths(parts: Sequence[str], paths: Sequence[str]) -> list[str]:
    """The files of a dotted name: the longest beginning of it that is a module."""
    for end in range(len(parts), 0, -1):
        stem = "/".join(parts[:end])
        found = [*ending_in(f"{stem}.py", paths), *ending_in(f"{stem}/__init__.py", paths)] if end > 1 else []
        found = found or (ending_in(f"{stem}.py", paths) if len(parts) > 1 else [])
        if found:
            return found
    return []


def identifiers(text: str) -> list[str]:
    """The names that look like code, those named most often first."""
    counted = Counter(next(group for group in match.groups() if group) for match in _NAME.finditer(text))
    return [name for name, _ in counted.most_common(IDENTIFIERS)]


def words(text: str) -> list[str]:
    """The words of the text that may be parts of names, in lower case, those used most often first."""
    counted = Counter(word for match in _PROSE.finditer(text) if (word := match[0].lower()) not in _COMMON)
    return [word for word, _ in counted.most_common(WORDS)]


def parts_of(name: str) -> frozenset[str]:
    """The words that a name is made of, in lower case."""
    return frozenset(word.lower() for word in _PART.findall(name))


def is_test(path: str) -> bool:
    """Whether a path looks like a test's."""
    name = PurePosixPath(path).name
    return (
        "tests/" in path
        or path.startswith("test/")
        or name.startswith("test_")
        or any(mark in name for mark in ("_test.", ".test.", ".spec.", "_spec."))
    )


def tests_of(path: str, paths: Sequence[str]) -> list[str]:
    """The test files that are named after a source file."""
    stem = PurePosixPath(path).stem
    wanted = {f"test_{stem}", f"{stem}_test", f"{stem}.test", f"{stem}.spec", f"{stem}_spec", f"{stem}Test"}
    return [one for one in paths if PurePosixPath(one).stem in wanted and is_test(one)]


def ending_in(name: str, paths: Sequence[str]) -> list[str]:
    """The paths that are the name or end in it as whole components; none where that is too many to tell."""
    if not name:
        return []
    found = [path for path in paths if path == name or path.endswith(f"/{name}") or name.endswith(f"/{path}")]
    return found if len(found) <= 3 else []


def _bare(name: str) -> str:
    return name.strip(".").lstrip("/.")
