from datetime import date, datetime, timedelta

import isodate
from isodate import Duration, parse_duration


def test_a_duration_without_months_is_a_timedelta():
    assert parse_duration("P3DT4H") == timedelta(days=3, hours=4)


def test_a_duration_with_months_is_a_duration():
    assert parse_duration("P1Y2M") == Duration(years=1, months=2)


def test_a_month_is_added():
    assert date(2023, 3, 15) + parse_duration("P1M") == date(2023, 4, 15)


def test_the_last_day_of_a_shorter_month_is_taken():
    assert date(2023, 1, 31) + parse_duration("P1M") == date(2023, 2, 28)


def test_a_year_is_subtracted():
    assert datetime(2024, 2, 29, 12) - parse_duration("P1Y") == datetime(2023, 2, 28, 12)


def test_a_duration_is_written():
    assert isodate.duration_isoformat(Duration(years=1, months=2, days=3)) == "P1Y2M3D"
