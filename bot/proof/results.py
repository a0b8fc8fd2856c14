"""What a run's results say, whoever wrote them. Pure."""

from collections.abc import Iterable, Iterator
from dataclasses import dataclass, replace

from bot.records import TestCase, TestStatus
from sandbox.contract import clipped

_MESSAGE = 4000
_MESSAGES_IN_ALL = 400_000
_ORDER = (TestStatus.PASSED, TestStatus.SKIPPED, TestStatus.FAILED, TestStatus.ERROR)


@dataclass(frozen=True, slots=True)
class Results:
    """What a reader found. `contradiction` says why it can't be the whole truth (totals that differ), or ""."""

    cases: tuple[TestCase, ...]
    contradiction: str = ""
    internal_error: bool = False


def results_of(cases: Iterable[TestCase], *, contradiction: str = "", internal_error: bool = False) -> Results:
    """Results with one case for each id, its worst result, and messages of bounded length."""
    return Results(tuple(_within_bounds(_merged(cases))), contradiction, internal_error)


def worse(status: TestStatus, than: TestStatus) -> bool:
    """Whether the first of two results of one test is the one that counts."""
    return _ORDER.index(status) > _ORDER.index(than)


def _merged(cases: Iterable[TestCase]) -> list[TestCase]:
    """A failing teardown or subtest comes as a case of its own."""
    worst: dict[str, TestCase] = {}
    for case in cases:
        known = worst.get(case.id)
        if known is None or worse(case.status, known.status):
            worst[case.id] = case
    return list(worst.values())


def _within_bounds(cases: Iterable[TestCase]) -> Iterator[TestCase]:
    left = _MESSAGES_IN_ALL
    for case in cases:
        message = clipped(case.message, _MESSAGE if left > 0 else 200)
        left -= len(message)
        yield case if message == case.message else replace(case, message=message)
