"""The agent's loop, against a workbench in memory and a model that follows a script."""

import itertools
import json
from collections.abc import Callable, Mapping
from functools import partial
from typing import Any

import pytest

from bot.agent import Agent, Dialect, Reply, Role, ToolCall
from bot.agent.llm import NO_CHOICE, NO_TOOLS, TOO_LONG
from bot.agent.probing import Remembered
from bot.errors import Stopped, Unavailable
from bot.records import Caps, Progress, Task, TestReport, Usage, Verdict, dump, load
from tests.agent.fakes import FakeWorkbench, ScriptedModel, a_task, calls, cut_off, green, never, red, says

CALC = b"def add(a, b):\n    return a - b\n"
FIXED = b"def add(a, b):\n    return a + b\n"


def fix(body: str, test: str = "test_add") -> str:
    """A whole reply: the change, a test, and the end."""
    return f"""The sign is wrong.

```python path=calc.py
def add(a, b):
    return {body}
```

```python path=tests/{test}.py
from calc import add


def test_add():
    assert add(1, 2) == 3
```

```finish
add() adds now.
```
"""


RIGHT, WRONG, WORSE = fix("a + b"), fix("a * b"), fix("b - a")
EDIT = ("edit", {"path": "calc.py", "search": "a - b", "replace": "a + b"})
FINISH = ("finish", {"summary": "add() adds now"})


def a_bench(**rest: object) -> FakeWorkbench:
    return FakeWorkbench({"calc.py": CALC, "README.md": b"# calc\n"}, **rest)  # type: ignore[arg-type]


def judge(files: Mapping[str, bytes]) -> TestReport:
    return green() if b"a + b" in files["calc.py"] else red()


def an_agent(model: ScriptedModel, **rest: Any) -> Agent:
    """An agent that knows already that its model makes tool calls."""
    return Agent(model, habits=Remembered({model.name: Dialect.NATIVE}), **rest)


def work(
    model: ScriptedModel,
    bench: FakeWorkbench,
    *,
    caps: Caps | None = None,
    task: Task | None = None,
    baseline: TestReport | None = None,
    dialect: Dialect = Dialect.AUTO,
    times: int = 9,
) -> Progress:
    """Iterate as a run does: each time from what was stored, with an agent of its own."""
    stored = dump(Progress())
    for _ in range(times):
        agent, progress = an_agent(model, dialect=dialect), load(Progress, stored)
        told = task or a_task()
        after = agent.iterate(told, progress, bench, caps=caps or Caps(), baseline=baseline, stop=never)
        stored = dump(after)
        if after.verdict:
            break
    return load(Progress, stored)


# --- One iteration


def test_a_reply_with_edits_and_finish_is_one_iteration_and_one_call() -> None:
    model, bench = ScriptedModel([says(RIGHT)]), a_bench()

    progress = work(model, bench)

    assert (progress.verdict, progress.why) == (Verdict.SOLVED, "add() adds now.")
    assert bench.files["calc.py"] == FIXED
    assert (len(model.asked), bench.tests_run) == (1, 1)


def test_a_fenced_reply_that_only_edits_needs_no_finish() -> None:
    model, bench = ScriptedModel([says(RIGHT.split("```finish", maxsplit=1)[0])]), a_bench()

    progress = work(model, bench)

    assert progress.verdict is Verdict.SOLVED
    assert progress.iterations[0].summary == "The sign is wrong."
    assert len(model.asked) == 1


def test_a_fenced_reply_that_looks_at_something_is_answered_first() -> None:
    model, bench = ScriptedModel([says("```read\ncalc.py\n```\n"), says(RIGHT)]), a_bench()

    progress = work(model, bench)

    assert progress.verdict is Verdict.SOLVED
    assert "return a - b" in model.asked[1].last
    assert model.asked[1].messages[-1].role is Role.USER
    assert not model.asked[1].last.startswith("Iteration")


