"""A trace for people and for programs."""

import json
from typing import Any

from bot.records import ActionTaken, Aim, Candidate, Usage
from bot.writing.trace import Trace, trace_object, trace_of, trace_text
from tests.writing.builders import a_call, a_change, a_progress, a_report, an_iteration
from tests.writing.foreign import TOKEN

MESSAGES = json.dumps(
    [{"role": "system", "content": "Mend it."}, {"role": "user", "content": "Iteration 1 of 5.\n\nGo."}]
)


def a_trace(**changed: Any) -> Trace:
    whole: dict[str, Any] = {
        "prompt_version": "fenced-0123456789ab",
        "messages": MESSAGES,
        "temperature": 0.2,
        "usage": Usage(prompt_tokens=2000, completion_tokens=240, cached_tokens=500, cost_usd=0.012),
    }
    call = a_call(**(whole | changed))
    other = Candidate(a_change(), a_report(failing=("t.py::b",)), (a_call(),), "more tests fail")
    progress = a_progress(an_iteration(1, aim=Aim.TEST, calls=(call,)), an_iteration(2, others=(other,)))
    return trace_of(progress, name="run r-1", outcome="proven", reason="")


def test_each_iteration_says_what_it_was_for_and_each_call_what_it_took() -> None:
    lines = trace_text(a_trace()).splitlines()

    assert lines[0] == "run r-1: proven"
    assert "iteration 1, the test: sum every price, not all but the first" in lines
    assert (
        "  call 1: fenced-0123456789ab, gpt-5-mini, temperature 0.2; "
        "2,000 + 240 tokens (25 % of the prompts cached), USD 0.01, 4.2 s"
    ) in lines
    assert '    ✓ edit {"path": "prices.py"}' in lines


def test_a_terminal_needs_no_dead_references() -> None:
    shown = trace_text(Trace("run r-1", "proven", "closes #1 of @ada, see https://example.com", ()))

    assert shown == "run r-1: proven, closes #1 of @ada, see https://example.com"


def test_candidates_have_their_calls_and_why_they_were_left() -> None:
    shown = trace_text(a_trace())

    assert "iteration 2, other candidate 1" in shown
    assert "tests: 12 passed, 1 failed; not gone on with: more tests fail" in shown
    assert "  call 3: " in shown


def test_a_problem_and_a_failed_action_are_told() -> None:
    failed = ActionTaken("edit", "{}", "SEARCH matches lines 3 and 9", ok=False)
    shown = trace_text(a_trace(problem="no fence", actions=(failed,)))

    assert "    problem: no fence" in shown
    assert "    ✗ edit {}: SEARCH matches lines 3 and 9" in shown


def test_prompts_and_replies_are_shown_where_they_are_wanted() -> None:
    without, shown = trace_text(a_trace()), trace_text(a_trace(), prompts=True, only=1)

    assert "Mend it." not in without
    assert "--- message 1, system\nMend it.\n" in shown
    assert "--- message 2, user\nIteration 1 of 5.\n\nGo.\n" in shown
    assert "--- reply\nThe slice drops the first price; sum all of them." in shown
    assert "call 2" not in shown


def test_tool_calls_are_shown_as_they_were_sent() -> None:
    message = {"role": "assistant", "content": None, "tool_calls": [{"id": "c1", "function": {"name": "read"}}]}
    reply = json.dumps({"choices": [{"message": message}]})

    assert '{"id": "c1", "function": {"name": "read"}}' in trace_text(a_trace(reply=reply), prompts=True)


def test_a_reply_that_is_none_is_shown_as_it_came() -> None:
    assert "--- reply\n<html>busy</html>" in trace_text(a_trace(reply="<html>busy</html>"), prompts=True)


def test_a_token_in_a_prompt_is_masked_and_no_terminal_is_steered() -> None:
    messages = json.dumps([{"role": "user", "content": f"\x1b[2J{TOKEN}"}])

    shown = trace_text(a_trace(messages=messages), prompts=True)

    assert TOKEN not in shown
    assert "\x1b" not in shown


def test_a_program_gets_one_object_with_the_outcome() -> None:
    told = trace_object(a_trace())

    assert told["outcome"] == "proven"
    assert [call["number"] for part in told["parts"] for call in part["calls"]] == [1, 2, 3]
    assert told["parts"][0]["calls"][0]["cached_tokens"] == 500
    assert "messages" not in told["parts"][0]["calls"][0]


def test_a_program_gets_prompts_and_single_calls_where_it_asks_for_them() -> None:
    told = trace_object(a_trace(), prompts=True, only=1)

    ((call,),) = [part["calls"] for part in told["parts"]]
    assert call["messages"] == tuple(json.loads(MESSAGES))
