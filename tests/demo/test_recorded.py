"""Recorded replies over OpenAI's protocol: the prompt alone says which one is played."""

import json
import subprocess
import sys
import threading
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import openai
import pytest
import requests
from openai.types.chat import ChatCompletion

from bot.demo.recorded import RecordedModel

RECORDING: dict[str, Any] = {
    "model": "recorded",
    "match": "Sum is wrong",
    "iterations": [
        [
            {"content": "I look.", "tool_calls": [{"name": "read", "arguments": {"path": "adder.py"}}]},
            {"content": "A test and a fix, é."},
        ],
        [{"content": "The right fix."}],
    ],
}
OTHER: dict[str, Any] = {
    "model": "recorded",
    "match": "Product is wrong",
    "iterations": [[{"content": "Another task."}]],
}
TOOLS: Any = [{"type": "function", "function": {"name": "read", "parameters": {"type": "object"}}}]


@pytest.fixture
def model() -> Iterator[RecordedModel]:
    with RecordedModel(RECORDING, OTHER) as running:
        yield running


def prompt(*after: tuple[str, str], issue: str = "Sum is wrong", iteration: int = 1) -> list[Any]:
    opening = f"Iteration {iteration} of 5.\n\nThe issue: {issue}"
    return [
        {"role": "system", "content": "You mend."},
        {"role": "user", "content": opening},
        *({"role": role, "content": content} for role, content in after),
    ]


def ask(model: RecordedModel, messages: list[Any], **more: Any) -> ChatCompletion:
    with openai.OpenAI(base_url=model.base_url, api_key="any") as client:
        answer: ChatCompletion = client.chat.completions.create(model="recorded", messages=messages, **more)
        return answer


def test_the_first_reply_of_an_iteration_may_call_tools(model: RecordedModel) -> None:
    answer = ask(model, prompt(), tools=TOOLS)

    choice = answer.choices[0]
    assert choice.finish_reason == "tool_calls"
    assert choice.message.content == "I look."
    assert choice.message.tool_calls
    assert choice.message.tool_calls[0].to_dict()["function"] == {"name": "read", "arguments": '{"path": "adder.py"}'}


def test_the_next_reply_follows_from_the_replies_so_far(model: RecordedModel) -> None:
    answer = ask(model, prompt(("assistant", "I look."), ("user", "def add…")))

    assert answer.choices[0].message.content == "A test and a fix, é."


def test_the_last_opening_says_which_iteration_it_is(model: RecordedModel) -> None:
    answer = ask(model, prompt(("assistant", "old"), ("user", "Iteration 2 of 5.\n\n1 failed")))

    assert answer.choices[0].message.content == "The right fix."


def test_the_same_prompt_is_answered_alike_however_often(model: RecordedModel) -> None:
    contents = {ask(model, prompt(iteration=2)).choices[0].message.content for _ in range(3)}

    assert contents == {"The right fix."}


def test_beyond_what_was_recorded_the_reply_finishes(model: RecordedModel) -> None:
    assert "```finish" in (ask(model, prompt(iteration=4)).choices[0].message.content or "")


def test_the_task_chooses_among_recordings(model: RecordedModel) -> None:
    assert ask(model, prompt(issue="Product is wrong")).choices[0].message.content == "Another task."


def test_a_task_that_was_not_recorded_is_an_error_and_no_guess(model: RecordedModel) -> None:
    with pytest.raises(openai.NotFoundError, match="no recording fits"):
        ask(model, prompt(issue="Something else"))


def test_without_tools_in_the_request_tool_calls_travel_as_json_in_a_fence(model: RecordedModel) -> None:
    content = ask(model, prompt()).choices[0].message.content or ""

    fence = content.partition("```json\n")[2].partition("\n```")[0]
    assert json.loads(fence) == {"name": "read", "arguments": {"path": "adder.py"}}


