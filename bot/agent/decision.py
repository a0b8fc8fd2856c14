"""What follows from an iteration: another one, or the end, and why. Pure."""

from collections.abc import Mapping
from dataclasses import dataclass

from bot.agent.approach import Tried
from bot.agent.endings import Ended, Ending
from bot.agent.limits import oversize
from bot.agent.sameness import Essence, essence
from bot.agent.starting import differing, is_idle
from bot.records import Caps, Change, TestReport, Verdict

GREEN_BUT = "the tests pass, but: "
NAMED = 2
"""Failing tests that a reason names."""
NAME_CHARS = 120

WITHOUT_A_CHANGE = {
    Ended.NOTHING: (Verdict.NOTHING_TO_DO, "no change is needed"),
    Ended.ASKED: (Verdict.QUESTION, "a person has to decide"),
    Ended.ANSWERED: (Verdict.ANSWERED, "the issue needs an answer, and no code"),
}
"""What follows from a talk that ends well without a change."""


@dataclass(frozen=True, slots=True)
class Untested:
    """Why a change is not worth a test run, and the earlier one that it repeats, if it does."""

    why: str
    repeats: Tried | None = None

    @property
    def report(self) -> TestReport | None:
        """The report that this very change has from before."""
        return self.repeats.report if self.repeats else None

    @property
    def objection(self) -> str:
        """What this very change lacked when it was tested before."""
        why = self.repeats.why if self.repeats else ""
        return why.removeprefix(GREEN_BUT) if why.startswith(GREEN_BUT) else ""


@dataclass(frozen=True, slots=True)
class Decision:
    """`verdict` None: the loop goes on. `why` is for the run's end, and may be the model's closing words.

    `then` is what followed from this iteration, in our own words, for the iteration log.
    """

    verdict: Verdict | None
    why: str
    then: str


def untested(
    change: Change,
    seen: Mapping[Essence, Tried],
    *,
    caps: Caps,
    given: frozenset[str],
    start: Change,
    unsolved: str = "",
) -> Untested | None:
    """Whether a change need not be tested: there is none but the test that was given, it is too large, or not new.

    `start` is what was there when the run began, `unsolved` says where conflicts are left.
    """
    if is_idle(change, start):
        return Untested(_idle(change, start))
    if differing(change, start) <= given:
        return Untested("nothing changed but the test")
    if unsolved:
        return Untested(unsolved)
    large = oversize(change, caps, start)
    if large:
        return Untested(large)
    earlier = seen.get(essence(change.patch))
    if earlier is not None:
        return Untested(f"the same change as {earlier.where}, so it was not tested again", earlier)
    return None


def decide(
    ending: Ending,
    *,
    is_last: bool,
    caps: Caps,
    change: Change,
    start: Change,
    report: TestReport | None,
    baseline: TestReport | None,
    objection: str,
    skipped: Untested | None,
    was_oversize: bool,
    limit: str = "",
    may_recover: bool = False,
) -> Decision:
    """Decide after an iteration. `report` is of this very change, be it from now or from the one that it repeats.

    `is_last`: no further iteration is allowed. `limit`: which other limit is reached by now. `may_recover`: the model
    has written before in this run, so that a talk which led nowhere is no more than a try without progress.
    """
    if ending.how in WITHOUT_A_CHANGE:
        verdict, then = WITHOUT_A_CHANGE[ending.how]
        return Decision(verdict, ending.words, then)
    gave_up = ending.how is Ended.GAVE_UP
    is_last = is_last or bool(limit) or ending.how is Ended.LIMIT or (gave_up and not may_recover)
    if report is not None and report.is_good_beside(baseline) and (is_last or not objection):
        words = ending.words if ending.how is Ended.FINISHED and ending.words else "the tests pass"
        return Decision(Verdict.SOLVED, words, f"{GREEN_BUT}{objection}" if objection else "the tests pass")
    why = why_next(report, baseline, objection=objection, skipped=skipped)
    large = oversize(change, caps, start)
    if gave_up:
        return Decision(Verdict.GAVE_UP if is_last else None, ending.words, ending.words)
    if ending.how is Ended.LIMIT:
        return Decision(Verdict.LIMIT, ending.words, ending.words)
    if large and (was_oversize or is_last):
        return Decision(Verdict.LIMIT, large, large)
    reached = limit or f"the limit of {caps.iterations} iterations is reached"
    return Decision(Verdict.LIMIT, f"{reached}; after the last: {why}", why) if is_last else Decision(None, why, why)


def why_next(
    report: TestReport | None, baseline: TestReport | None, *, objection: str, skipped: Untested | None
) -> str:
    """Why a change is not the end yet."""
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


def _idle(change: Change, start: Change) -> str:
    if start.is_empty:
        return "no file differs from the base"
    left = "nothing is left of the change that was there"
    return left if change.is_empty else "nothing changed beyond what was there"


def _short(test_id: str) -> str:
    """The test's own name; the log's table has no room for its file."""
    return test_id.rpartition("::")[2][:NAME_CHARS]
