"""What a run's results say, whoever wrote them. Pure."""

from collections.abc import Iterable, Iterator
from dataclasses import dataclass, replace

from bot.proof.failures import places_in
from bot.records import TestCase, TestStatus, storable
from sandbox.contract import clipped

_MESSAGE = 4000
_MESSAGES_IN_ALL = 400_000
_ORDER = (TestStatus.PASSED, TestStatus.SKIPPED, TestStatus.FAILED, TestStatus.ERROR)


@dataclass(frozen=True, slots=True)
class Results:
    """What a reader found. `contradiction` says why it can't be the whole truth (totals that differ), or "".

    `ended_early`: a run ended at a failure, as it was told to, before all tests had their turn.
    """

    cases: tuple[TestCase, ...]
    contradiction: str = ""
    internal_error: bool = False
    ended_early: bool = False


def results_of(
    cases: Iterable[TestCase], *, contradiction: str = "", internal_error: bool = False, ended_early: bool = False
) -> Results:
    """Results with one case for each id, its worst result, and messages of bounded length."""
    merged = _merged(map(_storable, cases))
    return Results(tuple(_within_bounds(merged)), storable(contradiction), internal_error, ended_early)


def together(found: Iterable[Results]) -> Results:
    """What several runs of one command found, as one."""
    each = tuple(found)
    if len(each) == 1:
        return each[0]
    return results_of(
        (case for results in each for case in results.cases),
        contradiction="; ".join(dict.fromkeys(results.contradiction for results in each if results.contradiction)),
        internal_error=any(results.internal_error for results in each),
        ended_early=any(results.ended_early for results in each),
    )


def line_of(message: str, file: str | None, otherwise: int | None) -> int | None:
    """The last line of `file` that a failure's traceback names, in pytest's form or Python's own."""
    found = otherwise
    if file is None:
        return found
    for path, number in places_in(message):
        if path == file or file.endswith(f"/{path}") or path.endswith(f"/{file}"):
            found = number
    return found


def message_within_bounds(message: str) -> str:
    """A failure's message at the length that results keep: what is read out of it is read out of no more."""
    return clipped(message, _MESSAGE)


def worse(status: TestStatus, than: TestStatus) -> bool:
    """Whether the first of two results of one test is the one that counts."""
    return _ORDER.index(status) > _ORDER.index(than)


def _storable(case: TestCase) -> TestCase:
    file = case.file or ""
    if case.id.isprintable() and case.message.isprintable() and file.isprintable():
        return case
    test_id, message, file = map(storable, (case.id, case.message, file))
    return replace(case, id=test_id, message=message, file=file or None)


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
