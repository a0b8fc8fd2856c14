"""What all runs of an issue come to."""

from types import SimpleNamespace

from bot.records import PullState
from bot.runs.tables import LISTED
from bot.runs.worked import WORKED, worked_issues

USUAL = {
    "repository_id": 42,
    "repository": "octo/calc",
    "number": 7,
    "model": "small",
    "iteration_count": 2,
    "cost_usd": 0.25,
    "started_at": 10.0,
    "asked_at": 5.0,
    "published_at": None,
    "pull_request": None,
    "pull_state": None,
    "outcome": "unsolved",
}


def a_row(**changed: object) -> SimpleNamespace:
    return SimpleNamespace(**(USUAL | changed))


def test_the_newest_pull_request_of_an_issue_counts_and_the_first_of_everything_that_happened() -> None:
    first = a_row(asked_at=None, pull_request=8, pull_state="closed", published_at=20.0, outcome="proven")
    second = a_row(model="large", started_at=30.0, asked_at=25.0, pull_request=9, pull_state="open", published_at=40.0)
    third = a_row(model=None, started_at=50.0, asked_at=45.0, iteration_count=None)

    [issue] = worked_issues([first, second, third])

    assert (issue.pull_request, issue.pull_state) == (9, PullState.OPEN)
    assert (issue.first_at, issue.asked_at, issue.published_at) == (10.0, 25.0, 20.0)
    assert (issue.runs, issue.iterations, issue.cost_usd) == (3, 4, 0.75)
    assert (issue.model, issue.is_proven) == ("large", True)


def test_issues_are_told_apart_by_repository_and_number() -> None:
    rows = [a_row(), a_row(number=8), a_row(repository_id=43), a_row(number=8)]

    assert [(each.number, each.runs) for each in worked_issues(rows)] == [(7, 1), (8, 2), (7, 1)]


def test_one_index_holds_all_that_this_is_made_of() -> None:
    assert {column.name for column in WORKED} <= set(LISTED)
