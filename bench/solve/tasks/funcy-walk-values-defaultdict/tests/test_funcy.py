from collections import defaultdict

import funcy


def test_values_are_mapped():
    assert funcy.walk_values(str, {"a": 1}) == {"a": "1"}


def test_keys_are_mapped():
    assert funcy.walk_keys(str.upper, {"a": 1}) == {"A": 1}


def test_the_kind_of_a_collection_stays():
    assert funcy.walk(abs, (-1, 2)) == (1, 2)
    assert funcy.select(funcy.even, {1, 2, 4}) == {2, 4}


def test_a_defaultdict_stays_one():
    found = funcy.walk_values(str, defaultdict(int, {"a": 1}))

    assert isinstance(found, defaultdict)
    assert found == {"a": "1"}


def test_dicts_are_merged_and_cut():
    assert funcy.merge({"a": 1}, {"b": 2}) == {"a": 1, "b": 2}
    assert funcy.project({"a": 1, "b": 2}, ["a"]) == {"a": 1}
    assert funcy.get_in({"a": {"b": 1}}, ["a", "b"]) == 1


def test_groups():
    assert dict(funcy.group_by(len, ["a", "bb", "c"])) == {1: ["a", "c"], 2: ["bb"]}
