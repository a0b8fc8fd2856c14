import pytest
from humanize import naturalsize


@pytest.mark.parametrize(
    "size", [0, 1, 2, 999, 1000, 1023, 1024, 999_949, 999_999, 3_000_000, 5 * 10**9, 2**40, 10**24, 3 * 10**34]
)
@pytest.mark.parametrize("options", [{}, {"binary": True}, {"gnu": True}, {"format": "%.3f"}])
def test_a_negative_size_reads_like_the_positive_one(size, options):
    expected = naturalsize(size, **options) if size == 0 else "-" + naturalsize(size, **options)

    assert naturalsize(-size, **options) == expected


@pytest.mark.parametrize(
    ("size", "options", "expected"),
    [
        (-3_000_000, {}, "-3.0 MB"),
        (-4096, {"binary": True}, "-4.0 KiB"),
        (-4096, {"gnu": True}, "-4.0K"),
        (-1, {}, "-1 Byte"),
        (-5, {"gnu": True}, "-5B"),
        ("-2500", {}, "-2.5 kB"),
        (-(10**28), {}, "-10.0 RB"),
    ],
)
def test_negative_sizes(size, options, expected):
    assert naturalsize(size, **options) == expected
