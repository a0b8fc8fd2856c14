"""Lists of runs in a terminal: how each stands, of what it is, what it has cost; and the same for programs."""

from dataclasses import asdict
from typing import Any

from bot.records import Health, Outcome, RunLine, RunList, RunState
from bot.writing.columns import aligned, moment
from bot.writing.figures import cost, plural, tokens
from bot.writing.outcomes import title
from bot.writing.safe import clean, on_screen

_HEAD = ("run", "how it stands", "of", "asked by", "began", "iterations", "spent", "pull request", "title")
_TITLE = 60


def runs_table(listed: RunList) -> str:
    """The text: a line for each run, the newest first, and what all that were chosen come to."""
    if not listed.runs:
        return "No run is kept that fits." if listed.count == 0 else "There are no older ones."
    more = listed.count - len(listed.runs)
    below = plural(listed.count, "run") + (f", {cost(listed.cost_usd)} together" if listed.cost_usd else "")
    below += f"; {more:,} more of them: -n says how many to show" if more else ""
    return clean("\n".join([*aligned([_HEAD, *map(_row, listed.runs)]), "", below]))


def standing(run: RunLine) -> str:
    """How a run stands, in a word or two."""
    match run.outcome:
        case Outcome() as outcome:
            return title(outcome)
        case Health() as health:
            return str(health)
        case None if run.state is RunState.ENDED:
            return "ended"
        case None if run.state is RunState.WORKING and run.step:
            return f"{run.state}: {on_screen(run.step, 40)}"
        case None:
            return str(run.state)


def runs_object(listed: RunList) -> dict[str, Any]:
    """What `selfcode runs --json` prints."""
    return {
        "outcome": "shown",
        "count": listed.count,
        "cost_usd": listed.cost_usd,
        "runs": [asdict(run) for run in listed.runs],
    }


def _row(run: RunLine) -> tuple[str, ...]:
    return (
        run.id,
        standing(run),
        f"{run.repository}#{run.number}",
        on_screen(run.asked_by, 40),
        moment(run.started_at),
        "" if run.iterations is None else str(run.iterations),
        _spent(run),
        _pull(run),
        on_screen(run.title, _TITLE),
    )


def _spent(run: RunLine) -> str:
    used = f"{tokens(run.tokens)} tokens" if run.tokens else ""
    return ", ".join(part for part in (used, cost(run.cost_usd) if run.cost_usd else "") if part)


def _pull(run: RunLine) -> str:
    if run.pull_request is None:
        return ""
    return f"#{run.pull_request} {run.pull_state}" if run.pull_state else f"#{run.pull_request}"
