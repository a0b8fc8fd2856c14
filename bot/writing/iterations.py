"""The iterations so far, as a table."""

from bot.records import Aim, Iteration, Progress, TestReport
from bot.writing.document import table
from bot.writing.figures import counts, duration, iteration_cost, iteration_tokens, unbroken
from bot.writing.safe import inline

HEADER = ("#", "change", "tests before → after", "tokens", "cost", "time", "then")


def iteration_table(progress: Progress, baseline: TestReport | None) -> str:
    """One line an iteration: what changed, the tests before and after, what it took, why it went on."""
    befores = [baseline, *(iteration.report for iteration in progress.iterations)]
    return table(HEADER, [_row(each, before) for each, before in zip(progress.iterations, befores, strict=False)])


def _row(iteration: Iteration, before: TestReport | None) -> tuple[str, ...]:
    return (
        str(iteration.number),
        _what(iteration),
        unbroken(f"{counts(before)} → {counts(iteration.report)}"),
        iteration_tokens(iteration),
        unbroken(iteration_cost(iteration)),
        unbroken(duration(iteration.duration_s)),
        inline(iteration.why_next, 160),
    )


def _what(iteration: Iteration) -> str:
    """What changed; that it is a test, written before the change; and of how many candidates it is the best."""
    summary = inline(iteration.summary, 160) or "no change"
    first = "test first: " if iteration.aim is Aim.TEST else ""
    drawn = len(iteration.others) + 1
    return f"{first}{summary}{f' (the best of {drawn} candidates)' if drawn > 1 else ''}"
