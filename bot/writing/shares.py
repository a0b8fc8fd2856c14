"""Shares of few things, and how far they may be off."""

from dataclasses import dataclass
from math import comb, sqrt
from typing import NamedTuple

Z = 1.959964
"""95 %, both sides."""


class Interval(NamedTuple):
    """The ends of an interval of shares, 0 to 1."""

    low: float
    high: float


def wilson(part: int, whole: int) -> Interval:
    """The 95 % interval of a share, by Wilson's score: of use for few things, and at 0 and 1 too."""
    if not whole:
        return Interval(0.0, 1.0)
    share = part / whole
    middle = (share + Z * Z / (2 * whole)) / (1 + Z * Z / whole)
    half = Z / (1 + Z * Z / whole) * sqrt(share * (1 - share) / whole + Z * Z / (4 * whole * whole))
    return Interval(max(0.0, middle - half), min(1.0, middle + half))


def sign_test(only_one: int, only_other: int) -> float:
    """How probable so uneven a split is where neither is better: McNemar's exact test, both sides."""
    count = only_one + only_other
    fewer = min(only_one, only_other)
    ways = sum(comb(count, number) for number in range(fewer + 1))
    return min(1.0, 2.0 * ways / float(2**count))


@dataclass(frozen=True, slots=True)
class Share:
    """So many of so many."""

    part: int
    whole: int

    @property
    def interval(self) -> Interval:
        return wilson(self.part, self.whole)

    @property
    def is_of_something(self) -> bool:
        return self.whole > 0

    @property
    def value(self) -> float:
        """0 to 1; 0 of nothing."""
        return self.part / self.whole if self.whole else 0.0

    def __str__(self) -> str:
        """“61 %”, or a dash of nothing."""
        return f"{100 * self.value:.0f} %" if self.whole else "–"

    @property
    def range(self) -> str:
        """“41–78 %”: where it may lie."""
        low, high = self.interval
        return f"{100 * low:.0f}–{100 * high:.0f} %" if self.whole else "–"
