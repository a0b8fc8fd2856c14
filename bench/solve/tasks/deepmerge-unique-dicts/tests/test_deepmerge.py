from deepmerge import Merger, always_merger


def unique():
    return Merger([(list, ["append_unique"]), (dict, ["merge"])], ["override"], ["override"])


def test_dicts_are_merged_deeply():
    assert always_merger.merge({"a": {"b": 1}}, {"a": {"c": 2}}) == {"a": {"b": 1, "c": 2}}


def test_lists_are_appended():
    assert always_merger.merge({"a": [1]}, {"a": [2]}) == {"a": [1, 2]}


def test_append_unique_leaves_out_what_is_there():
    assert unique().merge([1, 2], [2, 3]) == [1, 2, 3]


def test_append_unique_takes_dicts():
    assert unique().merge([{"a": 1}], [{"a": 1}, {"b": 2}]) == [{"a": 1}, {"b": 2}]


def test_append_unique_takes_lists_of_lists():
    assert unique().merge([[1], [2]], [[2], [3]]) == [[1], [2], [3]]
