"""What is a loop in a reply that was cut off, and what is not."""

import pytest

from bot.agent.looping import is_loop

LINE = "assert add(1, 2) == 3  # one and two are three\n"
PART = f"def f():\n    {LINE}\n\n"


@pytest.mark.parametrize("text", [LINE * 20, f"# said first\n{PART * 9}def f", f"{LINE}{PART * 6}", LINE * 5000])
def test_the_same_again_and_again_is_a_loop(text: str) -> None:
    assert is_loop(text)


@pytest.mark.parametrize(
    "text",
    ["", "x", "\n" * 5000, "}\n" * 9, LINE * 2, f"{LINE * 20}def f():\n", "".join(f"{n}: {LINE}" for n in range(90))],
)
def test_other_words_are_none(text: str) -> None:
    assert not is_loop(text)
