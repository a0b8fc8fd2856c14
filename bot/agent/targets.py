"""Which file the next answer should hold, so that a model which is not sure is told."""

from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import PurePosixPath

from bot.agent.context import paths_shown
from bot.agent.texts import read_source
from bot.agent.viewing.mentions import is_test, tests_of
from bot.agent.viewing.symbols import language_of
from bot.records import Workbench

WHOLE_FILE_LINES = 150

_LANGUAGES = {
    ".py": "python",
    ".js": "javascript",
    ".ts": "typescript",
    ".go": "go",
    ".rs": "rust",
    ".java": "java",
    ".rb": "ruby",
    ".sh": "sh",
}


@dataclass(frozen=True, slots=True)
class Target:
    """A file that is likely to be changed, how long it is, and where a test for it would stand."""

    path: str
    lines: int
    chars: int
    test_path: str

    @property
    def is_small(self) -> bool:
        """Whether the whole file is the easiest answer."""
        return self.lines <= WHOLE_FILE_LINES


def target(told: str, bench: Workbench) -> Target | None:
    """The first file of source among those that the run's context shows; None where it shows none."""
    source_files = [one for one in paths_shown(told) if PurePosixPath(one).suffix in _LANGUAGES and not is_test(one)]
    path = next(iter(source_files), None)
    data = bench.read(path) if path else None
    source = read_source(data) if data is not None else None
    if path is None or source is None:
        return None
    return Target(path, len(source.lines), len(source.text), _test_path(path, bench.paths()))


def info_of(path: str) -> str:
    """What stands behind the fence of a block that holds the file."""
    return _LANGUAGES.get(PurePosixPath(path).suffix, "text")


def suffix_of(language: str) -> str | None:
    """How the names of files end that hold what stands behind such a fence."""
    return next((suffix for suffix, name in _LANGUAGES.items() if language in (name, suffix[1:])), None)


def has_definitions(path: str) -> bool:
    """Whether functions and classes of such a file can be told from the rest, so that an answer may hold them alone."""
    return language_of(path) is not None


def _test_path(path: str, paths: Sequence[str]) -> str:
    """A new test file's path, beside the tests that there are."""
    beside = [*tests_of(path, paths), *(one for one in paths if is_test(one))]
    stem = PurePosixPath(path).stem
    folder = str(PurePosixPath(beside[0]).parent) if beside else "tests"
    name = f"test_{stem}_issue{PurePosixPath(path).suffix}"
    return name if folder == "." else f"{folder}/{name}"