def test_native_tool_calls_do_the_same() -> None:
    model, bench = ScriptedModel([calls(("read", {"path": "calc.py"})), calls(EDIT, FINISH)]), a_bench()

    progress = work(model, bench)

    assert (progress.verdict, progress.why) == (Verdict.SOLVED, "add() adds now")
    assert model.asked[1].messages[-1].role is Role.TOOL
    assert "return a - b" in model.asked[1].last
    assert bench.files["calc.py"] == FIXED


def test_words_after_an_edit_end_the_iteration() -> None:
    model, bench = ScriptedModel([calls(EDIT), says("That should do.")]), a_bench()

    progress = work(model, bench)

    assert (progress.verdict, progress.iterations[0].summary) == (Verdict.SOLVED, "That should do.")


def test_the_calls_an_iteration_are_limited_and_what_was_changed_is_tested() -> None:
    model, bench = ScriptedModel([calls(EDIT), calls(("read", {"path": "calc.py"}))]), a_bench()

    progress = work(model, bench, caps=Caps(calls_per_iteration=4))

    assert progress.verdict is Verdict.SOLVED
    assert len(progress.iterations[0].calls) == 4


def test_broken_arguments_are_answered_and_the_other_calls_of_the_batch_go_on() -> None:
    model = ScriptedModel([calls(("read", '{"path": "src/a'), ("read", {"path": "calc.py"})), calls(EDIT, FINISH)])

    progress = work(model, a_bench())

    first, second = model.asked[1].messages[-2:]
    assert "read was not run" in (first.content or "")
    assert "return a - b" in (second.content or "")
    assert progress.verdict is Verdict.SOLVED


# --- From iteration to iteration


def test_a_failing_test_opens_the_next_iteration() -> None:
    model, bench = ScriptedModel([says(WRONG), says(RIGHT)]), a_bench(judge=judge)

    progress = work(model, bench)

    assert progress.verdict is Verdict.SOLVED
    assert model.asked[0].opening.startswith("Iteration 1 of 5.\n")
    assert model.asked[1].opening.startswith("Iteration 2 of 5.\n")
    assert "assert -1 == 3" in model.asked[1].opening
    assert "return a * b" in model.asked[1].opening
    assert [iteration.number for iteration in progress.iterations] == [1, 2]
    assert progress.iterations[0].why_next == "still failing: test_add"


def test_the_prefix_stays_the_same_to_the_letter_though_the_files_change() -> None:
    model = ScriptedModel([says(WRONG), says(WORSE), says(RIGHT)])

    work(model, a_bench(judge=judge), dialect=Dialect.FENCED)

    first, second, third = (asked.messages for asked in model.asked)
    assert first[:3] == second[:3] == third[:3]
    assert second[: len(first)] == first


def test_the_last_two_iterations_stay_whole_and_earlier_ones_become_a_bullet() -> None:
    model = ScriptedModel([says(fix(f"a * {number}")) for number in range(1, 5)])
    nearer = [red(*(f"tests/test_calc.py::test_{name}" for name in names)) for names in ("abc", "ab", "a", "")]

    work(model, a_bench(reports=nearer), caps=Caps(iterations=4))

    said = [message.content for message in model.asked[3].messages if message.role is Role.ASSISTANT]
    assert [text for text in said if text and "return a * 1" in text] == []
    assert [text for text in said if text and "return a * 2" in text] == [fix("a * 2").strip()]
    assert [text for text in said if text and "return a * 3" in text] == [fix("a * 3").strip()]
    assert "- 1: add() adds now.; 0 passed, 3 failed; failed: tests/test_calc.py::test_a, " in model.asked[3].opening


def test_native_history_answers_every_tool_call() -> None:
    wrong = ("edit", {"path": "calc.py", "search": "a - b", "replace": "a * b"})
    right = ("edit", {"path": "calc.py", "search": "a * b", "replace": "a + b"})
    model = ScriptedModel([calls(wrong, FINISH), calls(right, FINISH)])

    work(model, a_bench(judge=judge))

    messages = model.asked[1].messages
    asked = [call.id for message in messages for call in message.tool_calls]
    answered = [message.tool_call_id for message in messages if message.role is Role.TOOL]
    assert asked == answered == ["c0", "c1"]


