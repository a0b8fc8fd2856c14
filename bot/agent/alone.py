"""The agent alone: a task in, a program that runs (or passes hidden tests) out. No repository, no GitHub."""

import ast
from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Any

from bot.agent.checking import Check, run_against, run_alone
from bot.agent.extracting import code_of
from bot.agent.llm import Message, Model, Reply, assistant, system, user
from bot.agent.openai_model import OpenAIModel
from bot.agent.prompts import prompt
from bot.agent.thinking import without_thinking
from bot.errors import ConfigError, Unavailable
from bot.records import Spend, StopCheck
from sandbox import backends
from sandbox.contract import Sandbox, SandboxError, SandboxUnavailable, clipped

DEFAULT_MODEL = "gpt-5-mini"
DEFAULT_IMAGE = "selfcode-sandbox"
TEMPERATURE = 0.2
WARMER_BY = 0.3
WARMEST = 1.0
REPLY_TOKENS = 8_192
LONGEST_REPLY_TOKENS = 32_768
KEPT_CHARS = 24_000


def run_agent(
    task: str,
    max_iterations: int = 5,
    model: Model | str | None = None,
    sandbox: Sandbox | None = None,
    *,
    stop: StopCheck = lambda: False,
    tell: Callable[[str], None] = lambda _: None,
) -> dict[str, Any]:
    """Have a program written for a task: asked for, run, its errors fed back, until it ends with exit code 0.

    Returns `success`, `iterations`, `code`, `stdout`, `stderr`; and `tokens`, `cost_usd` (None where the price is not
    known) and `history`, a line for each iteration. `model` is a model or the name of one that the openai package finds
    by OPENAI_API_KEY and OPENAI_BASE_URL. Raises `ConfigError` where no sandbox answers, or no key is set: code runs
    with your own rights only where you pass `sandbox.process.ProcessSandbox()` yourself. Raises `Unavailable` when the
    model's service or the sandbox fails, `Stopped` when `stop` says so.
    """
    box = sandbox or strongest_sandbox()
    return _solve(
        task,
        "alone",
        lambda code: run_alone(box, code),
        max_iterations=max_iterations,
        model=model,
        stop=stop,
        tell=tell,
    )


def run_agent_with_tests(
    task: str,
    tests: str,
    max_iterations: int = 5,
    model: Model | str | None = None,
    sandbox: Sandbox | None = None,
    *,
    stop: StopCheck = lambda: False,
    tell: Callable[[str], None] = lambda _: None,
) -> dict[str, Any]:
    """Have a module written for a task, checked by tests that the model never sees; otherwise as `run_agent`.

    `tests` is Python: plain asserts, functions named `test…` without arguments, `unittest` classes; they find what the
    module defines by name, or `import solution`. The model is told a failing test's name, exception type and message.
    """
    if not tests.strip():
        raise ConfigError("the tests are empty: an empty test file would pass anything")
    try:
        ast.parse(tests)
    except SyntaxError as error:
        raise ConfigError(f"the tests do not parse: {error.msg}, line {error.lineno}") from error
    box = sandbox or strongest_sandbox()
    return _solve(
        task,
        "alone_tested",
        lambda code: run_against(box, code, tests),
        max_iterations=max_iterations,
        model=model,
        stop=stop,
        tell=tell,
    )


def strongest_sandbox() -> Sandbox:
    """The strongest sandbox that answers. Raises `ConfigError` where none does: the plain process is never chosen."""
    try:
        return backends.strongest(backends.Options(owner="selfcode", image=DEFAULT_IMAGE))
    except SandboxUnavailable as error:
        raise ConfigError(
            f"{error}\nOr pass sandbox=sandbox.process.ProcessSandbox(), which runs the model's code with your own "
            "rights: only for code that you trust"
        ) from error


@dataclass(frozen=True, slots=True)
class _Feedback:
    """What was wrong: in a line for the history, and in full for the model."""

    headline: str
    text: str


