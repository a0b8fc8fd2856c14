"""Which commits of a project's history are measured: by a rule, and by nobody's taste.

The newest commits before a date that have one parent, whose subject speaks of a fix, that change the source by at most
80 lines, give the tests more lines than they take, and touch no file that says what is installed or how tests are run.
Merges are passed over: what they bring is in their parents. So are files outside of both (a changelog, documentation).
"""

import re
import subprocess
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from datetime import date
from pathlib import Path

from bench.verify.records import Project

SOURCE_LINES = 80
_FIX = re.compile(r"\b(fix(e[sd])?|bug|regression|correct(ly)?)\b", re.IGNORECASE)
_SETTINGS = re.compile(
    r"(^|/)(pyproject\.toml|setup\.(py|cfg)|tox\.ini|noxfile\.py|conftest\.py|[^/]*requirements[^/]*|[^/]+\.lock"
    r"|package(-lock)?\.json|tsconfig[^/]*\.json|[^/]+\.config\.\w+|\.mocharc[^/]*|\.gitmodules)$"
)
_CODE = re.compile(r"\.(py|[cm]?[jt]s)$")
_BEGINS = "\x01"


@dataclass(frozen=True, slots=True)
class Touched:
    """One file of a commit; no counts for what is no text."""

    path: str
    added: int | None
    removed: int | None


@dataclass(frozen=True, slots=True)
class Commit:
    """One commit with one parent."""

    sha: str
    parent: str
    subject: str
    files: tuple[Touched, ...]


def newest(repository: Path, project: Project, *, until: date, count: int) -> list[Commit]:
    """The commits that the rule takes, the newest first."""
    found = (commit for commit in _history(repository, until) if is_taken(commit, project))
    return [commit for _, commit in zip(range(count), found, strict=False)]


def is_taken(commit: Commit, project: Project) -> bool:
    """Whether the rule takes a commit."""
    if not _FIX.search(commit.subject) or any(_SETTINGS.search(file.path) for file in commit.files):
        return False
    tests = [file for file in commit.files if _is_in(file, project.tests)]
    source = [file for file in commit.files if _is_in(file, project.source) and file not in tests]
    changed = sum((file.added or 0) + (file.removed or 0) for file in source)
    gained = sum((file.added or 0) - (file.removed or 0) for file in tests)
    is_text = all(file.added is not None for file in (*tests, *source))
    return is_text and 0 < changed <= SOURCE_LINES and gained > 0


def _is_in(file: Touched, folders: Sequence[str]) -> bool:
    return file.path.startswith(tuple(folders)) and bool(_CODE.search(file.path))


def _history(repository: Path, until: date) -> Iterator[Commit]:
    told = ["log", "--no-merges", f"--before={until.isoformat()}T00:00:00Z", "--numstat", "--no-renames", "-z"]
    command = ["git", "-C", str(repository), *told, f"--format={_BEGINS}%H%n%P%n%s%n", "HEAD"]
    done = subprocess.run(command, capture_output=True, check=True)
    for told_of in done.stdout.decode("utf-8", "replace").split(_BEGINS)[1:]:
        if (commit := parsed(told_of)) is not None:
            yield commit


def parsed(text: str) -> Commit | None:
    """One commit as git tells it; None for the first of all, which has no parent."""
    sha, parent, subject, *rest = text.split("\n", 3)
    files = [part.strip("\n") for part in "".join(rest).split("\0")]
    touched = [Touched(path, _count(added), _count(removed)) for added, removed, path in _fields(files)]
    return Commit(sha, parent, subject, tuple(touched)) if parent else None


def _fields(files: Sequence[str]) -> Iterator[tuple[str, str, str]]:
    for file in files:
        match file.split("\t", 2):
            case [added, removed, path]:
                yield added, removed, path
            case _:
                pass


def _count(text: str) -> int | None:
    return int(text) if text.isdecimal() else None
