"""The agent alone: programs run in a real (process) sandbox, tests that the model never sees."""

from collections.abc import Sequence
from typing import Any

import pytest

from bot.agent import Reply, run_agent, run_agent_with_tests
from bot.agent.extracting import code_of
from bot.errors import ConfigError
from sandbox.process import ProcessSandbox
from tests.agent.fakes import ScriptedModel, cut_off, says
from tests.machines import where_no_sandbox_answers

TASK = "Write add(a, b)."
TESTS = "from solution import add\nassert add(1, 2) == 3, 'one and two'\nprint('ALL TESTS PASSED')\n"
RIGHT = "def add(a, b):\n    return a + b\n"
WRONG = "def add(a, b):\n    return a - b\n"


def code(text: str) -> Reply:
    return says(f"Here it is:\n\n```python\n{text}```\n")


def solve(replies: Sequence[Reply], tests: str = TESTS, **rest: Any) -> tuple[dict[str, Any], ScriptedModel]:
    model = ScriptedModel(replies)
    return run_agent_with_tests(TASK, tests, model=model, sandbox=ProcessSandbox(), **rest), model


# --- Without tests


def test_a_program_that_runs_is_done() -> None:
    result = run_agent("Say hello", model=ScriptedModel([code("print('hello')\n")]), sandbox=ProcessSandbox())

    assert result == {
        "success": True,
        "iterations": 1,
        "code": "print('hello')\n",
        "stdout": "hello\n",
        "stderr": "",
        "tokens": 120,
        "cost_usd": 0.001,
        "history": ["passed"],
    }


def test_the_errors_of_a_program_that_fails_are_fed_back() -> None:
    model = ScriptedModel([code("print(1 / 0)\n"), code("print(1)\n")])

    result = run_agent("Say 1", model=model, sandbox=ProcessSandbox())

    assert (result["success"], result["iterations"], result["stdout"]) == (True, 2, "1\n")
    assert "ZeroDivisionError: division by zero" in model.asked[1].last
    assert "print(1 / 0)" in (model.asked[1].messages[2].content or "")


def test_a_program_that_never_works_ends_at_the_limit() -> None:
    model = ScriptedModel([code(f"raise SystemExit({number})\n") for number in range(1, 9)])

    result = run_agent("x", 3, model, ProcessSandbox())

    assert (result["success"], result["iterations"]) == (False, 3)
    assert result["history"] == [f"The program ended with exit code {number}." for number in (1, 2, 3)]


# --- With hidden tests


def test_a_module_that_passes_the_hidden_tests_is_done() -> None:
    result, _ = solve([code(RIGHT)])

    assert (result["success"], result["iterations"], result["code"]) == (True, 1, RIGHT)
    assert result["stdout"].strip() == "ALL TESTS PASSED"


def test_names_exception_types_and_messages_are_fed_back_and_never_source() -> None:
    tests = "def test_sum_of_one_and_two():\n    secret = add(1, 2)\n    assert secret == 3, f'got {secret}'\n"

    result, model = solve([code(WRONG), code(RIGHT)], tests)

    assert (result["success"], result["iterations"]) == (True, 2)
    fed_back = model.asked[1].last
    assert "- test_sum_of_one_and_two: AssertionError: got -1" in fed_back
    assert "secret" not in fed_back
    assert "assert " not in fed_back


@pytest.mark.parametrize(
    "tests",
    [
        "def test_a():\n    assert add(1, 2) == 3\n",
        "import unittest\nclass A(unittest.TestCase):\n    def test_a(self):\n        self.assertEqual(add(1, 2), 3)\n",
        "import solution\nassert solution.add(1, 2) == 3\n",
        "async def test_a():\n    assert add(1, 2) == 3\n",
    ],
)
def test_tests_of_all_plain_kinds_are_run(tests: str) -> None:
    right, _ = solve([code(RIGHT)], tests)
    wrong, _ = solve([code(WRONG)], tests, max_iterations=1)

    assert (right["success"], wrong["success"]) == (True, False)
    assert "1 != 3" in wrong["history"][0] or "AssertionError" in wrong["history"][0]


@pytest.mark.parametrize(
    "cheat",
    [
        "import sys\nprint('ALL TESTS PASSED')\nsys.exit(0)\n",
        "import os\nprint('ALL TESTS PASSED', flush=True)\nos._exit(0)\n",
        "print('ALL TESTS PASSED')\ndef add(a, b):\n    raise SystemExit(0)\n",
        "import os\ndef add(a, b):\n    print('ALL TESTS PASSED', flush=True)\n    os._exit(0)\n",
        "import atexit, os\natexit.register(lambda: os._exit(0))\nprint('ALL TESTS PASSED')\nadd = print\n",
        "open('result.json', 'w').write('{\"token\": \"\", \"stage\": \"tested\"}')\nprint('ALL TESTS PASSED')\nexit()",
    ],
)
def test_a_solution_that_says_itself_that_it_passed_does_not_pass(cheat: str) -> None:
    result, _ = solve([code(cheat)], max_iterations=1)

    assert result["success"] is False


