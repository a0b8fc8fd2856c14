"""Ours, as `selfcode solve` and `selfcode run` are: wired from settings, nothing but the publishing left out."""

import subprocess
import tempfile
import time
from collections.abc import Mapping
from pathlib import Path

from bench.solve.records import Budget, Endpoint, ProgramTask, Task, Tried, program
from bot import records
from bot.backtest.tasks import RepositoryTask, State
from bot.errors import Refused, Unavailable
from bot.records import Aim, Outcome, Reproduce
from bot.repository import Mirror
from bot.runs.local import run_locally
from bot.settings import Settings, read_settings
from bot.wire.commands import local_of, solve
from sandbox import tree
from sandbox.contract import archive_of, files_of


class Selfcode:
    """The agent of this repository. `settings` are by their names in the environment; `reproduce` None: the default.

    In `traces`, a folder, all that happens at a repository task is kept, for `selfcode trace --prompts FILE`.
    """

    name = "selfcode"

    def __init__(
        self, settings: Mapping[str, str], reproduce: Reproduce | None = None, traces: Path | None = None
    ) -> None:
        self._settings = settings
        self._reproduce = reproduce
        self._traces = traces

    def attempt(self, task: Task, endpoint: Endpoint, *, seed: int, budget: Budget) -> Tried:  # noqa: ARG002 - the meter sends it
        settings = read_settings({**self._settings, **_limits(endpoint, budget)})
        match task:
            case ProgramTask():
                return _write(task, settings, budget)
            case RepositoryTask():
                return self._repair(task, settings, time.monotonic() + budget.seconds)

    def _repair(self, task: RepositoryTask, settings: Settings, until: float) -> Tried:
        with tempfile.TemporaryDirectory(prefix="bench-") as folder:
            repository, mirror = Path(folder) / "repository", Mirror(Path(folder) / "mirror.git")
            make_repository(task, repository)
            issue = records.Task(title=task.title, body=task.body)
            local = local_of(
                settings,
                repository,
                issue,
                test=task.test,
                reproduce=self._reproduce,
                acceptance_tests=None,
                ask=None,
                stop=lambda: time.monotonic() > until,
                tell=lambda _: None,
            )
            try:
                result = run_locally(local).result
            except Refused as refused:
                return Tried((), str(refused), failed=True)
            base = mirror.fetch_branch(str(repository), "HEAD") or ""
            if self._traces is not None:
                self._traces.mkdir(parents=True, exist_ok=True)
                (self._traces / f"{task.id}.json").write_text(records.dump(result), encoding="utf-8")
            changes = [each.change for each in result.progress.iterations if each.aim is Aim.CHANGE]
            states = [_state(mirror, base, change.patch) for change in changes]
        why = f"{result.outcome}: {result.reason}"
        return Tried(tuple(states), why, failed=result.outcome in (Outcome.ERROR, Outcome.BASELINE_BROKEN))


def _limits(endpoint: Endpoint, budget: Budget) -> Mapping[str, str]:
    return {
        "SELFCODE_MODEL": endpoint.model,
        "OPENAI_BASE_URL": endpoint.base_url,
        "OPENAI_API_KEY": endpoint.api_key,
        "SELFCODE_MAX_ITERATIONS": str(budget.iterations),
        "SELFCODE_MAX_TOKENS": str(budget.tokens),
        "SELFCODE_MAX_MINUTES": str(budget.seconds / 60),
    }


def _write(task: ProgramTask, settings: Settings, budget: Budget) -> Tried:
    try:
        result = solve(
            settings,
            task.prompt,
            task.judge,
            own_tests=False,
            max_iterations=budget.iterations,
            tell=lambda _: None,
        )
    except Unavailable as away:
        return Tried((None,), str(away), failed=True)
    failing = (None,) * (result["iterations"] - 1)
    return Tried((*failing, program(result["code"])), "tests pass" if result["success"] else "iterations")


def make_repository(task: RepositoryTask, folder: Path) -> None:
    """A git repository on this machine with the task's base as its only commit."""
    folder.mkdir(parents=True)
    tree.unpack(archive_of(task.files), folder)
    who = ["-c", "user.name=bench", "-c", "user.email=bench@localhost", "-c", "commit.gpgsign=false"]
    for words in (["init", "-q", "-b", "main"], ["add", "-A", "-f"], [*who, "commit", "-q", "-m", "The base"]):
        subprocess.run(["git", "-C", str(folder), *words], check=True, capture_output=True)


def _state(mirror: Mirror, base: str, patch: str) -> State:
    made = mirror.apply(base, patch) if patch else base
    return dict(files_of(mirror.archive(made)))
