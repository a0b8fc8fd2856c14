"""Ready repository tasks out of those that are kept as a description: a package, its bug as a mutation, an issue.

python -m bench.solve.building check [TASK…]            # build each, and see that it is what it says
python -m bench.solve.building places TASK FILE CHANGE [--function NAME]    # what a mutation could change
"""

import argparse
import json
import shutil
import sys
import tempfile
import tomllib
from collections.abc import Iterable, Iterator, Mapping, Sequence
from pathlib import Path
from typing import Annotated, Literal

from pydantic import BaseModel, ConfigDict, Field
from rich.console import Console
from rich.table import Table

from bench.solve.checking import Check, check
from bench.solve.edits import Mutation
from bench.solve.mutations import Misplaced, mutate
from bench.solve.packages import Package
from bench.solve.packages import fetch as fetch_packages
from bench.solve.packages import source as unpacked
from bench.solve.places import Change, places
from bench.solve.provisions import CACHE
from bench.solve.spans import Text
from bot.backtest.tasks import DESCRIPTION, TEST

TASKS = Path(__file__).with_name("tasks")
_CACHES = shutil.ignore_patterns("__pycache__")
PYTEST_INI = b"[pytest]\ntestpaths = tests\npythonpath = .\naddopts = -p no:cacheprovider\n"


class Source(Package):
    """A package and what is changed in it."""

    mutation: Annotated[tuple[Mutation, ...], Field(min_length=1)]


class Task(BaseModel):
    """What `task.toml` says."""

    model_config = ConfigDict(extra="forbid", frozen=True)

    kind: Literal["repository"]
    title: Annotated[str, Field(min_length=1)]
    body: Annotated[str, Field(min_length=1)]
    test: str = TEST
    judge_test: str | None = None
    """By default, `test` on the judge's files, which are laid over the repository."""
    reported_test: bool = False
    """Whether `tests/test_reported.py` holds the reporter's failing test."""
    source: Source | None = None


def read(folder: Path) -> Task:
    """What a task's folder describes."""
    return Task.model_validate(tomllib.loads((folder / DESCRIPTION).read_text("utf-8")))


def fetch(tasks: Iterable[Path], cache: Path = CACHE) -> None:
    """Bring what the tasks are made of into the cache. Raises `NotFetched`."""
    described = [read(folder) for folder in tasks]
    fetch_packages([Package(**one.source.model_dump(exclude={"mutation"})) for one in described if one.source], cache)


def build(task_folder: Path, into: Path, *, cache: Path = CACHE, fixed: bool = False) -> Path:
    """A ready task with `repository/` and `judge/` as files, in a folder of `into` that is named like the task.

    What is there already is replaced. Raises `NotFetched` for what is not in the cache, `Misplaced` for a mutation that
    does not fit. `solution/` holds the files that change as they should be; with `fixed` the repository has them so.
    """
    task, ready = read(task_folder), into / task_folder.name
    shutil.rmtree(ready, ignore_errors=True)
    ready.mkdir(parents=True)
    if task.source is None:
        shutil.copytree(task_folder / "repository", ready / "repository")
    else:
        files = unpacked(task.source, cache)
        bugs = _bugs(task.source, files)
        _lay(files | ({} if fixed else bugs) | {"pytest.ini": PYTEST_INI}, ready / "repository")
        _lay({file: files[file] for file in bugs}, ready / "solution")
    for name, place in (("tests", "repository/tests"), ("judge", "judge")):
        if (task_folder / name).is_dir():
            shutil.copytree(task_folder / name, ready / place, dirs_exist_ok=True, ignore=_CACHES)
    said = task.model_dump(exclude={"source", "reported_test"}, exclude_none=True)
    (ready / DESCRIPTION).write_text("".join(f"{key} = {_toml(value)}\n" for key, value in said.items()), "utf-8")
    return ready


def _bugs(source: Source, files: Mapping[str, bytes]) -> dict[str, bytes]:
    """The files that change, with the bug in them. Raises `Misplaced`."""
    changed = {mutation.file for mutation in source.mutation}
    if lacking := changed - set(files):
        raise Misplaced(f"{source.file} has no {', '.join(sorted(lacking))}")
    return {
        file: mutate(files[file], [mutation for mutation in source.mutation if mutation.file == file])
        for file in sorted(changed)
    }


def _lay(files: Mapping[str, bytes], into: Path) -> None:
    for path, content in files.items():
        target = into / path
        target.parent.mkdir(parents=True, exist_ok=True)
        target.write_bytes(content)


def _toml(value: str | bool) -> str:
    """A value as TOML has it, which for strings and booleans is as JSON has it."""
    return json.dumps(value, ensure_ascii=False)


def main(arguments: Sequence[str] | None = None) -> None:
    """Check tasks, or list what can be changed in a file of one."""
    parser = argparse.ArgumentParser(prog="python -m bench.solve.building", description=__doc__.partition("\n")[0])
    parser.add_argument("--cache", type=Path, default=CACHE)
    commands = parser.add_subparsers(dest="command", required=True)
    checking = commands.add_parser("check")
    checking.add_argument("task", nargs="*")
    listing = commands.add_parser("places")
    listing.add_argument("task")
    listing.add_argument("file")
    listing.add_argument("change", type=Change)
    listing.add_argument("--function", default="")
    listing.add_argument("--part", default="")
    chosen = parser.parse_args(arguments)
    if chosen.command == "places":
        print("\n".join(listed(chosen, read(TASKS / chosen.task))))
        return
    folders = [TASKS / name for name in chosen.task] or tasks()
    fetch(folders, chosen.cache)
    sys.exit(print_checks([checked(folder, chosen.cache) for folder in folders]))


def checked(task_folder: Path, cache: Path = CACHE) -> Check:
    """Build a task with and without its bug, and run its tests. Raises what `build` and `check` raise."""
    with tempfile.TemporaryDirectory() as room:
        base = build(task_folder, Path(room) / "base", cache=cache)
        fixed = build(task_folder, Path(room) / "fixed", cache=cache, fixed=True)
        return check(task_folder.name, base, fixed, reported=read(task_folder).reported_test)


def tasks() -> list[Path]:
    """The folders of all tasks that are kept here."""
    return sorted(description.parent for description in TASKS.glob(f"*/{DESCRIPTION}"))


def print_checks(checks: Sequence[Check]) -> int:
    """A table of the checks; the exit code."""
    table = Table("task", "visible", "judge on the base", "fixed", "wrong")
    for one in checks:
        table.add_row(one.task, str(one.visible), str(one.judged), str(one.fixed), "; ".join(one.wrong))
    Console(width=None if sys.stdout.isatty() else 160).print(table)
    bad = sum(bool(one.wrong) for one in checks)
    print(f"{len(checks)} tasks, {bad} not as they should be")
    return int(bad > 0)


def listed(chosen: argparse.Namespace, task: Task) -> Iterator[str]:
    """What a mutation could name in one file: `at`, the line, `from`."""
    if task.source is None:
        raise SystemExit(f"{chosen.task} brings its repository with it: there is nothing to mutate")
    text = Text.of(unpacked(task.source, chosen.cache)[chosen.file])
    for number, place in enumerate(places(text, chosen.change, chosen.function, chosen.part), 1):
        yield f"{number:4}  line {text.line_of(place.span.start):4}  {place.token}"


if __name__ == "__main__":
    main()
