"""Reasoning beside a reply is no part of it, whatever it holds."""

import json

import pytest

from bot.agent.complaints import named_problem
from bot.agent.thinking import without_thinking
from tests.agent.fakes import says

DRAFT = "```python path=a.py\nwrong\n```\n"
ANSWER = "```python path=a.py\nright\n```"


@pytest.mark.parametrize(
    "reply",
    [
        f"<think>\n{DRAFT}</think>\n{ANSWER}",
        f"<THINKING>\n{DRAFT}</THINKING>\n{ANSWER}",
        f'<think lang="en">\n{DRAFT}</think>\n{ANSWER}',
        f"<seed:think>\n{DRAFT}</seed:think>\n{ANSWER}",
        f"[THINK]\n{DRAFT}[/THINK]\n{ANSWER}",
        f"\u25c1think\u25b7\n{DRAFT}\u25c1/think\u25b7\n{ANSWER}",
        f"<|begin_of_thought|>\n{DRAFT}<|end_of_thought|>\n{ANSWER}",
        f"<analysis>\n{DRAFT}</analysis>\n{ANSWER}",
        f"<scratchpad>\n{DRAFT}</scratchpad>\n{ANSWER}",
        f"<think>Hm.\n```python\nunfinished\n</think>\n{ANSWER}",
        f"{DRAFT}</think>\n{ANSWER}",
        f"{DRAFT}That is it.</think>\n{ANSWER}",
        f"{DRAFT}</think> {ANSWER}",
        f"Well. <think>\n{DRAFT}</think>\n{ANSWER}",
        f"<|channel|>analysis<|message|>{DRAFT}<|end|><|start|>assistant<|channel|>final<|message|>{ANSWER}<|return|>",
    ],
)
def test_a_draft_in_the_reasoning_is_not_carried_out(reply: str) -> None:
    assert without_thinking(reply).endswith(ANSWER)
    assert "wrong" not in without_thinking(reply)


@pytest.mark.parametrize(
    "reply",
    [
        f"<think>\n{DRAFT}",
        f"Well. <think>\n{DRAFT}",
        f"<think>\n{DRAFT}</think>\n",
        f"<|channel|>analysis<|message|>{DRAFT}<|end|>",
    ],
)
def test_a_reply_that_is_reasoning_alone_asks_for_nothing_and_is_told_so(reply: str) -> None:
    words = without_thinking(reply)

    assert "```" not in words
    assert words or "reasoning alone" in named_problem(says(reply), words, "")


@pytest.mark.parametrize(
    "line", ["<think>", "</think>", "x = '<|channel|>final<|message|>'", "[THINK]", "\u25c1/think\u25b7"]
)
def test_tags_in_a_file_stay_in_it(line: str) -> None:
    reply = f"```python path=a.py\n{line}\n```\n\n{ANSWER}"

    assert without_thinking(reply) == reply


def test_tags_in_the_strings_of_json_are_no_tags() -> None:
    reply = json.dumps({"actions": [{"action": "write", "path": "a.py", "content": "x = '</think>'\n<think>\n"}]})

    assert without_thinking(reply) == reply


def test_words_about_a_tag_take_no_block_away() -> None:
    reply = f"{ANSWER}\n\nIt drops `</think>` now, and a </think> inside a line too."

    assert without_thinking(reply) == reply


def test_a_model_that_loops_on_a_tag_is_read() -> None:
    assert without_thinking(f"{'a</think>' * 20_000}\n{ANSWER}") == ANSWER
