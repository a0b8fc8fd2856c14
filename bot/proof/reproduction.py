"""Whether a test, on the base's own source, shows what the issue says. What it runs, it runs through a callback."""

import re
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass

from bot.proof.alterations import altered_tests
from bot.proof.failures import Missing, error_of, is_whole_file, missing_in, place_of
from bot.proof.kinds import FileKind, kind_of_change, of_kind
from bot.proof.reasons import names
from bot.records import ChangedFile, ReportState, TestCase, TestReport, TestStatus, Unreproduced

_TESTS = (FileKind.TEST, FileKind.TEST_SUPPORT)
_NOT_VALID = re.compile(r"(SyntaxError|IndentationError|TabError)\b")
_NO_FIXTURE = re.compile(r"^E?[ \t]*fixture '(?P<name>[^']+)' not found", re.MULTILINE)
_NO_SUCH_NAME = re.compile(r"^(?:E\s+)?NameError: name '(?P<name>\w+)' is not defined", re.MULTILINE)


@dataclass(frozen=True, slots=True)
class Scene:
    """What a new test is judged by: the tests as they were, what the issue says, what the program defines.

    `defines` says whether the base's source defines a name, at any level.
    """

    baseline: TestReport | None
    issue: str
    defines: Callable[[str], bool]

    @property
    def known(self) -> frozenset[str]:
        return self.baseline.ids(*TestStatus) if self.baseline else frozenset()

    def names(self, name: str) -> bool:
        """Whether the issue names it; of a dotted name the last part is enough."""
        wanted = (name, name.rpartition(".")[2])
        return any(re.search(rf"(?<!\w){re.escape(each)}(?!\w)", self.issue) for each in wanted)


def unreproduced(
    files: Sequence[ChangedFile], report: TestReport, scene: Scene, again: Callable[[], TestReport]
) -> Unreproduced | None:
    """Why a change that is to hold nothing but a test does not show the issue; None where it does.

    `report` is of the base's source with this test in it. `again` runs the same in another clean workspace: it is asked
    only where a test failed, and what does not fail there too counts for nothing.
    """
    if not files:
        return _without_a_test(scene)
    if wrong := _not_a_test(files, scene):
        return Unreproduced(wrong)
    if report.reader == "exit code":
        return _by_exit_code(report)
    return _by_case(files, report, scene, again)


def _without_a_test(scene: Scene) -> Unreproduced | None:
    """A test that failed before, and that the issue speaks of, shows it already."""
    failed = scene.baseline.failed if scene.baseline else frozenset[str]()
    if any(scene.names(test_id.rpartition("::")[2].partition("[")[0]) for test_id in failed):
        return None
    return Unreproduced("No test was written. Write one that fails for the reason that the issue gives.")


def _not_a_test(files: Sequence[ChangedFile], scene: Scene) -> str:
    if config := of_kind(files, FileKind.TEST_CONFIG):
        return (
            f"Test configuration was changed: {names(config)}. Put it back as it was; "
            "what a new test needs can stand in the file of that test."
        )
    if others := sorted(file.path for file in files if kind_of_change(file) not in _TESTS):
        return (
            f"The test alone is asked for now, and other files were changed too: {names(others)}. "
            "Put them back as they were: the change of the program comes after the test."
        )
    if altered := altered_tests(files, scene.baseline.cases if scene.baseline else ()):
        return (
            f"Existing tests were altered: {names(altered)}. Put them back exactly as they were, "
            "and write what is new as additional tests."
        )
    return ""


def _by_exit_code(report: TestReport) -> Unreproduced | None:
    """Nothing is known of single tests: a failure is all that can be asked for, even if it failed before."""
    if report.is_green:
        why = "The test command passes on the base with this test in it, so either it does not run the test, or"
        return Unreproduced(f"{why} what the test says is so already.", passes=True)
    if report.state is not ReportState.FAILED:
        return Unreproduced(f"With this test the test command could not be judged: {report.state}.")
    return None


def _by_case(
    files: Sequence[ChangedFile], report: TestReport, scene: Scene, again: Callable[[], TestReport]
) -> Unreproduced | None:
    paths = of_kind(files, *_TESTS)
    new = [case for case in report.cases if case.id not in scene.known and _may_be_of(case, paths)]
    if not new:
        if not report.could_run:
            return Unreproduced(f"With this test the tests could not be run: {report.state}.")
        return Unreproduced(
            f"The test command does not run the tests that were added: {names(paths)}. Put them where it does."
        )
    failing = [case for case in new if case.status in (TestStatus.FAILED, TestStatus.ERROR)]
    if not failing:
        return _nothing_fails(new)
    faults = {case.id: _fault(case, scene, paths) for case in failing}
    fit = [case for case in failing if not faults[case.id]]
    if not fit:
        said = dict.fromkeys(f"{case.id}: {faults[case.id]}" for case in failing)
        return Unreproduced(f"The new tests fail for a reason of their own. {' '.join(list(said)[:3])}")
    failed_again = again().failed
    if not any(case.id in failed_again for case in fit):
        listed = names(case.id for case in fit)
        return Unreproduced(f"These fail in one run and not in the next, with nothing changed: {listed}.")
    return None


def _nothing_fails(new: Sequence[TestCase]) -> Unreproduced:
    passing = [case.id for case in new if case.status is TestStatus.PASSED]
    if not passing:
        return Unreproduced(f"The new tests are skipped: {names(case.id for case in new)}.")
    return Unreproduced(
        f"The new tests pass on the base already: {names(passing)}. "
        "Write one that fails, for the reason that the issue gives.",
        passes=True,
    )


def _may_be_of(case: TestCase, paths: Iterable[str]) -> bool:
    """Whether a test can be one of these files: a report that knows no files leaves it open."""
    return case.file is None or case.file in set(paths)


def _fault(case: TestCase, scene: Scene, paths: Sequence[str]) -> str:
    """Why the failure can't be what the issue is about, in a sentence; "" where it can."""
    whole = is_whole_file(case)
    if whole and _NOT_VALID.search(case.message):
        return f"The file can't be read: {error_of(case.message)}."
    if fixture := _NO_FIXTURE.search(case.message):
        return f"There is no fixture `{fixture['name']}`."
    place = place_of(case.message)
    in_test = place is None or place.endswith(tuple(paths))
    missing = missing_in(case.message)
    if missing is not None and (whole or missing.is_import or in_test):
        return _missing_fault(missing, scene)
    if in_test and (unknown := _NO_SUCH_NAME.search(case.message)):
        return f"The test uses `{unknown['name']}`, which it neither imports nor defines."
    return f"The file can't be collected: {error_of(case.message)}." if whole else ""


def _missing_fault(missing: Missing, scene: Scene) -> str:
    name, last = missing.name, missing.name.rpartition(".")[2]
    if missing.is_module and scene.defines(last):
        return f"`{name}` is no module: the program defines `{last}` elsewhere."
    if not scene.names(name):
        return f"It asks for `{name}`, which the program does not have and the issue does not name."
    return ""
