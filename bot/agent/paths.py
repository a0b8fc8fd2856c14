"""Which paths a reply may name: those of the repository's own files. Pure."""

import re
import unicodedata
from pathlib import PurePosixPath

_GITS_OWN = frozenset({".git", "git~1"})
"""The folder, and its short name where file systems have such."""

_UNSEEN = frozenset({"Cc", "Cf", "Cs", "Zl", "Zp"})
COMPONENT_BYTES = 255
PATH_BYTES = 1000


def path_refusal(path: str) -> str:
    """Why a path may not be changed, or ""."""
    outside = outside_refusal(path)
    if outside:
        return outside
    parts = _parts(path)
    if not parts:
        return f"{path}: the path of a file is needed"
    if parts[:2] == [".github", "workflows"]:
        return f"{path}: workflow files are never changed"
    return ""


def outside_refusal(path: str) -> str:
    """Why a path is not one of the repository's files, or ""."""
    bare, parts = path.strip(), _parts(path)
    if any(unicodedata.category(character) in _UNSEEN for character in path):
        return f"{path!r}: a path holds no control characters, and none that can't be seen"
    is_elsewhere = bare.startswith(("/", "~")) or "\\" in bare or "://" in bare or re.match(r"[A-Za-z]:|file:/", bare)
    is_long = len(bare.encode()) > PATH_BYTES or any(len(part.encode()) > COMPONENT_BYTES for part in parts)
    refusals = (
        (not bare, "a path is needed"),
        (is_elsewhere, f"{bare[:200]}: paths are relative to the repository, with `/`"),
        (is_long, f"{bare[:200]}…: the path is too long"),
        (".." in parts, f"{bare}: `..` is not allowed"),
        (_GITS_OWN.intersection(parts), f"{bare}: git's own folder is not part of the repository's files"),
    )
    return next((words for is_so, words in refusals if is_so), "")


def clean_path(path: str) -> str:
    """The path in its one spelling: no `./`, no double slash."""
    return str(PurePosixPath(path.strip()))


def _parts(path: str) -> list[str]:
    """The names in a path as the most careless file system reads them: without case, or dots and spaces at the end."""
    return [part if part == ".." else part.rstrip(". ").lower() for part in PurePosixPath(path.strip()).parts]
