import copy
from operator import neg

import pytest
from sortedcontainers import SortedDict


@pytest.mark.parametrize("copied", [SortedDict.copy, copy.copy, copy.deepcopy])
@pytest.mark.parametrize(
    ("key", "keys", "expected"),
    [
        (neg, [1, 2, 3], [3, 2, 1]),
        (len, ["ccc", "a", "bb"], ["a", "bb", "ccc"]),
        (str.lower, ["b", "A", "C"], ["A", "b", "C"]),
        (None, [2, 1], [1, 2]),
    ],
)
def test_a_copy_is_sorted_like_the_original(copied, key, keys, expected):
    other = copied(SortedDict(key, dict.fromkeys(keys)))

    assert list(other) == expected
    assert other.key is key


def test_a_copy_goes_on_sorting():
    other = SortedDict(neg, {1: "a", 3: "c"}).copy()
    other[2] = "b"

    assert list(other.items()) == [(3, "c"), (2, "b"), (1, "a")]
    assert other.bisect_key_left(-2) == 1


def test_keys_that_can_only_be_compared_by_the_function():
    original = SortedDict(str, {1: "one", "a": "letter", None: "nothing"})

    assert list(original.copy()) == [1, None, "a"]


def test_a_copy_shares_no_keys():
    original = SortedDict(neg, {1: "a"})
    original.copy()[5] = "e"

    assert list(original) == [1]


def test_a_subclass_stays_a_subclass():
    class Scores(SortedDict):
        pass

    assert type(Scores(neg, {1: 2}).copy()) is Scores
