from datetime import date, datetime, timedelta

import pytest
from isodate import Duration, parse_duration


@pytest.mark.parametrize(
    ("start", "duration", "expected"),
    [
        (date(2023, 11, 15), "P1M", date(2023, 12, 15)),
        (date(2023, 12, 31), "P1M", date(2024, 1, 31)),
        (date(2023, 1, 10), "P11M", date(2023, 12, 10)),
        (date(2023, 1, 10), "P12M", date(2024, 1, 10)),
        (date(2020, 2, 29), "P1Y", date(2021, 2, 28)),
        (date(2023, 6, 30), "P20M", date(2025, 2, 28)),
        (date(2023, 12, 1), "P1D", date(2023, 12, 2)),
        (date(2023, 12, 25), "P1Y", date(2024, 12, 25)),
    ],
)
def test_a_duration_is_added_to_a_date(start, duration, expected):
    assert start + parse_duration(duration) == expected


def test_time_is_kept():
    assert datetime(2023, 11, 30, 23, 30) + parse_duration("P3MT1H") == datetime(2024, 3, 1, 0, 30)


def test_a_negative_duration_goes_back_over_the_year():
    assert date(2023, 2, 15) + parse_duration("-P3M") == date(2022, 11, 15)


def test_a_duration_is_made_a_timedelta_from_a_start():
    assert Duration(months=1).totimedelta(start=datetime(2023, 11, 1)) == timedelta(days=30)
