"""What the host's own failing test tells: results that do not report it as failing are not to be trusted. Pure."""

import re
from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace

from bot.proof.plant import Plant
from bot.proof.readers import plants_for
from bot.proof.results import Results
from bot.records import TestCase, TestReport, TestStatus

_STOPS_EARLY = re.compile(
    r"(^|\s)(-[a-zA-Z]*x[a-zA-Z]*|--exitfirst|--maxfail\b|--stepwise|--sw|--bail|-failfast)(?=$|[\s=])"
)


def plant_that_shows(baseline: TestReport, token: str, run: Callable[[Plant], TestReport]) -> Plant | None:
    """The plant that the test command is seen to report as failing on the base, without disturbing the other results.

    `run` takes the baseline again with the plant. None: this command can't be checked so, and no proof can hold.
    """
    if not baseline.could_run:
        return None
    for candidate in plants_for(baseline, token):
        report = run(candidate)
        if report.planted_failed and not report.tampered and report.ids(*TestStatus) == baseline.ids(*TestStatus):
            return candidate
    return None


@dataclass(frozen=True, slots=True)
class Judged:
    """Results without the plant's own case, and what its case says of them."""

    results: Results
    planted_failed: bool | None
    tampered: str


def judge(results: Results | None, plant: Plant, *, command: str) -> Judged:
    """Take the plant's case out of the results and say whether they can be trusted."""
    if results is None:
        return Judged(Results(()), planted_failed=False, tampered="the test command left no results that can be read")
    own = [case for case in results.cases if plant.token in case.id]
    others = tuple(case for case in results.cases if plant.token not in case.id)
    rest = replace(results, cases=others)
    if not own and (results.ended_early or _ended_early(others, command)):
        return Judged(rest, planted_failed=None, tampered=results.contradiction)
    failed = any(case.status is TestStatus.FAILED and plant.said in case.message for case in own)
    return Judged(rest, planted_failed=failed, tampered=results.contradiction or _suspicion(own, failed=failed))


def _suspicion(own: Sequence[TestCase], *, failed: bool) -> str:
    if failed:
        return ""
    if not own:
        return "a test that must fail was added, and the results do not hold it"
    if own[0].status is TestStatus.FAILED:
        return "the failure that is reported for the added test is not the one it raises"
    return f"a test that must fail was added, and is reported as {own[0].status}"


def _ended_early(cases: Sequence[TestCase], command: str) -> bool:
    """Whether the command asks to stop at the first failure, and there was one before the plant's turn."""
    failed = any(case.status in (TestStatus.FAILED, TestStatus.ERROR) for case in cases)
    return failed and _STOPS_EARLY.search(command) is not None
