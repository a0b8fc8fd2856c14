"""The prompts are files with a version."""

import pytest

from bot.agent.prompts import Dialect, prompt, system_prompt, version
from bot.agent.thinking import without_thinking


def test_the_version_says_the_kind_and_is_the_same_each_time() -> None:
    assert version("native").startswith("native-")
    assert version("native").removeprefix("native-") == version("fenced").removeprefix("fenced-")


@pytest.mark.parametrize("dialect", [Dialect.NATIVE, Dialect.FENCED])
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
    ],
)
def test_reasoning_at_the_start_is_set_aside_and_code_is_not(text: str, rest: str) -> None:
    assert without_thinking(text) == rest
