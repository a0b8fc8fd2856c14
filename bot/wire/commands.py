"""What the commands on one's own machine work with: `run`, `solve`, `trace`."""

from collections.abc import Callable
from dataclasses import asdict
from pathlib import Path
from typing import Any

from bot.agent import run_agent, run_agent_with_tests
from bot.errors import ConfigError, Refused
from bot.records import Reproduce, StopCheck, Task
from bot.runs.doctor import Given
from bot.runs.hidden import hidden_tests_in
from bot.runs.lanes import places_of
from bot.runs.local import Ask, Local, LocalResult, kept_folder
from bot.runs.solving import Author
from bot.runs.store import Store
from bot.runs.traces import trace_in_file, trace_in_store
from bot.settings import Settings
from bot.wire.database import database_of, has_database, no_database
from bot.wire.models import agents_of, crew_of, model_of
from bot.wire.sandboxes import answering_sandbox, image_preparer, limits_of
from bot.writing.trace import Trace

SOLVE_CANDIDATES = 2
"""Programs drawn in an iteration of `selfcode solve` where the operator says nothing."""


def local_of(
    settings: Settings,
    repository: Path,
    task: Task,
    *,
    test: str,
    reproduce: Reproduce | None,
    acceptance_tests: Path | None,
    ask: Ask | None,
    stop: StopCheck,
    tell: Callable[[str], None],
) -> Local:
    """A local run. Raises `ConfigError` where a key is missing or the sandbox does not answer."""
    model_of(settings, settings.model)  # said now, and not once the tests of the base have run
    hidden = hidden_tests_in(acceptance_tests) if acceptance_tests else None
    if acceptance_tests and hidden is None:
        raise ConfigError(f"--acceptance-tests: there is no file in {acceptance_tests}")
    sandbox = answering_sandbox(settings)
    return Local(
        repository=repository,
        task=task,
        agent_for=agents_of(settings),
        crew=crew_of(settings),
        models=settings.models,
        sandbox=sandbox,
        prepare_image=image_preparer(settings, sandbox),
        image=settings.sandbox_image,
        caps=settings.caps,
        limits=limits_of(settings),
        author=Author("selfcode", "selfcode@localhost"),
        stop=stop,
        tell=tell,
        given=Given(test=test, directory="." if test else ""),
        reproduce=reproduce,
        hidden=hidden,
        ask=ask,
        secrets=settings.secrets(),
        places=places_of(sandbox, limits_of(settings)),
    )


def local_summary(done: LocalResult) -> dict[str, object]:
    """What `selfcode run --json` prints."""
    result = done.result
    return {
        "outcome": str(result.outcome),
        "reason": result.reason,
        "branch": done.branch or None,
        "base": result.base_sha,
        "head": result.head_sha or None,
        "iterations": len(result.progress.iterations),
        "tokens": result.progress.spend.tokens,
        "cached_tokens": result.progress.spend.cached_tokens,
        "cost_usd": result.progress.spend.cost_usd,
        "critic_tokens": result.progress.spend.critic_tokens,
        "critic_cost_usd": result.progress.spend.critic_cost_usd,
        "doubts": result.progress.doubts,
        "evidence": asdict(result.proof.evidence) if result.proof else None,
        "missing": list(result.proof.missing) if result.proof else [],
        "report": str(done.folder / "report.md"),
        "patch": result.progress.change.patch,
    }


def solve(
    settings: Settings,
    task: str,
    tests: str | None,
    *,
    own_tests: bool,
    max_iterations: int,
    tell: Callable[[str], None],
) -> dict[str, Any]:
    """The agent alone, on one script; with tests of its own where none are given. `tell`: a line for each iteration."""
    given: dict[str, Any] = {
        "max_iterations": max_iterations,
        "model": model_of(settings, settings.model),
        "sandbox": answering_sandbox(settings),
        "candidates": settings.candidates or SOLVE_CANDIDATES,
        "at_once": settings.candidates_at_once,
        "tell": tell,
    }
    if tests is None:
        critic = model_of(settings, settings.critic_model) if settings.critic_model else None
        return run_agent(task, generate_tests=own_tests, critic=critic, **given)
    return run_agent_with_tests(task, tests, **given)


def trace_on_disk(name: str) -> Path | None:
    """The file or folder that a name means: of a local run in the repository here, or where it is a path."""
    kept, path = _kept_here(name), Path(name)
    return kept or (path if path.exists() else None)


def _kept_here(name: str) -> Path | None:
    """The folder that a local run of this id has in the repository in which one stands."""
    try:
        folder = kept_folder(Path(), name)
    except Refused:
        return None
    return folder if name == Path(name).name and folder.is_dir() else None


def trace_named(settings: Settings, name: str) -> Trace:
    """The trace of a run by the beginning of its id, by the id that a local run in this repository has, or of a file or
    folder. Raises `Refused` where there is none.
    """
    path = trace_on_disk(name)
    if path is not None:
        return trace_in_file(path)
    if not has_database(settings):
        raise Refused(
            f"There is no run {name}: there is no such file or folder, `selfcode run` has kept none in the repository "
            f"here, and {no_database(settings)}"
        )
    return trace_in_store(Store(database_of(settings)), name)
