import jmespath
import pytest


def test_a_field_of_a_field():
    assert jmespath.search("a.b", {"a": {"b": 1}}) == 1


def test_a_missing_field_is_null():
    assert jmespath.search("a.c", {"a": {"b": 1}}) is None


def test_a_filter_compares():
    assert jmespath.search("[?n > `1`].n", [{"n": 1}, {"n": 2}, {"n": 3}]) == [2, 3]


def test_an_empty_list_is_false():
    assert jmespath.search("a || b", {"a": [], "b": 1}) == 1


def test_functions_sort():
    assert jmespath.search("sort_by(@, &n)[].n", [{"n": 2}, {"n": 1}]) == [1, 2]


def test_a_bad_expression_is_an_error():
    with pytest.raises(jmespath.exceptions.ParseError):
        jmespath.compile("a..b")
