"""What lists of runs show and choose by, taken from what a run's steps find out and kept in columns beside it. Pure."""

import json
from collections.abc import Mapping
from datetime import datetime
from typing import Any

from sqlalchemy import func

from bot.records import Iteration, IterationLine, Progress, PullState, Trigger
from bot.runs.tables import runs
from bot.writing.figures import all_calls

LOGIN_AT_MOST = 100


def of_trigger(trigger: Trigger) -> dict[str, Any]:
    """What is known from the beginning on."""
    return {
        "kind": str(trigger.kind),
        "repository": trigger.issue.repository.full_name,
        "asked_by": trigger.sender.login[:LOGIN_AT_MOST],
        "asked_at": moment_of(trigger.occurred_at),
    }


def of_facts(found: Mapping[str, Any], now: float) -> dict[str, Any]:
    """What facts that are found out now say for lists.

    A pull request that is told of is open, and was opened when it was told of first.
    """
    known: dict[str, Any] = {}
    if found.get("task"):
        known["title"] = json.loads(found["task"])["title"]
    if found.get("pull_request"):
        known["pull_request"] = found["pull_request"]
        known["pull_state"] = str(PullState.OPEN)
        known["published_at"] = func.coalesce(runs.c.published_at, now)
    return known


def of_progress(progress: Progress) -> dict[str, Any]:
    """How far the work has come."""
    newest = progress.iterations[-1] if progress.iterations else None
    model = next((call.model for call in newest.calls), "") if newest else ""
    return {
        "iteration_count": len(progress.iterations),
        "tokens": progress.spend.tokens,
        **({"model": model} if model else {}),
    }


def line_of(iteration: Iteration) -> IterationLine:
    """An iteration at a glance."""
    calls, report = list(all_calls(iteration)), iteration.report
    costs = [call.usage.cost_usd for call in calls]
    known = [each for each in costs if each is not None]
    ran = report is not None and report.could_run
    return IterationLine(
        number=iteration.number,
        summary=iteration.summary,
        aim=iteration.aim,
        counts=report.counts if report else "",
        passed=len(report.passed) if report and ran else None,
        failed=len(report.failed) if report and ran else None,
        prompt_tokens=sum(call.usage.prompt_tokens for call in calls),
        completion_tokens=sum(call.usage.completion_tokens for call in calls),
        cached_tokens=sum(call.usage.cached_tokens or 0 for call in calls),
        is_estimated=any(call.usage.estimated for call in calls),
        cost_usd=sum(known) if len(known) == len(costs) else None,
        duration_s=iteration.duration_s,
        why_next=iteration.why_next,
        calls=len(calls),
        others=len(iteration.others),
        paths=len(iteration.change.paths),
        added_lines=iteration.change.added_lines,
        removed_lines=iteration.change.removed_lines,
        is_green=report is not None and report.is_green,
    )


def moment_of(text: str) -> float | None:
    """A moment of GitHub's in seconds since the epoch; None for what is none."""
    try:
        return datetime.fromisoformat(text).timestamp()
    except ValueError:
        return None
