"""Tests that the model writes itself: taken apart, reviewed, passed, and dropped where they are wrong."""

from collections.abc import Sequence
from typing import Any

import pytest

from bot.agent import Reply, run_agent
from bot.agent.alone.own_tests import tests_of as parts_of
from bot.agent.alone.own_tests import verdicts
from sandbox.process import ProcessSandbox
from tests.agent.fakes import ScriptedModel, says

TASK = "Write double(x), and print double(4)."
RIGHT = "def double(x):\n    return 2 * x\n\nprint(double(4))\n"
WRONG = "def double(x):\n    return x\n\nprint(double(4))\n"
TESTS = "assert double(1) == 2\nassert double(0) == 0\nassert output.strip() == '8'\n"
KEEP_ALL = says("1: keep\n2: keep\n3: keep")


def code(text: str) -> Reply:
    return says(f"```python\n{text}```")


def solve(replies: Sequence[Reply], **rest: Any) -> tuple[dict[str, Any], ScriptedModel]:
    model = ScriptedModel(replies)
    return run_agent(TASK, 5, model, ProcessSandbox(), generate_tests=True, **rest), model


def test_a_program_must_pass_the_tests_that_the_model_wrote_before_it() -> None:
    result, model = solve([code(TESTS), KEEP_ALL, code(WRONG), code(RIGHT)])

    assert (result["success"], result["iterations"], result["stdout"]) == (True, 2, "8\n")
    assert (result["tests_passed"], result["tests_total"], result["dropped_tests"]) == (3, 3, [])
    assert result["tests"].startswith("def test_1():\n    assert double(1) == 2\n")
    assert "- test_1: AssertionError: double returned 1" in model.asked[3].last
    assert [call["for"] for call in result["calls"]] == ["tests", "review", "program", "program"]
    assert result["checked"] == (
        "It ran to its end with exit code 0 and passed 3 tests that the model wrote itself from the task."
    )


def test_the_tests_are_shown_to_whoever_writes_the_program() -> None:
    _, model = solve([code(TESTS), KEEP_ALL, code(RIGHT)])

    assert "assert double(1) == 2" in model.asked[2].last
    assert model.asked[2].last.startswith(TASK)


def test_tests_that_the_review_calls_wrong_are_dropped_before_a_program_is_asked_for() -> None:
    tests = "assert double(1) == 2\nassert double(3) == 7\n"

    result, model = solve([code(tests), says("1: keep\n2: drop, because 3 doubled is 6"), code(RIGHT)])

    assert (result["success"], result["iterations"], result["tests_total"]) == (True, 1, 1)
    assert result["dropped_tests"] == [
        {"source": "def test_2():\n    assert double(3) == 7", "why": "because 3 doubled is 6"}
    ]
    assert "double(3)" not in model.asked[2].last
    assert result["checked"].endswith("passed 1 test that the model wrote itself from the task; 1 more was dropped.")


def test_the_review_is_a_talk_of_its_own_and_the_critics_where_there_is_one() -> None:
    critic = ScriptedModel([says("1: keep\n2: keep\n3: drop, it is not asked for")], name="critic")

    result, model = solve([code(TESTS), code(RIGHT)], critic=critic)

    assert (len(model.asked), len(critic.asked), result["tests_total"]) == (2, 1, 2)
    assert [call["model"] for call in result["calls"]] == ["scripted", "critic", "scripted"]


def test_a_test_that_no_program_passes_is_doubted_once_and_dropped_where_it_is_wrong() -> None:
    tests = "assert double(1) == 2\nassert double(3) == 7\n"
    other = "def double(x):\n    return x + x\n\nprint(double(4))\n"
    replies = [code(tests), says("1: keep\n2: keep"), code(RIGHT), code(other), says("2: drop, 3 doubled is 6")]

    result, model = solve(replies)

    assert (result["success"], result["iterations"], len(model.asked)) == (True, 2, 5)
    assert (result["tests_passed"], result["tests_total"]) == (1, 1)
    assert [test["why"] for test in result["dropped_tests"]] == ["3 doubled is 6"]


def test_a_test_that_no_program_passes_and_the_review_upholds_stays() -> None:
    tests = "assert double(1) == 2\n"
    wrongs = [code(f"def double(x):\n    return {number}\n") for number in (5, 6)]

    result, _ = solve([code(tests), says("1: keep"), *wrongs, says("1: keep"), code(RIGHT)])

    assert [call["for"] for call in result["calls"]] == ["tests", "review", "program", "program", "review", "program"]
    assert (result["success"], result["iterations"], result["tests_total"]) == (True, 3, 1)


def test_without_a_test_that_can_be_used_it_says_that_running_is_all_that_was_checked() -> None:
    result, _ = solve([says("I can't."), code(RIGHT)])

    assert (result["success"], result["tests"], result["tests_total"]) == (True, "", 0)
    assert result["checked"] == (
        "It ran to its end with exit code 0. No usable test came of the model: nothing else was checked."
    )


def test_a_program_that_fails_by_itself_is_told_its_error_before_its_tests() -> None:
    _, model = solve([code(TESTS), KEEP_ALL, code("print(1 / 0)\n"), code(RIGHT)])

    assert "ZeroDivisionError" in model.asked[3].last


@pytest.mark.parametrize(
    ("written", "tests"),
    [
        ("assert f(1) == 2\nassert f(1)  ==  2  # again\n", ["assert f(1) == 2"]),
        ("def test_a():\n    x = f(1)\n    assert x == 2\n", ["x = f(1)\n    assert x == 2"]),
        ("from solution import f\nx = f(1)\nassert x == 2\n", ["x = f(1)\n    assert x == 2"]),
        ("a = 1\nb = 2\nassert f(b) == 2\n", ["b = 2\n    assert f(b) == 2"]),
        ("assert True\nassert 1 + 1 == 2\nassert len('a') == 1\n", []),
        ("import math\nassert math.pi > 3\nassert f(1) == math.pi\n", ["assert f(1) == math.pi"]),
        ("import solution\nassert solution.f(1) == 2\n", ["assert solution.f(1) == 2"]),
        ("def f(x): return 2\nassert f(1) == 2\n", []),
        ("def test_a():\n    f(1)\n", []),
        (f"assert f(1) == {'1 + ' * 5_000}1\n", []),
        ("print('x')\nassert f(1) ==\n", []),
    ],
)
def test_single_tests_are_found_with_what_they_need(written: str, tests: list[str]) -> None:
    found = parts_of(written).tests

    assert [test.source.split(":\n    ", 1)[1] for test in found] == tests
    assert [test.name for test in found] == [f"test_{number}" for number in range(1, len(tests) + 1)]


@pytest.mark.parametrize(
    ("review", "dropped"),
    [
        ("1: keep\n2: drop, because no", {"test_2": "because no"}),
        ("**test_1**: drop - wrong\n- 2. Keep", {"test_1": "wrong"}),
        ("`test 2`: DROP", {"test_2": "the review gave no reason"}),
        ("Both are fine; drop nothing.", {}),
        ("3: drop", {}),
        ("", {}),
    ],
)
def test_a_review_is_read_line_by_line_and_what_it_does_not_mention_is_kept(review: str, dropped: object) -> None:
    tests = parts_of("assert f(1) == 2\nassert f(2) == 3\n").tests

    assert verdicts(review, tests) == dropped
