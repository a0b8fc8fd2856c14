from collections import defaultdict

import pytest
from funcy import walk_keys, walk_values


@pytest.mark.parametrize(
    ("factory", "function", "expected"),
    [
        (int, str, "0"),
        (list, len, 0),
        (lambda: 5, lambda value: value + 1, 6),
        (dict, bool, False),
    ],
)
def test_a_missing_key_gets_a_mapped_default(factory, function, expected):
    assert walk_values(function, defaultdict(factory))["missing"] == expected


def test_functions_may_be_given_in_short():
    assert walk_values({0: "none", 1: "one"}, defaultdict(int, {"a": 1}))["b"] == "none"
    assert walk_values({0: "none", 1: "one"}, defaultdict(int, {"a": 1}))["a"] == "one"


def test_mapping_twice():
    twice = walk_values(len, walk_values(str, defaultdict(int, {"a": 100})))

    assert (twice["a"], twice["b"]) == (3, 1)


def test_without_a_factory_a_missing_key_is_an_error():
    with pytest.raises(KeyError):
        walk_values(str, defaultdict(None, {"a": 1}))["b"]


def test_keys_leave_the_default_alone():
    assert walk_keys(str, defaultdict(int, {1: 2}))["b"] == 0


def test_other_mappings():
    assert walk_values(str, {"a": 1, "b": 2}) == {"a": "1", "b": "2"}
