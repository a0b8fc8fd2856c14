from uritemplate import expand


def test_exploded_list_in_a_continuation():
    url = expand("https://example.org/find?mode=all{&tag*}", tag=["red", "blue"])

    assert url == "https://example.org/find?mode=all&tag=red&tag=blue"
