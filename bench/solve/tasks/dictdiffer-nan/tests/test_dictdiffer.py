from dictdiffer import diff, dot_lookup, patch, revert, swap


def test_a_changed_value():
    assert list(diff({"a": 1}, {"a": 2})) == [("change", "a", (1, 2))]


def test_keys_are_added_and_removed():
    assert list(diff({"a": 1}, {"b": 2})) == [("add", "", [("b", 2)]), ("remove", "", [("a", 1)])]


def test_nested_lists():
    assert list(diff({"a": {"b": [1]}}, {"a": {"b": [1, 2]}})) == [("add", "a.b", [(1, 2)])]


def test_two_nans_are_equal():
    assert list(diff({"a": float("nan")}, {"a": float("nan")})) == []


def test_small_differences_are_tolerated():
    assert list(diff({"a": 10.0}, {"a": 10.5}, tolerance=0.1)) == []


def test_a_diff_is_applied_and_taken_back():
    first, second = {"a": 1, "b": {"c": [1, 2]}}, {"a": 2, "b": {"c": [1]}}
    changes = list(diff(first, second))

    assert patch(changes, first) == second
    assert revert(changes, second) == first
    assert patch(swap(changes), second) == first


def test_a_path_is_looked_up():
    assert dot_lookup({"a": [{"b": 1}]}, "a.0.b") == 1
