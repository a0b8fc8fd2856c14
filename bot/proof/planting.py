"""What the host's own failing test tells: results that do not report it as failing are not to be trusted. Pure."""

import re
from collections.abc import Callable, Iterable
from dataclasses import dataclass, replace

from bot.proof.plant import Plant
from bot.proof.planted import all_failed, planted_cases, what_is_wrong
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
    own = planted_cases(results.cases, plant)
    others = tuple(case for case in results.cases if plant.token not in case.id)
    rest = replace(results, cases=others)
    if not own and (results.ended_early or _ended_early(others, command)):
        return Judged(rest, planted_failed=None, tampered=results.contradiction)
    why = what_is_wrong(own, plant) if own else "a test that must fail was added, and the results do not hold it"
    return Judged(rest, planted_failed=all_failed(own, plant), tampered=results.contradiction or why)


def _ended_early(cases: Iterable[TestCase], command: str) -> bool:
    """Whether the command asks to stop at the first failure, and there was one before the plant's turn."""
    failed = any(case.status in (TestStatus.FAILED, TestStatus.ERROR) for case in cases)
    return failed and _STOPS_EARLY.search(command) is not None
