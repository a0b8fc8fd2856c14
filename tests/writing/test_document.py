import pytest
from hypothesis import given
from hypothesis import strategies as st

from bot.writing.document import LIMIT, SHORTENED, Section, compose, details, fit, marker, table
from bot.writing.safe import code, fenced, inline, paragraphs
from tests.writing.foreign import foreign_text, patiently
from tests.writing.rendering import foreign_html, is_closed, live


def test_a_document_below_the_limit_is_left_as_it_is() -> None:
    assert fit("short", 100) == "short"


@pytest.mark.parametrize(
    "line", ["😀" * 200_000, ("😀" * 79 + "\n") * 2_500, "x" * 200_000], ids=["one", "many", "plain"]
)
def test_two_hundred_thousand_characters_are_cut_below_githubs_limits_and_it_is_said(line: str) -> None:
    document = fit(details("log", fenced(line, tail=200_001)))

    assert 60_000 < len(document) <= LIMIT
    assert len(document.encode()) < 262_144
    assert is_closed(document)
    assert document.endswith(SHORTENED)


def test_a_cut_inside_of_details_and_code_closes_both() -> None:
    document = fit(details("outer", details("inner", fenced("line\n" * 1000))), 1000)

    assert is_closed(document)
    assert document.count("</details>") == 2


def test_a_fence_inside_of_a_longer_fence_closes_nothing() -> None:
    document = fit(fenced("```\n</details>\n" * 500), 2000)

    assert is_closed(document)


def test_no_line_of_code_or_markup_is_cut_in_its_middle() -> None:
    document = fit("text\n\n" + "`@octocat` " * 500, 1000)

    assert live(document) == []
    assert "octocat" not in document


def test_the_weakest_section_gives_way_first_and_it_is_said() -> None:
    strong, weak = Section("strong " * 20, rank=50), Section("weak " * 20, rank=10)

    document = compose([strong, weak], limit=200)

    assert "strong" in document
    assert "weak" not in document
    assert SHORTENED in document


def test_a_section_takes_its_shorter_form_before_it_goes() -> None:
    section = Section("long " * 100, rank=10, shorter=("short form",))

    assert "short form" in compose([Section("top"), section], limit=100)


def test_a_marker_at_the_end_survives_any_cut() -> None:
    end = marker("log", "r-1")

    document = compose([Section("x\n" * 50_000)], limit=1000, end=end)

    assert document.endswith(f"\n\n{end}")
    assert len(document) <= 1000


def test_a_section_that_stays_always_is_cut_rather_than_left_out() -> None:
    document = compose([Section("\n".join(str(n) for n in range(1000))), Section("gone", rank=1)], limit=500)

    assert document.startswith("0\n1\n2")
    assert "gone" not in document


@pytest.mark.parametrize("key", ["a b", "<", "ä", "a-->", "a--b", ""])
def test_a_marker_is_made_of_plain_words_alone(key: str) -> None:
    with pytest.raises(ValueError, match="not a marker"):
        marker("log", key)


def test_a_marker_takes_every_key_of_a_trigger() -> None:
    assert marker("reply", "start:12#7@2026-11-29T10:00:00Z") == (
        "<!-- selfcode:reply start:12#7@2026-11-29T10:00:00Z -->"
    )


blocks = st.one_of(
    foreign_text.map(paragraphs),
    foreign_text.map(fenced),
    foreign_text.map(lambda text: details(text, fenced(text))),
    foreign_text.map(lambda text: details("outer", details(text, f"{inline(text)}\n\n{fenced(text * 20)}"))),
    foreign_text.map(lambda text: table(("a", "b"), [(inline(text), "x")] * 20)),
    foreign_text.map(lambda text: f"- {code(text)}"),
)


@patiently
@given(st.lists(blocks, max_size=8), st.integers(min_value=120, max_value=3000))
def test_whatever_is_cut_fits_and_is_closed(parts: list[str], limit: int) -> None:
    document = fit("\n\n".join(parts), limit)

    assert len(document) <= limit
    assert is_closed(document)
    assert live(document) == []
    assert foreign_html(document) == []


@patiently
@given(st.lists(st.tuples(blocks, st.integers(0, 100), blocks), max_size=8), st.integers(min_value=200, max_value=2000))
def test_whatever_is_composed_fits_and_is_closed(parts: list[tuple[str, int, str]], limit: int) -> None:
    end = marker("log", "r-1")
    sections = [Section(text, rank, (shorter,)) for text, rank, shorter in parts]

    document = compose(sections, limit=limit, end=end)

    assert len(document) <= limit
    assert document.endswith(end)
    assert is_closed(document)
    assert live(document) == []
