import jmespath


def test_empty_labels_are_filtered_out():
    data = {"pods": [{"name": "a", "labels": {}}, {"name": "b", "labels": {"app": "x"}}]}

    assert jmespath.search("pods[?labels].name", data) == ["b"]
