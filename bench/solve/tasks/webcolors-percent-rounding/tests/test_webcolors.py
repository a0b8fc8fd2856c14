import pytest
import webcolors


def test_a_name_becomes_hex():
    assert webcolors.name_to_hex("white") == "#ffffff"


def test_hex_becomes_a_name():
    assert webcolors.hex_to_name("#daa520") == "goldenrod"


def test_short_hex_is_made_long():
    assert webcolors.normalize_hex("#09C") == "#0099cc"


def test_integers_are_clipped():
    assert webcolors.normalize_integer_triplet((270, -20, 0)) == (255, 0, 0)


def test_whole_percentages():
    assert webcolors.rgb_percent_to_hex(("100%", "0%", "100%")) == "#ff00ff"


def test_an_unknown_name_is_an_error():
    with pytest.raises(ValueError):
        webcolors.name_to_hex("no such colour")