def test_a_stream_says_the_same_as_the_whole_answer(model: RecordedModel) -> None:
    with openai.OpenAI(base_url=model.base_url, api_key="any") as client:
        chunks = list(
            client.chat.completions.create(
                model="recorded",
                messages=prompt(("assistant", "I look."), ("user", "…")),
                stream=True,
                stream_options={"include_usage": True},
            )
        )

    content = "".join(choice.delta.content or "" for chunk in chunks for choice in chunk.choices)
    assert content == "A test and a fix, é."
    assert chunks[-1].usage is not None
    assert chunks[-1].usage.total_tokens > 0


def test_usage_grows_with_the_prompt(model: RecordedModel) -> None:
    short, long = ask(model, prompt(iteration=2)), ask(model, prompt(("user", "x" * 4000), iteration=2))

    assert short.usage
    assert long.usage
    assert long.usage.prompt_tokens - short.usage.prompt_tokens == pytest.approx(1000, abs=20)


def test_calls_are_counted_with_their_place(model: RecordedModel) -> None:
    ask(model, prompt())
    ask(model, prompt(iteration=2))

    assert [(call.match, call.iteration, call.index) for call in model.calls] == [
        ("Sum is wrong", 1, 0),
        ("Sum is wrong", 2, 0),
    ]


def test_a_held_model_answers_when_it_is_released(model: RecordedModel) -> None:
    model.hold()
    answers: list[str | None] = []
    caller = threading.Thread(target=lambda: answers.append(ask(model, prompt(iteration=2)).choices[0].message.content))
    caller.start()

    assert model.wait_for_calls(1)
    assert answers == []
    model.release()
    caller.join()
    assert answers == ["The right fix."]


def test_a_model_is_held_at_a_call_and_answers_those_before(model: RecordedModel) -> None:
    model.hold(at=(2, 0))
    answers = [ask(model, prompt(iteration=1)).choices[0].message.content]
    caller = threading.Thread(target=lambda: answers.append(ask(model, prompt(iteration=2)).choices[0].message.content))
    caller.start()

    assert model.wait_for_calls(2)
    assert len(answers) == 1
    model.release()
    caller.join()
    assert answers[1:] == ["The right fix."]


def test_the_models_are_listed(model: RecordedModel) -> None:
    with openai.OpenAI(base_url=model.base_url, api_key="any") as client:
        assert [found.id for found in client.models.list()] == ["recorded"]


def test_it_runs_as_a_process_of_its_own(tmp_path: Path) -> None:
    file = tmp_path / "recording.json"
    file.write_text(json.dumps(RECORDING))

    with subprocess.Popen(
        [sys.executable, "-m", "bot.demo.recorded", file],
        stdout=subprocess.PIPE,
        text=True,
        cwd=Path(__file__).parents[2],
    ) as server:
        assert server.stdout
        url = server.stdout.readline().strip()
        body = {"model": "recorded", "messages": prompt(iteration=2)}
        answer = requests.post(f"{url}/chat/completions", json=body, timeout=10).json()
        calls = requests.get(f"{url.removesuffix('/v1')}/calls", timeout=10).json()
        server.terminate()

    assert answer["choices"][0]["message"]["content"] == "The right fix."
    assert calls == [{"match": "Sum is wrong", "iteration": 2, "index": 0}]


READY = {"type": "function", "function": {"name": "ready", "parameters": {"type": "object", "required": ["word"]}}}


@pytest.mark.parametrize("calls", [True, False])
def test_the_question_whether_it_calls_tools_is_answered_as_the_recorded_replies_do(calls: bool) -> None:
    tools = [{"name": "read", "arguments": {}}] if calls else []
    recording = {"model": "recorded", "match": "Sum is wrong", "iterations": [[{"content": "x", "tool_calls": tools}]]}

    with RecordedModel(recording) as model:
        client = openai.OpenAI(base_url=model.base_url, api_key="x")
        asked: Any = {"messages": [{"role": "user", "content": "Are you ready?"}], "tools": [READY]}
        message = client.chat.completions.create(model="recorded", **asked).choices[0].message
        client.close()

    assert bool(message.tool_calls) is calls
    assert model.calls == []
