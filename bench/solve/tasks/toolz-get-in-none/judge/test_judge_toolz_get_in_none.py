import pytest
from toolz import curried, get_in


@pytest.mark.parametrize(
    ("keys", "data"),
    [
        (["user", "address", "city"], {"user": {"address": None}}),
        (["a", "b"], {"a": 5}),
        (["a", "b"], {"a": [1, 2]}),
        (["a", "b"], {"a": "text"}),
        (["a", 0, "c"], {"a": [None]}),
        (["a"], None),
        ([0], 3.5),
    ],
)
def test_what_can_not_be_looked_into_gives_the_default(keys, data):
    assert get_in(keys, data, "unknown") == "unknown"
    assert get_in(keys, data) is None


@pytest.mark.parametrize(("keys", "data"), [(["a", "x"], {"a": {}}), (["a", 3], {"a": [1]}), (["x"], {})])
def test_what_is_missing_gives_the_default(keys, data):
    assert get_in(keys, data, 0) == 0


@pytest.mark.parametrize(
    ("keys", "data", "error"),
    [(["a", "b"], {"a": None}, TypeError), (["a"], {}, KeyError), ([1], [0], IndexError)],
)
def test_without_a_default_it_is_an_error(keys, data, error):
    with pytest.raises(error):
        get_in(keys, data, no_default=True)


def test_the_curried_one_agrees():
    assert curried.get_in(["a", "b"])({"a": None}) is None


def test_values_that_are_there_are_found():
    assert get_in(["a", 1, "b"], {"a": [0, {"b": None}]}, "default") is None
