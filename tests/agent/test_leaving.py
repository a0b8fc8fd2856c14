"""A run may end with one question to a person, or with an answer to the issue: rarely, and never to get away."""

import json
from typing import Any

import pytest

from bot.agent import Dialect, Reply
from bot.agent.leaving import QUESTION_CHARS
from bot.agent.prompts import instructions, prompt
from bot.records import Aim, Caps, Note, Progress, Reproduce, Verdict
from tests.agent.fakes import ScriptedModel, a_task, calls, says
from tests.agent.runs import a_bench, a_start, a_test, change, judge, run

QUESTION = "Should add(None, 1) raise, or count None as 0?"
ANSWER = "add() subtracts on purpose: see calc.py."
LOOK = says("```read\ncalc.py\n```\n")
ASK, EXPLAIN = says(f"```ask\n{QUESTION}\n```\n"), says(f"```answer\n{ANSWER}\n```\n")
RIGHT = says(change("a + b"))
ANSWERED = a_task(asked=QUESTION, answered=(Note("ada", "It should raise."),))


def worked(model: ScriptedModel, **rest: Any) -> Progress:
    return run(model, a_bench(judge=judge), **{"reproduce": Reproduce.OFF, **rest})


def by_schema(**action: str) -> Reply:
    return says(json.dumps({"thought": "", "actions": [action]}))


@pytest.mark.parametrize(
    ("dialect", "look", "ask"),
    [
        (Dialect.FENCED, LOOK, ASK),
        (Dialect.NATIVE, calls(("read", {"path": "calc.py"})), calls(("ask", {"question": QUESTION}))),
        (Dialect.JSON, by_schema(action="read", path="calc.py"), by_schema(action="ask", question=QUESTION)),
    ],
)
def test_a_question_ends_the_run_in_every_dialect(dialect: Dialect, look: Reply, ask: Reply) -> None:
    progress = worked(ScriptedModel([look, ask]), dialect=dialect)

    assert (progress.verdict, progress.why) == (Verdict.QUESTION, QUESTION)
    assert progress.iterations[0].why_next == "a person has to decide"


@pytest.mark.parametrize(
    ("dialect", "look", "answer"),
    [
        (Dialect.FENCED, LOOK, EXPLAIN),
        (Dialect.NATIVE, calls(("read", {"path": "calc.py"})), calls(("answer", {"text": ANSWER}))),
        (Dialect.JSON, by_schema(action="read", path="calc.py"), by_schema(action="answer", text=ANSWER)),
    ],
)
def test_an_answer_ends_it_too(dialect: Dialect, look: Reply, answer: Reply) -> None:
    progress = worked(ScriptedModel([look, answer]), dialect=dialect)

    assert (progress.verdict, progress.why) == (Verdict.ANSWERED, ANSWER)
    assert progress.change.is_empty


@pytest.mark.parametrize(("reply", "verdict"), [(ASK, Verdict.QUESTION), (EXPLAIN, Verdict.ANSWERED)])
def test_both_end_it_while_a_test_is_asked_for(reply: Reply, verdict: Verdict) -> None:
    progress = worked(ScriptedModel([LOOK, reply]), reproduce=Reproduce.FIRST)

    assert progress.verdict is verdict
    assert [each.aim for each in progress.iterations] == [Aim.TEST]


@pytest.mark.parametrize(("reply", "verdict"), [(ASK, Verdict.QUESTION), (EXPLAIN, Verdict.ANSWERED)])
def test_who_has_not_looked_is_told_to_look_first_once(reply: Reply, verdict: Verdict) -> None:
    model = ScriptedModel([reply])

    progress = worked(model)

    assert (progress.verdict, len(model.asked)) == (verdict, 2)
    assert "Look first" in model.asked[1].last
    assert progress.iterations[0].calls[0].actions[0].ok is False


def test_what_was_looked_at_in_an_earlier_iteration_counts() -> None:
    model = ScriptedModel([LOOK, says("add(None, 1) raises already."), ASK])

    progress = worked(model, caps=Caps(calls_per_iteration=1))

    assert (progress.verdict, len(progress.iterations), len(model.asked)) == (Verdict.QUESTION, 2, 3)


@pytest.mark.parametrize("reply", [ASK, EXPLAIN])
def test_neither_is_taken_beside_a_change(reply: Reply) -> None:
    edit = "```python path=calc.py\ndef add(a, b):\n    return a + b\n```\n```read\ncalc.py\n```\n"
    model = ScriptedModel([says(edit), reply, reply, says("That is all.")])

    progress = worked(model)

    assert progress.verdict is Verdict.SOLVED
    assert "files are changed by now" in model.asked[2].last
    assert "files are changed by now" in model.asked[3].last


