import pytest
from cachetools import LRUCache, cached, keys
from cachetools.func import lfu_cache, lru_cache


def test_the_order_of_keywords_does_not_matter():
    calls = []

    @cached(LRUCache(maxsize=10))
    def report(**parts):
        calls.append(parts)
        return len(calls)

    first = report(year=2024, month=5, day=1)

    assert report(day=1, month=5, year=2024) == first
    assert report(month=5, year=2024, day=1) == first
    assert report(month=6, year=2024, day=1) != first


@pytest.mark.parametrize("decorator", [lru_cache, lfu_cache])
def test_the_functools_like_decorators_agree(decorator):
    @decorator(maxsize=10)
    def area(*, width, height):
        return width * height

    area(width=2, height=3)
    area(height=3, width=2)

    assert area.cache_info().hits == 1


@pytest.mark.parametrize("key", [keys.hashkey, keys.typedkey])
def test_keys_of_equal_calls_are_equal(key):
    assert key(1, b=2, a=3) == key(1, a=3, b=2)
    assert hash(key(1, b=2, a=3)) == hash(key(1, a=3, b=2))


def test_keys_of_different_calls_differ():
    assert keys.hashkey(1, a=2) != keys.hashkey(1, a=3)
    assert keys.hashkey(a=1, b=2) != keys.hashkey(a=2, b=1)
