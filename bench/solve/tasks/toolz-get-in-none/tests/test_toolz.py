import pytest
from toolz import assoc_in, compose, dissoc, get_in, groupby, merge_with, update_in, valmap


def test_a_deep_value():
    assert get_in(["a", 0, "b"], {"a": [{"b": 1}]}) == 1


def test_a_missing_key_gives_the_default():
    assert get_in(["a", "x"], {"a": {}}, "none") == "none"


def test_a_missing_key_can_be_an_error():
    with pytest.raises(KeyError):
        get_in(["x"], {}, no_default=True)


def test_updates_leave_the_original():
    original = {"a": {"b": 1}}

    assert update_in(original, ["a", "b"], lambda value: value + 1) == {"a": {"b": 2}}
    assert assoc_in(original, ["c", "d"], 3) == {"a": {"b": 1}, "c": {"d": 3}}
    assert original == {"a": {"b": 1}}


def test_dicts_are_merged_with_a_function():
    assert merge_with(sum, {"a": 1}, {"a": 2, "b": 3}) == {"a": 3, "b": 3}


def test_groups():
    assert groupby(len, ["a", "bb", "c"]) == {1: ["a", "c"], 2: ["bb"]}


def test_the_rest():
    assert dissoc({"a": 1, "b": 2}, "a") == {"b": 2}
    assert valmap(compose(str, abs), {"a": -1}) == {"a": "1"}