def test_green_tests_with_an_objection_go_on_with_its_words() -> None:
    model = ScriptedModel([says(RIGHT), says(fix("a + b", "test_sum"))])
    bench = a_bench(objections=["no test was added that fails without the change"])

    progress = work(model, bench)

    assert progress.verdict is Verdict.SOLVED
    assert progress.iterations[0].why_next == "the tests pass, but: no test was added that fails without the change"
    assert "No test was added" not in model.asked[0].opening
    assert "but: no test was added that fails without the change" in model.asked[1].opening


def test_an_objection_that_is_open_at_the_last_iteration_is_named() -> None:
    bench = a_bench(objections=["no test was added"])

    progress = work(ScriptedModel([says(RIGHT)]), bench, caps=Caps(iterations=1))

    assert (progress.verdict, progress.why) == (Verdict.SOLVED, "add() adds now.")
    assert progress.iterations[-1].why_next == "the tests pass, but: no test was added"


def test_a_change_that_passes_but_lacks_a_test_is_not_lost_when_the_model_repeats_it_and_then_gives_in() -> None:
    idle = says("```finish\nNothing more.\n```\n")
    bench = a_bench(judge=judge, objections=["no test was added"] * 9)

    progress = work(ScriptedModel([says(RIGHT), says(RIGHT), idle, idle, idle, idle, idle]), bench)

    assert progress.verdict is Verdict.SOLVED
    assert progress.change.patch == progress.iterations[0].change.patch
    assert bench.files["calc.py"] == FIXED


def test_a_later_try_that_fails_falls_back_to_the_change_that_passed() -> None:
    bench = a_bench(judge=judge, objections=["no test was added"])

    progress = work(ScriptedModel([says(RIGHT), says(WRONG)]), bench, caps=Caps(iterations=2))

    assert (progress.verdict, progress.why) == (Verdict.SOLVED, "add() adds now.")
    assert progress.change.patch == progress.iterations[0].change.patch
    assert "back to the change of iteration 1" in progress.iterations[-1].why_next


# --- Nothing changed, nothing usable


def test_a_model_that_changes_nothing_is_asked_once_whether_that_is_so() -> None:
    model, bench = (
        ScriptedModel([says("```finish\nIt works.\n```\n"), says("```finish\nReally works.\n```\n")]),
        a_bench(),
    )

    progress = work(model, bench)

    assert (progress.verdict, progress.why) == (Verdict.NOTHING_TO_DO, "Really works.")
    assert (len(model.asked), bench.tests_run) == (2, 0)
    assert "Is really no change needed?" in model.asked[1].last


def test_a_model_that_thinks_again_goes_on() -> None:
    progress = work(ScriptedModel([calls(("finish", {"summary": "fine"})), calls(EDIT, FINISH)]), a_bench())

    assert progress.verdict is Verdict.SOLVED


def test_a_model_that_writes_the_files_as_they_are_is_told_so_and_not_believed() -> None:
    same = says(f"```python path=calc.py\n{CALC.decode()}```\n\n```finish\nMended.\n```\n")
    model, bench = ScriptedModel([same]), a_bench()

    progress = work(model, bench)

    assert progress.verdict is Verdict.STUCK
    assert "leaves every file exactly as it was" in model.asked[1].last
    assert len(progress.iterations[0].calls) == 2
    assert progress.iterations[0].why_next == "no file differs from the base"
    assert len(progress.iterations) == 4


def test_an_edit_that_is_taken_back_is_no_change_and_runs_no_test() -> None:
    back = ("edit", {"path": "calc.py", "search": "a + b", "replace": "a - b"})
    model, bench = ScriptedModel([calls(EDIT), calls(back), calls(FINISH)]), a_bench()

    progress = work(model, bench, caps=Caps(iterations=1))

    assert (progress.verdict, bench.tests_run) == (Verdict.LIMIT, 0)
    assert "no file differs from the base" in progress.why


