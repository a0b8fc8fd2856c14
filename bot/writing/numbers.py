"""What owners ask: how many issues were solved, what became of the pull requests, what a merged one took."""

from collections import Counter, defaultdict
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from statistics import median

from bot.records import PullState, WorkedIssue
from bot.writing.drawing import Column, columns
from bot.writing.figures import duration, plural

WEEKS_AT_MOST = 53

_UP_TO_S = ((300, "5 min"), (900, "15 min"), (3600, "1 h"), (4 * 3600, "4 h"), (24 * 3600, "1 day"))


@dataclass(frozen=True, slots=True)
class Numbers:
    """Sums over issues that were worked on. An issue counts as solved where a pull request of ours was merged.

    `unknown` are pull requests of which nobody has told how they stand. None: there is nothing to take it of.
    """

    issues: int
    published: int
    proven: int
    merged: int
    closed: int
    open: int
    unknown: int
    iterations: int
    cost_usd: float
    iterations_each: float | None
    cost_each_usd: float | None
    median_s: float | None


def numbers_of(issues: Sequence[WorkedIssue]) -> Numbers:
    """All of these together. What a merged pull request took is what all runs of its issue took."""
    pulls = [each for each in issues if each.pull_request is not None]
    merged = [each for each in pulls if each.pull_state is PullState.MERGED]
    waits = [seconds for each in issues if (seconds := seconds_to_pull(each)) is not None]
    return Numbers(
        issues=len(issues),
        published=len(pulls),
        proven=sum(each.is_proven for each in issues),
        merged=len(merged),
        closed=sum(each.pull_state is PullState.CLOSED for each in pulls),
        open=sum(each.pull_state is PullState.OPEN for each in pulls),
        unknown=sum(each.pull_state is None for each in pulls),
        iterations=sum(each.iterations for each in issues),
        cost_usd=sum(each.cost_usd for each in issues),
        iterations_each=sum(each.iterations for each in merged) / len(merged) if merged else None,
        cost_each_usd=sum(each.cost_usd for each in merged) / len(merged) if merged else None,
        median_s=median(waits) if waits else None,
    )


def numbers_by(issues: Sequence[WorkedIssue], key: Callable[[WorkedIssue], str]) -> list[tuple[str, Numbers]]:
    """The same by repository or model, those with most issues first."""
    found: dict[str, list[WorkedIssue]] = defaultdict(list)
    for each in issues:
        found[key(each)].append(each)
    numbers = [(name, numbers_of(some)) for name, some in found.items()]
    return sorted(numbers, key=lambda each: (-each[1].issues, each[0]))


def seconds_to_pull(issue: WorkedIssue) -> float | None:
    """How long it took from the label to the pull request."""
    began = issue.first_at if issue.asked_at is None else issue.asked_at
    return None if issue.published_at is None else max(issue.published_at - began, 0.0)


def pulls_chart(issues: Sequence[WorkedIssue], *, now: float) -> str:
    """What became of the pull requests, by the week in which the work on their issue began."""
    weeks: dict[int, list[WorkedIssue]] = defaultdict(list)
    for each in issues:
        weeks[_week_of(each.first_at)].append(each)
    if not weeks:
        return ""
    drawn = [_of_week(week, weeks.get(week, ())) for week in range(min(weeks), _week_of(now) + 1)]
    title, classes = "Issues by week: pull request merged, open, closed, none", ("good", "plain", "bad", "none")
    return columns(title, classes, drawn[-WEEKS_AT_MOST:])


def _of_week(week: int, issues: Sequence[WorkedIssue]) -> Column:
    states = Counter(each.pull_state for each in issues if each.pull_request is not None)
    merged, closed = states[PullState.MERGED], states[PullState.CLOSED]
    others, none = states.total() - merged - closed, len(issues) - states.total()
    monday = _FIRST_MONDAY + timedelta(weeks=week)
    said = f"week of {monday:%Y-%m-%d}: {merged} merged, {others} open, {closed} closed, {none} without"
    return Column(f"{monday:%m-%d}", (merged, others, closed, none), said)


_FIRST_MONDAY = datetime(1970, 1, 5, tzinfo=UTC)
_WEEK_S = 7 * 86_400


def _week_of(moment: float) -> int:
    """How many weeks after the first Monday of our time, in UTC."""
    return int((moment - _FIRST_MONDAY.timestamp()) // _WEEK_S)


def waits_chart(issues: Sequence[WorkedIssue]) -> str:
    """How long it took from the label to the pull request: how many within which time."""
    waits = [seconds for each in issues if (seconds := seconds_to_pull(each)) is not None]
    drawn, above = [], 0.0
    for most, name in (*_UP_TO_S, (float("inf"), "more")):
        count = sum(above <= each < most for each in waits)
        drawn.append(Column(name, (float(count),), f"up to {name}: {plural(count, 'pull request')}"))
        above = most
    title = f"Time from label to pull request, median {duration(median(waits))}" if waits else ""
    return columns(title, ("plain",), drawn)
