"""The agent alone: programs run in a real (process) sandbox, tests that the model never sees."""

from collections.abc import Sequence
from typing import Any

import pytest

from bot.agent import Reply, run_agent, run_agent_with_tests
from bot.agent.alone.programs import sameness
from bot.agent.extracting import code_of
from bot.errors import ConfigError
from bot.records import Usage
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

    del result["calls"]
    assert result == {
        "success": True,
        "iterations": 1,
        "code": "print('hello')\n",
        "stdout": "hello\n",
        "stderr": "",
        "checked": "It ran to its end with exit code 0; nothing else was checked.",
        "tests_passed": 0,
        "tests_total": 0,
        "tokens": 120,
        "cost_usd": 0.001,
        "history": ["passed"],
    }


def test_the_errors_of_a_program_that_fails_are_fed_back() -> None:
    model = ScriptedModel([code("print(1 / 0)\n"), code("print(1)\n")])

    result = run_agent("Say 1", model=model, sandbox=ProcessSandbox())

    assert (result["success"], result["iterations"], result["stdout"]) == (True, 2, "1\n")
    assert "ZeroDivisionError: division by zero" in model.asked[1].last
    assert "print(1 / 0)" in model.asked[1].last
    assert model.asked[1].last.startswith("Say 1\n\n")


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


def test_of_an_assertion_without_a_message_the_model_is_told_what_its_own_function_returned() -> None:
    tests = (
        "def check(candidate):\n"
        "    assert candidate(0, 0) == 0\n"
        "    assert sorted([candidate(2, 5)]) == [7]\n"
        "check(add)\n"
        "def test_own_words():\n    assert add(1, 1) == 2, 'one and one'\n"
    )

    result, model = solve([code(WRONG), code(RIGHT)], tests)

    fed_back = model.asked[1].last
    assert "- the tests' top level: AssertionError: 1 assertion held before it; add returned -3" in fed_back
    assert not [hidden for hidden in ("7", "5", "candidate", "sorted") if hidden in fed_back.split("tests failed")[1]]
    assert (result["success"], result["tests_passed"], result["tests_total"]) == (True, 2, 2)


def test_what_a_tests_own_function_returned_stays_hidden() -> None:
    _, model = solve([code(WRONG), code(RIGHT)], "def secret():\n    return 41\nassert secret() == add(40, 1)\n")

    assert "AssertionError: add returned 39" in model.asked[1].last
    assert "41" not in model.asked[1].last


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


def test_each_try_after_a_failure_is_asked_for_differently_and_warmer() -> None:
    wrongs = [code(f"def add(a, b):\n    return {number}\n") for number in range(10, 14)]

    result, model = solve([*wrongs, code(RIGHT)])

    assert (result["success"], result["iterations"]) == (True, 5)
    assert [call["approach"] for call in result["calls"]] == ["plain", "diagnosis", "afresh", "another", "diagnosis"]
    assert [asked.temperature for asked in model.asked] == [0.2, 0.4, 0.6, 0.8, 1.0]
    assert ["return " in asked.last for asked in model.asked] == [False, True, False, False, True]
    assert len({asked.last for asked in model.asked}) == 5


def test_a_program_that_differs_in_layout_and_comments_alone_is_not_run_again() -> None:
    again = 'def add(a, b):\n    """Adds."""\n    return (a - b)  # so\n'

    result, _ = solve([code(WRONG), code(again), code(RIGHT)])

    assert (result["success"], result["iterations"]) == (True, 3)
    assert result["history"][1].startswith("the same program again; ")


def test_a_program_that_is_too_deep_for_the_parser_is_known_by_its_lines() -> None:
    deep = f"x = {'1 + ' * 5_000}1"

    assert sameness(f"{deep}  \n") == sameness(deep) != sameness("x = 1")


def test_a_model_that_has_nothing_new_to_say_ends_before_the_limit() -> None:
    result, model = solve([code(WRONG)], max_iterations=50)

    assert (result["success"], result["iterations"], len(model.asked)) == (False, 5, 5)
    assert result["history"][-1].endswith(": nothing new comes any more")
    assert [asked.temperature for asked in model.asked] == [0.2, 0.4, 0.6, 0.8, 1.0]


def test_a_reply_without_a_program_is_answered() -> None:
    result, model = solve([says("Certainly!"), cut_off("```python\ndef add("), code(RIGHT)])

    assert (result["success"], result["iterations"]) == (True, 3)
    assert "no complete ```python block" in model.asked[1].last
    assert "it was cut off" in model.asked[2].last


def test_after_a_reply_without_a_program_what_failed_before_is_still_told() -> None:
    _, model = solve([code(WRONG), code("def add(a, b):\n    return 7\n"), says("Certainly!"), code(RIGHT)])

    told = model.asked[3].last
    assert told.startswith(TASK)
    before, without = told.index("2 attempts at this failed."), told.index("no complete ```python block")
    assert before < told.index("AssertionError", before) < without


def test_where_nothing_ran_yet_a_reply_without_a_program_is_answered_with_that_alone() -> None:
    _, model = solve([says("Certainly!"), code(RIGHT)])

    assert "failed" not in model.asked[1].last.removeprefix(TASK)


def test_the_room_for_a_reply_follows_from_the_replies_before() -> None:
    short = says("x", usage=Usage(10, 20))
    long = says("x", usage=Usage(10, 3000))

    _, model = solve([short, cut_off("x"), long, code(RIGHT)])

    assert [asked.max_tokens for asked in model.asked] == [8192, 2048, 4096, 12_000]


def test_a_reply_that_loops_gets_no_more_room() -> None:
    looped = cut_off("print('the same again, and once more')\n" * 30)

    _, model = solve([says("x", usage=Usage(10, 20)), looped, code(RIGHT)])

    assert [asked.max_tokens for asked in model.asked] == [8192, 2048, 2048]


def test_a_model_with_a_small_window_is_asked_for_short_replies() -> None:
    model = ScriptedModel([code(RIGHT)], window_tokens=4096)

    run_agent_with_tests(TASK, TESTS, 5, model, ProcessSandbox())

    assert model.asked[0].max_tokens == 1024


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
