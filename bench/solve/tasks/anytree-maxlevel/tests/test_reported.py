from anytree import Node, findall


def test_two_levels_are_searched():
    top = Node("top")
    child = Node("a", parent=top)
    Node("b", parent=child)

    assert findall(top, maxlevel=2) == (top, child)
