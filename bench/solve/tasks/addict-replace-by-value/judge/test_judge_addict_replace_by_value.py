import pytest
from addict import Dict


@pytest.mark.parametrize("value", [False, None, 5, "off", "", [], [1, 2], (1, 2), [("host", "b")]])
def test_a_nested_dict_is_replaced_by_a_value(value):
    settings = Dict({"proxy": {"host": "a"}, "name": "n"})
    settings.update({"proxy": value})

    assert settings.to_dict() == {"proxy": value, "name": "n"}


def test_replacing_deep_inside():
    settings = Dict({"a": {"b": {"c": 1}, "d": 2}})
    settings.update({"a": {"b": None}})

    assert settings.to_dict() == {"a": {"b": None, "d": 2}}


def test_keywords_replace():
    settings = Dict(a={"b": 1})
    settings.update(a=3)

    assert settings == {"a": 3}


def test_operators_replace():
    settings = Dict({"proxy": {"host": "a"}})

    assert (settings | {"proxy": False}) == {"proxy": False}
    settings |= {"proxy": 0}
    assert settings == {"proxy": 0}


def test_dicts_are_still_merged():
    settings = Dict({"a": {"b": 1}})
    settings.update({"a": Dict({"c": 2})}, d=3)

    assert settings == {"a": {"b": 1, "c": 2}, "d": 3}