@pytest.mark.parametrize(
    ("reply", "words"),
    [
        (says("Certainly! Here is the file: <source>x</source>"), "no edit and no other action"),
        (says("```python\nx = 1\n```\n"), "no path"),
        (says("```python path=calc.py\nx = "), "no end"),
        (cut_off("```python path=calc.py\nx = 1\n```\n"), "cut off"),
        (says(None, finish_reason="content_filter"), "content filter"),
        (says(""), "empty"),
        (cut_off(None), "cut off at its length limit before it said anything"),
        (says("<think>I wonder about x. ```python path=calc.py</think>"), "reasoning alone"),
    ],
)
def test_a_reply_that_cant_be_used_is_answered_twice_with_what_was_wrong(reply: Reply, words: str) -> None:
    model, bench = ScriptedModel([reply]), a_bench()

    progress = work(model, bench)

    assert progress.verdict is Verdict.GAVE_UP
    assert "no usable reply 3 times in a row" in progress.why
    assert len(model.asked) == 3
    assert words in model.asked[1].last
    assert words in model.asked[2].last
    assert (bench.files["calc.py"], bench.tests_run) == (CALC, 0)


def test_a_model_that_answers_the_complaint_goes_on() -> None:
    model = ScriptedModel([says("I would change calc.py."), says("Well."), says(RIGHT)])

    assert work(model, a_bench()).verdict is Verdict.SOLVED


def test_the_third_try_is_warmer() -> None:
    model = ScriptedModel([says("No.")])

    work(model, a_bench())

    assert [asked.temperature for asked in model.asked] == [0.2, 0.2, 0.8]


def test_a_reply_that_was_cut_off_gets_more_room_and_not_the_same_question() -> None:
    model = ScriptedModel([cut_off(None), says(RIGHT)])

    work(model, a_bench())

    first, second = model.asked
    assert (first.max_tokens, second.max_tokens) == (8192, 16384)
    assert first.messages != second.messages


def test_a_reply_that_says_the_same_until_it_is_cut_off_gets_no_more_room() -> None:
    again = "assert add(1, 2) == 3, 'they are added'\n"
    model = ScriptedModel([cut_off(again * 20 + again[:7]), says(RIGHT)])

    work(model, a_bench())

    assert [asked.max_tokens for asked in model.asked] == [8192, 8192]


def test_tool_calls_that_were_cut_off_get_more_room_too() -> None:
    half = ToolCall("c0", "write", '{"path": "calc.py", "content": "def add')
    model = ScriptedModel([says(None, finish_reason="length", tool_calls=(half,)), calls(EDIT, FINISH)])

    progress = work(model, a_bench())

    assert progress.verdict is Verdict.SOLVED
    assert [asked.max_tokens for asked in model.asked] == [8192, 16384]
    assert "write was not run" in model.asked[1].last


def test_an_answer_without_choices_is_asked_for_again() -> None:
    nothing = Reply(None, (), NO_CHOICE, Usage(), '{"choices": []}', "the server sent no choice")
    model = ScriptedModel([nothing, says(RIGHT)])

    progress = work(model, a_bench())

    assert progress.verdict is Verdict.SOLVED
    assert "no reply (the server sent no choice)" in progress.iterations[0].calls[0].problem


def test_the_same_useless_reply_again_and_again_ends_the_run() -> None:
    model = ScriptedModel([calls(("edit", {"path": "calc.py", "search": "nowhere", "replace": "x"}))])

    progress = work(model, a_bench())

    assert progress.verdict is Verdict.GAVE_UP
    assert "the same reply 3 times" in progress.why
    assert "not in the file" in progress.why
    assert len(model.asked) == 3


