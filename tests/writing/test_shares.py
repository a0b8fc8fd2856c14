import math

import pytest

from bot.writing.shares import Share, sign_test, wilson


@pytest.mark.parametrize(
    ("part", "whole", "low", "high"),
    [
        (0, 10, 0.0, 0.2775),
        (10, 10, 0.7225, 1.0),
        (5, 10, 0.2366, 0.7634),
        (81, 263, 0.2553, 0.3662),  # Newcombe 1998, table I
        (0, 0, 0.0, 1.0),
    ],
)
def test_a_share_has_wilsons_interval(part: int, whole: int, low: float, high: float) -> None:
    assert wilson(part, whole) == pytest.approx((low, high), abs=0.0001)


@pytest.mark.parametrize(("one", "other", "p"), [(0, 0, 1.0), (5, 0, 0.0625), (1, 9, 22 / 1024), (3, 3, 1.0)])
def test_an_uneven_split_is_weighed_by_mcnemars_exact_test(one: int, other: int, p: float) -> None:
    assert math.isclose(sign_test(one, other), p)


def test_a_share_is_said_with_where_it_may_lie() -> None:
    assert (str(Share(14, 23)), Share(14, 23).range) == ("61 %", "41–78 %")


def test_nothing_is_said_of_a_share_of_nothing() -> None:
    assert (str(Share(0, 0)), Share(0, 0).range, Share(0, 0).value) == ("–", "–", 0.0)
