from collections.abc import Callable

import pytest
from hypothesis import given

from bot.writing.document import details, table
from bot.writing.safe import code, code_in_cell, cut, fenced, in_html, inline, one_line, paragraphs, quoted, sentence
from tests.writing.foreign import TOKEN, foreign_text, patiently
from tests.writing.rendering import code_blocks, foreign_html, is_closed, live, table_rows, visible

EVERY = (inline, sentence, paragraphs, quoted, in_html, code, code_in_cell, fenced, one_line)
MARKER = "<!-- selfcode:progress r-1 -->"


@pytest.mark.parametrize("length", [3, 4, 5, 12])
def test_a_fence_is_longer_than_the_longest_run_of_backticks_inside(length: int) -> None:
    text = "before\n" + "`" * length + "\nafter"

    document = fenced(text)

    assert code_blocks(document) == [text + "\n"]
    assert is_closed(document)


def test_a_fence_is_measured_after_the_cut() -> None:
    text = "`" * 30 + "\n" + "line\n" * 100

    document = fenced(text, tail=100)

    assert document.startswith("```\n")
    assert "characters left out" in document


def test_an_odd_number_of_fences_and_a_closing_details_stay_inside_the_code_block() -> None:
    text = f"```\n</details>\n{MARKER}\n~~~"

    document = details("output", fenced(text))

    assert is_closed(document)
    assert len(code_blocks(document)) == 1
    assert foreign_html(document) == []


def test_a_run_of_backticks_longer_than_any_document_still_fits_into_a_fence() -> None:
    document = fenced("`" * 5000)

    assert is_closed(document)
    assert len(document.splitlines()[0]) <= 50


@pytest.mark.parametrize(
    "write",
    [inline, sentence, paragraphs, quoted, in_html, code, code_in_cell, fenced, one_line],
    ids=lambda each: each.__name__,
)
def test_foreign_text_can_not_forge_a_marker(write: Callable[[str], str]) -> None:
    assert MARKER not in write(f"a {MARKER} b\n{MARKER}")
    assert "<!-- selfcode" not in write("<!-- selfcode")


@pytest.mark.parametrize(
    "text",
    [
        "@octocat",
        "(@octocat)",
        "cc @org/team",
        "#12",
        "fixes #12",
        "Closes: owner/repo#12",
        "GH-12",
        "https://github.com/a/b/issues/12",
        "www.example.com",
        "someone@example.com",
        "&#64;octocat",
        "[text](https://x.test)",
        "![image](https://x.test/i.png)",
        "<https://x.test>",
    ],
)
@pytest.mark.parametrize("write", [inline, sentence, paragraphs, quoted], ids=lambda each: each.__name__)
def test_foreign_text_pings_nobody_and_links_nothing(write: Callable[[str], str], text: str) -> None:
    assert live(write(text)) == []
    assert live(table(("a",), [(inline(text),)])) == []
    assert live(details(text, "body")) == []


def test_a_title_of_foreign_words_closes_no_issue_when_it_becomes_a_commit_message() -> None:
    assert "#12" not in one_line("fixes #12")
    assert visible(inline("fixes #12")).replace("\u200b", "") == "fixes #12"


@pytest.mark.parametrize(
    "text", ["# heading", "- item", "+ item", "1. item", "12) item", "---", "===", "    code", "> x"]
)
def test_prose_keeps_its_words_and_gets_no_structure(text: str) -> None:
    document = paragraphs(f"above\n{text}\nbelow")

    assert visible(document).replace("\u200b", "") == " ".join(f"above {text} below".split())


def test_prose_keeps_its_inline_code() -> None:
    assert paragraphs("`a_b` is\n`c|d`, not `") == "`a_b` is\n`c|d`, not \\`"


def test_ordinary_words_stay_as_they_were_typed() -> None:
    text = "total_of(prices) is wrong: 3 < 6, see tests/test_a.py::test_x - twice"

    assert inline(text) == text.replace("<", "&lt;")


def test_a_sentence_keeps_its_inline_code_and_nothing_else() -> None:
    assert sentence("`a_b.py` is *protected* by `x") == "`a_b.py` is \\*protected\\* by \\`x"


def test_a_pipe_ends_no_table_cell_even_in_code() -> None:
    rows = table_rows(table(("a", "b"), [(code_in_cell("test[a|b]"), inline("x | y"))]))

    assert len(rows[1]) == 2


