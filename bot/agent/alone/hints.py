"""What may be told of a program that hidden tests refuse: which of the task's own examples it gets wrong."""

from collections.abc import Sequence
from dataclasses import replace

from bot.agent.alone.examples import Example
from bot.agent.checking import Check, run_against
from sandbox.contract import Sandbox


def with_examples(sandbox: Sandbox, code: str, check: Check, examples: Sequence[Example]) -> Check:
    """The check, its problem with the examples that fail. They are no secret, and they decide nothing."""
    if check.passed or not check.tests or not examples:
        return check
    tests = "\n\n".join(example.as_test(f"test_example_{at}") for at, example in enumerate(examples, start=1))
    failed = [line for line in run_against(sandbox, code, tests).problem.splitlines() if line.startswith("- ")]
    if not failed:
        return check
    return replace(check, problem="\n".join((check.problem, "Examples in the task that it gets wrong:", *failed)))
