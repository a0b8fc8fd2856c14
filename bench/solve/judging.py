"""The one judge of all systems: hidden tests, in a workspace of its own, on the files that a system left."""

from dataclasses import dataclass

from bench.solve.records import ProgramTask, Task
from bot.agent.checking import SOLUTION, Check, run_against
from bot.backtest.tasks import RepositoryTask, State
from bot.proof import run_tests
from bot.records import TestPlan, TestReport
from sandbox.contract import Limits, Sandbox, archive_of

TIMEOUT_S = 300.0
LIMITS = Limits(wall_s=TIMEOUT_S)


@dataclass(frozen=True, slots=True)
class Judge:
    """Runs tests, hidden and visible ones, in a sandbox. Raises `SandboxError` where that fails."""

    sandbox: Sandbox

    def verdicts(self, task: Task, states: tuple[State | None, ...]) -> tuple[bool, ...]:
        """Whether each state passes the hidden tests; one that is seen again is not run again."""
        known: list[tuple[State | None, bool]] = [(None, False)]
        found = []
        for state in states:
            verdict = next((passed for seen, passed in known if seen == state), None)
            if verdict is None:
                verdict = self.passes(task, state or {})
                known.append((state, verdict))
            found.append(verdict)
        return tuple(found)

    def passes(self, task: Task, state: State) -> bool:
        """Whether the hidden tests pass."""
        match task:
            case ProgramTask():
                file = state.get(SOLUTION)
                return file is not None and self.check(task, file.data.decode("utf-8", "replace")).passed
            case RepositoryTask():
                return self._tested({**state, **task.judge}, task.judge_test).is_green

    def check(self, task: ProgramTask, code: str) -> Check:
        """What the acceptance tests say of a program: names, exception types and messages."""
        return run_against(self.sandbox, code, task.judge)

    def visible(self, task: RepositoryTask, state: State) -> TestReport:
        """What the repository's own test command says of a tree."""
        return self._tested(state, task.test)

    def _tested(self, state: State, command: str) -> TestReport:
        with self.sandbox.open(limits=LIMITS) as workspace:
            workspace.put(archive_of(state))
            return run_tests(workspace, TestPlan(test=command), timeout_s=TIMEOUT_S)
