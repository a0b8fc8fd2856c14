"""How far a change has come, told from its test report beside the baseline. Pure."""

from dataclasses import dataclass

from bot.records import TestReport


@dataclass(frozen=True, slots=True, order=True)
class Standing:
    """More is better, the first difference decides. `broken` counts down: -2 is two tests that fail by the change."""

    is_good: bool = False
    ran: bool = False
    mended: int = 0
    broken: int = 0


NOWHERE = Standing()
"""Where a change stands that was not tested."""


def standing(report: TestReport | None, baseline: TestReport | None) -> Standing:
    """Where a report stands: green, or nothing new fails; then the tests that it mends, then those that it breaks."""
    if report is None:
        return NOWHERE
    mended = (baseline.failed & report.passed) if baseline else report.passed
    lost = (baseline.passed - report.passed) if baseline else frozenset[str]()
    new = report.failed - (baseline.failed if baseline else frozenset())
    return Standing(report.is_good_beside(baseline), report.could_run, len(mended), -len(lost | new))


def words(found: Standing, baseline: TestReport | None) -> str:
    """Where a change stands, for people: “1 of 2 failing tests mended, 3 broken”."""
    if found.is_good:
        return "the tests pass"
    if not found.ran:
        return "the tests did not run"
    failed = len(baseline.failed) if baseline else 0
    mended = f"{found.mended} of {failed} failing tests mended" if failed else "no test mended"
    return f"{mended}, {-found.broken} failing by the change" if found.broken else mended
