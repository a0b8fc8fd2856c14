"""The issues that were worked on, of the rows of their runs. Pure."""

from collections import defaultdict
from collections.abc import Iterable
from dataclasses import replace
from functools import reduce
from typing import Any

from bot.records import Outcome, PullState, WorkedIssue
from bot.runs.tables import runs

WORKED = (
    runs.c.repository_id, runs.c.repository, runs.c.number, runs.c.model, runs.c.iteration_count, runs.c.cost_usd,
    runs.c.started_at, runs.c.asked_at, runs.c.published_at, runs.c.pull_request, runs.c.pull_state, runs.c.outcome,
)  # fmt: skip


def worked_issues(rows: Iterable[Any]) -> list[WorkedIssue]:
    """The issues of runs, which are rows of `WORKED`, the oldest first; those first that were begun first."""
    by_issue: dict[tuple[int, int], list[WorkedIssue]] = defaultdict(list)
    for row in rows:
        by_issue[row.repository_id, row.number].append(_of_run(row))
    return [reduce(_together, of_runs) for of_runs in by_issue.values()]


def _of_run(row: Any) -> WorkedIssue:
    has_pull = row.pull_request is not None
    return WorkedIssue(
        repository=row.repository or "",
        number=row.number,
        model=row.model or "",
        runs=1,
        iterations=row.iteration_count or 0,
        cost_usd=row.cost_usd,
        first_at=row.started_at,
        asked_at=row.asked_at,
        published_at=row.published_at if has_pull else None,
        pull_request=row.pull_request,
        pull_state=PullState(row.pull_state) if has_pull and row.pull_state else None,
        is_proven=row.outcome == _PROVEN,
    )


_PROVEN = str(Outcome.PROVEN)


def _together(before: WorkedIssue, after: WorkedIssue) -> WorkedIssue:
    pull = before if after.pull_request is None else after
    return replace(
        after,
        model=after.model or before.model,
        runs=before.runs + after.runs,
        iterations=before.iterations + after.iterations,
        cost_usd=before.cost_usd + after.cost_usd,
        first_at=before.first_at,
        asked_at=_first(before.asked_at, after.asked_at),
        published_at=_first(before.published_at, after.published_at),
        pull_request=pull.pull_request,
        pull_state=pull.pull_state,
        is_proven=before.is_proven or after.is_proven,
    )


def _first(one: float | None, other: float | None) -> float | None:
    return min((each for each in (one, other) if each is not None), default=None)