@dataclass(slots=True)
class _Attempts:
    """What has been tried: programs by their text, the last one's check, and how often the last was sent again."""

    spend: Spend = field(default_factory=Spend)
    history: list[str] = field(default_factory=list)
    tried: dict[str, Check] = field(default_factory=dict)
    code: str = ""
    check: Check = field(default_factory=lambda: Check("there was no program", "", ""))
    reply_tokens: int = REPLY_TOKENS
    repeats: int = 0


def _solve(
    task: str,
    instructions: str,
    check: Callable[[str], Check],
    *,
    max_iterations: int,
    model: Model | str | None,
    stop: StopCheck,
    tell: Callable[[str], None],
) -> dict[str, Any]:
    asked = OpenAIModel(model or DEFAULT_MODEL) if model is None or isinstance(model, str) else model
    opening = (system(prompt(instructions)), user(task))
    messages = list(opening)
    attempts = _Attempts()
    for number in range(1, max_iterations + 1):
        reply = asked.complete(
            messages,
            tools=None,
            temperature=min(TEMPERATURE + WARMER_BY * attempts.repeats, WARMEST),
            max_tokens=attempts.reply_tokens,
            stop=stop,
        )
        attempts.spend = attempts.spend.plus(reply.usage)
        words = without_thinking(reply.text or "")
        feedback = _attempt(attempts, reply, words, check)
        attempts.history.append(feedback.headline if feedback else "passed")
        tell(f"iteration {number} of {max_iterations}: {attempts.history[-1]}")
        if feedback is None:
            break
        messages = _next_messages(opening, attempts, words, feedback)
    return _result(attempts)


def _attempt(attempts: _Attempts, reply: Reply, words: str, check: Callable[[str], Check]) -> _Feedback | None:
    """Try the reply's program. One that was tried before is not run again; None where it passed."""
    code = code_of(words, is_truncated=reply.is_truncated)
    if code is None:
        return _no_code(attempts, reply)
    attempts.repeats = attempts.repeats + 1 if code in attempts.tried else 0
    if not attempts.repeats:
        try:
            attempts.check = check(code)
        except SandboxError as error:
            raise Unavailable(f"the sandbox failed: {error}") from error
        attempts.code, attempts.tried[code] = code, attempts.check
    problem = attempts.tried[code].problem
    if not problem:
        return None
    repeated = "the same program again; " if attempts.repeats else ""
    return _Feedback(repeated + _headline(problem), prompt("alone_failed").format(problem=problem))


def _no_code(attempts: _Attempts, reply: Reply) -> _Feedback:
    """Ask for a program, with more room where the reply was cut off."""
    why = f": {reply.detail}" if reply.detail else ""
    if reply.is_truncated:
        attempts.reply_tokens = min(attempts.reply_tokens * 2, LONGEST_REPLY_TOKENS)
        why = ": it was cut off"
    return _Feedback(f"no program in the reply{why}", prompt("alone_no_code").format(why=why))


def _next_messages(
    opening: tuple[Message, Message], attempts: _Attempts, words: str, feedback: _Feedback
) -> list[Message]:
    """Show the last attempt and its errors; after a repeat the errors alone: the wrong code stays out of sight."""
    instructions, task = opening
    if attempts.repeats:
        text = prompt("alone_again").format(count=len(attempts.history), problem=attempts.check.problem)
        return [instructions, user(f"{task.content}\n\n{text}")]
    if not words:
        return [instructions, user(f"{task.content}\n\n{feedback.text}")]
    return [instructions, task, assistant(clipped(words, KEPT_CHARS)), user(feedback.text)]


def _headline(problem: str) -> str:
    lines = [line.strip() for line in problem.splitlines() if line.strip()]
    return " … ".join(dict.fromkeys((lines[0], lines[-1])))[:200]


def _result(attempts: _Attempts) -> dict[str, Any]:
    return {
        "success": attempts.check.passed,
        "iterations": len(attempts.history),
        "code": attempts.code,
        "stdout": attempts.check.stdout,
        "stderr": attempts.check.stderr,
        "tokens": attempts.spend.tokens,
        "cost_usd": attempts.spend.cost_usd,
        "history": attempts.history,
    }
