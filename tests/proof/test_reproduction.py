"""A test that is to show an issue, run on the base alone: under real pytest, and by reports as they might come."""

import pytest

from bot.proof import Scene, unreproduced
from bot.records import ReportState, TestReport, Unreproduced
from tests.proof.laboratory import BASE, NEW_TEST, SOURCE, TESTS, Texts, a_report, changes, report_on

ISSUE = (
    "double(20) returns 0, and I would expect 40. A function `triple` in `calc.extra` would help too; so would `sep`."
)
OLD = ["tests/test_calc.py::test_small", "tests/test_calc.py::test_zero"]
BASELINE = a_report(passed=OLD)
NEW = "tests/test_large.py"


def scene(baseline: TestReport | None = BASELINE, *, issue: str = ISSUE, defines: str = "double") -> Scene:
    return Scene(baseline, issue, defines.split().__contains__)


def judged(head: Texts, report: TestReport, again: TestReport | None = None, at: Scene | None = None) -> str:
    """What is said of it; "" where it shows the issue."""
    found = unreproduced(changes(BASE, head), report, at or scene(), lambda: again or report)
    return found.why if found else ""


def tried(test: str, *, issue: str = ISSUE) -> Unreproduced | None:
    """The verdict on a new test file, which real pytest runs on the base's source."""
    head = {NEW: test}

    def report() -> TestReport:
        return report_on({**BASE, **head})

    return unreproduced(changes(BASE, head), report(), scene(issue=issue), report)


def test_a_test_that_fails_on_the_base_shows_the_issue() -> None:
    assert tried(NEW_TEST) is None


def test_one_that_passes_on_the_base_says_so() -> None:
    found = tried("from calc import double\n\ndef test_large():\n    assert double(3) == 6\n")

    assert found is not None
    assert found.passes
    assert "pass on the base already: tests/test_large.py::test_large" in found.why


def test_a_new_test_beside_the_existing_ones_in_their_file_shows_it_too() -> None:
    head = {"tests/test_calc.py": TESTS + "\n    def test_large():\n        assert double(20) == 40\n"}
    report = report_on({**BASE, **head})

    assert unreproduced(changes(BASE, head), report, scene(), lambda: report) is None


@pytest.mark.parametrize(
    "test",
    [
        "from calc import triple\n\ndef test_it():\n    assert triple(2) == 6\n",
        "import calc\n\ndef test_it():\n    assert calc.triple(2) == 6\n",
        "from calc.extra import anything\n\ndef test_it():\n    assert anything\n",
        "from calc import double\n\ndef test_it():\n    assert double(2, sep=1) == 4\n",
    ],
)
def test_what_is_missing_may_be_missing_where_the_issue_names_it(test: str) -> None:
    assert tried(test) is None


@pytest.mark.parametrize(
    ("test", "says"),
    [
        ("from calc import halve\n\ndef test_it():\n    assert halve(2) == 1\n", "asks for `halve`, which the program"),
        ("import calc\n\ndef test_it():\n    assert calc.halve(2) == 1\n", "asks for `halve`"),
        ("import nothing_of_that_name\n\ndef test_it():\n    pass\n", "asks for `nothing_of_that_name`"),
        ("from calc import double\n\ndef test_it():\n    assert double(n=1, by=3) == 4\n", "asks for `by`"),
        ("def test_it(:\n    pass\n", "can't be read: SyntaxError"),
        ("def test_it():\n    assert double(20) == 40\n", "uses `double`, which it neither imports nor defines"),
        ("def test_it(calculator):\n    assert calculator(20) == 40\n", "There is no fixture `calculator`"),
        ("raise ValueError('x')\n", "can't be collected: ValueError: x"),
    ],
)
def test_a_test_that_fails_for_a_reason_of_its_own_shows_nothing(test: str, says: str) -> None:
    found = tried(test)

    assert found is not None
    assert not found.passes
    assert says in found.why


def test_a_function_of_the_program_is_no_module_of_the_issues() -> None:
    found = tried("from calc.double import double\n\ndef test_it():\n    assert double(20) == 40\n")

    assert found is not None
    assert "`calc.double` is no module: the program defines `double` elsewhere" in found.why


def test_an_error_that_the_program_itself_raises_may_be_the_issue() -> None:
    source = "def double(n):\n    return twise(n)\n"
    head = {NEW: NEW_TEST}
    report = report_on({**BASE, "calc.py": source, **head})

    assert unreproduced(changes(BASE, head), report, scene(), lambda: report) is None


def test_a_wrong_value_that_lacks_what_the_right_one_has_may_be_the_issue() -> None:
    assert tried("from calc import double\n\ndef test_it():\n    assert double(20).bit_size == 6\n") is None


@pytest.mark.parametrize(
    ("head", "says"),
    [
        ({NEW: NEW_TEST, "calc.py": SOURCE + "\n"}, "other files were changed too: calc.py"),
        ({NEW: NEW_TEST, "README.md": "x"}, "other files were changed too: README.md"),
        ({NEW: NEW_TEST, "conftest.py": "import os\n"}, "Test configuration was changed: conftest.py"),
        ({"tests/test_calc.py": NEW_TEST}, "Existing tests were altered"),
        ({}, "No test was written"),
    ],
)
def test_nothing_but_new_tests_may_change(head: Texts, says: str) -> None:
    assert says in judged(head, a_report(passed=OLD, failed=[f"{NEW}::test_large"]))


def test_a_test_of_the_issues_that_failed_before_needs_no_new_one() -> None:
    before = scene(a_report(passed=OLD[:1], failed=OLD[1:]), issue="test_zero fails since yesterday")

    assert judged({}, BASELINE, at=before) == ""


def test_a_test_that_the_command_does_not_run_is_said_to_be_none() -> None:
    assert "does not run the tests that were added: tests/test_large.py" in judged({NEW: NEW_TEST}, BASELINE)


def test_tests_that_are_skipped_show_nothing() -> None:
    report = a_report(passed=OLD, skipped=[f"{NEW}::test_large"])

    assert "are skipped: tests/test_large.py::test_large" in judged({NEW: NEW_TEST}, report)


def test_a_red_is_repeated_before_it_counts() -> None:
    report = a_report(passed=OLD, failed=[f"{NEW}::test_large"])
    then = a_report(passed=[*OLD, f"{NEW}::test_large"])

    assert "fail in one run and not in the next" in judged({NEW: NEW_TEST}, report, then)


def test_a_command_that_the_test_brings_down_shows_nothing() -> None:
    report = a_report(state=ReportState.TIMED_OUT)

    assert "could not be run: timed out" in judged({NEW: NEW_TEST}, report)


def test_by_exit_code_alone_a_command_that_fails_is_all_there_is() -> None:
    report = a_report(reader="exit code", state=ReportState.FAILED)

    assert judged({NEW: NEW_TEST}, report, at=scene(a_report(reader="exit code"))) == ""


@pytest.mark.parametrize(
    ("state", "passes", "says"),
    [
        (ReportState.PASSED, True, "passes on the base with this test"),
        (ReportState.CRASHED, False, "could not be judged: crashed"),
    ],
)
def test_by_exit_code_alone_any_other_end_shows_nothing(state: ReportState, passes: bool, says: str) -> None:
    report = a_report(reader="exit code", state=state)
    found = unreproduced(changes(BASE, {NEW: NEW_TEST}), report, scene(), lambda: report)

    assert found is not None
    assert found.passes is passes
    assert says in found.why
