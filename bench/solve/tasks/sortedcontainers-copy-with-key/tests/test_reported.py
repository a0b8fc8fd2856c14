from operator import neg

from sortedcontainers import SortedDict


def test_a_copy_keeps_the_order():
    scores = SortedDict(neg, {1: "a", 2: "b", 3: "c"})

    assert list(scores.copy()) == [3, 2, 1]
