"""The agent alone: a task in, a program that runs (or passes tests) out. No repository, no GitHub."""

import ast
from collections.abc import Callable
from dataclasses import asdict, replace
from typing import Any

from bot.agent.alone.asking import Asking
from bot.agent.alone.examples import examples_of
from bot.agent.alone.hints import with_examples
from bot.agent.alone.solving import Search, Terms
from bot.agent.alone.testing import OwnTesting
from bot.agent.checking import run_against
from bot.agent.llm import Model
from bot.agent.openai_model import OpenAIModel
from bot.agent.prompts import prompt
from bot.agent.quoting import fenced
from bot.errors import ConfigError
from bot.records import DEFAULT_IMAGE, DEFAULT_MODEL, StopCheck
from sandbox import backends
from sandbox.contract import Sandbox, SandboxUnavailable


def run_agent(
    task: str,
    max_iterations: int = 5,
    model: Model | str | None = None,
    sandbox: Sandbox | None = None,
    *,
    candidates: int = 1,
    at_once: int = 1,
    generate_tests: bool = False,
    critic: Model | None = None,
    stop: StopCheck = lambda: False,
    tell: Callable[[str], None] = lambda _: None,
) -> dict[str, Any]:
    """Have a program written for a task: asked for, run, its errors fed back, until it ends with exit code 0.

    In each iteration up to `candidates` programs are drawn, until one passes, each asked for differently; up to
    `at_once` at the same time. It ends before `max_iterations` where the model has nothing new to say.

    With `generate_tests` the program must pass the examples in the task (doctests, lines as `f(1) == 2`); where there
    are none, the model first writes tests from the task, `critic` (or the model itself, in a talk of its own) reviews
    them, and the program must pass those that are kept. They are in the result as `tests`, and `dropped_tests` says
    which are not, and why.

    Returns `success`, `iterations`, `code`, `stdout`, `stderr`; `checked`, which says in a sentence what was checked;
    `tests_passed` and `tests_total`; `tokens`, `cost_usd` (None where the price is not known); `history`, a line for
    each iteration; and `calls`, every model call as JSON values, which `bot.agent.ReplayedModel` plays again.

    `model` is a model or the name of one that the openai package finds by OPENAI_API_KEY and OPENAI_BASE_URL. Raises
    `ConfigError` where no sandbox answers, or no key is set: code runs with your own rights only where you pass
    `sandbox.process.ProcessSandbox()` yourself. Raises `Unavailable` when the model's service or the sandbox fails,
    `Stopped` when `stop` says so.
    """
    box = sandbox or strongest_sandbox()
    asking = Asking(stop, at_once)
    asked = _model(model)
    own = OwnTesting(task, asked, critic or asked, asking)
    if generate_tests:
        own.write()
        tell(_told_of(own))
    terms = Terms(
        instructions=prompt("alone"),
        task=_with_tests(task, own),
        check=lambda code: own.check(box, code),
        rounds=max_iterations,
        candidates=candidates,
        at_once=at_once,
    )
    search = Search(terms, asked, asking, tell)
    while not search.is_over:
        search.one_round()
        if not search.best.check.passed and own.doubt(list(search.tried.values())):
            search.terms = replace(search.terms, task=_with_tests(task, own))
            search.look_again(own.again)
            tell(f"no program passed these tests, and the review now calls them wrong; {len(own.tests.tests)} are left")
    if not generate_tests:
        return _result(search, "It ran to its end with exit code 0; nothing else was checked.")
    kept = own.tests.tests
    return _result(search, _checked_by_own(own, len(kept)), tests=len(kept)) | {
        "tests": own.tests.source,
        "dropped_tests": [asdict(test) for test in own.dropped],
    }


def run_agent_with_tests(
    task: str,
    tests: str,
    max_iterations: int = 5,
    model: Model | str | None = None,
    sandbox: Sandbox | None = None,
    *,
    candidates: int = 1,
    at_once: int = 1,
    stop: StopCheck = lambda: False,
    tell: Callable[[str], None] = lambda _: None,
) -> dict[str, Any]:
    """Have a module written for a task, checked by tests that the model never sees; otherwise as `run_agent`.

    `tests` is Python: plain asserts, functions named `test…` without arguments, `unittest` classes; they find what the
    module defines by name, or `import solution`. The model is told a failing test's name, exception type and message;
    where an assertion has none, how many held before it and what its own function returned; and which of the examples
    in the task its module gets wrong.
    """
    if not tests.strip():
        raise ConfigError("the tests are empty: an empty test file would pass anything")
    try:
        ast.parse(tests)
    except SyntaxError as error:
        raise ConfigError(f"the tests do not parse: {error.msg}, line {error.lineno}") from error
    box, examples = sandbox or strongest_sandbox(), examples_of(task)
    terms = Terms(
        instructions=prompt("alone_tested"),
        task=task,
        check=lambda code: with_examples(box, code, run_against(box, code, tests), examples),
        rounds=max_iterations,
        candidates=candidates,
        at_once=at_once,
    )
    search = Search(terms, _model(model), Asking(stop, at_once), tell)
    while not search.is_over:
        search.one_round()
    return _result(search, "It passed the hidden tests.", tests=len(search.best.check.tests))


def strongest_sandbox() -> Sandbox:
    """The strongest sandbox that answers. Raises `ConfigError` where none does: the plain process is never chosen."""
    try:
        return backends.strongest(backends.Options(owner="selfcode", image=DEFAULT_IMAGE))
    except SandboxUnavailable as error:
        raise ConfigError(
            f"{error}\nOr pass sandbox=sandbox.process.ProcessSandbox(), which runs the model's code with your own "
            "rights: only for code that you trust"
        ) from error


def _model(given: Model | str | None) -> Model:
    return OpenAIModel(given or DEFAULT_MODEL) if given is None or isinstance(given, str) else given


def _with_tests(task: str, own: OwnTesting) -> str:
    if not own.tests.tests:
        return task
    return prompt("alone_own_tests").format(task=task, tests=fenced(own.tests.source, "python"))


def _told_of(own: OwnTesting) -> str:
    kept = len(own.tests.tests)
    if own.are_the_tasks:
        return f"tests: {kept} example{'s' if kept != 1 else ''} in the task"
    return f"tests of the model's own: {kept} kept, {len(own.dropped)} dropped in review"


def _checked_by_own(own: OwnTesting, kept: int) -> str:
    runs = "It ran to its end with exit code 0"
    if own.are_the_tasks:
        return f"{runs} and does what the task's own example{'s say' if kept != 1 else ' says'} ({kept})."
    count = len(own.dropped)
    gone = f"; {count} more {'were' if count != 1 else 'was'} dropped" if count else ""
    if not kept:
        return f"{runs}. No usable test came of the model{gone}: nothing else was checked."
    return f"{runs} and passed {kept} test{'s' if kept != 1 else ''} that the model wrote itself from the task{gone}."


def _result(search: Search, checked: str, *, tests: int = 0) -> dict[str, Any]:
    best, spend = search.best, search.asking.spend
    return {
        "success": best.check.passed,
        "iterations": len(search.history),
        "code": best.code,
        "stdout": best.check.stdout,
        "stderr": best.check.stderr,
        "checked": checked if best.check.passed else "",
        "tests_passed": best.check.passed_tests,
        "tests_total": tests,
        "tokens": spend.tokens,
        "cost_usd": spend.cost_usd,
        "history": search.history,
        "calls": search.asking.calls,
    }
