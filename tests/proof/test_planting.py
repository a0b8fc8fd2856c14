import pytest

from bot.proof import Plant, plant_for, plant_that_shows
from bot.proof.planting import judge
from bot.proof.results import Results
from bot.records import TestCase, TestReport, TestStatus
from tests.proof.laboratory import BASE, a_report, report_on

TOKEN = "abcd1234"


@pytest.mark.parametrize(
    ("paths", "planted"),
    [
        (["src/a.py", "tests/test_a.py", "tests/test_b.py", "more/test_c.py"], "tests/test_zz_selfcode_abcd1234.py"),
        (["src/a_test.py", "src/b_test.py", "test_c.py"], "src/zz_selfcode_abcd1234_test.py"),
        (["a/test_a.py", "b/test_b.py"], "a/test_zz_selfcode_abcd1234.py"),
        (["tests/helpers.py", "unit/test_a.py"], "unit/test_zz_selfcode_abcd1234.py"),
        (["a.py"], "test_zz_selfcode_abcd1234.py"),
    ],
)
def test_the_plant_stands_beside_most_of_the_tests_and_is_named_as_they_are(paths: list[str], planted: str) -> None:
    assert plant_for(paths, TOKEN).path == planted


def test_a_report_says_as_well_where_the_tests_are() -> None:
    report = a_report(passed=["lib/tests/test_a.py::a", "lib/tests/test_b.py::b", "x/test_c.py::c"])

    assert plant_for(report, TOKEN).path == "lib/tests/test_zz_selfcode_abcd1234.py"


def test_each_run_has_a_plant_under_another_name() -> None:
    first = plant_for(["tests/test_a.py"], TOKEN)

    assert first.again("ffff0000") == plant_for(["tests/test_a.py"], "ffff0000")


def test_a_token_is_no_path() -> None:
    with pytest.raises(ValueError, match="small letters and digits"):
        plant_for([], "../../x")


@pytest.mark.parametrize(
    "command", ["python -m pytest -q", "python -m pytest -q tests/test_calc.py", "python -m pytest -q -k small"]
)
def test_the_plant_is_injected_where_the_recorder_gets_in(command: str) -> None:
    plant = plant_that_shows(report_on(BASE, command), TOKEN, lambda plant: report_on(BASE, command, plant=plant))

    assert plant is not None
    assert plant.injected


@pytest.mark.parametrize(
    ("command", "positional"),
    [
        ("python -m pytest -q", False),
        ("python -m pytest -q tests", False),
        ("python -m pytest -q tests/test_calc.py", True),
        ("python -m pytest -q tests/test_calc.py::test_small", True),
        ("python -m pytest -q -k small", None),
        ("python -c 0", None),
    ],
)
def test_without_a_recorder_the_plant_is_a_file_tried_on_the_base(command: str, positional: bool | None) -> None:
    command = f"unset PYTHONPATH; {command}"
    baseline = report_on(BASE, command)

    plant = plant_that_shows(baseline, TOKEN, lambda plant: report_on(BASE, command, plant=plant))

    assert (plant and plant.positional) is positional


def test_a_plant_that_hides_other_tests_is_not_used() -> None:
    base = {"one/test_a.py": "def test_a(): pass", "two/test_b.py": "def test_b(): pass"}
    command = "unset PYTHONPATH; pytest -q one && pytest -q two -o junit_family=xunit1"
    baseline = report_on(base, command)

    def run(plant: Plant) -> TestReport:
        return report_on(base, command, plant=Plant("one/test_zz_selfcode_abcd1234.py", TOKEN, plant.positional))

    assert baseline.passed == {"two/test_b.py::test_b"}
    assert plant_that_shows(baseline, TOKEN, run) is None


FAILING = TestCase("web/zz-selfcode-abcd1234.js::zz abcd1234", TestStatus.FAILED, f"planted by selfcode: {TOKEN}")
PASSING = TestCase("web/zz-selfcode-abcd1234.js::zz abcd1234 #2", TestStatus.PASSED)
LINTED = TestCase("web/zz-selfcode-abcd1234.js::lint", TestStatus.PASSED)


@pytest.mark.parametrize("cases", [(FAILING, PASSING), (PASSING, FAILING)])
def test_each_case_of_the_plant_must_fail(cases: tuple[TestCase, ...]) -> None:
    judged = judge(Results(cases), Plant("web/x.js", TOKEN), command="jest")

    assert judged.planted_failed is False
    assert judged.tampered == "a test that must fail was added, and is reported as passed"


def test_what_a_linter_says_of_the_plants_file_is_no_case_of_it() -> None:
    judged = judge(Results((LINTED, FAILING)), Plant("web/x.js", TOKEN), command="jest")

    assert (judged.planted_failed, judged.tampered, judged.results.cases) == (True, "", ())
