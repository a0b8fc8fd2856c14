"""Rows of cells as lines of a terminal, one column below the other."""

from collections.abc import Sequence
from datetime import UTC, datetime


def aligned(rows: Sequence[Sequence[str]]) -> list[str]:
    """A line for each row; all rows have as many cells, and the last one of each is as long as it is."""
    if not rows:
        return []
    widths = [max(len(row[column]) for row in rows) for column in range(len(rows[0]) - 1)]
    lines = ([*(cell.ljust(width) for cell, width in zip(row, widths, strict=False)), row[-1]] for row in rows)
    return ["  ".join(line).rstrip() for line in lines]


def moment(seconds: float | None) -> str:
    """A moment, seconds since the epoch, to the second; "" for none."""
    return "" if seconds is None else datetime.fromtimestamp(seconds, UTC).strftime("%Y-%m-%d %H:%M:%SZ")
