import pytest
from boltons.strutils import complement_int_list, int_ranges_from_int_list, parse_int_list


@pytest.mark.parametrize(
    ("text", "options", "expected"),
    [
        ("1,3:5", {"range_delim": ":"}, ((1, 1), (3, 5))),
        ("10:12", {"range_delim": ":"}, ((10, 12),)),
        ("1..3,7,9..10", {"range_delim": ".."}, ((1, 3), (7, 7), (9, 10))),
        ("1;4to6", {"delim": ";", "range_delim": "to"}, ((1, 1), (4, 6))),
        ("5:3", {"range_delim": ":"}, ((3, 5),)),
        ("1:2,3", {"range_delim": ":"}, ((1, 3),)),
    ],
)
def test_ranges_are_written_with_another_delimiter(text, options, expected):
    assert int_ranges_from_int_list(text, **options) == expected


def test_the_delimiters_may_be_given_by_position():
    assert int_ranges_from_int_list("1;3:5", ";", ":") == ((1, 1), (3, 5))


@pytest.mark.parametrize(
    ("text", "expected"), [("", ()), ("1", ((1, 1),)), ("1,3,5-8,10-11", ((1, 1), (3, 3), (5, 8), (10, 11)))]
)
def test_the_usual_delimiters(text, expected):
    assert int_ranges_from_int_list(text) == expected


def test_the_other_functions_know_it_too():
    assert parse_int_list("1,3:5", range_delim=":") == [1, 3, 4, 5]
    assert complement_int_list("1,3:5", range_end=8, range_delim=":") == "0,2,6:7"
