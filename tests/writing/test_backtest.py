import json
from dataclasses import replace
from html.parser import HTMLParser

import pytest
from hypothesis import given

from bot.records import Backtest
from bot.writing.backtest import outcome_of, summary, terminal_text
from bot.writing.backtest_page import page
from bot.writing.backtest_pictures import pictures_of
from bot.writing.backtest_report import markdown_report
from tests.writing.backtests import BOT, a_backtest, a_fix, a_large_one, a_replay
from tests.writing.foreign import TOKEN, foreign_text, patiently
from tests.writing.rendering import foreign_html, is_closed, live

FIX = a_fix(1)


def hostile(text: str) -> Backtest:
    """A backtest that says this wherever a stranger may say something."""
    fix = a_fix(1, title=text, name=text, url=f"javascript:{text}")
    unfit = a_fix(2, title=text, reason=text or "no")
    replays = [a_replay(fix, False, True, bot=text, reason=text), a_replay(fix, False, bot="b", proven=True)]
    made = a_backtest([fix, unfit], replays, text, "b", stopped=text)
    return replace(made, repository=text, version=text)


class Seen(HTMLParser):
    """What a browser would make of a page: its elements, what they do, its words."""

    def __init__(self, text: str) -> None:
        super().__init__()
        self.elements: set[str] = set()
        self.attributes: list[tuple[str, str | None]] = []
        self.words = ""
        self.feed(text)

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.elements.add(tag)
        self.attributes += attrs

    def handle_data(self, data: str) -> None:
        self.words += data


# --- In a terminal


def test_a_terminal_shows_figures_fixes_and_what_was_left_out() -> None:
    text = terminal_text(a_large_one())

    assert "octo/tables: of 25 fixes looked at, 20 can be asked for again" in text
    assert "6 of 16   38 %   18–61 %" in text
    assert "FALSELY PROVEN: 080808080808 “Empty input is read as one row”" in text
    assert "   2  nothing fails on the base" in text
    assert "stopped: the budget is spent" in text


def test_no_line_is_wider_than_a_terminal() -> None:
    assert max(map(len, terminal_text(a_large_one()).splitlines())) <= 81


def test_each_fix_has_a_mark_for_each_bot() -> None:
    replays = [a_replay(FIX, True, proven=True), a_replay(FIX, False, bot="b")]

    assert "  P x -  010101010101  " in terminal_text(a_backtest([FIX], replays, BOT, "b", "c"))


def test_without_a_bot_every_fix_that_was_left_out_says_why() -> None:
    unfit = [a_fix(number, reason=f"too large: {number} files") for number in (2, 3)]

    text = terminal_text(replace(a_backtest([FIX, *unfit]), bots=()))

    assert "too large: 2 files" in text
    assert "too large: 3 files" in text


def test_a_price_that_is_not_known_is_said() -> None:
    spend = replace(a_replay(FIX).spend, cost_usd=None)

    assert "price unknown" in terminal_text(a_backtest([FIX], [a_replay(FIX, True, spend=spend)]))


@patiently
@given(foreign_text)
def test_nothing_foreign_controls_a_terminal(text: str) -> None:
    shown = terminal_text(hostile(text))

    assert not any(ord(character) < 32 and character != "\n" for character in shown)
    assert "\x9b" not in shown
    assert TOKEN not in shown


# --- As a page


def test_the_page_has_its_pictures_and_tables_and_asks_nobody_for_anything() -> None:
    text = page(a_large_one())

    seen = Seen(text)
    assert text.count("<svg") == len(pictures_of(a_large_one())) == 4
    assert "75 % (15 of 20)" in seen.words
    assert "Falsely proven by large-model; reproduce=before; iterations=3" in seen.words
    assert not {"script", "img", "iframe", "link", "object", "form"} & seen.elements
    assert [name for name, _ in seen.attributes if name in ("src", "href", "style") or name.startswith("on")] == []
    assert "default-src 'none'" in dict(seen.attributes).values() or "default-src" in text


def test_a_fix_with_an_address_is_a_link() -> None:
    made = a_backtest([a_fix(1, url="https://github.com/octo/tables/pull/7")], [])

    assert ("href", "https://github.com/octo/tables/pull/7") in Seen(page(made)).attributes


KNOWN = Seen(page(hostile("x"))).elements


@patiently
@given(foreign_text)
def test_nothing_foreign_is_more_than_text_in_the_page(text: str) -> None:
    shown = page(hostile(text))

    seen = Seen(shown)
    assert seen.elements <= KNOWN
    assert not [name for name, _ in seen.attributes if name == "href" or name.startswith("on")]
    assert TOKEN not in shown


# --- As Markdown, as pictures, as an object


def test_the_report_shows_the_pictures_that_lie_beside_it() -> None:
    made = a_large_one()

    text = markdown_report(made)

    assert all(f"]({name})" in text for name in pictures_of(made))
    assert "| `small-model` | 6 of 16 (38 %) | 18–61 % |" in text
    assert "| `080808080808` | Empty input is read as one row | solved, proven | no change | falsely proven |" in text


@patiently
@given(foreign_text)
def test_nothing_foreign_is_more_than_text_in_the_report(text: str) -> None:
    made = hostile(text)
    shown = markdown_report(made)

    assert is_closed(shown)
    assert foreign_html(shown) == []
    assert live(shown) == ["None"] * len(pictures_of(made))  # an image's address is no link
    assert TOKEN not in shown


def test_there_are_no_pictures_of_nothing() -> None:
    assert pictures_of(a_backtest([FIX], [])) == {}


def test_tokens_are_drawn_where_no_price_is_known() -> None:
    spend = replace(a_replay(FIX).spend, cost_usd=None)
    pictures = pictures_of(a_backtest([FIX], [a_replay(FIX, True, spend=spend)]))

    assert "Tokens for each solved fix" in pictures["spent.svg"]


def test_an_object_has_all_figures_and_every_fix() -> None:
    made = json.loads(json.dumps(summary(a_large_one(), {"report": "report.md"})))

    assert (made["outcome"], made["fit"], made["looked_at"]) == ("stopped", 20, 25)
    large = made["bots"][2]
    assert (large["solved"], large["of"], large["proven_not_solved"]) == (15, 20, 1)
    assert large["falsely_proven"] == ["080808080808"]
    assert made["fixes"][0]["replays"]["oracle"]["is_proven"]
    assert made["fixes"][-1]["reason"].startswith("its message says too little")
    assert made["report"] == "report.md"


@pytest.mark.parametrize(
    ("made", "outcome"),
    [
        (a_backtest([FIX], [a_replay(FIX, False)]), "done"),
        (replace(a_backtest([FIX]), bots=()), "checked"),
        (a_backtest([a_fix(1, reason="too large")]), "nothing_fit"),
        (a_backtest([FIX], stopped="it was interrupted"), "stopped"),
    ],
)
def test_the_outcome_is_one_word(made: Backtest, outcome: str) -> None:
    assert outcome_of(made) == outcome