def test_reasoning_is_set_aside_and_kept_in_the_trace() -> None:
    model = ScriptedModel([says(f"<think>First ```python path=b.py\nx\n``` no.</think>\n{WRONG}"), says(RIGHT)])

    progress = work(model, a_bench(judge=judge))

    assert "b.py" not in progress.change.paths
    assert not [message for message in model.asked[1].messages if "<think>" in (message.content or "")]
    assert "<think>" in progress.iterations[0].calls[0].reply


# --- Going round in circles


def test_a_change_that_was_tested_before_is_not_tested_again_and_the_next_try_is_made_different() -> None:
    told = says("add(1, 2) gives 2, 3 was expected: line 2 multiplies.\n\n```python\nx = 1\n```")
    model, bench = ScriptedModel([says(WRONG), says(WRONG), told, says(RIGHT)]), a_bench(judge=judge)

    progress = work(model, bench)

    assert progress.verdict is Verdict.SOLVED
    assert bench.tests_run == 2
    assert progress.iterations[1].why_next == "the same change as in iteration 1, so it was not tested again"
    diagnosis, third = model.asked[2:]
    assert "Don't write code now" in diagnosis.last
    assert "+    return a * b" in diagnosis.last
    assert third.temperature == 0.6
    assert "3 was expected: line 2 multiplies." in third.opening
    assert "x = 1" not in third.opening
    assert "Tried, and it failed:" in third.opening
    assert third.opening.startswith("Iteration 3 of 5.\n")
    said = [message.content or "" for message in third.messages if message.role is Role.ASSISTANT]
    assert not [text for text in said if "a * b" in text]


def test_a_change_that_failed_twice_is_set_back_but_new_tests_stay() -> None:
    seen: list[dict[str, bytes]] = []
    bench = a_bench(judge=judge)
    model = ScriptedModel([says(WRONG)], before=lambda: seen.append(dict(bench.files)))

    work(model, bench, times=3)

    assert seen[2]["calc.py"] == CALC
    assert "tests/test_add.py" in seen[2]


def test_an_iteration_that_changes_nothing_more_is_a_repeat_too() -> None:
    model, bench = (
        ScriptedModel([says(WRONG), says("```finish\nIt is right.\n```\n"), says(RIGHT)]),
        a_bench(judge=judge),
    )

    progress = work(model, bench)

    assert [iteration.report is None for iteration in progress.iterations] == [False, True, False]


# --- Dialects


def test_a_model_that_makes_no_tool_call_twice_is_asked_in_fenced_blocks() -> None:
    look = says("```read\ncalc.py\n```\n")
    model = ScriptedModel([look, look, says(RIGHT)])

    progress = work(model, a_bench())

    assert progress.verdict is Verdict.SOLVED
    assert [asked.tools is not None for asked in model.asked] == [True, True, False]
    assert "fenced blocks" in (model.asked[2].messages[0].content or "")


def test_what_a_model_speaks_is_known_from_the_records_alone() -> None:
    model = ScriptedModel([says(WRONG), says(WORSE), says(RIGHT)])

    progress = work(model, a_bench(judge=judge))

    assert [asked.tools is not None for asked in model.asked] == [True, True, False]
    versions = [iteration.calls[0].prompt_version.split("-")[0] for iteration in progress.iterations]
    assert versions == ["native", "native", "fenced"]


def test_json_in_a_fence_is_accepted_where_tools_were_offered() -> None:
    action = json.dumps({"name": "edit", "arguments": EDIT[1]})
    model = ScriptedModel([says(f"```json\n{action}\n```\n")])

    assert work(model, a_bench()).verdict is Verdict.SOLVED


def test_a_server_without_tools_is_asked_in_fenced_blocks_at_once() -> None:
    refused = Reply(None, (), NO_TOOLS, Usage(cost_usd=0.0), json.dumps({"error": {"code": NO_TOOLS}}), "no tools here")
    model = ScriptedModel([refused, says(WRONG), says(RIGHT)])

    progress = work(model, a_bench(judge=judge))

    assert progress.verdict is Verdict.SOLVED
    assert [asked.tools is not None for asked in model.asked] == [True, False, False]


