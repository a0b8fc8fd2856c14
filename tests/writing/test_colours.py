import pytest

from bot.writing.colours import Piece, coloured


def test_plain_output_is_one_piece() -> None:
    assert coloured("1 passed\n") == (Piece("1 passed\n"),)
    assert coloured("") == ()


@pytest.mark.parametrize(
    ("sequence", "styles"),
    [
        ("\x1b[31m", ("red",)),
        ("\x1b[1;32m", ("green", "bold")),
        ("\x1b[91m", ("red",)),
        ("\x1b[41m", ("on-red",)),
        ("\x1b[38;5;12m", ("blue",)),
        ("\x1b[38:5:2m", ("green",)),
        ("\x1b[1m\x1b[4m\x1b[22m", ("underlined",)),
        ("\x1b[38;2;1;2;3m", ()),
        ("\x1b[31m\x1b[39m", ()),
        ("\x1b[31;1;4m\x1b[m", ()),
        ("\x1b[99999999999999m", ()),
    ],
)
def test_a_selection_styles_what_follows(sequence: str, styles: tuple[str, ...]) -> None:
    assert coloured(f"{sequence}text") == (Piece("text", styles),)


def test_the_style_ends_where_it_is_taken_back() -> None:
    assert coloured("a \x1b[31mred\x1b[0m b") == (Piece("a "), Piece("red", ("red",)), Piece(" b"))


def test_all_other_sequences_are_gone_and_what_nobody_sees_is_shown() -> None:
    assert coloured("\x1b]0;title\x07\x1b[2J\x1b[31m\u202ered\x1b[0m") == (Piece("[U+202E]red", ("red",)),)


def test_a_secret_that_a_colour_splits_is_masked() -> None:
    split = f"ghp_{'a1B2' * 4}\x1b[31m{'a1B2' * 5}\x1b[0m"

    assert coloured(split) == (Piece("[masked]"),)