def test_the_hidden_source_is_gone_before_the_solution_runs() -> None:
    snoop = (
        "import os, sys\n"
        "for name in sorted(os.listdir('.')):\n"
        "    if os.path.isfile(name) and name != 'solution.py':\n"
        "        print(name, open(name).read())\n"
        "print(open('/proc/self/cmdline').read())\n"
        "raise RuntimeError('look')\n"
    )

    result, model = solve([code(snoop), code(RIGHT)])

    assert "one and two" not in result["stdout"]
    assert "one and two" not in model.asked[1].last
    assert "RuntimeError: look" in model.asked[1].last


def test_a_module_that_cant_be_imported_is_fed_back_with_its_own_lines() -> None:
    _, model = solve([code("def add(a, b):\n    return a +\n"), code("x = 1 / 0\n"), code(RIGHT)])

    assert "SyntaxError: invalid syntax" in model.asked[1].last
    assert 'File "solution.py", line 1' in model.asked[2].last
    assert "ZeroDivisionError" in model.asked[2].last


def test_a_module_that_writes_without_end_is_ended() -> None:
    result, _ = solve([code("while True:\n    print('x' * 100_000)\n")], max_iterations=1)

    assert (result["success"], result["history"]) == (False, ["The program wrote too much output."])


def test_the_main_block_of_a_module_is_not_run() -> None:
    result, _ = solve([code(f"{RIGHT}\nif __name__ == '__main__':\n    raise RuntimeError\n")])

    assert result["success"] is True


@pytest.mark.parametrize("tests", ["", "  \n", "def test(:\n"])
def test_tests_that_can_check_nothing_are_refused(tests: str) -> None:
    with pytest.raises(ConfigError):
        solve([code(RIGHT)], tests)


# --- Replies


def test_the_same_program_again_is_not_run_again_and_asked_for_differently() -> None:
    result, model = solve([code(WRONG), code(WRONG), code(WRONG), code(RIGHT)])

    assert (result["success"], result["iterations"]) == (True, 4)
    assert result["history"][1].startswith("the same program again; ")
    assert [asked.temperature for asked in model.asked] == [0.2, 0.2, pytest.approx(0.5), pytest.approx(0.8)]
    assert not [message for message in model.asked[2].messages if "return a - b" in (message.content or "")]
    assert "First say in one or two sentences" in model.asked[2].last


def test_a_reply_without_a_program_is_answered() -> None:
    result, model = solve([says("Certainly!"), cut_off("```python\ndef add("), code(RIGHT)])

    assert (result["success"], result["iterations"]) == (True, 3)
    assert "no complete ```python block" in model.asked[1].last
    assert "it was cut off" in model.asked[2].last
    assert [asked.max_tokens for asked in model.asked] == [8192, 8192, 16384]


@pytest.mark.parametrize(
    ("text", "found"),
    [
        ("```python\nx = 1\n```", "x = 1\n"),
        ("~~~~py\nx = 1\n~~~~", "x = 1\n"),
        ("```\nx = 1\n```", "x = 1\n"),
        ("x = 1\nprint(x)\n", "x = 1\nprint(x)\n"),
        ("```sh\npip install x\n```\n```python\nx = 1\n```\nIt prints:\n```\n1 2 3 4 5 6 7 8 9\n```", "x = 1\n"),
        ("```python\nimport x\n\nx = 1\n```\nUse it:\n```python\nx\n```", "import x\n\nx = 1\n"),
        ("Sure", None),
        ("Certainly! I can't.", None),
        ("```python\nx = 1\n", None),
        ("", None),
    ],
)
def test_the_program_is_found_in_a_reply(text: str, found: str | None) -> None:
    assert code_of(text) == found


def test_without_a_sandbox_it_says_what_to_do_and_never_takes_the_plain_process() -> None:
    told = where_no_sandbox_answers(
        "from bot.agent import run_agent\n"
        "from bot.errors import ConfigError\n"
        "from tests.agent.fakes import ScriptedModel, says\n"
        "try: run_agent('x', model=ScriptedModel([says('```python\\nx = 1\\n```')]))\n"
        "except ConfigError as told: print(told)\n"
    )

    assert told.startswith("no sandbox answers.\n")
    assert "sandbox=sandbox.process.ProcessSandbox()" in told
