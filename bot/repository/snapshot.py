"""What a workspace changed since the base, told from its files as data: no git runs on anything that it wrote."""

import unicodedata
from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass
from fnmatch import fnmatchcase
from pathlib import PurePosixPath
from typing import NamedTuple

from pathspec import GitIgnoreSpec

from bot.repository.changes import is_text, printable
from bot.repository.mirror import Mirror
from bot.repository.objects import GITLINK, SYMLINK, Entry, blob_sha, bytes_of
from sandbox.contract import CACHES, MEBIBYTE, File

NEW_FILE_BYTES = MEBIBYTE
NAMED_AT_MOST = 100

_CACHE_FOLDERS = (*CACHES, ".cache", ".eggs", ".hypothesis", ".npm", ".nyc_output", "htmlcov", "*.egg-info")
_CACHE_FILES = (".coverage", ".coverage.*", "*.pyc", "*.pyo", ".DS_Store", ".selfcode-results*")
_COMPILED_FILES = ("*.o", "*.obj", "*.a", "*.so", "*.so.*", "*.pyd", "*.dylib", "*.dll", "*.class")
"""Each build makes them again; in a folder without git, which is taken in whole, they may be all that there is."""

_BUILD_FOLDERS = frozenset({"build", "dist"})
_MANIFESTS = ("pyproject.toml", "setup.py", "setup.cfg", "package.json")


class Snapshot(NamedTuple):
    """What `Mirror.tree_with` takes (None: deleted), and for people what the workspace held besides."""

    files: Mapping[str, File | None]
    left_out: tuple[str, ...]


def collect(
    mirror: Mirror,
    base: str,
    workspace_files: Iterable[tuple[str, File]],
    *,
    hidden: Iterable[str] = CACHES,
    new_file_bytes: int = NEW_FILE_BYTES,
) -> Snapshot:
    """Compare a workspace's files with the base: changed, new, deleted, other mode.

    `hidden` names the path components that were left out of `workspace_files`: tracked files below them were not
    deleted. Left out and named: caches, what the base's `.gitignore` files ignore, new files above `new_file_bytes`,
    and names that git does not take.
    """
    return compare(
        mirror.entries(base),
        workspace_files,
        read=lambda path: mirror.read(base, path) or b"",
        hidden=hidden,
        new_file_bytes=new_file_bytes,
    )


def compare(
    base: Mapping[str, Entry],
    workspace_files: Iterable[tuple[str, File]],
    *,
    read: Callable[[str], bytes],
    hidden: Iterable[str] = CACHES,
    new_file_bytes: int = NEW_FILE_BYTES,
) -> Snapshot:
    """As `collect`, without a repository: `read` gives the base's `.gitignore` files. Pure."""
    found = dict(workspace_files)
    rules = _Rules(base=base, ignores=_ignores(base, read), found=found, new_file_bytes=new_file_bytes)
    files: dict[str, File | None] = {}
    left_out: dict[str, None] = {}
    for path, file in found.items():
        if _is_same(base.get(path), file):
            continue
        if why := rules.objection(path, file):
            left_out[why] = None
        else:
            files[path] = file
    for path in _missing(base, found, frozenset(hidden)):
        files[path] = None
    return Snapshot(dict(sorted(files.items())), _bounded(sorted(left_out)))


@dataclass(frozen=True, slots=True)
class _Rules:
    """What keeps a file out of the change."""

    base: Mapping[str, Entry]
    ignores: Mapping[str, GitIgnoreSpec]
    found: Mapping[str, File]
    new_file_bytes: int

    def objection(self, path: str, file: File) -> str:
        """Names what is left out and why, or "" where the file is part of the change."""
        shown, tracked = printable(path), self.base.get(path)
        if any(_is_unfit(part) for part in path.split("/")) or self._is_in_a_submodule(path):
            return f"{shown}: not a name that git takes"
        if cache := _cache(path) or (None if tracked else self._build_output(path) or self._environment(path)):
            return f"{printable(cache)}: a cache or build output"
        if not tracked and is_ignored(path, self.ignores):
            return f"{shown}: ignored by .gitignore"
        if file.symlink and not is_text(file.data):
            return f"{shown}: a link whose target is not UTF-8"
        if len(file.data) > max(self.new_file_bytes, 2 * (tracked.size or 0) if tracked else 0):
            return f"{shown}: too large ({len(file.data):,} bytes)"
        return ""

    def _is_in_a_submodule(self, path: str) -> bool:
        return any(
            entry.mode == GITLINK for parent in (path, *_parents(path)) if (entry := self.base.get(parent)) is not None
        )

    def _build_output(self, path: str) -> str | None:
        """A compiled file, or a `build` or `dist` beside a manifest, where the base has no such folder."""
        if self.base and any(fnmatchcase(path.rpartition("/")[2].lower(), pattern) for pattern in _COMPILED_FILES):
            return path
        for folder in _parents(path):
            parent = folder.rpartition("/")[0]
            beside = (f"{parent}/{name}" if parent else name for name in _MANIFESTS)
            if folder.rpartition("/")[2] in _BUILD_FOLDERS and any(name in self.base for name in beside):
                return None if any(tracked.startswith(f"{folder}/") for tracked in self.base) else f"{folder}/"
        return None

    def _environment(self, path: str) -> str | None:
        """A Python virtual environment, whatever its name. Source: PEP 405."""
        return next((f"{folder}/" for folder in _parents(path) if f"{folder}/pyvenv.cfg" in self.found), None)


