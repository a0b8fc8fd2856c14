"""Fit fixes as folders in the simple format, for other programs."""

import shlex
from dataclasses import replace
from pathlib import Path

from bot.backtest.checking import Look, both_sides
from bot.backtest.kept import looks_in
from bot.backtest.sides import is_of_tests
from bot.backtest.sources import Source, as_name, kept_source
from bot.backtest.tasks import RepositoryTask, State, write_task
from bot.backtest.wanted import Tell, Wanted
from bot.errors import Gone, Refused
from bot.records import Backtest, TestPlan
from bot.repository import GitFailed, Mirror
from sandbox.contract import files_of


def export(wanted: Wanted, backtest: Backtest, folder: Path, *, tell: Tell) -> int:
    """Write every fit fix of a backtest as a task below `folder`; says how many.

    It is had from the backtest's folder: nothing is looked for or checked again. Raises: `Refused`.
    """
    try:
        folder.mkdir(parents=True, exist_ok=True)
    except OSError as problem:
        raise Refused(f"{folder} can't be written to: {problem.strerror}.") from problem
    source = kept_source(wanted)
    kept = {(each.look.checked.fix.base, each.look.checked.fix.head): each.look for each in looks_in(wanted.folder)}
    fit = [each for each in backtest.fixes if each.is_fit]
    known = [(each, kept.get((each.fix.base, each.fix.head))) for each in fit]
    return sum(_written(source, replace(look, checked=each), folder, tell) for each, look in known if look is not None)


def _written(source: Source, look: Look, folder: Path, tell: Tell) -> bool:
    fix = look.checked.fix
    try:
        with both_sides(source, fix, stop=lambda: False) as mirror:
            write_task(task_of(source, look, mirror), folder / as_name(fix.id))
    except (Refused, Gone, GitFailed) as refused:
        tell(f"{fix.name}: left out: {refused}")
        return False
    return True


def task_of(source: Source, look: Look, mirror: Mirror) -> RepositoryTask:
    """A fit fix as a task; the mirror holds both sides of it."""
    fix, paths, plan = look.checked.fix, frozenset(look.checked.judge_paths), look.plan or TestPlan("")
    before, after = (dict(files_of(mirror.archive(commit))) for commit in (fix.base, fix.head))
    changed = {file.path for file in mirror.changed_files(fix.base, fix.head)}
    solution: State = {path: after[path] for path in sorted(changed - paths) if path in after and not is_of_tests(path)}
    test = _anywhere(plan)
    return RepositoryTask(
        id=fix.id,
        title=fix.title,
        body=fix.body or fix.title,
        files=before,
        judge={path: after[path] for path in sorted(paths) if path in after},
        test=test,
        judge_test=source.judge_test(fix) or test,
        solution=solution,
        removed=tuple(sorted(path for path in changed if path not in after)),
    )


def _anywhere(plan: TestPlan) -> str:
    """The test command as it is run at the top of the repository."""
    return plan.test if plan.directory == "." else f"cd {shlex.quote(plan.directory)} && {plan.test}"