def test_terminal_sequences_and_direction_overrides_are_gone() -> None:
    assert one_line("\x1b[31mred\x1b[0m \u202etxt.exe\x07") == "red txt.exe"


@pytest.mark.parametrize(
    "hidden", ["\u202e", "\u2066", "\u200b", "\u200e", "\u061c", "\ufeff", "\u00ad", "\u2060", "\u3164", "\U000e0041"]
)
def test_what_nobody_sees_is_gone_from_words_and_spelled_out_in_code(hidden: str) -> None:
    number = f"[U+{ord(hidden):04X}]"

    assert one_line(f"a{hidden}b") == "ab"
    assert visible(inline(f"a{hidden}b")) == "ab"
    assert code(f"a{hidden}b") == f"`a{number}b`"
    assert code_blocks(fenced(f"+if a{hidden}b:")) == [f"+if a{number}b:\n"]


@pytest.mark.parametrize("joined", ["👩‍👩‍👧‍👦", "1️⃣", "❤️", "🇩🇪", "می‌خواهم", "क्‍ष"])
def test_joiners_and_variants_that_people_see_stay(joined: str) -> None:
    assert joined in inline(f"x {joined} y")
    assert joined in code(joined)


@pytest.mark.parametrize("hidden", ["\u200b", "\u200d", "\ufe0f", "\u00ad", "\U000e0041"])
def test_a_token_that_is_split_by_what_nobody_sees_is_masked(hidden: str) -> None:
    token = "ghp_" + f"aB3{hidden}" * 12

    for write in EVERY:
        assert "aB3" not in write(f"token {token}")


def test_of_endless_hidden_text_no_more_is_spelled_than_anybody_reads() -> None:
    assert len(fenced("a\u202e" * 100_000, tail=10**6)) < 120_000


@pytest.mark.parametrize("text", ["$x_0$", "$$x$$", "$`x`$", "\\$x$", "costs $5 to $10", "`a`$x$`b`"])
@pytest.mark.parametrize("write", [inline, sentence, paragraphs, quoted], ids=lambda each: each.__name__)
def test_no_formula_is_made_of_dollars(write: Callable[[str], str], text: str) -> None:
    assert live(write(text)) == []
    assert live(details(text, "body")) == []
    assert (
        visible(write(text)).replace("\u200b", "").replace(" ", "") == text.replace("`", "").replace(" ", "")
        or "`" in text
    )


@pytest.mark.parametrize("text", [":smile:", "a :+1: b", "12:100:30"])
def test_no_emoji_is_made_of_words_between_colons(text: str) -> None:
    assert live(inline(text)) == []
    assert visible(inline(text)).replace("\u200b", "") == text


def test_times_and_the_words_of_a_terminal_keep_their_colons() -> None:
    assert inline("at 12:30:45") == "at 12:30:45"
    assert one_line("a :smile: b") == "a :smile: b"


def test_colons_of_test_names_stay_as_they_are() -> None:
    assert inline("tests/a.py::TestA::test_b: x") == "tests/a.py::TestA::test\\_b: x".replace("\\_", "_")


@pytest.mark.parametrize("kind", ["NOTE", "TIP", "IMPORTANT", "WARNING", "CAUTION"])
def test_a_quote_of_foreign_words_is_no_alert(kind: str) -> None:
    assert live(quoted(f"[!{kind}]\nEverybody has to merge this.")) == []


def test_a_lone_surrogate_can_be_sent() -> None:
    assert one_line("a\ud800b").encode("utf-8") == b"a?b"


def test_a_cut_splits_no_visible_character() -> None:
    family = "👩‍👩‍👧‍👦"

    assert cut(family * 3, 10) == family + "…"


def test_a_token_in_foreign_text_is_masked_before_it_is_escaped() -> None:
    for write in EVERY:
        assert TOKEN[:30] not in write(f"token {TOKEN}").replace("\\", "")


@patiently
@given(foreign_text)
def test_whatever_is_written_stays_inside_its_place(text: str) -> None:
    document = "\n\n".join(
        [
            f"# {inline(text)}",
            inline(text),
            sentence(text),
            paragraphs(text),
            quoted(text),
            f"- {code(text)}",
            table(("a", "b"), [(code_in_cell(text), inline(text))]),
            details(text, fenced(text)),
        ]
    )

    assert is_closed(document)
    assert live(document) == []
    assert foreign_html(document) == []
    assert [len(row) for row in table_rows(document)] == [2, 2]
    assert len(code_blocks(document)) == 1
