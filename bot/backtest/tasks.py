"""Tasks in the simple format: a folder with `task.toml`, `repository/`, `judge/` and `solution/`. Read and written."""

import json
import shutil
import tempfile
import tomllib
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path, PurePosixPath
from typing import Any, Literal

from pydantic import BaseModel, ConfigDict, Field, ValidationError

from bot.errors import ConfigError, Refused
from bot.records import storable
from bot.repository.changes import printable
from sandbox.contract import CACHES, MEBIBYTE, File, SandboxError, archive_of, files_of
from sandbox.tree import pack, unpack

DESCRIPTION = "task.toml"
TEST = "python3 -m pytest -q"
"""How a repository's tests are run where the task does not say."""

BYTES_AT_MOST = 64 * MEBIBYTE

State = Mapping[str, File]
"""Files by path: a repository's whole tree, or what is laid over one."""


@dataclass(frozen=True, slots=True)
class RepositoryTask:
    """An issue in a repository. `files` is the base; `judge` is laid over a change to it, and never shown.

    `solution` is laid over the base, and `removed` are the files that it takes away; both empty where none is known.
    """

    id: str
    title: str
    body: str
    files: State
    judge: State
    test: str
    judge_test: str
    solution: State = field(default_factory=dict, repr=False)
    removed: tuple[str, ...] = ()

    @property
    def solved(self) -> State:
        """The files with the known solution."""
        return {path: file for path, file in {**self.files, **self.solution}.items() if path not in self.removed}


class Description(BaseModel):
    """What `task.toml` says, of a task of whichever kind."""

    model_config = ConfigDict(extra="forbid", str_strip_whitespace=True)

    title: str = Field(min_length=1)
    kind: Literal["program", "repository"]
    body: str = ""
    prompt: str = ""
    test: str = TEST
    judge_test: str = ""
    reported_test: bool = False
    removed: tuple[str, ...] = ()
    source: Mapping[str, Any] | None = None


def tasks_in(folder: Path) -> tuple[RepositoryTask, ...]:
    """Every task of the folder, which is one or holds some, by name. Raises one `ConfigError` for all faults."""
    found, problems = [], []
    for task in task_folders([folder]):
        try:
            found.append(_plain_task(task))
        except ConfigError as problem:
            problems.append(f"  {task}: {problem}")
    if problems:
        raise ConfigError("Tasks that can't be used:\n" + "\n".join(problems))
    return tuple(sorted(found, key=lambda task: task.id))


def task_folders(folders: Sequence[Path]) -> Sequence[Path]:
    """The folders of single tasks. Raises `ConfigError` for a folder that holds none."""
    return [task for folder in folders for task in _in(folder)]


def described(folder: Path) -> Description:
    """What the folder's description says. Raises `ConfigError`."""
    try:
        return Description.model_validate(toml_of(folder))
    except ValidationError as problem:
        faults = [f"`{'.'.join(map(str, error['loc']))}`: {error['msg']}" for error in problem.errors()]
        raise ConfigError(f"{DESCRIPTION}: {'; '.join(faults)}") from None


def toml_of(folder: Path) -> Mapping[str, Any]:
    """The description as it stands. Raises `ConfigError` where it is not TOML."""
    try:
        return tomllib.loads((folder / DESCRIPTION).read_text(encoding="utf-8"))
    except (tomllib.TOMLDecodeError, UnicodeDecodeError) as problem:
        raise ConfigError(f"{DESCRIPTION} is not TOML: {problem}") from problem


def repository_task(folder: Path, told: Description) -> RepositoryTask:
    """The task of a folder whose description is of a repository. Raises `ConfigError`."""
    if not told.body:
        raise ConfigError("a repository task needs a `body`: the issue, in a user's words")
    for part, content in (("repository", "the files at the base"), ("judge", "the hidden tests")):
        if not (folder / part).is_dir():
            raise ConfigError(f"there is no folder {part}/: put {content} there")
    judge = files_in(folder / "judge")
    solution = folder / "solution"
    return RepositoryTask(
        id=folder.name,
        title=told.title,
        body=told.body,
        files=files_in(folder / "repository"),
        judge=judge,
        test=told.test,
        judge_test=told.judge_test or " ".join([told.test, *_test_files(judge)]),
        solution=files_in(solution) if solution.is_dir() else {},
        removed=told.removed,
    )


def files_in(folder: Path) -> State:
    """A folder's files and links as data, without caches and git's own. Raises `ConfigError` where it is too large."""
    try:
        return dict(files_of(pack(folder.resolve(), (), exclude=[*CACHES, ".git"], limit_bytes=BYTES_AT_MOST)))
    except SandboxError as problem:
        raise ConfigError(f"{folder} can't be read: {problem}") from problem


def write_task(task: RepositoryTask, folder: Path) -> None:
    """Write a task as a folder, in place of one that is there. Raises: `Refused` for files that no folder can hold."""
    if bad := next((path for path in (*task.files, *task.judge, *task.solution) if _is_gits(path)), ""):
        raise Refused(f"it holds {bad!r}, which git would take for its own")
    if odd := next((path for path in task.removed if storable(path) != path), ""):
        raise Refused(f"it takes a file away whose name is no text: {printable(odd)}")
    folder.parent.mkdir(parents=True, exist_ok=True)
    with tempfile.TemporaryDirectory(prefix=".task-", dir=folder.parent) as made:
        new = Path(made) / "new"
        new.mkdir()
        (new / DESCRIPTION).write_text(_description(task), encoding="utf-8")
        try:
            for name, files in (("repository", task.files), ("judge", task.judge), ("solution", task.solution)):
                (new / name).mkdir()
                unpack(archive_of(files), new / name)
        except (SandboxError, OSError) as problem:
            raise Refused(f"it can't be written: {problem}") from problem
        if folder.exists():
            shutil.move(folder, Path(made) / "old")
        new.rename(folder)


def _plain_task(folder: Path) -> RepositoryTask:
    told = described(folder)
    if told.kind != "repository":
        raise ConfigError("it is no task of a repository")
    if told.source is not None:
        raise ConfigError("it is made from a package, which only the benchmark does")
    return repository_task(folder, told)


def _in(folder: Path) -> Sequence[Path]:
    if (folder / DESCRIPTION).is_file():
        return [folder]
    found = sorted(path.parent for path in folder.glob(f"*/{DESCRIPTION}"))
    if not found:
        raise ConfigError(f"{folder} holds no task: a task is a folder with a {DESCRIPTION}")
    return found


def _test_files(judge: State) -> Sequence[str]:
    found = [path for path in sorted(judge) if path.endswith(".py") and "test" in path.rsplit("/", 1)[-1]]
    found = [path for path in found if not path.endswith("conftest.py")]
    if not found:
        raise ConfigError("judge/ holds no test file (test_….py): add one, or say `judge_test`")
    return found


def _is_gits(path: str) -> bool:
    return any(part.rstrip(". ").lower() in (".git", "git~1") for part in PurePosixPath(path).parts)


def _description(task: RepositoryTask) -> str:
    lines = [
        f"title = {_text(task.title)}",
        'kind = "repository"',
        f"test = {_text(task.test)}",
        f"judge_test = {_text(task.judge_test)}",
        *([f"removed = [{', '.join(map(_text, task.removed))}]"] if task.removed else []),
        f"body = {_text(task.body)}",
    ]
    return "\n".join(lines) + "\n"


def _text(text: str) -> str:
    """A string as TOML writes it: as JSON does, but for one sign."""
    return json.dumps(storable(text), ensure_ascii=False).replace("\x7f", "\\u007f")
