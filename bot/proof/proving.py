"""The proof: three arrangements of base and head, judged by test ids. What it runs, it runs through a callback."""

from collections.abc import Callable, Sequence

from bot.errors import Stopped
from bot.proof.alterations import Altered, alterations
from bot.proof.arrangements import A, Arrangement, B, C
from bot.proof.evidence import Runs, evidence_of, uncovered
from bot.proof.interface import new_interface
from bot.proof.kinds import FileKind, goes_with_tests, of_kind
from bot.proof.reasons import Findings, missing_of_change, missing_of_results
from bot.records import ChangedFile, Evidence, Proof, ReportState, TestReport

Run = Callable[[Arrangement], TestReport]


def prove(files: Sequence[ChangedFile], baseline: TestReport, run: Run, *, accepted_tests: bool = False) -> Proof:
    """Gather the evidence for a change and judge it.

    Each call of `run` is one clean container: check out the arrangement's side, `place` its `overlay`, run the tests
    with a fresh plant. A, B and C, each once more where something in it is to be confirmed; C is B where the change
    leaves tests and their configuration alone. `accepted_tests`: a maintainer accepted what the change does to existing
    tests.

    Raises: `Stopped` when a run reports that a person ended it, and whatever `run` raises.
    """
    altered = alterations(files, baseline.cases)
    of_change = missing_of_change(files, altered, baseline, accepted_tests=accepted_tests)
    changed = of_kind(files, FileKind.TEST, FileKind.TEST_SUPPORT)
    said = tuple(str(one) for one in altered)
    if not baseline.could_run:
        reason = f"The tests could not be run on the base ({baseline.state}), so there is nothing to compare with."
        return Proof((reason, *of_change), Evidence(), baseline, tests_changed=changed, tests_altered=said)
    excused = altered if accepted_tests else ()
    runs, interface = _gather(files, baseline, run, excused), new_interface(files)
    evidence = evidence_of(baseline, runs, interface, excused)
    of_results = missing_of_results(Findings(baseline, runs, evidence, interface, excused))
    return Proof(
        missing=(*of_results, *of_change),
        evidence=evidence,
        baseline=baseline,
        head_tests_on_base=runs.a,
        head=runs.b,
        base_tests_on_head=runs.c,
        tests_changed=changed,
        tests_altered=said,
    )


def _gather(files: Sequence[ChangedFile], baseline: TestReport, run: Run, excused: Sequence[Altered]) -> Runs:
    def go(arrangement: Arrangement) -> TestReport:
        report = run(arrangement)
        if report.state is ReportState.STOPPED:
            raise Stopped("A person ended the run.")
        return report

    a = go(A)
    a_again = go(A) if a.failed else None
    b = go(B)
    b_again = go(B) if b.could_run and b.failed - baseline.failed else None
    if any(goes_with_tests(file) for file in files):
        c = go(C)
        c_again = go(C) if c.could_run and uncovered(baseline.passed - c.passed, excused) else None
    else:
        c, c_again = b, b_again
    return Runs(a, b, c, a_again, b_again, c_again)
