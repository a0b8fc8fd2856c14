import datetime as dt

import humanize


def test_sizes_are_scaled():
    assert humanize.naturalsize(300) == "300 Bytes"
    assert humanize.naturalsize(3_000_000) == "3.0 MB"
    assert humanize.naturalsize(3000, binary=True) == "2.9 KiB"
    assert humanize.naturalsize(3000, gnu=True) == "2.9K"


def test_one_byte():
    assert humanize.naturalsize(1) == "1 Byte"


def test_a_size_rounds_up_to_the_next_unit():
    assert humanize.naturalsize(999_999) == "1.0 MB"


def test_numbers_get_commas():
    assert humanize.intcomma(1234567) == "1,234,567"


def test_large_numbers_get_words():
    assert humanize.intword(1_200_000) == "1.2 million"


def test_times():
    assert humanize.naturaldelta(dt.timedelta(hours=3)) == "3 hours"


def test_ordinals():
    assert [humanize.ordinal(number) for number in (1, 2, 3, 11)] == ["1st", "2nd", "3rd", "11th"]
