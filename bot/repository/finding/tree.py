"""A repository's files as the search for its tests sees them: one folder, read once, within bounds. Pure."""

import bisect
import itertools
import re
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from functools import cached_property
from typing import Any

from bot.repository.finding import formats

Read = Callable[[str], bytes | None]

FILE_AT_MOST = 262_144
READS_AT_MOST = 400
PATHS_AT_MOST = 100_000


class Tree:
    """A folder of the repository. Names are relative to it; a file that is missing or too large reads as empty.

    `top` is the repository's top, for a folder below it.
    """

    def __init__(
        self,
        read: Read,
        paths: Iterable[str],
        *,
        folder: str = ".",
        texts: dict[str, str] | None = None,
        top: "Tree | None" = None,
    ) -> None:
        self.folder = folder
        self.top = top
        self.paths: frozenset[str] = frozenset(itertools.islice(paths, PATHS_AT_MOST))
        self._read = read
        self._prefix = "" if folder == "." else f"{folder}/"
        self._texts = {} if texts is None else texts

    def __contains__(self, name: str) -> bool:
        return name in self.paths

    @cached_property
    def sorted(self) -> tuple[str, ...]:
        """All files, those of fewer folders first."""
        return tuple(sorted(self.paths, key=lambda path: (path.count("/"), path)))

    @cached_property
    def folders(self) -> frozenset[str]:
        """All folders, those of folders too."""
        return frozenset(parent for path in self.paths for parent in _parents(path))

    def first(self, *names: str) -> str:
        """The first of the names that is there, or ""."""
        return next((name for name in names if name in self.paths), "")

    def matching(self, pattern: re.Pattern[str]) -> Iterator[str]:
        """The files whose path the pattern is found in, those of fewer folders first."""
        return (path for path in self.sorted if pattern.search(path))

    def text(self, name: str) -> str:
        """A file as text: "" where it is missing, too large or no text, or too many were read."""
        path = f"{self._prefix}{name}"
        if path not in self._texts:
            is_readable = name in self.paths and len(self._texts) < READS_AT_MOST
            data = (self._read(path) if is_readable else None) or b""
            is_text = len(data) <= FILE_AT_MOST and b"\0" not in data
            self._texts[path] = data.decode("utf-8-sig", "replace") if is_text else ""
        return self._texts[path]

    def toml(self, name: str) -> Mapping[str, Any]:
        return formats.toml(self.text(name))

    def json(self, name: str) -> Mapping[str, Any]:
        return formats.json_object(self.text(name))

    def ini(self, name: str) -> formats.Ini:
        return formats.ini(self.text(name))

    def yaml(self, name: str) -> Mapping[str, Any]:
        return formats.yaml_object(self.text(name))

    def without(self, folders: Iterable[str]) -> "Tree":
        """The same without what is in some of its folders."""
        left_out = tuple(f"{folder}/" for folder in folders)
        kept = (path for path in self.paths if not path.startswith(left_out))
        return Tree(self._read, kept, folder=self.folder, texts=self._texts, top=self.top)

    def below(self, folder: str) -> "Tree":
        """The same for one of its folders; what was read stays read."""
        prefix = f"{folder}/"
        inner = (path.removeprefix(prefix) for path in self._within(prefix))
        return Tree(
            self._read,
            inner,
            folder=f"{self._prefix}{folder}",
            texts=self._texts,
            top=self if self.top is None else self.top,
        )

    def count(self, folder: str, pattern: re.Pattern[str]) -> int:
        """How many files in one of its folders the pattern is found in."""
        return sum(pattern.search(path) is not None for path in self._within(f"{folder}/"))

    def _within(self, prefix: str) -> Sequence[str]:
        """The files whose path begins so: a run of the alphabet, found without a look at all the others."""
        ordered = self._alphabetical
        start = bisect.bisect_left(ordered, prefix)
        return ordered[start : bisect.bisect_left(ordered, f"{prefix}\U0010ffff", lo=start)]

    @cached_property
    def _alphabetical(self) -> list[str]:
        return sorted(self.paths)


def inside(path: str) -> str:
    """A path as a repository's file names it, relative and without detours; "" where it leads out, or is none."""
    parts = [part for part in path.strip().split("/") if part not in ("", ".")]
    return "" if path.startswith(("/", "~")) or ".." in parts or "\\" in path else "/".join(parts)


def _parents(path: str) -> Iterator[str]:
    while "/" in path:
        path = path.rpartition("/")[0]
        yield path
