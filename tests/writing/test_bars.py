from xml.etree import ElementTree as ET

from bot.writing.bars import Amount, Rate, amounts, rates
from bot.writing.palette import Caption
from bot.writing.shares import Share

SVG = "{http://www.w3.org/2000/svg}"


def widths(drawn: str, kind: str) -> list[float]:
    return [
        float(bar.attrib["width"]) for bar in ET.fromstring(drawn).iter(f"{SVG}rect") if bar.attrib["class"] == kind
    ]


def texts(drawn: str) -> list[str]:
    return [text.text or "" for text in ET.fromstring(drawn).iter(f"{SVG}text")]


def test_a_bar_is_as_long_as_its_share_and_says_it() -> None:
    drawn = rates([Rate("half", Share(5, 10))], Caption("Solved"))

    assert widths(drawn, "f0")[0] * 2 == widths(drawn, "ground")[0]
    assert {"Solved", "half", "50 % (5 of 10)"} <= set(texts(drawn))


def test_the_interval_of_a_share_lies_around_its_end() -> None:
    drawn = rates([Rate("half", Share(5, 10))], Caption(""))

    (ends,) = (each.attrib["d"] for each in ET.fromstring(drawn).iter(f"{SVG}path"))
    low, high = float(ends[1:].split()[0]), float(ends.rpartition("M")[2].split()[0])
    assert low < 12 + widths(drawn, "f0")[0] < high


def test_a_share_of_nothing_has_no_interval() -> None:
    drawn = rates([Rate("nobody", Share(0, 0))], Caption(""))

    assert not list(ET.fromstring(drawn).iter(f"{SVG}path"))
    assert "none was asked for" in texts(drawn)


def test_amounts_are_drawn_beside_the_largest_one() -> None:
    drawn = amounts([Amount("a", 2.0, "USD 2"), Amount("b", 4.0, "USD 4"), Amount("c", None, "none")], Caption(""))

    assert widths(drawn, "f0")[0] * 2 == widths(drawn, "f1")[0]
    assert not widths(drawn, "f2")
    assert {"USD 2", "USD 4", "none"} <= set(texts(drawn))


def test_nothing_is_drawn_of_amounts_that_nobody_knows() -> None:
    assert amounts([Amount("a", None, "unknown"), Amount("b", 0.0, "USD 0")], Caption("")) == ""


def test_words_in_a_picture_are_text() -> None:
    drawn = rates([Rate("<script>&\"'", Share(1, 2))], Caption("</title><script>"))

    assert not list(ET.fromstring(drawn).iter(f"{SVG}script"))
    assert "<script>&\"'" in texts(drawn)
