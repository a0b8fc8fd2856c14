"""How near a run came: the iteration that did best, what fails in it still, and its patch."""

from bot.records import Iteration, Progress, RunResult, TestReport, TestStatus
from bot.writing.document import Section, details
from bot.writing.figures import counts, plural
from bot.writing.safe import code, fenced, inline

SMALL_PATCH = 20_000
"""Characters of a patch that is shown in a comment; a longer one is kept with the run alone."""


def nearest(progress: Progress) -> Iteration | None:
    """The iteration that came nearest: tests that ran, the fewest failing, then the most passing."""
    ran = [each for each in progress.iterations if each.report is not None and not each.change.is_empty]
    return max(ran, key=lambda each: _nearness(each.report), default=None)


def _nearness(report: TestReport | None) -> tuple[bool, bool, int, int]:
    if report is None:
        return False, False, 0, 0
    return report.is_green, report.could_run, -len(report.failed), len(report.passed)


def how_near(result: RunResult) -> list[Section]:
    """The iteration that came nearest, and what fails in it still."""
    best = nearest(result.progress)
    if best is None or best.report is None:
        return [Section("No change came of it that the tests could run on.")]
    words = f"**How near it came:** iteration {best.number}, {counts(best.report)}"
    failing = [case for case in best.report.cases if case.status in (TestStatus.FAILED, TestStatus.ERROR)]
    if not failing:
        return [
            Section(words),
            Section(fenced(best.report.output, "text", tail=3000), 50, (fenced(best.report.output, "text", tail=600),)),
        ]
    lines = [f"- {code(case.id, 200)}: {inline(last_words(case.message), 200) or 'no message'}" for case in failing[:8]]
    more = [f"- … and {len(failing) - 8:,} more"] if len(failing) > 8 else []
    return [Section(f"{words}. Still failing:\n\n" + "\n".join([*lines, *more]), 80, (words + ".",))]


def last_words(message: str) -> str:
    """The line of a failure's message that says what was wrong: the last one that is not empty."""
    lines = [line.strip() for line in message.strip().split("\n") if line.strip()]
    return lines[-1] if lines else ""


def patch_of(result: RunResult) -> list[Section]:
    """The best change so far, folded where it is small; nothing where there is none."""
    best = nearest(result.progress)
    change = best.change if best is not None else result.progress.change
    if change.is_empty:
        return []
    size = f"{plural(len(change.paths), 'file')}, +{change.added_lines:,} −{change.removed_lines:,}"
    if len(change.patch) > SMALL_PATCH:
        return [Section(f"The patch is too long for a comment ({size}); it is kept with the run.")]
    patch = fenced(change.patch, "diff", head=SMALL_PATCH, tail=0)
    gone = f"The patch is left out here ({size}); it is kept with the run."
    return [Section(details(f"The patch: {size}", patch), 30, (gone,))]
