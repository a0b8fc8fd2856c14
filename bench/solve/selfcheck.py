"""Whether the tasks measure anything: known solutions pass their judges, and what is given does not."""

from collections.abc import Callable, Sequence

from bench.solve.judging import Judge
from bench.solve.records import ProgramTask, Task, program
from bot.backtest.tasks import RepositoryTask


def check(tasks: Sequence[Task], judge: Judge, tell: Callable[[str], None]) -> bool:
    """Judge every task's known solution and what a system begins with; say every fault, and whether there is none."""
    faults = [f"{task.id}: {fault}" for task in tasks for fault in _faults(task, judge)]
    for fault in faults:
        tell(fault)
    unknown = sum(not task.solution for task in tasks)
    tell(f"{len(tasks)} tasks checked, {len(faults)} faults; {unknown} without a known solution")
    return not faults


def _faults(task: Task, judge: Judge) -> Sequence[str]:
    match task:
        case ProgramTask():
            begun, solved = program(task.begun), program(task.solution)
        case RepositoryTask():
            begun, solved = task.files, task.solved
    faults = []
    if judge.passes(task, begun):
        faults.append("the judge passes where nothing was done")
    if task.solution and not judge.passes(task, solved):
        faults.append("the judge does not pass with the known solution")
    if isinstance(task, RepositoryTask) and not judge.visible(task, task.files).could_run:
        faults.append(f"the test command does not run on the base: {task.test}")
    return faults
