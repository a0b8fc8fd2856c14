import pytest

from bot.writing.document import details, table
from bot.writing.html import html_of, inline_html_of
from bot.writing.safe import code, fenced, inline


def test_markdown_of_ours_becomes_html() -> None:
    assert inline_html_of("✅ **Proven**: `a` fails") == "✅ <strong>Proven</strong>: <code>a</code> fails"
    assert "<td>1</td>" in html_of(table(("a", "b"), [("1", "2")]))


def test_what_is_folded_can_be_unfolded() -> None:
    shown = html_of(details("Skipped: <2>", "- one"))

    assert "<details>\n<summary>Skipped: &lt;2&gt;</summary>" in shown
    assert "<li>one</li>" in shown


@pytest.mark.parametrize(
    "foreign", ["<script>alert(1)</script>", "<img src=x onerror=alert(1)>", "<details onclick=x>", "</pre><b>"]
)
def test_html_of_others_is_text_even_where_nobody_made_it_harmless(foreign: str) -> None:
    for shown in (html_of(foreign), inline_html_of(f"x {foreign}"), html_of(inline(foreign)), html_of(fenced(foreign))):
        assert not any(tag in shown for tag in ("<script", "<img", "<b>", "<details on"))


@pytest.mark.parametrize("link", ["[a](javascript:alert(1))", "<javascript:alert(1)>", "![a](https://evil.example/x)"])
def test_no_address_that_does_something_is_a_link_and_no_picture_is_loaded(link: str) -> None:
    shown = html_of(link)

    assert 'href="javascript' not in shown
    assert "<img" not in shown


def test_code_stays_what_it_is() -> None:
    assert "a &lt;b&gt; | c" in html_of(code("a <b> | c"))
