import pytest
from cachetools import LRUCache, TTLCache, cached


def counting(cache, **options):
    calls = []

    @cached(cache, **options)
    def double(number, *, times=2):
        calls.append(number)
        return number * times

    return double, calls


def test_a_result_is_kept():
    double, calls = counting(LRUCache(maxsize=2))

    assert [double(1), double(1), double(2)] == [2, 2, 4]
    assert calls == [1, 2]


def test_the_least_recently_used_goes_first():
    cache = LRUCache(maxsize=2)
    cache["a"], cache["b"] = 1, 2
    cache["a"]
    cache["c"] = 3

    assert sorted(cache) == ["a", "c"]


def test_keywords_are_part_of_the_key():
    double, calls = counting(LRUCache(maxsize=8))

    assert [double(1, times=3), double(1, times=4), double(1, times=3)] == [3, 4, 3]
    assert calls == [1, 1]


def test_items_expire():
    now = [0]
    cache = TTLCache(maxsize=2, ttl=10, timer=lambda: now[0])
    cache["a"] = 1
    now[0] = 11

    assert "a" not in cache


def test_a_value_that_is_too_large_is_refused():
    with pytest.raises(ValueError):
        LRUCache(maxsize=1, getsizeof=len)["a"] = "long"
