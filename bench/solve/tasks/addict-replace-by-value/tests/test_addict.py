import pytest
from addict import Dict


def test_attributes_are_items():
    settings = Dict()
    settings.proxy.host = "10.0.0.1"

    assert settings == {"proxy": {"host": "10.0.0.1"}}


def test_update_merges_nested_dicts():
    settings = Dict({"proxy": {"host": "a", "port": 1}})
    settings.update({"proxy": {"port": 2}})

    assert settings == {"proxy": {"host": "a", "port": 2}}


def test_update_replaces_values():
    settings = Dict({"a": 1})
    settings.update(a={"b": 2})

    assert settings == {"a": {"b": 2}}


def test_a_frozen_dict_takes_no_new_keys():
    settings = Dict({"a": 1})
    settings.freeze()

    with pytest.raises(KeyError):
        settings.b = 2


def test_it_becomes_a_plain_dict():
    assert type(Dict({"a": {"b": 1}}).to_dict()["a"]) is dict
