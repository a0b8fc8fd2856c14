"""The dialect that a model is spoken to in follows from what it is known to do, and from its replies."""

import json

import pytest

from bot.agent import Dialect, Reply
from bot.agent.dialects import Speech, spoken
from bot.agent.llm import NO_CHOICE, NO_SCHEMA, NO_TOOLS, TOO_LONG, UNREADABLE
from bot.agent.probing import Remembered
from bot.records import Caps, Progress, Usage, Verdict
from tests.agent.fakes import FakeWorkbench, ScriptedModel, calls, says
from tests.agent.runs import a_bench, change, judge, run

LOOK = ("read", {"path": "calc.py"})
WORDS = says("I would look at calc.py first.")
NATIVE = Speech(Dialect.NATIVE, is_open=True)


def refused(reason: str) -> Reply:
    return Reply(None, (), reason, Usage(cost_usd=0.0), json.dumps({"error": {"code": reason}}), "none here")


def heard(speech: Speech, *replies: Reply) -> Speech:
    for reply in replies:
        speech = speech.after(reply)
    return speech


def test_two_replies_in_a_row_without_a_tool_call_lead_to_fences() -> None:
    assert heard(NATIVE, WORDS).dialect is Dialect.NATIVE
    assert heard(NATIVE, WORDS, WORDS).dialect is Dialect.FENCED
    assert heard(NATIVE, WORDS, calls(LOOK), WORDS).dialect is Dialect.NATIVE


@pytest.mark.parametrize("reason", [UNREADABLE, NO_CHOICE, TOO_LONG])
def test_what_is_no_reply_says_nothing_of_the_model(reason: str) -> None:
    assert heard(NATIVE, WORDS, refused(reason), refused(reason)) == heard(NATIVE, WORDS)


@pytest.mark.parametrize("is_open", [True, False])
@pytest.mark.parametrize(("dialect", "reason"), [(Dialect.NATIVE, NO_TOOLS), (Dialect.JSON, NO_SCHEMA)])
def test_a_form_that_the_server_refuses_leads_to_fences_at_once(
    dialect: Dialect, reason: str, *, is_open: bool
) -> None:
    assert Speech(dialect, is_open=is_open).after(refused(reason)).dialect is Dialect.FENCED


@pytest.mark.parametrize("speech", [Speech(Dialect.NATIVE, is_open=False), Speech(Dialect.JSON, is_open=True)])
def test_words_lead_nowhere_else_where_the_operator_chose_or_no_tools_are_offered(speech: Speech) -> None:
    assert heard(speech, *[WORDS] * 5).dialect is speech.dialect


def look_around(model: ScriptedModel, known: Dialect, bench: FakeWorkbench | None = None) -> Progress:
    """One iteration of a model of which it is known what it speaks."""
    return run(
        model,
        bench or a_bench(judge=judge),
        dialect=Dialect.AUTO,
        habits=Remembered({model.name: known}),
        caps=Caps(calls_per_iteration=2),
        times=1,
    )


@pytest.mark.parametrize("known", [Dialect.NATIVE, Dialect.JSON, Dialect.FENCED])
def test_what_was_found_out_earlier_is_how_a_run_begins(known: Dialect) -> None:
    model = ScriptedModel([says(change("a * b"))])

    progress = look_around(model, known)

    (asked,) = model.asked
    assert (asked.tools is not None, asked.schema is not None) == (known is Dialect.NATIVE, known is Dialect.JSON)
    assert progress.iterations[0].calls[0].prompt_version.startswith(f"{known}-")


def test_where_nothing_is_known_the_model_is_asked_and_the_question_is_of_no_dialect() -> None:
    model, habits = ScriptedModel([says("I am ready."), says(change("a * b"))]), Remembered()

    progress = run(model, a_bench(judge=judge), dialect=Dialect.AUTO, habits=habits, times=1)

    assert habits.known == {model.name: Dialect.FENCED}
    assert [call.prompt_version.split("-")[0] for call in progress.iterations[0].calls] == ["probe", "fenced"]
    assert spoken(progress) == Speech(Dialect.FENCED, is_open=True)


