"""The JSON dialect: its schema, and what its replies ask for."""

import json
from typing import Any

import pytest

from bot.agent.actions import Edit, Finish, Read, Write
from bot.agent.json_reply import CUT_OFF, EMPTY, parse_json_reply
from bot.agent.prompts import Dialect, prompt, system_prompt
from bot.agent.tools import action_schema, specs


def objects_in(schema: Any) -> list[dict[str, Any]]:
    """Every object schema inside a schema."""
    if isinstance(schema, list):
        return [found for item in schema for found in objects_in(item)]
    if not isinstance(schema, dict):
        return []
    own = [schema] if schema.get("type") == "object" else []
    return own + [found for value in schema.values() for found in objects_in(value)]


def test_the_schema_has_every_tool_as_an_action() -> None:
    schema: Any = action_schema()
    actions = schema["properties"]["actions"]["items"]["anyOf"]

    assert [action["properties"]["action"]["enum"] for action in actions] == [[spec.name] for spec in specs()]
    for action, spec in zip(actions, specs(), strict=True):
        assert {*action["properties"]} == {"action", *spec.parameters["properties"]}


def test_the_schema_is_strict_as_servers_that_constrain_replies_want_it() -> None:
    for shape in objects_in(action_schema()):
        assert shape["required"] == list(shape["properties"])
        assert shape["additionalProperties"] is False


def test_the_actions_of_a_reply_are_read_in_order() -> None:
    reply = {
        "thought": "It subtracts.",
        "actions": [
            {"action": "edit", "path": "a.py", "search": "a - b", "replace": "a + b"},
            {"action": "read", "path": "b.py", "first": None, "last": None},
            {"action": "finish", "summary": "Done."},
        ],
    }

    parsed = parse_json_reply(json.dumps(reply))

    assert parsed.problem == ""
    assert [request.action for request in parsed.requests] == [
        Edit("a.py", "a - b", "a + b"),
        Read("b.py"),
        Finish("Done."),
    ]


def test_a_malformed_action_is_answered_and_the_others_are_read() -> None:
    parsed = parse_json_reply('{"actions": [{"action": "edit", "path": "a.py"}, {"action": "finish", "summary": "x"}]}')

    broken, finish = parsed.requests
    assert broken.action is None
    assert "search" in broken.problem
    assert finish.action == Finish("x")


@pytest.mark.parametrize("other", ['{"act": "finish"}', '"finish"', "null", '{"action": ["edit"]}', "[]"])
def test_what_is_no_action_among_actions_is_answered_and_not_passed_over(other: str) -> None:
    edit = '{"action": "edit", "path": "a.py", "search": "x", "replace": "y"}'
    for text in (f'{{"actions": [{edit}, {other}]}}', f"[{edit}, {other}]"):
        _, broken = parse_json_reply(text).requests

        assert broken.action is None
        assert "name of one" in broken.problem


def test_a_mark_of_byte_order_before_json_is_no_harm() -> None:
    assert parse_json_reply('\ufeff{"actions": [{"action": "read", "path": "a"}]}').requests[0].action == Read("a")


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ('{"thought": "x", "actions": []}', EMPTY),
        ('{"thought": "x"}', 'no "actions"'),
        ("[]", 'no "actions"'),
        ("null", 'no "actions"'),
        ('{"thought": "x", "actions": [{"act', "not JSON"),
        ("I think that is all.", "not JSON"),
        ("", "not JSON"),
        ("[" * 100_000, "not JSON"),
    ],
)
def test_a_reply_without_an_action_is_told_what_is_wrong(text: str, words: str) -> None:
    parsed = parse_json_reply(text)

    assert parsed.requests == ()
    assert words in parsed.problem


def test_a_reply_that_was_cut_off_does_nothing() -> None:
    whole = '{"thought": "x", "actions": [{"action": "finish", "summary": "x"}]}'

    assert parse_json_reply(whole, is_truncated=True).problem == CUT_OFF
    assert parse_json_reply(whole, is_truncated=True).requests == ()


@pytest.mark.parametrize(
    "text",
    [
        "```python path=a.py\nx = 1\n```\n",
        '```json\n{"actions": [{"action": "write", "path": "a.py", "content": "x = 1\\n"}]}\n```\n',
        '{"thought": "", "actions": [{"action": "write", "path": "a.py", "content": "x = 1\n"}]}',
    ],
)
def test_a_server_that_ignored_the_schema_may_have_let_fences_or_raw_lines_through(text: str) -> None:
    (request,) = parse_json_reply(text).requests

    assert isinstance(request.action, Write)
    assert (request.action.path, request.action.content) == ("a.py", "x = 1\n")


@pytest.mark.parametrize("name", ["json", "form_json"])
def test_the_prompts_own_example_is_a_reply_by_the_schema(name: str) -> None:
    text = prompt(name)
    example = text[text.index('{"thought"') : text.rindex("}]}") + 3]

    assert parse_json_reply(example).problem == ""
    schema: Any = action_schema()
    for action in json.loads(example)["actions"]:
        (shape,) = (
            found
            for found in schema["properties"]["actions"]["items"]["anyOf"]
            if found["properties"]["action"]["enum"] == [action["action"]]
        )
        assert {*action} == {*shape["required"]}


def test_the_json_prompt_is_short_and_has_the_rules() -> None:
    text = system_prompt(Dialect.JSON)

    assert len(text) < 2_500
    for rule in ("Never alter", "fails now for the", "lock", "data"):
        assert rule in text
