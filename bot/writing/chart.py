"""The tests of a run by iteration as a small picture: a Mermaid chart, which GitHub draws."""

from collections.abc import Sequence
from dataclasses import dataclass
from itertools import cycle

from bot.records import Progress, TestReport

FIRST_TO_GO = 5
"""The rank of a chart: where a document is too long, it gives way before all else."""

POINTS_AT_MOST = 24
"""Bars that can be told apart in the width of a comment; of more, the newest are shown."""

SEEN_FROM = 0.04
"""The part of the whole from which failing tests can be seen above those that pass; below, they are shown alone."""

_PASS, _FAIL = "#2da44e", "#e5534b"
"""Bright enough for a dark page, dark enough for a bright one."""


@dataclass(frozen=True, slots=True)
class _Point:
    name: str
    passed: int
    failed: int


def chart(progress: Progress, baseline: TestReport | None) -> str:
    """Passing and failing tests on the base and after each iteration; "" where that would show nothing.

    It holds numbers and words of ours alone. Nothing is drawn of a single iteration, nor where no test ever fails.
    """
    points = _points(progress, baseline)
    failing = max((each.failed for each in points), default=0)
    if len(progress.iterations) < 2 or len(points) < 2 or not failing:
        return ""
    highest = max(each.passed + each.failed for each in points)
    fails = [each.failed for each in points]
    if failing < SEEN_FROM * highest:
        return _drawn("tests that fail", points, [("line", _FAIL, fails)])
    # the second bars are drawn over the first, so that of those only the failing part is seen
    both, passes = [each.passed + each.failed for each in points], [each.passed for each in points]
    return _drawn("tests that pass (green) and fail (red)", points, [("bar", _FAIL, both), ("bar", _PASS, passes)])


def _points(progress: Progress, baseline: TestReport | None) -> list[_Point]:
    """The base where its tests ran, then each iteration whose tests ran."""
    named = [("base", baseline), *((str(each.number), each.report) for each in progress.iterations)]
    ran = [
        _Point(name, len(report.passed), len(report.failed))
        for name, report in named
        if report is not None and report.could_run
    ]
    return ran[-POINTS_AT_MOST:]


def _drawn(title: str, points: Sequence[_Point], series: Sequence[tuple[str, str, Sequence[int]]]) -> str:
    """A chart of series, each with how it is drawn, its colour and its numbers."""
    names = ", ".join(f'"{each.name}"' for each in points)
    palette = ", ".join(colour for _, colour, _ in series)
    top = _top(max(max(numbers) for *_, numbers in series))
    return "\n".join(
        [
            "```mermaid",
            "---",
            "config:",
            "    xyChart:",
            "        width: 640",
            "        height: 240",
            "        titleFontSize: 14",
            "        yAxis:",
            "            labelFontSize: 11",
            "    themeVariables:",
            "        xyChart:",
            "            backgroundColor: transparent",
            f'            plotColorPalette: "{palette}"',
            "---",
            "xychart-beta",
            f'    title "{title}"',
            f"    x-axis [{names}]",
            f"    y-axis 0 --> {top}",
            *(f"    {how} [{', '.join(map(str, numbers))}]" for how, _, numbers in series),
            "```",
        ]
    )


def _top(highest: int) -> int:
    """The next of 10, 20, 50, 100, …: the axis has ten steps, none of which is to be half a test."""
    top = 10
    for factor in cycle((2.0, 2.5, 2.0)):
        if top >= highest:
            break
        top = round(top * factor)
    return top
