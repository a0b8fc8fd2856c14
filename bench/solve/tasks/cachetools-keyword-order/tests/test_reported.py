from cachetools import LRUCache, cached


def test_the_second_call_is_a_hit():
    calls = []

    @cached(LRUCache(maxsize=100))
    def report(*, year, month):
        calls.append((year, month))

    report(year=2024, month=5)
    report(month=5, year=2024)

    assert calls == [(2024, 5)]
