"""A reply is understood in the dialect that it was asked in."""

import json

import pytest

from bot.agent import Dialect, Reply
from bot.agent.actions import Edit, Finish, Read, Write
from bot.agent.json_reply import CUT_OFF, EMPTY
from bot.agent.llm import NO_CHOICE, ToolCall
from bot.agent.understanding import Understood, understand
from bot.records import Caps, Usage, Verdict
from tests.agent.fakes import ScriptedModel, calls, cut_off, says
from tests.agent.runs import CALC, a_bench, a_test, change, judge, run

EDIT = {"action": "edit", "path": "calc.py", "search": "a - b", "replace": "a + b"}
LOOK = {"action": "read", "path": "calc.py", "first": None, "last": None}
FINISH = {"action": "finish", "summary": "add() adds now"}


def by_schema(*actions: object, thought: str = "It subtracts.") -> str:
    return json.dumps({"thought": thought, "actions": actions})


def understood(text: str | Reply | None, dialect: Dialect = Dialect.JSON, *, target: str | None = None) -> Understood:
    reply = text if isinstance(text, Reply) else says(text)
    return understand(reply, dialect, target=target, bench=a_bench())


# --- JSON


def test_json_by_the_schema_is_read_with_its_thought_for_its_words() -> None:
    heard = understood(by_schema(EDIT, FINISH))

    assert [request.action for request in heard.requests] == [
        Edit("calc.py", "a - b", "a + b"),
        Finish("add() adds now"),
    ]
    assert heard.summary == "It subtracts."
    assert heard.words == by_schema(EDIT, FINISH)
    assert heard.problem == ""


def test_fences_inside_json_strings_are_part_of_the_file() -> None:
    content = "Use it so:\n\n```python path=calc.py\nadd(1, 2)\n```\n"
    heard = understood(by_schema({"action": "write", "path": "README.md", "content": content}))

    assert [request.action for request in heard.requests] == [Write("README.md", content)]


def test_raw_lines_in_a_json_string_make_no_block_of_it() -> None:
    content = f"```python\n{CALC.decode()}```\n"
    text = by_schema({"action": "write", "path": "README.md", "content": content}).replace("\\n", "\n")
    heard = understood(text, target="calc.py")

    assert [request.action for request in heard.requests] == [Write("README.md", content)]


@pytest.mark.parametrize(
    ("reply", "words"),
    [
        (says('{"thought": "x", "actions": [{"act'), "not JSON"),
        (says('{"thought": "It says "no".", "actions": []}'), "not JSON"),
        (says(by_schema()), EMPTY),
        (cut_off(by_schema(EDIT)), CUT_OFF),
        (says(""), "the reply was empty"),
        (Reply(None, (), NO_CHOICE, Usage(), "{}", "no choice"), "holds no reply"),
    ],
)
def test_json_that_asks_for_nothing_is_told_what_is_wrong_in_the_words_of_its_form(reply: Reply, words: str) -> None:
    heard = understood(reply)

    assert heard.requests == ()
    assert words in heard.problem


@pytest.mark.parametrize(
    ("reply", "is_whole"),
    [
        (says(by_schema(thought="That is all.")), True),
        (says('{"thought": "That is all."}'), True),
        (says("That is all."), True),
        (says('{"thought": "x", "actions": [{"act'), False),
        (says("```python path=calc.py\nx = "), False),
        (cut_off("That is al"), False),
        (says(""), False),
    ],
)
def test_json_without_an_action_is_whole_where_its_form_is_good_or_it_is_plain_words(
    reply: Reply, *, is_whole: bool
) -> None:
    assert understood(reply).is_whole is is_whole


def test_fences_and_tool_calls_are_understood_where_a_server_ignored_the_schema() -> None:
    fenced, called = understood(change("a + b")), understood(calls(("read", {"path": "calc.py"})))

    assert isinstance(fenced.requests[0].action, Write)
    assert called.requests[0].action == Read("calc.py")
    assert called.calls != ()


def test_a_block_without_a_path_is_the_file_that_was_asked_for_in_json_too() -> None:
    heard = understood(f"```python\n{CALC.decode().replace('-', '+')}```\n", target="calc.py")

    assert [request.action for request in heard.requests] == [
        Write("calc.py", CALC.decode().replace("-", "+"), fenced=True)
    ]