@pytest.mark.parametrize(("dialect", "offers"), [(Dialect.NATIVE, True), (Dialect.FENCED, False)])
def test_the_operators_word_on_the_dialect_overrides(dialect: Dialect, *, offers: bool) -> None:
    model = ScriptedModel([says("```read\ncalc.py\n```\n")] * 3 + [says(RIGHT)])

    work(model, a_bench(), dialect=dialect)

    assert {asked.tools is not None for asked in model.asked} == {offers}


# --- Limits


def test_the_limit_of_iterations_is_named_with_its_number() -> None:
    progress = work(ScriptedModel([says(WRONG), says(WORSE)]), a_bench(judge=judge), caps=Caps(iterations=2))

    assert progress.verdict is Verdict.LIMIT
    assert progress.why == "the limit of 2 iterations is reached; after the last: still failing: test_add"


def test_the_limit_of_tokens_is_named_and_what_was_changed_is_tested() -> None:
    model, bench = ScriptedModel([calls(EDIT), calls(("read", {"path": "calc.py"}))]), a_bench(reports=[red()])

    progress = work(model, bench, caps=Caps(tokens=300))

    assert progress.verdict is Verdict.LIMIT
    assert "the limit of 300 tokens is reached (360 used)" in progress.why
    assert bench.tests_run == 1


def test_the_limit_of_money_is_named() -> None:
    model = ScriptedModel([calls(("read", {"path": "calc.py"}))])

    progress = work(model, a_bench(), caps=Caps(cost_usd=0.002))

    assert (progress.verdict, progress.why) == (Verdict.LIMIT, "the limit of USD 0.00 is reached (USD 0.00 spent)")
    assert len(model.asked) == 2


def test_an_unknown_price_means_that_tokens_bind_and_it_says_so() -> None:
    reply = says("```read\ncalc.py\n```\n", usage=Usage(100, 20, cost_usd=None))

    progress = work(ScriptedModel([reply]), a_bench(), caps=Caps(tokens=200, cost_usd=0.01))

    assert progress.spend.cost_usd is None
    assert "the model's price is not known, so only tokens bind" in progress.why


def test_the_limit_of_minutes_is_named() -> None:
    progress = work(ScriptedModel([says(RIGHT)]), a_bench(), caps=Caps(minutes=0))

    assert (progress.verdict, progress.why) == (Verdict.LIMIT, "the limit of 0 minutes is reached")


def test_a_change_that_is_too_large_is_not_tested_and_named_with_the_limit() -> None:
    model, bench = ScriptedModel([says(RIGHT), says(WRONG)]), a_bench()

    progress = work(model, bench, caps=Caps(patch_lines=3))

    assert progress.verdict is Verdict.LIMIT
    assert "the limit is 3" in progress.why
    assert "the limit is 3" in model.asked[1].opening
    assert bench.tests_run == 0


def test_the_reply_may_not_be_longer_than_the_tokens_that_are_left() -> None:
    model = ScriptedModel([says(RIGHT)])

    work(model, a_bench(), caps=Caps(tokens=1000))

    assert model.asked[0].max_tokens == 1000


def test_a_prompt_that_does_not_fit_is_made_shorter_twice_and_then_ends_the_run() -> None:
    too_long = Reply(None, (), TOO_LONG, Usage(cost_usd=0.0), "{}", "maximum context length is 4096")
    model = ScriptedModel([too_long])
    task = a_task(body="very long " * 5_000)

    progress = work(model, a_bench(), task=task)

    assert progress.verdict is Verdict.LIMIT
    assert "does not fit the model's window" in progress.why
    lengths = [sum(len(message.content or "") for message in asked.messages) for asked in model.asked]
    assert lengths == sorted(lengths, reverse=True)
    assert len(set(lengths)) == 3


