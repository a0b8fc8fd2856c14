"""A recorded trace plays again as a model, to the same end."""

import json
from collections.abc import Mapping, Sequence
from typing import Any

import pytest

from bot.agent import Agent, Model, ReplayedModel, Reply, Unrecorded, calls_of, run_agent, run_agent_with_tests
from bot.agent.llm import BAD_CALL, FILTERED, NO_CHOICE, NO_SCHEMA, NO_TOOLS, TOO_LONG, UNREADABLE, user
from bot.agent.openai_replies import no_reply, read_reply
from bot.records import Caps, Progress, Usage, dump
from sandbox.process import ProcessSandbox
from tests.agent.fakes import FakeWorkbench, ScriptedModel, a_task, cut_off, green, never, red, says

WRONG, RIGHT = "def add(a, b):\n    return a - b\n", "def add(a, b):\n    return a + b\n"
TESTS = "assert add(1, 2) == 3\n"


def code(text: str) -> Reply:
    return says(f"<think>so</think>\n```python\n{text}```", usage=Usage(100, 20, 40, 0.001))


def solve(model: Model, task: str = "Write add(a, b).", **rest: Any) -> dict[str, Any]:
    return run_agent_with_tests(task, TESTS, 5, model, ProcessSandbox(), **rest)


def but_for_time(result: Mapping[str, Any]) -> dict[str, Any]:
    calls = [{key: value for key, value in call.items() if key not in ("seconds", "model")} for call in result["calls"]]
    return {**result, "calls": calls}


def a_trace(*replies: Reply) -> dict[str, Any]:
    return solve(ScriptedModel(replies or [code(WRONG), cut_off("```python\n"), code(WRONG), code(RIGHT)]))


def test_a_recorded_solve_replays_to_the_same_result() -> None:
    recorded = a_trace()

    model = ReplayedModel(calls_of(json.dumps(recorded)))

    assert but_for_time(solve(model)) == but_for_time(recorded)
    assert (recorded["success"], recorded["iterations"], model.left) == (True, 4, 0)


def test_a_recorded_solve_with_tests_of_its_own_replays_too() -> None:
    lines = [says("assert add(1, 2) == 3"), says("1: keep"), code(WRONG), code(RIGHT)]
    recorded = run_agent("add", 5, ScriptedModel(lines), ProcessSandbox(), generate_tests=True)

    again = run_agent("add", 5, ReplayedModel(recorded["calls"]), ProcessSandbox(), generate_tests=True)

    assert but_for_time(again) == but_for_time(recorded)


def test_candidates_that_were_asked_for_at_once_replay_in_any_order() -> None:
    lines = [code(WRONG), code("def add(a, b):\n    return 3 * b\n"), code(RIGHT)]
    recorded = solve(ScriptedModel(lines), candidates=3, at_once=3)

    again = solve(ReplayedModel(recorded["calls"]), candidates=3, at_once=3)

    assert but_for_time(again) == but_for_time(recorded)


def test_a_reply_that_never_came_replays_as_what_came_instead() -> None:
    too_long = Reply(None, (), TOO_LONG, Usage(), "", "the prompt has 9000 tokens")
    recorded = a_trace(too_long, code(RIGHT))

    again = solve(ReplayedModel(recorded["calls"]))

    assert again["history"] == ["no program in the reply: the prompt has 9000 tokens", "passed"]
    assert but_for_time(again) == but_for_time(recorded)


CHANGE = "```python path=calc.py\ndef add(a, b):\n    return a {} b\n```\n```finish\nadd() adds now\n```"


def run(model: Model) -> Progress:
    bench = FakeWorkbench(
        {"calc.py": b"def add(a, b):\n    return a - b\n"},
        judge=lambda files: green() if b"a + b" in files["calc.py"] else red(),
    )
    progress = Progress()
    while progress.verdict is None:
        progress = Agent(model).iterate(a_task(), progress, bench, caps=Caps(), baseline=None, stop=never)
    return progress


def test_a_recorded_run_of_the_agent_replays_to_the_same_change() -> None:
    no_tools = Reply(None, (), NO_TOOLS, Usage(), json.dumps({"error": {"code": NO_TOOLS, "message": "none"}}), "none")
    recorded = run(ScriptedModel([no_tools, says(CHANGE.format("*")), says(CHANGE.format("+"))]))

    model = ReplayedModel(calls_of(dump(recorded)))
    again = run(model)

    assert (again.verdict, again.change, again.why) == (recorded.verdict, recorded.change, recorded.why)
    assert (again.spend.tokens, model.left) == (recorded.spend.tokens, 0)
    assert [one.summary for one in again.iterations] == [one.summary for one in recorded.iterations]


@pytest.mark.parametrize("reason", [TOO_LONG, NO_TOOLS, NO_SCHEMA, BAD_CALL, FILTERED, UNREADABLE, NO_CHOICE])
def test_whatever_a_call_ended_with_instead_of_a_reply_replays_as_it_was(reason: str) -> None:
    html = read_reply("<html>" + "x" * 100_000, prompt="", prices=None)
    none = read_reply('{"choices": [], "error": {"code": 7}}', prompt="", prices=None)
    ended = {UNREADABLE: html, NO_CHOICE: none}.get(reason) or no_reply(reason, "the server's words", Usage(5, 0))
    recorded = run(ScriptedModel([ended, says(CHANGE.format("*")), says(CHANGE.format("+"))]))

    model = ReplayedModel(calls_of(dump(recorded)))
    again = run(model)

    assert (again.verdict, again.change, model.left) == (recorded.verdict, recorded.change, 0)
    assert again.spend.tokens == recorded.spend.tokens


def test_the_calls_of_records_are_taken_as_they_are() -> None:
    recorded = run(ScriptedModel([says(CHANGE.format("+"))]))

    again = run(ReplayedModel([call for iteration in recorded.iterations for call in iteration.calls]))

    assert again.change == recorded.change


def test_a_prompt_that_was_not_recorded_is_named_where_it_first_differs() -> None:
    with pytest.raises(Unrecorded) as told:
        solve(ReplayedModel(a_trace()["calls"]), task="Write sum(a, b).")

    assert str(told.value) == (
        "call 1 of 4 is not as recorded: message 2 (user), content: from character 6 on it has 'Write sum(a, b).', "
        "and 'Write add(a, b).' was recorded"
    )


def test_without_strictness_another_prompt_gets_the_next_reply() -> None:
    result = solve(ReplayedModel(a_trace()["calls"], strict=False), task="Write sum(a, b).")

    assert (result["success"], result["iterations"]) == (True, 4)


def test_more_calls_than_were_recorded_are_an_error() -> None:
    with pytest.raises(Unrecorded, match="the trace has 1 calls, and one more was asked for"):
        solve(ReplayedModel(a_trace()["calls"][:1], strict=False))


def test_the_same_prompt_gets_its_replies_in_their_order() -> None:
    prompt: Sequence[Any] = [user("again?")]
    calls = [{"messages": [user("again?").as_json()], "reply": json.loads(says(text).raw)} for text in ("yes", "no")]

    model = ReplayedModel(calls)

    assert [model.complete(prompt).text for _ in calls] == ["yes", "no"]


@pytest.mark.parametrize(("trace", "told"), [("{", "not JSON"), ("{}", "no model call"), ('{"calls": []}', "no model")])
def test_what_is_no_trace_is_said_to_be_none(trace: str, told: str) -> None:
    with pytest.raises(Unrecorded, match=told):
        calls_of(trace)
