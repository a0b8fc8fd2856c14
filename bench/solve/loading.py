"""Tasks from folders, in the format that README.md describes."""

import ast
from collections.abc import Sequence
from pathlib import Path

from pydantic import ValidationError

from bench.solve import building
from bench.solve.mutations import Misplaced
from bench.solve.packages import NotFetched
from bench.solve.records import ProgramTask, Task
from bot.backtest.tasks import Description, described, repository_task, task_folders, toml_of
from bot.errors import ConfigError


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


def _plain(folder: Path, cache: Path) -> Path:
    """The folder itself, or where a task that is made from a package was built."""
    if "source" not in toml_of(folder):
        return folder
    try:
        return building.build(folder, cache / "tasks", cache=cache)
    except NotFetched as problem:
        raise ConfigError(f"{problem}: run `python -m bench.solve setup --tasks {folder}` first") from problem
    except (Misplaced, ValidationError) as problem:
        raise ConfigError(f"it can't be built: {problem}") from problem


def _load(folder: Path) -> Task:
    told = described(folder)
    return _program(folder, told) if told.kind == "program" else repository_task(folder, told)


def _program(folder: Path, told: Description) -> ProgramTask:
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
