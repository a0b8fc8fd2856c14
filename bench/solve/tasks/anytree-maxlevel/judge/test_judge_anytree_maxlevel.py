import pytest
from anytree import (
    LevelOrderGroupIter,
    LevelOrderIter,
    Node,
    PostOrderIter,
    PreOrderIter,
    ZigZagGroupIter,
    find_by_attr,
    findall,
    findall_by_attr,
)


@pytest.fixture
def top():
    top = Node("top")
    left = Node("left", parent=top)
    Node("right", parent=top)
    deep = Node("deep", parent=left)
    Node("deeper", parent=deep)
    return top


@pytest.mark.parametrize("iterator", [PreOrderIter, PostOrderIter, LevelOrderIter])
@pytest.mark.parametrize(
    ("maxlevel", "expected"),
    [
        (1, {"top"}),
        (2, {"top", "left", "right"}),
        (3, {"top", "left", "right", "deep"}),
        (4, {"top", "left", "right", "deep", "deeper"}),
        (9, {"top", "left", "right", "deep", "deeper"}),
        (None, {"top", "left", "right", "deep", "deeper"}),
    ],
)
def test_iterators_stop_below_the_level(top, iterator, maxlevel, expected):
    assert {node.name for node in iterator(top, maxlevel=maxlevel)} == expected


def test_groups_are_levels(top):
    groups = [[node.name for node in group] for group in LevelOrderGroupIter(top, maxlevel=2)]

    assert groups == [["top"], ["left", "right"]]


def test_zigzag_groups(top):
    groups = [[node.name for node in group] for group in ZigZagGroupIter(top, maxlevel=3)]

    assert groups == [["top"], ["right", "left"], ["deep"]]


def test_searches_reach_the_level(top):
    assert [node.name for node in findall(top, maxlevel=2)] == ["top", "left", "right"]
    assert find_by_attr(top, "deep", maxlevel=3).name == "deep"
    assert findall_by_attr(top, "deep", maxlevel=2) == ()
