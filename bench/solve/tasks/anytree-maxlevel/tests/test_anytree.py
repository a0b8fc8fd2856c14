from anytree import LevelOrderIter, Node, PostOrderIter, PreOrderIter, RenderTree, Resolver, find


def tree():
    top = Node("top")
    left, right = Node("left", parent=top), Node("right", parent=top)
    Node("leaf", parent=left)
    return top, left, right


def test_pre_order():
    assert [node.name for node in PreOrderIter(tree()[0])] == ["top", "left", "leaf", "right"]


def test_post_order():
    assert [node.name for node in PostOrderIter(tree()[0])] == ["leaf", "left", "right", "top"]


def test_level_order_with_a_filter():
    found = LevelOrderIter(tree()[0], filter_=lambda node: node.name != "left")

    assert [node.name for node in found] == ["top", "right", "leaf"]


def test_a_node_is_found_by_its_name():
    assert find(tree()[0], lambda node: node.name == "leaf").path[1].name == "left"


def test_rendering_stops_at_a_level():
    assert [row.node.name for row in RenderTree(tree()[0], maxlevel=2)] == ["top", "left", "right"]


def test_a_path_is_resolved():
    top, left, _ = tree()

    assert Resolver("name").get(top, "left") is left
