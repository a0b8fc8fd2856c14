import re
from dataclasses import replace

from bot.records import PullState, WorkedIssue
from bot.writing.numbers import numbers_by, numbers_of, pulls_chart, waits_chart

WEEK_S = 7 * 86_400.0
ISSUE = WorkedIssue(
    repository="octo/cat",
    number=7,
    model="small",
    runs=1,
    iterations=2,
    cost_usd=0.5,
    first_at=1_000_000.0,
    asked_at=999_990.0,
    published_at=1_000_110.0,
    pull_request=12,
    pull_state=PullState.MERGED,
    is_proven=True,
)
OPEN = replace(ISSUE, number=8, pull_state=PullState.OPEN, published_at=1_000_050.0, cost_usd=0.25)
NONE = replace(ISSUE, number=9, pull_request=None, pull_state=None, published_at=None, is_proven=False, model="large")


def test_issues_are_solved_where_a_pull_request_was_merged() -> None:
    sums = numbers_of([ISSUE, OPEN, NONE, replace(ISSUE, pull_state=None)])

    assert (sums.issues, sums.published, sums.merged, sums.open, sums.closed, sums.unknown) == (4, 3, 1, 1, 0, 1)
    assert sums.proven == 3


def test_what_a_merged_pull_request_took_is_what_all_runs_of_its_issue_took() -> None:
    sums = numbers_of([ISSUE, replace(ISSUE, iterations=5, cost_usd=1.5), OPEN])

    assert (sums.iterations_each, sums.cost_each_usd, sums.cost_usd) == (3.5, 1.0, 2.25)


def test_time_is_from_the_label_to_the_pull_request() -> None:
    assert numbers_of([ISSUE, OPEN, NONE]).median_s == 90.0
    assert numbers_of([replace(ISSUE, asked_at=None)]).median_s == 110.0


def test_of_nothing_there_is_nothing_to_say() -> None:
    sums = numbers_of([])

    assert (sums.iterations_each, sums.cost_each_usd, sums.median_s) == (None, None, None)
    assert pulls_chart([], now=0.0) == waits_chart([]) == ""


def test_numbers_stand_by_name_those_with_most_issues_first() -> None:
    assert [(name, each.issues) for name, each in numbers_by([NONE, ISSUE, OPEN], lambda each: each.model)] == [
        ("small", 2),
        ("large", 1),
    ]


def test_weeks_without_an_issue_have_their_place_in_the_chart() -> None:
    chart = pulls_chart([ISSUE, replace(OPEN, first_at=ISSUE.first_at + 2 * WEEK_S)], now=ISSUE.first_at + 3 * WEEK_S)

    assert chart.count("<title>") == 4
    assert "1 merged, 0 open, 0 closed, 0 without" in chart


def test_the_axis_of_a_single_issue_has_its_half_and_its_whole() -> None:
    chart = pulls_chart([ISSUE], now=ISSUE.first_at)

    assert re.findall(r'text-anchor="end"[^>]*>([^<]*)<', chart) == ["0.5", "1"]


def test_times_are_drawn_by_how_long_they_are() -> None:
    chart = waits_chart([ISSUE, OPEN, replace(ISSUE, published_at=ISSUE.first_at + 7200)])

    assert "up to 5 min: 2 pull requests" in chart
    assert "up to 4 h: 1 pull request" in chart
