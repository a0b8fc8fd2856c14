import math

import pytest
from dictdiffer import diff, patch

NAN = float("nan")


@pytest.mark.parametrize("value", [0, 21.5, -1, None, "nan", True, float("inf"), [1], {"x": 1}])
def test_nan_differs_from_everything_else(value):
    [(kind, path, (old, new))] = diff({"t": value}, {"t": NAN})

    assert (kind, path, old) == ("change", "t", value)
    assert math.isnan(new)


@pytest.mark.parametrize("value", [0, 21.5, None, "nan"])
def test_everything_else_differs_from_nan(value):
    [(kind, path, (old, new))] = diff({"t": NAN}, {"t": value})

    assert (kind, path, new) == ("change", "t", value)
    assert math.isnan(old)


def test_nan_deep_in_a_list():
    changes = list(diff({"a": [1, {"b": [2.0, 3.0]}]}, {"a": [1, {"b": [2.0, NAN]}]}))

    assert [change[1] for change in changes] == [["a", 1, "b", 1]]


def test_a_tolerance_does_not_hide_nan():
    assert len(list(diff({"t": 1.0}, {"t": NAN}, tolerance=0.9))) == 1
    assert len(list(diff({"t": 1.0}, {"t": NAN}, absolute_tolerance=100))) == 1


def test_nan_is_patched_in():
    assert math.isnan(patch(diff({"t": 1}, {"t": NAN}), {"t": 1})["t"])


def test_two_nans_are_equal():
    assert list(diff([NAN, 1, NAN], [NAN, 1, float("nan")])) == []
