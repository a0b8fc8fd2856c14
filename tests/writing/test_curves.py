import itertools
from xml.etree import ElementTree as ET

from bot.writing.curves import Curve, curves
from bot.writing.palette import COLOURS, Caption

SVG = "{http://www.w3.org/2000/svg}"


def test_the_picture_is_svg_for_light_and_dark_that_names_what_it_shows() -> None:
    drawn = curves(
        [Curve("plain", (0, 1), 1), Curve("selfcode", (0, 1), 1)],
        Caption("Programs solved, n = 1", "model <m> · seed 4"),
    )

    texts = [text.text for text in ET.fromstring(drawn).iter(f"{SVG}text")]
    assert {"Programs solved, n = 1", "model <m> · seed 4", "plain 100 %", "selfcode 100 %"} <= set(texts)
    assert "prefers-color-scheme:dark" in drawn


def labels_of(drawn: str) -> list[float]:
    return [
        float(text.attrib["y"])
        for text in ET.fromstring(drawn).iter(f"{SVG}text")
        if (text.text or "").endswith(" %") and text.attrib.get("font-weight")
    ]


def test_names_of_lines_that_end_in_one_place_do_not_lie_on_each_other() -> None:
    first, second = labels_of(curves([Curve("a", (1,), 1), Curve("b", (1,), 1)], Caption("")))

    assert abs(first - second) >= 13


def test_names_of_lines_that_end_at_the_ground_stay_in_the_picture() -> None:
    found = sorted(labels_of(curves([Curve(str(number), (0,), 5) for number in range(9)], Caption(""))))

    assert min(after - before for before, after in itertools.pairwise(found)) >= 13
    assert found[-1] < 420 - 56 + 13


def test_two_lines_of_one_colour_differ_in_their_dashes() -> None:
    many = [Curve(str(number), (0, 1), 5) for number in range(len(COLOURS) + 1)]

    lines = [line.attrib for line in ET.fromstring(curves(many, Caption(""))).iter(f"{SVG}polyline")]

    assert lines[0]["class"] == lines[-1]["class"]
    assert lines[0].get("stroke-dasharray") != lines[-1].get("stroke-dasharray")


def test_one_of_nothing_is_not_drawn() -> None:
    drawn = curves([Curve("none", (0,), 0), Curve("some", (1,), 2)], Caption(""))

    assert "none " not in "".join(ET.fromstring(drawn).itertext())
    assert labels_of(drawn)