def is_ignored(path: str, ignores: Mapping[str, GitIgnoreSpec]) -> bool:
    """Whether the `.gitignore` files, by their folder, ignore a path, or a folder that it is in.

    Source: gitignore(5): the deepest file that says something decides, but nothing inside an ignored folder comes back.
    """
    return any(_verdict(f"{folder}/", ignores) for folder in reversed(_parents(path))) or _verdict(path, ignores)


def _verdict(path: str, ignores: Mapping[str, GitIgnoreSpec]) -> bool:
    for folder in (*_parents(path), ""):
        if (spec := ignores.get(folder)) is None:
            continue
        result = spec.check_file(path[len(folder) + 1 :] if folder else path)
        if result.include is not None and not _means_the_content_alone(path, spec, result.index):
            return result.include
    return False


def _means_the_content_alone(path: str, spec: GitIgnoreSpec, index: int | None) -> bool:
    """Whether a pattern like `folder/**` matched the folder itself, which git does not take it to."""
    return path.endswith("/") and index is not None and str(spec.patterns[index].pattern).rstrip().endswith("/**")


def _ignores(base: Mapping[str, Entry], read: Callable[[str], bytes]) -> Mapping[str, GitIgnoreSpec]:
    paths = [
        path
        for path, entry in base.items()
        if PurePosixPath(path).name == ".gitignore" and entry.mode not in (SYMLINK, GITLINK)
    ]
    return {
        path.rpartition("/")[0]: GitIgnoreSpec.from_lines(_readable_patterns(read(path).decode("utf-8", "replace")))
        for path in paths
    }


def _readable_patterns(text: str) -> Iterator[str]:
    """The lines that are patterns; git passes over those that are none, and so do we."""
    for line in text.removeprefix("\ufeff").splitlines():
        try:
            GitIgnoreSpec.from_lines([line])
        except ValueError:
            continue
        yield line


def _is_same(entry: Entry | None, file: File) -> bool:
    if entry is None or (entry.mode == SYMLINK) != file.symlink or entry.mode == GITLINK:
        return False
    same_mode = file.symlink or file.executable == bool(int(entry.mode, 8) & 0o100)
    return same_mode and entry.size in (None, len(file.data)) and blob_sha(file.data) == entry.sha


def _missing(base: Mapping[str, Entry], found: Mapping[str, File], hidden: frozenset[str]) -> Iterator[str]:
    for path, entry in base.items():
        if (
            path not in found
            and entry.mode != GITLINK
            and not _cache(path)
            and not hidden.intersection(path.split("/"))
        ):
            yield path


def _cache(path: str) -> str | None:
    """The cache that a path is or lies in."""
    for folder in reversed(_parents(path)):
        if any(fnmatchcase(folder.rpartition("/")[2], pattern) for pattern in _CACHE_FOLDERS):
            return f"{folder}/"
    name = path.rpartition("/")[2]
    return path if any(fnmatchcase(name, pattern) for pattern in (*_CACHE_FILES, *_CACHE_FOLDERS)) else None


def _is_unfit(component: str) -> bool:
    """Whether git, or a file system that it is checked out on, takes the name for `.git`, or for no name.

    Source: git's read-cache.c, `verify_path`, and path.c, `is_ntfs_dotgit`.
    """
    visible = "".join(character for character in component if unicodedata.category(character) != "Cf")
    plain = visible.partition(":")[0].rstrip(". ").lower()
    return plain in {"", ".git", "git~1"} or len(bytes_of(component)) > 255


def _parents(path: str) -> list[str]:
    """The folders above a path, deepest first."""
    return [str(parent) for parent in PurePosixPath(path).parents][:-1]


def _bounded(names: list[str]) -> tuple[str, ...]:
    rest = len(names) - NAMED_AT_MOST
    return (*names[:NAMED_AT_MOST], f"… and {rest} more") if rest > 0 else tuple(names)