# --- Beside JSON


@pytest.mark.parametrize("dialect", [Dialect.NATIVE, Dialect.FENCED])
def test_json_alone_is_taken_where_blocks_or_tools_were_asked_for(dialect: Dialect) -> None:
    assert understood(by_schema(LOOK), dialect).requests[0].action == Read("calc.py")


def test_words_alone_are_whole_and_no_problem() -> None:
    heard = understood("<think>Is it?</think>\nThat should do.\nReally.", Dialect.FENCED)

    assert (heard.requests, heard.problem, heard.is_whole) == ((), "", True)
    assert heard.summary == "That should do."


def test_the_same_tool_call_says_the_same_under_another_id() -> None:
    said = [
        understood(says(None, tool_calls=(ToolCall(name, "read", json.dumps({"path": path})),)), Dialect.NATIVE).said
        for name, path in (("c0", "calc.py"), ("c1", "calc.py"), ("c0", "README.md"))
    ]

    assert said[0] == said[1] != said[2]


# --- A talk in JSON


def test_a_talk_in_json_looks_edits_and_ends_with_the_models_thought() -> None:
    test = {"action": "write", "path": "tests/test_add.py", "content": a_test().split("\n", 1)[1].removesuffix("```\n")}
    model = ScriptedModel([says(by_schema(LOOK)), says(by_schema(EDIT, test))])

    progress = run(model, a_bench(judge=judge), dialect=Dialect.JSON)

    assert (progress.verdict, progress.why) == (Verdict.SOLVED, "It subtracts.")
    assert "return a - b" in model.asked[1].last
    assert all(asked.schema is not None and asked.tools is None for asked in model.asked)


def test_an_empty_list_of_actions_after_an_edit_ends_the_work() -> None:
    model = ScriptedModel([says(by_schema(EDIT, LOOK)), says(by_schema(thought="It adds now."))])

    progress = run(model, a_bench(judge=judge), dialect=Dialect.JSON)

    assert (progress.verdict, progress.why, len(model.asked)) == (Verdict.SOLVED, "It adds now.", 2)


def test_an_empty_list_of_actions_before_an_edit_is_answered_with_the_form() -> None:
    model = ScriptedModel([says(by_schema()), says(by_schema(EDIT))])

    progress = run(model, a_bench(judge=judge), dialect=Dialect.JSON)

    assert progress.verdict is Verdict.SOLVED
    assert progress.iterations[0].calls[0].problem == EMPTY
    assert EMPTY in model.asked[1].last
    assert "Answer with one JSON object" in model.asked[1].last


def test_broken_json_does_nothing_is_answered_and_three_times_is_enough() -> None:
    model, bench = ScriptedModel([says('{"thought": "x", "actions": [{"action": "edit", "path')]), a_bench()

    progress = run(model, bench, dialect=Dialect.JSON, caps=Caps(iterations=1))

    assert progress.verdict is Verdict.GAVE_UP
    assert "no usable reply 3 times in a row; the last: the reply is not JSON" in progress.why
    assert bench.files["calc.py"] == CALC


def test_json_that_was_cut_off_gets_more_room() -> None:
    model = ScriptedModel([cut_off(by_schema(EDIT)), says(by_schema(EDIT, FINISH))])

    progress = run(model, a_bench(judge=judge), dialect=Dialect.JSON)

    assert progress.verdict is Verdict.SOLVED
    assert [asked.max_tokens for asked in model.asked] == [8192, 16384]
    assert CUT_OFF in model.asked[1].last


@pytest.mark.parametrize("dialect", [Dialect.FENCED, Dialect.JSON, Dialect.NATIVE])
def test_what_a_filter_left_of_a_reply_is_not_acted_on_and_ends_no_work(dialect: Dialect) -> None:
    reply = says(change("a + b"), finish_reason="content_filter")

    heard = understand(reply, dialect, target="calc.py", bench=a_bench())

    assert (heard.requests, heard.is_whole) == ((), False)
    assert "content filter" in heard.problem


def test_words_alone_end_the_run_in_words_that_say_what_is_missing() -> None:
    progress = run(ScriptedModel([says("Certainly! I will do it.")]), a_bench())

    assert progress.verdict is Verdict.GAVE_UP
    assert progress.why.endswith("the last: it asks for nothing: no edit was found in it, and no command")
