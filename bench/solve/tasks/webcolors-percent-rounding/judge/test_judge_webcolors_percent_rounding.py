import pytest
import webcolors


@pytest.mark.parametrize(
    ("percent", "expected"),
    [
        (("50%", "50%", "50%"), (128, 128, 128)),
        (("25%", "75%", "60%"), (64, 191, 153)),
        (("12.5%", "0%", "100%"), (32, 0, 255)),
        (("99.9%", "0.3%", "33%"), (255, 1, 84)),
        (("120%", "-3%", "1%"), (255, 0, 3)),
    ],
)
def test_percent_becomes_the_nearest_integer(percent, expected):
    assert tuple(webcolors.rgb_percent_to_rgb(percent)) == expected


def test_percent_becomes_hex():
    assert webcolors.rgb_percent_to_hex(("50%", "25%", "75%")) == "#8040bf"


@pytest.mark.parametrize("name", ["gray", "maroon", "navy", "teal", "olive", "white", "black"])
def test_a_name_survives_the_way_through_percent(name):
    assert webcolors.rgb_percent_to_name(webcolors.name_to_rgb_percent(name)) == name
