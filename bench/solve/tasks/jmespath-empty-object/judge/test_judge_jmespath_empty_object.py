import jmespath
import pytest


@pytest.mark.parametrize("empty", [{}, [], "", None, False])
def test_what_is_empty_is_false(empty):
    assert jmespath.search("a || 'other'", {"a": empty}) == "other"
    assert jmespath.search("a && 'both'", {"a": empty}) == empty
    assert jmespath.search("[?a].n", [{"a": empty, "n": 1}]) == []


@pytest.mark.parametrize("full", [{"x": None}, [0], "0", 0, True])
def test_what_is_not_empty_is_true(full):
    assert jmespath.search("a || 'other'", {"a": full}) == full
    assert jmespath.search("[?a].n", [{"a": full, "n": 1}]) == [1]


def test_pods_without_labels_are_left_out():
    data = {"pods": [{"name": "a", "labels": {}}, {"name": "b", "labels": {"app": "x"}}]}

    assert jmespath.search("pods[?labels].name", data) == ["b"]
