"""The examples that a task gives itself: found, told where a module gets them wrong, and tests in place of others."""

from typing import Any

import pytest

from bot.agent import run_agent, run_agent_with_tests
from bot.agent.alone.examples import examples_of
from sandbox.process import ProcessSandbox
from tests.agent.fakes import ScriptedModel, says

TASK = """def binary(n):
    \"\"\"Write n in base two.

    >>> binary(5)
    '0b101'
    >>> binary(0)
    '0b0'
    \"\"\""""
WRONG = says("```python\ndef binary(n):\n    return f'{n:b}'\n```")
RIGHT = says("```python\ndef binary(n):\n    return bin(n)\n```")


@pytest.mark.parametrize(
    ("task", "examples"),
    [
        (">>> f(1)\n2\n", [("f(1)", "2")]),
        ('    >>> f([1, 2], key="a")\n    (1, 2)\n    """', [("f([1, 2], key='a')", "(1, 2)")]),
        (">>> round(f(1), 2) # about\n0.5\n", [("round(f(1), 2)", "0.5")]),
        ("f(1, 2) == 3 and so on", []),
        ("f(1, 2) == 3.", [("f(1, 2)", "3")]),
        ("* `f(1, 2)` => `3`", [("f(1, 2)", "3")]),
        ("f('a') ➞ True # for it is short", [("f('a')", "True")]),
        ("For example, f(-1) should return None.", [("f(-1)", "None")]),
        ("- f(0) returns [] (nothing)", [("f(0)", "[]")]),
        ("f(2) = 4, f(3) = 9", [("f(2)", "4")]),
        ("f(x) == 3", []),
        ("f(1) == g(2)", []),
        ("f(1) == f", []),
        ("def f(a: int) -> int:", []),
        ("a.f(1) == 2", []),
        ("f(1) == 2\nf(1) == 2\n", [("f(1)", "2")]),
        (">>> f(1)\n  2\n >>> f(", [("f(1)", "2")]),
        ('```python\ndef f(n):\n    """Double it.\n    >>> f(1)\n    2\n    """\n```\n', [("f(1)", "2")]),
        ("~~~\n    >>> f(1)\n    2\n~~~\n    >>> f(2)\n    4\n", [("f(1)", "2"), ("f(2)", "4")]),
        ("    >>> f(1)\n  2\n\n    >>> f(2)\n    4\n", [("f(2)", "4")]),
        ("Say hello.", []),
    ],
)
def test_examples_are_calls_with_literal_results(task: str, examples: list[tuple[str, str]]) -> None:
    assert [(found.call, found.result) for found in examples_of(task)] == examples


def test_the_model_is_told_which_examples_of_the_task_its_module_gets_wrong() -> None:
    model = ScriptedModel([WRONG, RIGHT])

    result = run_agent_with_tests(TASK, "assert binary(77) == bin(77)", 5, model, ProcessSandbox())

    assert (result["success"], result["iterations"], result["tests_total"]) == (True, 2, 1)
    assert (
        "Examples in the task that it gets wrong:\n"
        "- test_example_1: AssertionError: binary(5) should be '0b101', and is '101'\n"
        "- test_example_2: AssertionError: binary(0) should be '0b0', and is '0'"
    ) in model.asked[1].last


def test_hidden_tests_decide_whatever_the_examples_say() -> None:
    model = ScriptedModel([WRONG])

    result = run_agent_with_tests(TASK, "assert binary(5) == '101'", 5, model, ProcessSandbox())

    assert (result["success"], result["iterations"]) == (True, 1)


def test_where_no_tests_are_given_the_examples_are_the_tests_and_none_is_asked_for() -> None:
    model = ScriptedModel([WRONG, RIGHT])
    told: list[str] = []

    result: dict[str, Any] = run_agent(TASK, 5, model, ProcessSandbox(), generate_tests=True, tell=told.append)

    assert [call["for"] for call in result["calls"]] == ["program", "program"]
    assert (result["success"], result["tests_passed"], result["tests_total"]) == (True, 2, 2)
    assert told[0] == "tests: 2 examples in the task"
    assert result["checked"] == "It ran to its end with exit code 0 and does what the task's own examples say (2)."
