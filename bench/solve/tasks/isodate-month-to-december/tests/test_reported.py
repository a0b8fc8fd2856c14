from datetime import date

from isodate import parse_duration


def test_one_month_after_november():
    assert date(2023, 11, 15) + parse_duration("P1M") == date(2023, 12, 15)
