"""What is told of hidden tests: names, types and messages, and never a line of their source. Under real pytest."""

import pytest

from bot.proof import hidden_results, in_both, missing_of_hidden, objection_of, run_tests
from bot.proof.acceptance import PYTEST_OPTIONS, HiddenResults, HiddenTests
from bot.records import ReportState, TestPlan, TestReport
from sandbox.contract import File, archive_of
from sandbox.process import ProcessSandbox
from tests.proof.laboratory import BASE, PYTEST, a_report, put, text, without_plugins

PATH = "tests/test_hidden.py"
HIDDEN = """
    import pytest
    from calc import double

    SECRET_ANSWER = 40

    def test_plain():
        assert double(20) == SECRET_ANSWER

    def test_with_words():
        assert double(20) == SECRET_ANSWER, f"doubled to {double(20)}"

    def test_an_error():
        raise_it = double("a", "b")

    def test_a_raise():
        with pytest.raises(ValueError):
            double(20)

    def test_that_passes():
        assert double(2) == 4
"""
SOURCE_LINES = [line.strip() for line in HIDDEN.splitlines() if len(line.strip()) > 8]


def hidden(source: str = HIDDEN, path: str = PATH) -> HiddenTests:
    return HiddenTests({path: File(text(source))})


def results(tests: HiddenTests, command: str = PYTEST, plan: TestPlan | None = None) -> HiddenResults:
    return hidden_results(tests, report_with(tests, command, plan))


def report_with(tests: HiddenTests, command: str = PYTEST, plan: TestPlan | None = None) -> TestReport:
    with ProcessSandbox().open() as workspace:
        put(workspace, BASE)
        workspace.put(archive_of(tests.files))
        chosen = without_plugins(plan or TestPlan(command))
        return run_tests(workspace, chosen, timeout_s=60, options=PYTEST_OPTIONS)


@pytest.mark.parametrize(
    "command",
    [PYTEST, f"{PYTEST} --tb=short -vv", f"{PYTEST} --tb=long --assert=rewrite -l", f"{PYTEST} --tb=native"],
)
def test_what_fails_is_told_by_name_and_never_by_its_source(command: str) -> None:
    found = results(hidden(), command)

    assert found.passed == 1
    assert [name.partition("::")[2] for name, _ in found.failing] == [
        "test_plain",
        "test_with_words",
        "test_an_error",
        "test_a_raise",
    ]
    for said in (objection_of(found), *missing_of_hidden(found), str(found)):
        assert [line for line in SOURCE_LINES if line in said] == []
        assert "SECRET_ANSWER" not in said
        assert "double(20)" not in said


def test_the_type_and_the_message_of_a_failure_are_told() -> None:
    said = dict(results(hidden()).failing)

    assert said[f"{PATH}::test_plain"] == "AssertionError"
    assert said[f"{PATH}::test_with_words"] == "AssertionError: doubled to 0"
    assert said[f"{PATH}::test_an_error"].startswith("TypeError: double() takes 1 positional argument")
    assert said[f"{PATH}::test_a_raise"].startswith("Failed: DID NOT RAISE")


def test_the_objection_says_how_many_fail_and_that_they_are_hidden() -> None:
    said = objection_of(results(hidden()))

    assert said.startswith("4 of 5 acceptance tests, which are not shown, fail: ")
    assert f"{PATH}::test_with_words: AssertionError: doubled to 0" in said


def test_a_proof_lacks_them_by_name_alone() -> None:
    (said,) = missing_of_hidden(results(hidden()))

    assert said.startswith("4 of 5 of the operator's acceptance tests fail: tests/test_hidden.py::test_plain")
    assert "doubled to" not in said


def test_a_file_that_can_not_be_imported_tells_what_is_missing() -> None:
    found = results(hidden("from calc import double, triple\n\ndef test_it():\n    assert triple(1) == 3\n"))

    ((name, said),) = found.failing
    assert (name, found.passed) == (PATH, 0)
    assert said.startswith("ImportError: cannot import name 'triple' from 'calc'")
    assert "from calc import double" not in said


def test_a_message_that_quotes_the_source_is_left_out() -> None:
    source = (
        "import pathlib\n\ndef test_it():\n    raise ValueError(pathlib.Path(__file__).read_text().split(chr(10))[2])\n"
    )

    ((_, said),) = results(hidden(source)).failing

    assert said == "ValueError"


def test_all_pass_only_where_each_was_run() -> None:
    passing = "from calc import double\n\ndef test_that_passes():\n    assert double(2) == 4\n"

    found = results(hidden(passing))

    assert found.all_pass
    assert missing_of_hidden(found) == ()
    assert objection_of(found) == ""


@pytest.mark.parametrize(
    ("command", "says"),
    [
        (f"{PYTEST} tests/test_calc.py", "were not run by the test command (passed)"),
        ("true", "tells nothing of single tests"),
        ("no-such-command", "tells nothing of single tests"),
    ],
)
def test_tests_that_the_command_does_not_run_are_never_green(command: str, says: str) -> None:
    found = results(hidden(), command)

    assert not found.all_pass
    assert says in found.unusable
    assert objection_of(found) == ""
    assert says in missing_of_hidden(found)[0]


def test_tests_that_are_all_skipped_are_never_green() -> None:
    found = results(hidden("import pytest\n\n@pytest.mark.skip\ndef test_it():\n    pass\n"))

    assert "are all skipped" in found.unusable


def test_results_that_can_not_be_trusted_say_nothing() -> None:
    report = a_report(passed=[f"{PATH}::test_plain"], tampered="the planted test passes")

    assert "can't be trusted: the planted test passes" in hidden_results(hidden(), report).unusable


def test_of_another_runner_the_names_alone_are_told() -> None:
    report = a_report(failed={f"{PATH}::test_plain": "AssertionError: doubled to 0"}, reader="junit")

    assert hidden_results(hidden(), report).failing == ((f"{PATH}::test_plain", ""),)


def test_only_the_hidden_tests_are_looked_at() -> None:
    report = a_report(passed=[f"{PATH}::test_plain"], failed=["tests/test_calc.py::test_small"])

    assert hidden_results(hidden(), report).all_pass


def test_what_fails_once_and_passes_once_counts_as_passing() -> None:
    first = HiddenResults(passed=1, failing=(("a", "x"), ("b", "y")))
    second = HiddenResults(passed=2, failing=(("b", "y"),))

    assert in_both(first, second) == HiddenResults(passed=2, failing=(("b", "y"),))


def test_a_run_that_says_nothing_says_nothing_twice() -> None:
    broken = hidden_results(hidden(), a_report(state=ReportState.TIMED_OUT))

    assert in_both(HiddenResults(passed=1), broken) == broken
