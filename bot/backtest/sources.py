"""Where fixes are from, and how their commits are brought into a mirror: the base alone, or both sides."""

import re
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass, replace
from datetime import UTC, datetime
from pathlib import Path
from typing import Protocol

from bot.backtest.finding import fixes_in, history_of, pulls_in
from bot.backtest.sides import is_of_tests, judge_paths
from bot.backtest.tasks import RepositoryTask, tasks_in
from bot.backtest.wanted import Wanted
from bot.errors import Refused
from bot.records import Caps, CheckedFix, FixSource, PastFix, StopCheck
from bot.repository import Mirror
from bot.repository.git import EMPTY_TREE
from bot.runs.doctor import Given
from bot.runs.sources import key_of
from bot.runs.subjects import mirror_for_once

HISTORY = "history.git"

_WHEN = datetime.fromtimestamp(0, UTC)


class Source(Protocol):
    """Where fixes are from. `path` is what the images of the repository are known by."""

    @property
    def path(self) -> Path: ...

    def fixes(self) -> Iterator[CheckedFix]:
        """The fixes, the first ones to be tried first; with a reason where one is known to be unfit by its files."""
        ...

    def bring_base(self, mirror: Mirror, fix: PastFix, *, stop: StopCheck) -> None:
        """Bring the commit before the fix, with nothing of its history, and nothing of what came after."""
        ...

    def bring_both(self, mirror: Mirror, fix: PastFix, *, stop: StopCheck) -> None:
        """Bring both sides of the fix."""
        ...

    def judge_paths(self, fix: PastFix, changed: Iterator[str]) -> tuple[str, ...]:
        """The files that are laid over a change to judge it."""
        ...

    def given(self, fix: PastFix) -> Given:
        """What is in place of what the repository says of its tests."""
        ...

    def judge_test(self, fix: PastFix) -> str:
        """The command of the judge's tests, "" where it is the one of the repository's."""
        ...


def source_of(wanted: Wanted, caps: Caps, *, stop: StopCheck) -> Source:
    """Where the fixes of a backtest are from. Raises: `Refused`, `ConfigError` for tasks that can't be used."""
    if wanted.tasks is not None:
        return Tasks.of(wanted)
    return Repository.of(wanted, caps, stop=stop)


def kept_source(wanted: Wanted) -> Source:
    """As `source_of`, of what the backtest's folder holds already: nothing is looked for."""
    if wanted.tasks is not None:
        return Tasks.of(wanted)
    return Repository(wanted, wanted.repository or wanted.folder, iter(()), Mirror(wanted.folder / HISTORY))


@dataclass(frozen=True, slots=True)
class Repository:
    """A repository on this machine, its commits in a mirror of the backtest's."""

    wanted: Wanted
    path: Path
    found: Iterator[CheckedFix]
    history: Mirror

    @staticmethod
    def of(wanted: Wanted, caps: Caps, *, stop: StopCheck) -> "Repository":
        if wanted.repository is None:
            raise Refused("There is nothing to look for fixes in: name a repository or a folder of tasks.")
        history = history_of(wanted, Mirror(wanted.folder / HISTORY), stop=stop)
        found = fixes_in(history, caps) if wanted.pulls is None else pulls_in(history, iter(wanted.pulls), caps)
        return Repository(wanted, wanted.repository, found, history.mirror)

    def fixes(self) -> Iterator[CheckedFix]:
        return self.found

    def bring_base(self, mirror: Mirror, fix: PastFix, *, stop: StopCheck) -> None:
        mirror.fetch_commit(str(self.history.path.resolve()), fix.base, depth=1, stop=stop)

    def bring_both(self, mirror: Mirror, fix: PastFix, *, stop: StopCheck) -> None:
        for commit in (fix.base, fix.head):
            mirror.fetch_commit(str(self.history.path.resolve()), commit, depth=1, stop=stop)

    def judge_paths(self, fix: PastFix, changed: Iterator[str]) -> tuple[str, ...]:  # noqa: ARG002 - by name alone
        return judge_paths(changed)

    def given(self, fix: PastFix) -> Given:  # noqa: ARG002 - the same for all
        return self.wanted.given

    def judge_test(self, fix: PastFix) -> str:  # noqa: ARG002
        return ""


@dataclass(frozen=True, slots=True)
class Tasks:
    """Tasks from a folder, each a base with a fix of its own."""

    wanted: Wanted
    path: Path
    tasks: Mapping[str, RepositoryTask]

    @staticmethod
    def of(wanted: Wanted) -> "Tasks":
        if wanted.tasks is None:
            raise AssertionError("tasks are in a folder")
        return Tasks(wanted, wanted.tasks, {task.id: task for task in tasks_in(wanted.tasks)})

    def fixes(self) -> Iterator[CheckedFix]:
        with _scratch() as mirror:
            for task in self.tasks.values():
                yield _as_fix(task, mirror)

    def bring_base(self, mirror: Mirror, fix: PastFix, *, stop: StopCheck) -> None:  # noqa: ARG002 - it is data here
        mirror.prepare()
        _base(self.tasks[fix.id], mirror)

    def bring_both(self, mirror: Mirror, fix: PastFix, *, stop: StopCheck) -> None:  # noqa: ARG002
        mirror.prepare()
        _head(self.tasks[fix.id], mirror, _base(self.tasks[fix.id], mirror))

    def judge_paths(self, fix: PastFix, changed: Iterator[str]) -> tuple[str, ...]:  # noqa: ARG002 - the task says
        task = self.tasks[fix.id]
        return tuple(sorted({*task.judge, *filter(is_of_tests, task.removed)}))

    def given(self, fix: PastFix) -> Given:
        own = self.wanted.given
        if own.test:
            return own
        return replace(own, test=self.tasks[fix.id].test, directory=own.directory or ".")  # it is run at the top

    def judge_test(self, fix: PastFix) -> str:
        return self.tasks[fix.id].judge_test


@contextmanager
def _scratch() -> Iterator[Mirror]:
    with mirror_for_once() as mirror:
        mirror.prepare()
        yield mirror


def _as_fix(task: RepositoryTask, mirror: Mirror) -> CheckedFix:
    base = _base(task, mirror)
    fix = PastFix(
        id=task.id,
        name=task.id,
        base=base,
        head=_head(task, mirror, base),
        title=task.title,
        body=task.body,
        source=FixSource.TASK,
        at=0.0,
    )
    return CheckedFix(fix, reason="" if task.solution or task.removed else "it holds no solution to check its judge by")


def _base(task: RepositoryTask, mirror: Mirror) -> str:
    return _commit(mirror, mirror.tree_with(EMPTY_TREE, task.files), (), "The base")


def _head(task: RepositoryTask, mirror: Mirror, base: str) -> str:
    gone = dict.fromkeys(task.removed)
    return _commit(mirror, mirror.tree_with(base, {**task.solution, **task.judge, **gone}), (base,), "The fix")


def _commit(mirror: Mirror, tree: str, parents: tuple[str, ...], message: str) -> str:
    return mirror.commit(
        tree,
        parents=parents,
        message=message,
        author_name="selfcode",
        author_email="selfcode@localhost",
        when=_WHEN,
    )


def key_for(source: Source) -> int:
    """What the images of the repository are known by."""
    return key_of(str(source.path.resolve()))


def as_name(text: str) -> str:
    """An id or a bot's name as the name of a file."""
    return re.sub(r"[^\w.=-]+", "-", text)[:100].strip(".-") or "-"
