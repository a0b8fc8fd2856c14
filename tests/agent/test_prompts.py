"""The prompts are files with a version."""

import pytest

from bot.agent.fences import parse_reply
from bot.agent.prompts import Dialect, prompt, system_prompt, version
from bot.agent.thinking import without_thinking


def test_the_version_says_the_kind_and_is_the_same_each_time() -> None:
    assert version("native").startswith("native-")
    assert version("native").removeprefix("native-") == version("fenced").removeprefix("fenced-")


@pytest.mark.parametrize("dialect", [Dialect.NATIVE, Dialect.JSON, Dialect.FENCED])
def test_the_rules_are_in_every_dialect(dialect: Dialect) -> None:
    text = system_prompt(dialect)

    assert "Never alter" in text
    assert "fails now for the" in text
    assert "lock" in text
    assert "data" in text


def test_the_prompt_for_small_models_is_short() -> None:
    assert len(prompt("fenced")) < 2_500


@pytest.mark.parametrize(
    ("text", "rest"),
    [
        ("<think>a</think>\nb", "b"),
        ("<thinking>a</thinking>b", "b"),
        ("a\n</think>\nb", "b"),
        ("<think>a", ""),
        ("no reasoning", "no reasoning"),
        ("```python path=a.py\nx = '</think>'\n```", "```python path=a.py\nx = '</think>'\n```"),
        ("I look.\n<think>\n```python path=a.py\nx\n```\n</think>\nb", "I look.\n\nb"),
        ("<think>\n```python\nx\n</think>\nb", "b"),
        ("<think>a</think>\n<think>b\n```\nx\n```\n</think>\nc", "c"),
        ("I see.\n```python path=a.py\nx\n```\nNo.\n</think>\nb", "b"),
        ("I look.\n<think>\n```python path=a.py\nx = 1", "I look."),
        ("<reasoning>a</reasoning>\nb", "b"),
        ("The `<think>` tag is dropped.", "The `<think>` tag is dropped."),
        ("~~~md path=a.md\n<think>\na\n</think>\n~~~", "~~~md path=a.md\n<think>\na\n</think>\n~~~"),
        ("<|channel|>analysis<|message|>a<|end|><|start|>assistant<|channel|>final<|message|>b<|return|>", "b"),
    ],
)
def test_reasoning_is_set_aside_wherever_it_stands_and_code_is_not(text: str, rest: str) -> None:
    assert without_thinking(text) == rest


@pytest.mark.parametrize(
    "text", ["<think>\n" * 20_000 + "x\n" * 100_000, "x\n" * 100_000 + "<|channel|>final", "[" * 100_000]
)
def test_a_reply_of_any_length_is_read(text: str) -> None:
    assert len(without_thinking(text)) <= len(text)
    assert parse_reply(text).requests == ()