def test_a_prompt_that_fits_when_shortened_goes_on() -> None:
    too_long = Reply(None, (), TOO_LONG, Usage(cost_usd=0.0), "{}", "too long")

    assert work(ScriptedModel([too_long, says(RIGHT)]), a_bench()).verdict is Verdict.SOLVED


# --- Stops, failures, records


def test_a_stop_between_calls_is_a_verdict_and_keeps_what_was_paid() -> None:
    model, bench = ScriptedModel([calls(("read", {"path": "calc.py"}))]), a_bench()

    progress = an_agent(model).iterate(
        a_task(), Progress(), bench, caps=Caps(), baseline=None, stop=lambda: len(model.asked) == 2
    )

    assert progress.verdict is Verdict.STOPPED
    assert (len(progress.iterations[0].calls), progress.spend.tokens) == (2, 240)


def test_a_stop_during_the_tests_is_a_verdict_too() -> None:
    def stop() -> None:
        raise Stopped

    progress = work(ScriptedModel([says(RIGHT)]), a_bench(on_test=stop))

    assert (progress.verdict, progress.spend.calls) == (Verdict.STOPPED, 1)
    assert "calc.py" in progress.change.paths


def test_a_service_that_fails_is_the_callers_to_hear() -> None:
    def fail() -> None:
        raise Unavailable("busy")

    with pytest.raises(Unavailable):
        work(ScriptedModel([says(RIGHT)], before=fail), a_bench())


def away_at(call: int) -> Callable[[], None]:
    """A service that is away at the call with this number, and there at all others."""
    numbers = itertools.count(1)

    def fail() -> None:
        if next(numbers) == call:
            raise Unavailable("busy")

    return fail


def test_a_model_that_goes_away_in_the_middle_costs_nothing_twice_and_its_change_is_tested() -> None:
    model = ScriptedModel([calls(EDIT), says("What else?")], before=away_at(2))

    progress = work(model, a_bench(judge=judge))

    assert progress.verdict is Verdict.SOLVED
    assert (len(progress.iterations), progress.spend.calls) == (1, 1)


@pytest.mark.parametrize(
    ("away", "is_raised"),
    [
        (Unavailable("busy"), True),
        (Unavailable("no quota", passes=False), False),
        (Unavailable("the sandbox failed", briefly=True), False),
    ],
)
def test_who_asks_once_more_for_an_iteration_is_told_that_the_sandbox_goes_away_where_that_passes(
    away: Unavailable, *, is_raised: bool
) -> None:
    def fail() -> None:
        raise away

    agent, bench = an_agent(ScriptedModel([calls(EDIT, FINISH)])), a_bench(on_test=fail)
    asked = partial(agent.iterate, a_task(), Progress(), bench, caps=Caps(), baseline=None, stop=never, repeats=True)

    if is_raised:
        with pytest.raises(Unavailable):
            asked()
    else:
        assert len(asked().iterations) == 1


def test_after_a_model_that_went_away_the_next_iteration_goes_on() -> None:
    model = ScriptedModel([calls(("read", {"path": "calc.py"})), calls(EDIT, FINISH)], before=away_at(2))

    progress = work(model, a_bench(judge=judge))

    assert progress.verdict is Verdict.SOLVED
    assert len(progress.iterations[0].calls) == 1
    assert progress.spend.calls == sum(len(each.calls) for each in progress.iterations)


def test_a_sandbox_that_goes_away_in_the_middle_loses_nothing_that_was_paid() -> None:
    agent = an_agent(ScriptedModel([calls(EDIT, FINISH)]))
    rest: dict[str, Any] = {"caps": Caps(), "baseline": None, "stop": never}

    cut = agent.iterate(a_task(), Progress(), a_bench(judge=judge, on_test=away_at(1)), **rest)
    done = agent.iterate(a_task(), cut, a_bench(judge=judge), **rest)

    assert (cut.verdict, cut.spend.calls, cut.iterations[0].why_next) == (None, 1, "cut off: busy")
    assert done.verdict is Verdict.SOLVED
    assert done.spend.calls == sum(len(each.calls) for each in done.iterations)


