import pytest

from bot.proof import what_is_broken
from bot.records import ReportState, TestCase, TestReport, TestStatus
from tests.proof.laboratory import a_report

UNLOADED = TestCase("tests/test_a.py", TestStatus.ERROR, "E   ImportError: no a", "tests/test_a.py")
OTHER = TestCase("tests/test_b.py", TestStatus.ERROR, "E   ImportError: no b", "tests/test_b.py")
PASSED = TestCase("tests/test_b.py::test_b", TestStatus.PASSED, file="tests/test_b.py")
FAILED = TestCase("tests/test_b.py::test_b", TestStatus.FAILED, "AssertionError", "tests/test_b.py")
SKIPPED = TestCase("tests/test_b.py::test_b", TestStatus.SKIPPED, file="tests/test_b.py")
BASE = "The test command on the untouched base: "


def test_tests_that_run_are_something_to_compare_with_whatever_comes_of_them() -> None:
    assert what_is_broken(a_report(passed=["tests/test_a.py::test_a"])) == ""
    assert what_is_broken(a_report(failed=["tests/test_a.py::test_a"])) == ""
    assert what_is_broken(TestReport("make check", ReportState.PASSED)) == ""


@pytest.mark.parametrize("other", [PASSED, FAILED, SKIPPED])
def test_one_file_that_can_not_be_loaded_hides_no_other(other: TestCase) -> None:
    assert what_is_broken(TestReport("pytest", ReportState.FAILED, (UNLOADED, other))) == ""


@pytest.mark.parametrize(
    ("cases", "says"),
    [
        ((UNLOADED,), f"{BASE}no test was run, for tests/test_a.py can't be loaded. ImportError: no a."),
        (
            (UNLOADED, OTHER),
            f"{BASE}no test was run, for tests/test_a.py and 1 more can't be loaded. ImportError: no a.",
        ),
    ],
)
def test_where_no_file_can_be_loaded_the_first_error_is_said(cases: tuple[TestCase, ...], says: str) -> None:
    assert what_is_broken(TestReport("pytest", ReportState.FAILED, cases)) == says


@pytest.mark.parametrize(
    ("state", "output", "says"),
    [
        (ReportState.TIMED_OUT, "ValueError: half", f"{BASE}timed out."),
        (ReportState.NOTHING_RAN, "collected 0 items", f"{BASE}nothing ran."),
        (
            ReportState.USAGE_ERROR,
            "ImportError while loading conftest\nE   ModuleNotFoundError: No module named 'nowhere'",
            f"{BASE}{ReportState.USAGE_ERROR}. ModuleNotFoundError: No module named 'nowhere'.",
        ),
    ],
)
def test_a_command_that_can_not_run_is_named_with_the_error_behind_it(
    state: ReportState, output: str, says: str
) -> None:
    assert what_is_broken(TestReport("pytest", state, output=output)) == says


@pytest.mark.parametrize(
    ("state", "how"), [(ReportState.CRASHED, "exit code 2"), (ReportState.COMMAND_NOT_FOUND, "command not found")]
)
def test_a_build_that_fails_is_not_blamed_on_the_tests(state: ReportState, how: str) -> None:
    report = TestReport("make", state, exit_code=2, output="The build command failed.")

    assert what_is_broken(report, build="make") == f"The build command on the untouched base fails: {how}."


@pytest.mark.parametrize(
    "message",
    [
        "E   ImportError: cannot import name 'total' from 'calc' (/workspace/calc.py)",
        "E   ModuleNotFoundError: No module named 'calc.money'",
        "SyntaxError: The requested module './calc.js' does not provide an export named 'total'",
        "Error: Cannot find module '../lib/money'",
    ],
)
def test_what_the_projects_own_modules_lack_may_be_what_a_change_is_to_bring(message: str) -> None:
    waiting = TestCase("tests/test_a.py", TestStatus.ERROR, message, "tests/test_a.py")

    assert what_is_broken(TestReport("pytest", ReportState.FAILED, (waiting,))) == ""


@pytest.mark.parametrize(
    "message",
    [
        "E   ModuleNotFoundError: No module named 'requests'",
        "E   ImportError: cannot import name 'soft' from 'yaml' (/usr/lib/python3/dist-packages/yaml/__init__.py)",
        "Error: Cannot find module 'lodash'",
    ],
)
def test_what_was_not_installed_is_nothing_that_a_change_can_bring(message: str) -> None:
    unloaded = TestCase("tests/test_a.py", TestStatus.ERROR, message, "tests/test_a.py")

    assert "can't be loaded" in what_is_broken(TestReport("pytest", ReportState.FAILED, (unloaded,)))
