import pytest

from bot.proof import quick_objection
from bot.records import ReportState, TestReport
from tests.proof.laboratory import BASE, FIXED, NEW_TEST, SOLVED, TESTS, Texts, a_report, changes

LARGE = "tests/test_large.py::test_large"
OLD = ["tests/test_calc.py::test_small", "tests/test_calc.py::test_zero"]
GREEN = a_report(passed=[*OLD, LARGE])
RED = a_report(passed=OLD, failed=[LARGE])
BY_HEART = "def double(n):\n    if n == 20:\n        return 40\n    return n + n if n < 10 else 0\n"


def objection(head: Texts, on_base: TestReport, head_report: TestReport = GREEN) -> str:
    return quick_objection(changes(BASE, head), lambda: on_base, head_report)


def test_nothing_is_objected_to_a_test_that_fails_without_the_change() -> None:
    assert objection(SOLVED, RED) == ""


def test_a_test_that_failed_before_needs_no_new_one() -> None:
    assert objection({"calc.py": FIXED}, RED) == ""


def test_a_test_of_a_new_name_fails_by_its_import_and_is_fine() -> None:
    head = {"calc.py": FIXED + "\ndef triple(n):\n    return 3 * n\n", "tests/test_large.py": NEW_TEST}
    message = "E   ImportError: cannot import name 'triple' from 'calc' (/workspace/calc.py)"

    assert objection(head, a_report(passed=OLD, failed={"tests/test_large.py": message})) == ""


@pytest.mark.parametrize(
    ("head", "on_base", "says"),
    [
        ({"calc.py": FIXED}, a_report(passed=OLD), "No test was added"),
        (SOLVED, GREEN, "pass without the change too: tests/test_large.py::test_large"),
        ({**SOLVED, "tests/test_calc.py": TESTS + "\n    test_zero = None"}, RED, "Existing tests were altered"),
        ({**SOLVED, "conftest.py": ""}, RED, "Test configuration was changed: conftest.py"),
        ({"tests/test_large.py": NEW_TEST}, GREEN, "Only tests, documentation or configuration changed"),
        (SOLVED, a_report(passed=OLD, failed={"tests/test_large.py": "No module named 'x'"}), "for a reason that"),
        ({**SOLVED, "calc.py": BY_HEART}, RED, "answers only what the new tests ask"),
        (SOLVED, a_report(reader="exit code"), "pytest ends without writing its results"),
    ],
)
def test_what_keeps_a_green_change_from_being_proven_is_said(head: Texts, on_base: TestReport, says: str) -> None:
    assert says in objection(head, on_base)


def test_tests_that_the_command_does_not_run_are_named() -> None:
    old = a_report(passed=OLD)

    assert "does not run the tests that were added: tests/test_large.py" in objection(SOLVED, old, old)


@pytest.mark.parametrize(
    ("state", "says"),
    [(ReportState.FAILED, ""), (ReportState.PASSED, "The test command passes without the change too")],
)
def test_an_exit_code_is_compared_as_a_whole(state: ReportState, says: str) -> None:
    green = a_report(reader="exit code")

    assert objection(SOLVED, a_report(reader="exit code", state=state), green)[: len(says)] == says
