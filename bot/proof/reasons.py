"""What a proof lacks, in sentences for people. Pure."""

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass

from bot.proof.alterations import Altered
from bot.proof.commands import programs
from bot.proof.evidence import Runs, uncovered, unexplained
from bot.proof.interface import Interface
from bot.proof.kinds import FileKind, kind_of_change, of_kind
from bot.proof.reaching import reached
from bot.proof.readers import EXIT_CODE, can_be_planted
from bot.records import ChangedFile, Evidence, ReportState, TestReport

_SHOWN = 5
_SAID = {
    ReportState.NOTHING_RAN: "no test ran",
    ReportState.ALL_SKIPPED: "every test was skipped",
    ReportState.COMMAND_NOT_FOUND: "the test command was not found",
    ReportState.USAGE_ERROR: "the test command is broken",
    ReportState.TIMED_OUT: "it ran out of time",
    ReportState.OUT_OF_MEMORY: "it ran out of memory",
    ReportState.OUTPUT_LIMIT: "it wrote too much",
    ReportState.CRASHED: "it crashed",
}
_FAILS_WITHOUT_A_TEST = "The test command fails with the change, though no test does."
_OTHER_READER = "Results tampered with, or not to be trusted: {}'s are not written as they were on the base."


def names(items: Iterable[str]) -> str:
    """The first few, and how many more there are."""
    listed = list(items)
    more = len(listed) - _SHOWN
    return ", ".join(listed[:_SHOWN]) + (f" and {more} more" if more > 0 else "")


@dataclass(frozen=True, slots=True)
class Findings:
    """All that the runs gave, to be judged. `excused` alterations of existing tests were accepted by a maintainer."""

    baseline: TestReport
    runs: Runs
    evidence: Evidence
    interface: Interface
    excused: Sequence[Altered]


def missing_of_results(found: Findings) -> Iterator[str]:
    """What the results of the runs lack."""
    yield from _untrusted(found)
    yield from _not_judged(found.runs)
    if found.baseline.reader == EXIT_CODE:
        yield from _by_exit_code(found.baseline, found.runs)
    else:
        yield from _by_case(found)


def missing_without_plant(baseline: TestReport, report: TestReport) -> Iterator[str]:
    """What the head lacks without the host's failing test, which excuses the exit code where it is there."""
    if report.tampered:
        yield f"Results tampered with, or not to be trusted: {report.tampered}."
    elif not report.could_run:
        yield from _not_run("head without the host's failing test", report)
    elif report.reader != baseline.reader:
        yield _OTHER_READER.format(baseline.reader)
    elif report.failed:
        yield f"Tests fail with the change: {names(sorted(report.failed))}."
    elif not report.is_green:
        yield _FAILS_WITHOUT_A_TEST


def missing_of_change(
    files: Sequence[ChangedFile], altered: Sequence[Altered], baseline: TestReport, *, accepted_tests: bool
) -> Iterator[str]:
    """What the change touches that a proof can't vouch for."""
    if altered and not accepted_tests:
        yield f"Existing tests were altered: {names(str(one) for one in altered)}."
    if paths := of_kind(files, FileKind.TEST_CONFIG):
        yield f"Test configuration was changed: {names(paths)}."
    if paths := _started_by(baseline, files):
        yield f"What the test command starts was changed: {names(paths)}."
    if paths := of_kind(files, FileKind.DEPENDENCY):
        yield f"Dependency or build files were changed, and the tests ran without them: {names(paths)}."
    if paths := of_kind(files, FileKind.COMPILED):
        yield f"Compiled files were changed, which nobody can read: {names(paths)}."
    if places := reached(files):
        yield (
            "The change's source reaches into the process that its tests run in, so that their results may be its own "
            f"word: {names(places)}."
        )
    if paths := of_kind(files, FileKind.CI):
        yield f"Files of the continuous integration were changed: {names(paths)}."
    kinds = {kind_of_change(file) for file in files}
    if kinds and FileKind.SOURCE not in kinds:
        yield _only(kinds)


