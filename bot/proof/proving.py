"""The proof: three arrangements of base and head, judged by test ids. What it runs, it runs through a callback."""

from collections.abc import Callable, Iterable, Sequence

from bot.errors import Stopped
from bot.proof.alterations import Altered, alterations
from bot.proof.arrangements import UNPLANTED, UNTOUCHED, A, Arrangement, B, C
from bot.proof.evidence import Runs, broken, evidence_of, reds
from bot.proof.interface import Interface, new_interface
from bot.proof.kinds import FileKind, goes_with_tests, of_kind
from bot.proof.reasons import Findings, missing_of_change, missing_of_results, missing_without_plant
from bot.proof.second_looks import second_looks_of
from bot.records import ChangedFile, Evidence, Proof, ReportState, TestReport, storable

Run = Callable[[Arrangement], TestReport]


def prove(
    files: Sequence[ChangedFile],
    baseline: TestReport,
    run: Run,
    *,
    accepted_tests: bool = False,
    planted_file: bool = False,
) -> Proof:
    """Gather the evidence for a change and judge it.

    Each call of `run` is one clean container: check out the arrangement's side, `place` its `overlay`, run the tests
    with a fresh plant, if it is `planted`. A, B and C, each once more where something in it is to be confirmed, and so
    the untouched base where something broke; C is B where the change leaves tests and their configuration alone.
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
    runs = _gather(files, baseline, run, interface, excused)
    evidence = evidence_of(baseline, runs, interface, excused)
    of_results = missing_of_results(Findings(baseline, runs, evidence, interface, excused))
    missing = (*of_results, *of_change)
    if planted_file and baseline.is_green and not missing:
        missing = tuple(missing_without_plant(baseline, _unplanted(run)))
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


def _gather(
    files: Sequence[ChangedFile], baseline: TestReport, run: Run, interface: Interface, excused: Sequence[Altered]
) -> Runs:
    """A failure, a test that turned green and one that broke are each seen twice before they count."""

    def go(arrangement: Arrangement) -> TestReport:
        return _run(run, arrangement)

    a = go(A)
    a_again = go(A) if a.failed else None
    b = go(B)
    is_suspicious = b.failed - baseline.failed or reds(baseline, Runs(a, b, b, a_again), interface)
    b_again = go(B) if b.could_run and is_suspicious else None
    c, c_again = b, b_again
    if any(goes_with_tests(file) for file in files):
        c = go(C)
        c_again = go(C) if c.could_run and broken(baseline, c, None, excused) else None
    base_again = go(UNTOUCHED) if c_again and broken(baseline, c, c_again, excused) else None
    return Runs(a, b, c, a_again, b_again, c_again, base_again)


def _unplanted(run: Run) -> TestReport:
    """The head as it is, once more where tests fail: those of the planted runs did not."""
    report = _run(run, UNPLANTED)
    return _run(run, UNPLANTED) if report.failed else report


def _run(run: Run, arrangement: Arrangement) -> TestReport:
    report = run(arrangement)
    if report.state is ReportState.STOPPED:
        raise Stopped("A person ended the run.")
    return report