def test_a_change_that_was_taken_back_is_none() -> None:
    there = calls(("edit", {"path": "calc.py", "search": "a - b", "replace": "a + b"}), ("read", {"path": "calc.py"}))
    back = calls(("edit", {"path": "calc.py", "search": "a + b", "replace": "a - b"}))
    model = ScriptedModel([there, back, calls(("ask", {"question": QUESTION}))])

    assert worked(model, dialect=Dialect.NATIVE).verdict is Verdict.QUESTION


def test_a_model_that_finishes_a_change_and_asks_beside_has_finished() -> None:
    model = ScriptedModel([says(f"{change('a + b')}\n```finish\nDone.\n```\n\n```ask\n{QUESTION}\n```\n")])

    assert worked(model).verdict is Verdict.SOLVED


def test_an_answer_counts_for_nothing_beside_a_test_that_was_accepted_and_fails() -> None:
    model = ScriptedModel([says(a_test()), LOOK, EXPLAIN, says("The sign."), RIGHT])

    progress = worked(model, reproduce=Reproduce.FIRST)

    assert progress.verdict is Verdict.SOLVED
    assert "but the test in tests/test_add.py fails" in progress.iterations[1].why_next


def test_an_answer_is_not_for_a_change_that_people_look_at_already() -> None:
    idle = says("```finish\nNo more is to change.\n```\n")
    model = ScriptedModel([LOOK, EXPLAIN, idle])
    start = Progress(start=a_start(calc_py="def add(a, b):\n    return a + b\n"))

    progress = worked(model, progress=start)

    assert (progress.verdict, progress.why) == (Verdict.NOTHING_TO_DO, "No more is to change.")
    assert "there is a change already that people look at" in model.asked[2].last


# --- After an answer


def test_question_and_answer_stand_with_the_issue() -> None:
    model = ScriptedModel([RIGHT])

    worked(model, task=ANSWERED)

    told = model.asked[0].messages[1].content or ""
    assert f"An earlier run of yours asked:\n\n```text\n{QUESTION}\n```" in told
    assert "ada answered:\n\n```text\nIt should raise.\n```" in told


def test_a_further_question_is_asked_back_once() -> None:
    model = ScriptedModel([LOOK, ASK, ASK])

    progress = worked(model, task=ANSWERED)

    assert (progress.verdict, len(model.asked)) == (Verdict.QUESTION, 3)
    assert "People were asked before, and have answered" in model.asked[2].last


def test_a_question_is_one_and_bounded() -> None:
    model = ScriptedModel([LOOK, says(f"```ask\n{'Is it so, or so? ' * 1_000}\n```\n")])

    progress = worked(model)

    assert "Ask one question, in three sentences at most" in model.asked[2].last
    assert progress.verdict is Verdict.QUESTION
    assert len(progress.why) < QUESTION_CHARS + 100


# --- When the model hears of them


def test_a_small_model_hears_of_them_only_when_it_finishes_without_a_change() -> None:
    model = ScriptedModel([says("```finish\nIt is right.\n```\n")], window_tokens=4_096)

    worked(model)

    assert "`ask` block" not in str(model.asked[0].messages)
    assert "`ask` block" in model.asked[1].last
    assert model.asked[1].last.endswith("Else make the change now.")


@pytest.mark.parametrize("dialect", [Dialect.FENCED, Dialect.JSON])
def test_a_large_one_is_told_in_its_instructions_and_they_begin_as_ever(dialect: Dialect) -> None:
    assert instructions(dialect, 4_096) == instructions(dialect, None) == prompt(str(dialect))
    assert instructions(dialect, 200_000) == f"{prompt(str(dialect))}\n\n{prompt(f'ways_{dialect}')}"
    assert instructions(Dialect.NATIVE, 200_000) == prompt("native")


@pytest.mark.parametrize("dialect", ["fenced", "json", "native"])
def test_they_are_said_to_be_rarely_right(dialect: str) -> None:
    text = prompt(f"ways_{dialect}")

    assert "rarely right" in text
    assert "neither the issue nor the repository decides" in text
    assert "needs no code" in text


@pytest.mark.parametrize("reply", ["```ask\n\n```\n", "```answer\n```\n"])
def test_an_empty_one_is_none(reply: str) -> None:
    assert worked(ScriptedModel([says(reply)])).verdict is Verdict.GAVE_UP
