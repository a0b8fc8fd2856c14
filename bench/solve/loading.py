"""Tasks from folders, in the format that README.md describes."""

import ast
import tomllib
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any, Literal

from pydantic import BaseModel, ConfigDict, Field, ValidationError

from bench.solve import building
from bench.solve.building import DESCRIPTION, TEST
from bench.solve.mutations import Misplaced
from bench.solve.packages import NotFetched
from bench.solve.records import ProgramTask, RepositoryTask, State, Task
from bot.errors import ConfigError
from sandbox.contract import CACHES, MEBIBYTE, SandboxError, files_of
from sandbox.tree import pack

BYTES_AT_MOST = 64 * MEBIBYTE


class _Description(BaseModel):
    model_config = ConfigDict(extra="forbid", str_strip_whitespace=True)

    title: str = Field(min_length=1)
    kind: Literal["program", "repository"]
    body: str = ""
    prompt: str = ""
    test: str = TEST
    judge_test: str = ""
    reported_test: bool = False
    source: Mapping[str, Any] | None = None


def load(folders: Sequence[Path], *, cache: Path) -> tuple[Task, ...]:
    """Every task in the folders, sorted by id; a folder is a task or holds some.

    Those that are made from a package are built below `cache`, where the set-up has put it. Raises one `ConfigError`
    for all faults.
    """
    found: dict[str, Task] = {}
    problems = []
    for folder in task_folders(folders):
        try:
            task = _load(_plain(folder, cache))
        except ConfigError as problem:
            problems.append(f"  {folder}: {problem}")
            continue
        if task.id in found:
            problems.append(f"  {folder}: there is another task named {task.id}; rename one of the folders")
        found[task.id] = task
    if problems:
        raise ConfigError("Tasks that can't be used:\n" + "\n".join(problems))
    return tuple(found[name] for name in sorted(found))


def task_folders(folders: Sequence[Path]) -> Sequence[Path]:
    """The folders of single tasks. Raises `ConfigError` for a folder that holds none."""
    return [task for folder in folders for task in _in(folder)]


def _in(folder: Path) -> Sequence[Path]:
    if (folder / DESCRIPTION).is_file():
        return [folder]
    found = sorted(path.parent for path in folder.glob(f"*/{DESCRIPTION}"))
    if not found:
        raise ConfigError(f"{folder} holds no task: a task is a folder with a {DESCRIPTION}")
    return found


def _plain(folder: Path, cache: Path) -> Path:
    """The folder itself, or where a task that is made from a package was built."""
    if "source" not in _toml(folder):
        return folder
    try:
        return building.build(folder, cache / "tasks", cache=cache)
    except NotFetched as problem:
        raise ConfigError(f"{problem}: run `python -m bench.solve setup --tasks {folder}` first") from problem
    except (Misplaced, ValidationError) as problem:
        raise ConfigError(f"it can't be built: {problem}") from problem


def _toml(folder: Path) -> Mapping[str, Any]:
    try:
        return tomllib.loads((folder / DESCRIPTION).read_text(encoding="utf-8"))
    except (tomllib.TOMLDecodeError, UnicodeDecodeError) as problem:
        raise ConfigError(f"{DESCRIPTION} is not TOML: {problem}") from problem


def _load(folder: Path) -> Task:
    try:
        told = _Description.model_validate(_toml(folder))
    except ValidationError as problem:
        faults = [f"`{'.'.join(map(str, error['loc']))}`: {error['msg']}" for error in problem.errors()]
        raise ConfigError(f"{DESCRIPTION}: {'; '.join(faults)}") from None
    return _program(folder, told) if told.kind == "program" else _repository(folder, told)


def _program(folder: Path, told: _Description) -> ProgramTask:
    if not told.prompt:
        raise ConfigError("a program task needs a `prompt`: what is to be written")
    try:
        judge = (folder / "judge.py").read_text(encoding="utf-8")
        ast.parse(judge)
    except FileNotFoundError:
        raise ConfigError("there is no judge.py: put the acceptance tests there, as Python") from None
    except (SyntaxError, UnicodeDecodeError) as problem:
        raise ConfigError(f"judge.py is not Python: {problem}") from problem
    begun, solution = (_text(folder / name) for name in ("begun.py", "solution.py"))
    return ProgramTask(folder.name, told.title, told.prompt, judge, begun, solution)


def _text(path: Path) -> str:
    return path.read_text(encoding="utf-8") if path.is_file() else ""


def _repository(folder: Path, told: _Description) -> RepositoryTask:
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
    )


def _test_files(judge: State) -> Sequence[str]:
    found = [path for path in sorted(judge) if path.endswith(".py") and "test" in path.rsplit("/", 1)[-1]]
    found = [path for path in found if not path.endswith("conftest.py")]
    if not found:
        raise ConfigError("judge/ holds no test file (test_….py): add one, or say `judge_test`")
    return found


def files_in(folder: Path) -> State:
    """A folder's files and links as data, without caches and git's own. Raises `ConfigError` where it is too large."""
    try:
        return dict(files_of(pack(folder.resolve(), (), exclude=[*CACHES, ".git"], limit_bytes=BYTES_AT_MOST)))
    except SandboxError as problem:
        raise ConfigError(f"{folder} can't be read: {problem}") from problem
