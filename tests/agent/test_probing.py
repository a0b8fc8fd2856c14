"""What a model can do is found out once, by asking, and remembered."""

import pytest

from bot.agent import Dialect, OpenAIModel
from bot.agent.llm import NO_CHOICE, NO_TOOLS, Reply
from bot.agent.probing import Remembered, probe, settle
from bot.records import Usage
from tests.agent.fakes import ScriptedModel, calls, cut_off, never, says
from tests.agent.openai_server import OpenAIServer, completion, error

CALLED = calls(("ready", {"word": "selfcode"}))


def refused(reason: str) -> Reply:
    return Reply(None, (), reason, Usage(), "{}", "the server takes none")


def test_a_model_that_calls_the_tool_speaks_natively() -> None:
    model = ScriptedModel([CALLED])

    found = probe(model, never)

    assert (found.dialect, len(found.calls)) == (Dialect.NATIVE, 1)
    assert [tool.name for tool in model.asked[0].tools or ()] == ["ready"]


def test_the_question_is_tiny() -> None:
    model = ScriptedModel([CALLED])

    probe(model, never)

    assert len(model.asked[0].last) < 120


@pytest.mark.parametrize("reply", [says("I am ready."), says('```json\n{"name": "ready"}\n```'), refused(NO_TOOLS)])
def test_a_model_that_calls_none_speaks_in_fences(reply: Reply) -> None:
    assert probe(ScriptedModel([reply]), never).dialect is Dialect.FENCED


def test_a_model_that_spent_the_reply_on_reasoning_is_asked_once_more_with_more_room() -> None:
    model = ScriptedModel([cut_off("<think>Shall I"), CALLED])

    assert probe(model, never).dialect is Dialect.NATIVE
    first, second = (asked.max_tokens or 0 for asked in model.asked)
    assert first < second


def test_the_operators_word_is_taken_without_asking() -> None:
    model = ScriptedModel([CALLED])

    assert settle(model, Dialect.FENCED, Remembered(), never).dialect is Dialect.FENCED
    assert model.asked == []


def test_what_was_found_out_is_remembered_and_its_calls_are_told_once() -> None:
    model, habits = ScriptedModel([CALLED]), Remembered()

    first = settle(model, Dialect.AUTO, habits, never)
    second = settle(model, Dialect.AUTO, habits, never)

    assert (first.dialect, second.dialect) == (Dialect.NATIVE, Dialect.NATIVE)
    assert (len(first.calls), len(second.calls)) == (1, 0)
    assert first.calls[0].usage.prompt_tokens > 0
    assert first.calls[0].prompt_version.startswith("probe-")


@pytest.mark.parametrize("reply", [refused(NO_CHOICE), says(""), says(None)])
def test_a_reply_that_says_nothing_is_not_remembered(reply: Reply) -> None:
    model, habits = ScriptedModel([reply, CALLED]), Remembered()

    assert settle(model, Dialect.AUTO, habits, never).dialect is Dialect.FENCED
    assert settle(model, Dialect.AUTO, habits, never).dialect is Dialect.NATIVE


def test_the_same_name_elsewhere_is_another_model(server: OpenAIServer) -> None:
    server.answers = [completion(None, tool_calls=[{"function": {"name": "ready", "arguments": "{}"}}])]
    habits = Remembered()

    settle(OpenAIModel("m", base_url=server.url, api_key="k"), Dialect.AUTO, habits, never)

    assert [*habits.known] == [f"{server.url} m"]


def test_a_server_without_tools_is_found_out_over_http(server: OpenAIServer) -> None:
    server.answers = [error(400, "this model does not support tools")]

    settled = settle(OpenAIModel("m", base_url=server.url, api_key="k"), Dialect.AUTO, Remembered(), never)

    assert settled.dialect is Dialect.FENCED
    assert len(server.requests) == 1
