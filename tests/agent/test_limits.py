"""Limits are values, and near one the model is told to finish with what it has."""

import pytest

from bot.agent.asking import LITTLE_LEFT
from bot.agent.limits import near
from bot.records import Caps, Spend, Verdict
from tests.agent.fakes import ScriptedModel, calls, red, says
from tests.agent.runs import a_bench, change, judge, run

LOOK = says("```read\ncalc.py\n```\n")
LOOK_ELSEWHERE = says("```read\nREADME.md\n```\n")


@pytest.mark.parametrize(
    ("spend", "seconds", "calls_left", "words"),
    [
        (Spend(prompt_tokens=100), 0, None, ""),
        (Spend(prompt_tokens=900), 0, None, "100 more tokens"),
        (Spend(cost_usd=0.9), 0, None, "USD 0.10 more"),
        (Spend(cost_usd=None), 0, None, ""),
        (Spend(), 58 * 60, None, "2 more minutes"),
        (Spend(), 0, 3, ""),
        (Spend(), 0, 2, "2 more replies"),
        (Spend(), 0, 1, "1 more reply"),
    ],
)
def test_what_is_nearly_used_up_is_said_in_words(
    spend: Spend, seconds: int, calls_left: int | None, words: str
) -> None:
    caps = Caps(tokens=1_000, cost_usd=1.0, minutes=60, calls_per_iteration=20)

    assert near(spend, caps, seconds=seconds, calls_left=calls_left) == words


def warned(model: ScriptedModel) -> list[bool]:
    return [LITTLE_LEFT in asked.last for asked in model.asked]


def test_the_model_is_told_once_in_its_next_answer() -> None:
    model = ScriptedModel([LOOK, LOOK_ELSEWHERE, LOOK, LOOK_ELSEWHERE, says(change("a + b"))])

    run(model, a_bench(judge=judge), caps=Caps(tokens=420))

    assert warned(model) == [False, False, False, True]
    assert "60 more tokens. Finish now, with what you have." in model.asked[3].last


def test_or_in_the_opening_and_not_again_in_the_next_iteration() -> None:
    model = ScriptedModel([says(change(f"a * {number}")) for number in range(20)])
    nearer = [red(*(f"t::{name}" for name in range(left))) for left in range(20, 1, -1)]

    run(model, a_bench(reports=nearer), caps=Caps(tokens=1_700, iterations=20))

    assert (len(model.asked), warned(model).index(True), sum(warned(model))) == (15, 13, 1)


def test_the_last_calls_of_the_last_iteration_are_announced() -> None:
    model = ScriptedModel([LOOK, LOOK_ELSEWHERE, LOOK, LOOK_ELSEWHERE])

    run(model, a_bench(judge=judge), caps=Caps(iterations=1, calls_per_iteration=4))

    assert warned(model) == [False, False, True, False]


def test_a_tools_answer_carries_it_too() -> None:
    look = calls(("read", {"path": "calc.py"}))
    model = ScriptedModel([look])

    run(model, a_bench(judge=judge), caps=Caps(iterations=1, calls_per_iteration=3))

    assert warned(model) == [False, True, False]
    assert LITTLE_LEFT in (model.asked[2].messages[-3].content or "")


def test_a_limit_that_is_reached_ends_the_run_at_once_and_leaves_no_empty_iteration() -> None:
    model = ScriptedModel([says(change("a * b"))])

    progress = run(model, a_bench(judge=judge), caps=Caps(tokens=100))

    assert progress.verdict is Verdict.LIMIT
    assert progress.why == ("the limit of 100 tokens is reached (120 used); after the last: still failing: test_add")
    assert len(progress.iterations) == 1
