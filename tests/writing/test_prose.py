import pytest
from hypothesis import given

from bot.writing.prose import prose, quoted_prose
from tests.writing.foreign import PIECES, foreign_text, patiently
from tests.writing.rendering import code_blocks, foreign_html, is_closed, live, visible


def test_lists_headings_bold_words_and_code_of_a_model_are_kept() -> None:
    shown = prose("## Why\nIt is **on purpose**:\n- one `a`\n- two\n\n1. first\n\n```python\nx = 1\n```\nThe end.")

    assert shown == (
        "**Why**\n\nIt is **on purpose**:\n- one `a`\n- two\n\n1. first\n\n```python\nx = 1\n```\n\nThe end."
    )


@pytest.mark.parametrize("info", ["mermaid", "suggestion", "math", "geojson", "diff --cc", "Mermaid {x}"])
def test_a_code_block_of_a_model_is_only_ever_shown(info: str) -> None:
    shown = prose(f"```{info}\ngraph LR\n```")

    assert code_blocks(shown) == ["graph LR\n"]
    assert shown.strip().splitlines()[0] in ("```text", "```diff")


@pytest.mark.parametrize(
    "text",
    [
        "```\nopen",
        "~~~~\n```\n~~~",
        "```\n````\nafter",
        "- ```\n  x\n  ```",
        "    ```py\nx\n    ```",
        "`````\n```\n`````",
    ],
)
def test_whatever_becomes_of_its_fences_nothing_is_left_open(text: str) -> None:
    assert is_closed(prose(text))
    assert is_closed(quoted_prose(text))
    assert is_closed(f"before\n\n{quoted_prose(text)}\n\nafter")


def test_tasks_tables_notes_and_alerts_stay_words() -> None:
    text = "- [ ] task\n| a | b |\n|---|---|\n[^1]: note\n> [!NOTE]\n> words\n[!WARNING]\n***\n<details>"

    shown = prose(text)

    assert live(shown) == []
    assert foreign_html(shown) == []
    assert all(word in visible(shown) for word in ("[ ] task", "| a | b |", "note", "!NOTE", "<details>"))
    assert live(quoted_prose("[!WARNING]\nx")) == []


@pytest.mark.parametrize("piece", PIECES)
def test_no_piece_of_foreign_text_does_anything(piece: str) -> None:
    for text in (
        piece,
        f"x {piece} y",
        f"- {piece}",
        f"**{piece}**",
        f"## {piece}",
        f"```\n{piece}\n```",
        f"{piece}\n" * 3,
    ):
        for shown in (prose(text), quoted_prose(text)):
            assert live(shown) == []
            assert foreign_html(shown) == []
            assert is_closed(shown)


@patiently
@given(foreign_text)
def test_no_foreign_text_does_anything(text: str) -> None:
    for shown in (prose(text), quoted_prose(text)):
        assert live(shown) == []
        assert foreign_html(shown) == []
        assert is_closed(shown)
