"""Base and head side by side: which tests are red, which broke, which can't make up their minds. Pure."""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from pathlib import PurePosixPath

from bot.proof.alterations import Altered
from bot.proof.failures import is_whole_file
from bot.proof.interface import Interface, import_failed
from bot.records import Evidence, TestCase, TestReport, TestStatus


@dataclass(frozen=True, slots=True)
class Runs:
    """The three proof runs and their repetitions; None where there was nothing to confirm.

    `base_again` is the untouched base once more, to see whether what broke is steady there.
    """

    a: TestReport
    b: TestReport
    c: TestReport
    a_again: TestReport | None = None
    b_again: TestReport | None = None
    c_again: TestReport | None = None
    base_again: TestReport | None = None

    @property
    def of_head(self) -> tuple[TestReport, ...]:
        """Those with the change's source."""
        return tuple(report for report in (self.b, self.b_again, self.c, self.c_again) if report is not None)

    @property
    def reports(self) -> tuple[TestReport, ...]:
        everything = (self.a, self.a_again, self.b, self.b_again, self.c, self.c_again, self.base_again)
        return tuple(dict.fromkeys(report for report in everything if report is not None))


def evidence_of(baseline: TestReport, runs: Runs, interface: Interface, excused: Sequence[Altered]) -> Evidence:
    """Compare by test id. `excused` alterations of existing tests were accepted: what they cover can't break."""
    pairs = ((runs.a, runs.a_again), (runs.b, runs.b_again), (runs.c, runs.c_again), (baseline, runs.base_again))
    flaky = frozenset[str]().union(*(_differing(first, second) for first, second in pairs))
    red, new_names = _red(baseline, runs, interface)
    every_b, every_base = runs.b.ids(*TestStatus), baseline.ids(*TestStatus)
    return Evidence(
        red=_sorted(red - flaky),
        broke=_sorted(broken(baseline, runs.c, runs.c_again, excused) - flaky),
        still_failing=_sorted((baseline.failed & runs.b.failed) - flaky),
        new=_sorted(every_b - every_base),
        gone=_sorted(every_base - every_b),
        skipped=_sorted(runs.b.skipped),
        flaky=_sorted(flaky),
        new_interface=_sorted(new_names - flaky),
    )


def broken(
    baseline: TestReport, head: TestReport, again: TestReport | None, excused: Sequence[Altered]
) -> frozenset[str]:
    """What passed in the baseline and passes in neither of two runs of the base's own tests on the head."""
    passed = head.passed if again is None or not again.could_run else head.passed | again.passed
    return uncovered(baseline.passed - passed, excused, baseline)


def reds(baseline: TestReport, runs: Runs, interface: Interface) -> frozenset[str]:
    """What fails in A and its repetition and passes in B, flaky or not."""
    return _red(baseline, runs, interface)[0]


def uncovered(ids: frozenset[str], excused: Sequence[Altered], baseline: TestReport) -> frozenset[str]:
    """The ids, all of the baseline, that none of the accepted alterations speaks of."""
    cases = [case for case in baseline.cases if case.id in ids] if excused else []
    covered = (case.id for case in cases if any(altered.covers(case.id, case.file) for altered in excused))
    return ids - frozenset(covered)


def unexplained(runs: Runs, interface: Interface) -> tuple[str, ...]:
    """Failures in A that are imports of something which the change does not define: no evidence of anything."""
    failures = (case for case in runs.a.cases if case.id in runs.a.failed)
    foreign = (case.id for case in failures if _needs_import(case) and not interface.explains(case.message))
    return _sorted(test_id for test_id in foreign if test_id not in runs.b.failed)


def turned_green(on_base: TestReport, head: TestReport, known: frozenset[str], interface: Interface) -> frozenset[str]:
    """Ids that fail with the head's tests on the base and pass on the head. `known` passed before the change."""
    red, _ = _turned(on_base.cases, on_base, head, known, interface)
    return red


def _red(baseline: TestReport, runs: Runs, interface: Interface) -> tuple[frozenset[str], frozenset[str]]:
    again = runs.a_again.failed if runs.a_again else frozenset()
    return _turned([case for case in runs.a.cases if case.id in again], runs.a, runs.b, baseline.passed, interface)


def _turned(
    cases: Iterable[TestCase], on_base: TestReport, head: TestReport, known: frozenset[str], interface: Interface
) -> tuple[frozenset[str], frozenset[str]]:
    """The ids that turned green, and those of them whose failure names what only the change defines."""
    red: set[str] = set()
    named: set[str] = set()
    for case in cases:
        if case.id not in on_base.failed:
            continue
        explained = interface.explains(case.message)
        if _needs_import(case) and not explained:
            continue
        ids = _ids_of(case, on_base, head, known) & head.passed
        red |= ids
        named |= ids if explained else set()
    return frozenset(red), frozenset(named)


def _ids_of(case: TestCase, on_base: TestReport, head: TestReport, known: frozenset[str]) -> frozenset[str]:
    """The tests that a failure speaks for: itself, or those of a file (Go: a package) that could not be collected."""
    if not is_whole_file(case):
        return frozenset({case.id})
    if case.id.endswith(".go"):
        folder = PurePosixPath(case.id).parent
        behind = {other.id for other in head.cases if other.file and PurePosixPath(other.file).parent == folder}
    else:
        behind = {other.id for other in head.cases if other.id.startswith(f"{case.id}::")}
    return frozenset(behind - on_base.ids(*TestStatus) - known)


def _needs_import(case: TestCase) -> bool:
    return is_whole_file(case) or import_failed(case.message)


def _differing(first: TestReport, second: TestReport | None) -> frozenset[str]:
    """Ids that passed in one run and not in the other, of the same arrangement.

    One that is not even in the other's results counts where the same failed in both: a failure may cut a run short.
    """
    if second is None or not (first.could_run and second.could_run):
        return frozenset()
    if first.failed == second.failed:
        return first.passed ^ second.passed
    return (first.passed & (second.failed | second.skipped)) | ((first.failed | first.skipped) & second.passed)


def _sorted(ids: Iterable[str]) -> tuple[str, ...]:
    return tuple(sorted(ids))
