"""What one run's results say of the host's own failing test. Pure."""

from collections.abc import Iterable, Sequence

from bot.proof.plant import Plant
from bot.records import TestCase, TestStatus


def planted_cases(cases: Iterable[TestCase], plant: Plant) -> Sequence[TestCase]:
    """The cases that are the plant's test: others of its file (a linter's, as tests) pass, and say nothing."""
    own = [case for case in cases if plant.token in case.id]
    return [case for case in own if plant.token in case.id.partition("::")[2]] or own


def all_failed(own: Sequence[TestCase], plant: Plant) -> bool:
    """Whether there is a case of the plant, and each fails with what it raises."""
    return bool(own) and all(case.status is TestStatus.FAILED and plant.said in case.message for case in own)


def what_is_wrong(own: Sequence[TestCase], plant: Plant) -> str:
    """Why the plant's cases are not the failures that they must be, or ""; there is at least one."""
    wrong = [case for case in own if not all_failed([case], plant)]
    if not wrong:
        return ""
    if wrong[0].status is TestStatus.FAILED:
        return "the failure that is reported for the added test is not the one it raises"
    return f"a test that must fail was added, and is reported as {wrong[0].status}"
