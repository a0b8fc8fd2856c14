"""The cheap look at a green change during the agent's work: what would keep it from being proven, for the model."""

from collections.abc import Callable, Sequence

from bot.proof.alterations import altered_tests
from bot.proof.evidence import turned_green
from bot.proof.interface import new_interface
from bot.proof.kinds import FileKind, goes_with_tests, of_kind
from bot.proof.reaching import reached
from bot.proof.readers import EXIT_CODE
from bot.proof.reasons import names
from bot.proof.second_looks import known_by_heart
from bot.records import ChangedFile, TestReport, TestStatus


def quick_objection(
    files: Sequence[ChangedFile],
    report_on_base: Callable[[], TestReport],
    head_report: TestReport,
    *,
    wants_test: bool = True,
) -> str:
    """What keeps a green change from being proven, in words for the model; "" where nothing does.

    `report_on_base` runs the head's tests on the base's source (arrangement A), and is asked only when nothing cheaper
    objects, and `wants_test`.
    """
    if altered := altered_tests(files, head_report.cases):
        return (
            f"Existing tests were altered: {names(altered)}. Put them back exactly as they were, "
            "and write what is new as additional tests."
        )
    if config := of_kind(files, FileKind.TEST_CONFIG):
        return (
            f"Test configuration was changed: {names(config)}. Put it back as it was; "
            "what a new test needs can stand in the file of that test."
        )
    if places := reached(files):
        return f"The program reaches into the process that its tests run in: {names(places)}. Do without that."
    if files and not of_kind(files, FileKind.SOURCE):
        return (
            "Only tests, documentation or configuration changed. Change the program itself so that the issue is solved."
        )
    return _without_the_change(files, report_on_base(), head_report) if wants_test else ""


def _without_the_change(files: Sequence[ChangedFile], on_base: TestReport, head: TestReport) -> str:
    if EXIT_CODE in (on_base.reader, head.reader):
        return _by_exit_code(files, on_base, head)
    if red := turned_green(on_base, head, frozenset(), new_interface(files)):
        return _by_heart(files, sorted(red))
    if not any(goes_with_tests(file) for file in files):
        return _NO_TEST
    files_of_tests = of_kind(files, FileKind.TEST)
    passing = sorted(case.id for case in head.cases if case.file in files_of_tests and case.id in on_base.passed)
    if passing:
        return (
            f"The tests in the changed files pass without the change too: {names(passing)}. "
            "Add a test that fails without the change, for the reason that the issue gives."
        )
    if not head.ids(*TestStatus) - on_base.ids(*TestStatus):
        return (
            f"The test command does not run the tests that were added: {names(files_of_tests)}. Put them where it does."
        )
    return "No test fails without the change for a reason that the change mends. Add one that does."


def _by_heart(files: Sequence[ChangedFile], red: Sequence[str]) -> str:
    if tests := known_by_heart(files, red):
        return (
            f"The change answers only what the new tests ask, with what they expect: {names(tests)}. Write the rule "
            "that the issue is about, and have a test ask with other values too."
        )
    return ""


def _by_exit_code(files: Sequence[ChangedFile], on_base: TestReport, head: TestReport) -> str:
    if on_base.reader != head.reader:
        return "pytest ends without writing its results once the change is in. Nothing may end the process early."
    if on_base.could_run and not on_base.is_green:
        return ""
    if not of_kind(files, FileKind.TEST):
        return _NO_TEST
    return "The test command passes without the change too. Add a test that fails without it, as the issue says."


_NO_TEST = "No test was added. Add one that fails without the change, for the reason that the issue gives."