def missing_by_heart(tests: Sequence[str]) -> Iterator[str]:
    """What is missing where the change knows by heart what these tests ask, all that show it."""
    if tests:
        yield (
            "The change answers only what its own tests ask, with what they expect, so nothing shows that it knows the "
            f"rule: {names(tests)}."
        )


def _started_by(baseline: TestReport, files: Sequence[ChangedFile]) -> tuple[str, ...]:
    """The sources that the test command starts and that are no tests themselves."""
    tests = {case.file for case in baseline.cases}
    ends = tuple(f"/{program}" for program in programs(baseline.command))
    return tuple(path for path in of_kind(files, FileKind.SOURCE) if path not in tests and f"/{path}".endswith(ends))


def _only(kinds: set[FileKind]) -> str:
    tests = {FileKind.TEST, FileKind.TEST_SUPPORT, FileKind.TEST_CONFIG}
    if kinds <= {FileKind.DOCS}:
        return "Only documentation was changed, which no test can vouch for."
    if kinds <= tests | {FileKind.DOCS}:
        return "Only tests were changed, so there is no change of the program to be proven."
    return "No source was changed, so there is no change of the program to be proven."


def _untrusted(found: Findings) -> Iterator[str]:
    reports = found.runs.reports
    tampered = tuple(dict.fromkeys(report.tampered for report in reports if report.tampered))
    yield from (f"Results tampered with, or not to be trusted: {why}." for why in tampered)
    reader = found.baseline.reader
    if reader == EXIT_CODE:
        yield "The command tells only its exit code; nothing is known of single tests."
    elif not can_be_planted(reader):
        yield "The host can't add a failing test of its own to this command; nothing shows that its results are true."
    elif not tampered and any(report.reader != reader for report in reports):
        yield _OTHER_READER.format(reader)
    elif not tampered and not _plant_was_seen(found.runs):
        yield (
            "The failing test that the host adds was not reported by the test command, so nothing shows that its "
            "results are true. A command that runs whole folders of tests to their end can be checked."
        )


def _plant_was_seen(runs: Runs) -> bool:
    """In B always; elsewhere a command that stops at the first failure (-x) may end before the plant's turn."""
    unseen = any(report.planted_failed is False for report in runs.reports if report.could_run)
    return runs.b.planted_failed is True and not unseen


def _not_judged(runs: Runs) -> Iterator[str]:
    said = (
        ("new tests without the change", runs.a),
        ("new tests with the change", runs.b),
        ("base's own tests", runs.c),
        ("new tests with the change, once more,", runs.b_again),
    )
    for which, report in said:
        if report is not None and not report.could_run:
            yield from _not_run(which, report)


def _not_run(which: str, report: TestReport) -> Iterator[str]:
    yield f"The proof run with the {which} could not be judged: {_SAID.get(report.state, str(report.state))}."


def _by_exit_code(baseline: TestReport, runs: Runs) -> Iterator[str]:
    if ReportState.FAILED in (runs.b.state, runs.c.state):
        yield f"The test command fails with the change{'' if baseline.is_green else ', as it did before'}."
    if runs.a.is_green:
        yield "The test command passes without the change too, so nothing shows that the change is needed."


def _by_case(found: Findings) -> Iterator[str]:
    evidence, runs = found.evidence, found.runs
    settled = frozenset((*evidence.flaky, *evidence.broke))
    if not evidence.red:
        yield "No test fails without the change and passes with it."
        if foreign := unexplained(runs, found.interface):
            yield f"On the base these can't import something that the change does not define: {names(foreign)}."
    if evidence.broke:
        yield f"Tests that passed before the change do not pass after it: {names(evidence.broke)}."
    if failing := sorted(runs.b.failed - found.baseline.failed - settled):
        yield f"Tests fail with the change: {names(failing)}."
    unseen = found.baseline.passed - runs.b.passed - runs.b.failed
    if quiet := sorted(uncovered(unseen, found.excused, found.baseline) - settled):
        yield f"Tests that passed before the change are skipped or gone after it: {names(quiet)}."
    if found.baseline.is_green and any(map(_fails_without_a_test, runs.of_head)):
        yield _FAILS_WITHOUT_A_TEST


def _fails_without_a_test(report: TestReport) -> bool:
    return report.state is ReportState.FAILED and not report.failed