def test_before_its_first_word_a_run_has_not_come_to_speak() -> None:
    assert spoken(Progress()) is None


@pytest.mark.parametrize(
    ("known", "replies", "expected"),
    [
        (Dialect.NATIVE, [calls(LOOK)], Speech(Dialect.NATIVE, is_open=True)),
        (Dialect.NATIVE, [says("```read\ncalc.py\n```")], Speech(Dialect.FENCED, is_open=True, toolless=2)),
        (Dialect.NATIVE, [calls(LOOK), WORDS], Speech(Dialect.NATIVE, is_open=True, toolless=1)),
        (Dialect.NATIVE, [refused(NO_TOOLS), WORDS], Speech(Dialect.FENCED, is_open=True)),
        (Dialect.NATIVE, [calls(LOOK), refused(NO_TOOLS)], Speech(Dialect.FENCED, is_open=True)),
        (Dialect.JSON, [WORDS], Speech(Dialect.JSON, is_open=True)),
        (Dialect.JSON, [WORDS, refused(NO_SCHEMA)], Speech(Dialect.FENCED, is_open=True)),
    ],
)
def test_a_crashed_run_goes_on_as_its_records_say(known: Dialect, replies: list[Reply], expected: Speech) -> None:
    assert spoken(look_around(ScriptedModel(replies), known)) == expected


def test_the_next_iteration_asks_in_fences_where_a_schema_was_refused_last() -> None:
    model = ScriptedModel([WORDS, refused(NO_SCHEMA), says(change("a + b"))])
    bench = a_bench(judge=judge)

    progress = run(
        model,
        bench,
        dialect=Dialect.AUTO,
        habits=Remembered({model.name: Dialect.JSON}),
        caps=Caps(calls_per_iteration=2),
    )

    assert progress.verdict is Verdict.SOLVED
    assert [call.prompt_version.split("-")[0] for each in progress.iterations for call in each.calls] == [
        "json",
        "json",
        "diagnosis",
        "fenced",
    ]


@pytest.mark.parametrize("replies", [[WORDS, WORDS, says(change("a + b"))], [refused(NO_TOOLS), says(change("a + b"))]])
def test_a_model_that_was_taken_for_one_that_calls_tools_is_remembered_as_what_it_is(replies: list[Reply]) -> None:
    habits = Remembered({"scripted": Dialect.NATIVE})
    model, later = ScriptedModel(replies), ScriptedModel([says(change("a + b"))])

    run(model, a_bench(judge=judge), dialect=Dialect.AUTO, habits=habits)
    run(later, a_bench(judge=judge), dialect=Dialect.AUTO, habits=habits)

    assert habits.known == {"scripted": Dialect.FENCED}
    assert [asked.tools for asked in later.asked] == [None]


def test_a_model_that_has_called_a_tool_is_not_forgotten_for_two_replies_without() -> None:
    habits = Remembered({"scripted": Dialect.NATIVE})

    run(
        ScriptedModel([calls(LOOK), WORDS, WORDS, says(change("a + b"))]),
        a_bench(judge=judge),
        dialect=Dialect.AUTO,
        habits=habits,
    )

    assert habits.known == {"scripted": Dialect.NATIVE}


def test_what_the_operator_chose_is_not_what_a_run_found_out() -> None:
    habits = Remembered({"scripted": Dialect.NATIVE})

    run(ScriptedModel([WORDS]), a_bench(judge=judge), dialect=Dialect.NATIVE, habits=habits, times=1)

    assert habits.known == {"scripted": Dialect.NATIVE}


def test_a_refusal_of_tools_that_were_not_offered_does_not_go_on_until_the_limit() -> None:
    model = ScriptedModel([refused(NO_TOOLS)])

    progress = run(model, a_bench(judge=judge))

    assert (progress.verdict, len(model.asked)) == (Verdict.GAVE_UP, 3)
