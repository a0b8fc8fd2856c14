"""What follows from an iteration: another one, or the end, and why. Pure."""

from dataclasses import dataclass

from bot.agent.conversation import Ended, Ending
from bot.agent.limits import oversize
from bot.records import Caps, Change, Iteration, TestReport, Verdict

GREEN_BUT = "the tests pass, but: "
NAMED = 2
"""Failing tests that a reason names."""


@dataclass(frozen=True, slots=True)
class Untested:
    """Why a change is not worth a test run, and the earlier iteration that it repeats, if it does."""

    why: str
    repeats: Iteration | None = None


@dataclass(frozen=True, slots=True)
class Decision:
    """`verdict` None: the loop goes on. `why` is for the run's end, and may be the model's closing words.

    `then` is what followed from this iteration, in our own words, for the iteration log.
    """

    verdict: Verdict | None
    why: str
    then: str


def untested(change: Change, earlier: Iteration | None, *, caps: Caps) -> Untested | None:
    """Whether a change need not be tested: there is none, it is too large, or it was tested before."""
    if change.is_empty:
        return Untested("no file differs from the base")
    large = oversize(change, caps)
    if large:
        return Untested(large)
    if earlier is not None:
        return Untested(f"the same change as in iteration {earlier.number}, so it was not tested again", earlier)
    return None


def decide(
    ending: Ending,
    *,
    number: int,
    caps: Caps,
    change: Change,
    report: TestReport | None,
    baseline: TestReport | None,
    objection: str,
    skipped: Untested | None,
    was_oversize: bool,
) -> Decision:
    """Decide after an iteration. `report` is of this very change, be it from now or from the iteration it repeats."""
    if ending.how is Ended.NOTHING:
        return Decision(Verdict.NOTHING_TO_DO, ending.words, "no change is needed")
    is_last = number >= caps.iterations or ending.how in (Ended.LIMIT, Ended.GAVE_UP)
    if report is not None and report.is_good_beside(baseline) and (is_last or not objection):
        words = ending.words if ending.how is Ended.FINISHED and ending.words else "the tests pass"
        return Decision(Verdict.SOLVED, words, f"{GREEN_BUT}{objection}" if objection else "the tests pass")
    why = _why_next(report, baseline, objection=objection, skipped=skipped)
    large = oversize(change, caps)
    if ending.how is Ended.GAVE_UP:
        return Decision(Verdict.GAVE_UP, ending.words, ending.words)
    if ending.how is Ended.LIMIT:
        return Decision(Verdict.LIMIT, ending.words, ending.words)
    if large and (was_oversize or is_last):
        return Decision(Verdict.LIMIT, large, large)
    ended = f"the limit of {caps.iterations} iterations is reached; after the last: {why}"
    return Decision(Verdict.LIMIT, ended, why) if is_last else Decision(None, why, why)


def _why_next(
    report: TestReport | None, baseline: TestReport | None, *, objection: str, skipped: Untested | None
) -> str:
    if skipped is not None:
        return skipped.why
    if report is None:
        return "the tests were not run"
    if report.is_good_beside(baseline):
        return f"{GREEN_BUT}{objection}"
    failing = sorted(_short(name) for name in report.failed - (baseline.failed if baseline else frozenset()))
    if not failing:
        return f"the test command did not pass: {report.counts}"
    more = f" and {len(failing) - NAMED} more" if len(failing) > NAMED else ""
    return f"still failing: {', '.join(failing[:NAMED])}{more}"


def _short(test_id: str) -> str:
    """The test's own name; the log's table has no room for its file."""
    return test_id.rpartition("::")[2]
