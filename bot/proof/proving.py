"""The proof: three arrangements of base and head, judged by test ids. What it runs, it runs through a callback."""

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass

from bot.errors import Stopped
from bot.proof.alterations import Altered, alterations
from bot.proof.arrangements import UNPLANTED, UNTOUCHED, A, Arrangement, B, C
from bot.proof.evidence import Runs, broken, evidence_of, reds
from bot.proof.interface import Interface, new_interface
from bot.proof.kinds import FileKind, goes_with_tests, of_kind
from bot.proof.reasons import Findings, missing_by_heart, missing_of_change, missing_of_results, missing_without_plant
from bot.proof.second_looks import known_by_heart, second_looks_of
from bot.proof.turns import Each
from bot.records import ChangedFile, Evidence, Proof, ReportState, TestReport, storable

Run = Callable[[Arrangement], TestReport]


def prove(
    files: Sequence[ChangedFile],
    baseline: TestReport,
    run: Run,
    *,
    accepted_tests: bool = False,
    planted_file: bool = False,
    each: Each | None = None,
) -> Proof:
    """Gather the evidence for a change and judge it.

    Each call of `run` is one clean container: check out the arrangement's side, `place` its `overlay`, run the tests
    with a fresh plant, if it is `planted`. A, B and C, each once more where something in it is to be confirmed, and so
    the untouched base where something broke; C is B where the change leaves tests and their configuration alone.
    With `each`, A, B and C come first, side by side, and all else alone; it is for runs that leave each other nothing
    behind. Without, what is repeated comes at once, so that a test that fails by turns is seen to.
    `accepted_tests`: a maintainer accepted what the change does to existing tests. `planted_file`: the plant is a file,
    so that no planted run ends well, nor comes to what stands behind `&&`: a change that is proven else has to end well
    without it.

    Raises: `Stopped` when a run reports that a person ended it, and whatever `run` raises.
    """
    altered = alterations(files, baseline.cases)
    of_change = missing_of_change(files, altered, baseline, accepted_tests=accepted_tests)
    changed = _storable(of_kind(files, FileKind.TEST, FileKind.TEST_SUPPORT))
    said = _storable(map(str, altered))
    if not baseline.could_run:
        reason = f"The tests could not be run on the base ({baseline.state}), so there is nothing to compare with."
        return Proof(_storable((reason, *of_change)), Evidence(), baseline, tests_changed=changed, tests_altered=said)
    excused = altered if accepted_tests else ()
    interface = new_interface(files)
    go = _Runner(run, each)
    runs = _gather(files, baseline, go, interface, excused)
    evidence = evidence_of(baseline, runs, interface, excused)
    of_results = missing_of_results(Findings(baseline, runs, evidence, interface, excused))
    missing = (*of_results, *of_change, *missing_by_heart(known_by_heart(files, evidence.red)))
    if planted_file and baseline.is_green and not missing:
        missing = tuple(missing_without_plant(baseline, _unplanted(go)))
    return Proof(
        missing=_storable(missing),
        evidence=evidence,
        baseline=baseline,
        head_tests_on_base=runs.a,
        head=runs.b,
        base_tests_on_head=runs.c,
        tests_changed=changed,
        tests_altered=said,
        second_looks=_storable(second_looks_of(files, evidence.red)),
    )


def _storable(texts: Iterable[str]) -> tuple[str, ...]:
    """A file's name may hold what no record can."""
    return tuple(map(storable, texts))


@dataclass(frozen=True, slots=True)
class _Runner:
    """Makes one run, alone, for each call. Raises `Stopped`."""

    run: Run
    each: Each | None

    def __call__(self, arrangement: Arrangement) -> TestReport:
        return self._run(arrangement) if self.each is None else self.each(self._run, [arrangement])[0]

    def ahead(self, arrangements: Sequence[Arrangement]) -> Mapping[Arrangement, TestReport]:
        """Runs that wait for none, made beforehand where that may be side by side."""
        if self.each is None:
            return {}
        return dict(zip(arrangements, self.each(self._run, arrangements, is_doubtful=_may_be_of_load), strict=True))

    def _run(self, arrangement: Arrangement) -> TestReport:
        report = self.run(arrangement)
        if report.state is ReportState.STOPPED:
            raise Stopped("A person ended the run.")
        return report


def _may_be_of_load(report: TestReport) -> bool:
    """Whether what else the machine did may be why there are no results."""
    return report.state in (ReportState.TIMED_OUT, ReportState.OUT_OF_MEMORY, ReportState.CRASHED)


def _gather(
    files: Sequence[ChangedFile], baseline: TestReport, go: _Runner, interface: Interface, excused: Sequence[Altered]
) -> Runs:
    """A failure, a test that turned green and one that broke are each seen twice before they count.

    The second time nothing else of this proof runs: a test that fails for want of time beside others is flaky.
    """
    has_own_tests = any(goes_with_tests(file) for file in files)
    ahead = go.ahead((A, B, C) if has_own_tests else (A, B))
    a = ahead.get(A) or go(A)
    a_again = go(A) if a.failed else None
    b = ahead.get(B) or go(B)
    is_suspicious = b.failed - baseline.failed or reds(baseline, Runs(a, b, b, a_again), interface)
    b_again = go(B) if b.could_run and is_suspicious else None
    c, c_again = b, b_again
    if has_own_tests:
        c = ahead.get(C) or go(C)
        c_again = go(C) if c.could_run and broken(baseline, c, None, excused) else None
    base_again = go(UNTOUCHED) if c_again and broken(baseline, c, c_again, excused) else None
    return Runs(a, b, c, a_again, b_again, c_again, base_again)


def _unplanted(go: _Runner) -> TestReport:
    """The head as it is, once more where tests fail: those of the planted runs did not."""
    report = go(UNPLANTED)
    return go(UNPLANTED) if report.failed else report