def test_a_run_whose_limit_was_lowered_meanwhile_ends_without_a_call() -> None:
    model, bench = ScriptedModel([says(WRONG)]), a_bench(judge=judge)
    one = work(model, bench, times=1)

    after = an_agent(model).iterate(a_task(), one, bench, caps=Caps(iterations=1), baseline=None, stop=never)

    assert (after.verdict, after.why, len(model.asked)) == (Verdict.LIMIT, "the limit of 1 iterations is reached", 1)


def test_nothing_is_done_once_there_is_a_verdict() -> None:
    model, done = ScriptedModel([says(RIGHT)]), Progress(verdict=Verdict.SOLVED)

    after = an_agent(model).iterate(a_task(), done, a_bench(), caps=Caps(), baseline=None, stop=never)

    assert (after, model.asked) == (done, [])


def test_the_trace_holds_prompt_reply_actions_and_cost_of_every_call() -> None:
    model = ScriptedModel([calls(("read", {"path": "calc.py"})), calls(EDIT, FINISH)])

    progress = work(model, a_bench())

    first, second = progress.iterations[0].calls
    assert [shape["role"] for shape in json.loads(first.messages)] == ["system", "user", "assistant", "user"]
    assert json.loads(second.messages)[:4] == json.loads(first.messages)
    assert [action.name for action in second.actions] == ["edit", "finish"]
    assert json.loads(second.reply)["choices"][0]["message"]["tool_calls"][0]["function"]["name"] == "edit"
    assert first.temperature == 0.2
    assert (progress.spend.calls, progress.spend.tokens, progress.spend.cost_usd) == (2, 240, 0.002)
    assert progress.spend.seconds == progress.iterations[0].duration_s


def test_the_run_is_told_of_as_it_happens() -> None:
    heard: list[str] = []
    model = ScriptedModel([says(RIGHT)])

    an_agent(model).iterate(a_task(), Progress(), a_bench(), caps=Caps(), baseline=None, stop=never, tell=heard.append)

    assert heard[0] == "iteration 1 of at most 5"
    assert "add() adds now." in heard[-1]


# --- The critic


def test_a_critic_reads_what_failed_and_its_words_and_cost_go_on() -> None:
    model, bench = ScriptedModel([says(WRONG), says(RIGHT)]), a_bench(judge=judge)
    critic = ScriptedModel([says("In calc.py, line 2, add instead of multiplying.")], name="critic")
    agent = an_agent(model, critic=critic)

    first = agent.iterate(a_task(), Progress(), bench, caps=Caps(), baseline=None, stop=never)
    second = agent.iterate(a_task(), first, bench, caps=Caps(), baseline=None, stop=never)

    assert second.verdict is Verdict.SOLVED
    assert "return a * b" in critic.asked[0].last
    assert "assert -1 == 3" in critic.asked[0].last
    assert "line 2, add instead of multiplying." in model.asked[1].opening
    assert [call.model for call in first.iterations[0].calls] == ["scripted", "critic"]
    assert (first.spend.calls, first.spend.critic_tokens) == (2, 120)
    assert WRONG.strip() in [message.content for message in model.asked[1].messages]


def test_of_a_long_file_a_reply_that_cant_be_used_is_answered_with_the_form_that_was_asked_for() -> None:
    long = "".join(f"def f_{number}():\n    return {number}\n\n\n" for number in range(100)) + CALC.decode()
    model = ScriptedModel([says("```python path=calc.py\nx = "), says(RIGHT)])

    work(model, FakeWorkbench({"calc.py": long.encode()}, judge=judge), dialect=Dialect.FENCED)

    assert "with each function to change" in model.asked[0].last
    assert "with each function to change" in model.asked[1].last
    assert "SEARCH" not in model.asked[1].last.partition("Answer with")[2]
