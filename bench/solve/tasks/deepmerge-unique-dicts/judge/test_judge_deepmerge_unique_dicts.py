import pytest
from deepmerge import Merger


def merge(base, nxt):
    return Merger([(list, ["append_unique"]), (dict, ["merge"])], ["override"], ["override"]).merge(base, nxt)


def test_different_dicts_with_mixed_keys_are_both_kept():
    first, second = {80: "http", "admin": "console"}, {443: "https", "admin": "console"}

    assert merge([first], [second]) == [first, second]


@pytest.mark.parametrize(
    "entry",
    [
        {1: "a", "b": 2},
        {None: 0, "x": 1},
        {(1, 2): "pair", "x": "y", 3: "three"},
        {True: "yes", "no": False},
    ],
)
def test_an_equal_dict_is_not_added_again(entry):
    turned = dict(reversed(list(entry.items())))

    assert merge([entry], [turned, 5]) == [entry, 5]


def test_mixed_keys_deep_in_a_structure():
    base = {"services": [{22: "ssh", "zone": "a"}]}
    nxt = {"services": [{22: "ssh", "zone": "a"}, {22: "ssh", "zone": "b"}]}

    assert merge(base, nxt) == {"services": [{22: "ssh", "zone": "a"}, {22: "ssh", "zone": "b"}]}


def test_dicts_of_strings_alone_stay_unique():
    assert merge([{"a": 1, "b": 2}], [{"b": 2, "a": 1}, {"a": 2}]) == [{"a": 1, "b": 2}, {"a": 2}]
