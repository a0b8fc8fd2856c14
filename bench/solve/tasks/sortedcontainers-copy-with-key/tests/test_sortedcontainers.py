import pickle

from sortedcontainers import SortedDict, SortedKeyList, SortedList, SortedSet


def test_a_dict_is_sorted_by_its_keys():
    assert list(SortedDict({"b": 1, "a": 2}).items()) == [("a", 2), ("b", 1)]


def test_a_dict_takes_a_key_function():
    assert list(SortedDict(lambda key: -key, {1: "a", 2: "b"})) == [2, 1]


def test_a_copy_is_a_dict_of_its_own():
    original = SortedDict({1: "a"})
    other = original.copy()
    other[2] = "b"

    assert (list(original), list(other)) == ([1], [1, 2])


def test_items_are_found_by_position():
    assert SortedDict({"b": 1, "a": 2}).peekitem(0) == ("a", 2)


def test_lists_and_sets():
    assert list(SortedList([3, 1, 2]).irange(2, 3)) == [2, 3]
    assert list(SortedSet([3, 1, 3])) == [1, 3]
    assert SortedKeyList(["bb", "a"], key=len)[0] == "a"


def test_a_dict_is_pickled():
    assert pickle.loads(pickle.dumps(SortedDict({1: "a"}))) == {1: "a"}
