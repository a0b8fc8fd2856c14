from toolz import get_in


def test_none_on_the_way_gives_the_default():
    assert get_in(["user", "address", "city"], {"user": {"address": None}}, "unknown") == "unknown"
