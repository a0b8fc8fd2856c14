"""How far figures from few tasks may be off. Pure."""

from math import comb, sqrt
from typing import NamedTuple

Z = 1.959964
"""95 %, both sides."""


class Interval(NamedTuple):
    """The ends of an interval of shares, 0 to 1."""

    low: float
    high: float


def wilson(solved: int, count: int) -> Interval:
    """The 95 % interval of a share, by Wilson's score: of use for few tasks, and at 0 and 1 too."""
    if not count:
        return Interval(0.0, 1.0)
    share = solved / count
    middle = (share + Z * Z / (2 * count)) / (1 + Z * Z / count)
    half = Z / (1 + Z * Z / count) * sqrt(share * (1 - share) / count + Z * Z / (4 * count * count))
    return Interval(max(0.0, middle - half), min(1.0, middle + half))


def sign_test(only_one: int, only_other: int) -> float:
    """How probable so uneven a split is where neither is better: McNemar's exact test, both sides."""
    count = only_one + only_other
    fewer = min(only_one, only_other)
    ways = sum(comb(count, number) for number in range(fewer + 1))
    return min(1.0, 2.0 * ways / float(2**count))
