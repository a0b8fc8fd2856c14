import pytest

from bot.errors import Unavailable
from bot.proof import Plant, plant_for, run_tests
from bot.records import ReportState, TestPlan, TestStatus
from sandbox.process import ProcessSandbox
from tests.proof.laboratory import NEW_TEST, PYTEST, TESTS, Texts, put, report_on

MAKEFILE = "test:\n\t@python -m pytest -q\n"


def test_each_test_is_reported_by_its_node_id() -> None:
    report = report_on(
        {
            "tests/test_a.py": """
                import unittest
                import pytest

                @pytest.mark.parametrize("text", ["a::b", "c[1]", "d/e.py"])
                def test_with(text):
                    assert text != "c[1]"

                class TestInside:
                    def test_method(self):
                        pass

                    class TestDeeper:
                        def test_method(self):
                            pass

                class Old(unittest.TestCase):
                    def test_old(self):
                        self.fail("no")
            """
        }
    )

    assert report.reader == "pytest"
    assert report.passed == {
        "tests/test_a.py::test_with[a::b]",
        "tests/test_a.py::test_with[d/e.py]",
        "tests/test_a.py::TestInside::test_method",
        "tests/test_a.py::TestInside::TestDeeper::test_method",
    }
    assert report.failed == {"tests/test_a.py::test_with[c[1]]", "tests/test_a.py::Old::test_old"}
    assert {case.file for case in report.cases} == {"tests/test_a.py"}
    assert report.state is ReportState.FAILED


@pytest.mark.parametrize(
    "command", ["pytest -q", "python -m pytest -q tests", "make test", "cd tests && pytest -p no:cacheprovider"]
)
def test_pytest_is_read_however_it_is_started(command: str) -> None:
    report = report_on({"tests/test_a.py": TESTS, "Makefile": MAKEFILE}, f"export PYTHONPATH=$PWD; {command}")

    assert (report.reader, report.state, len(report.passed)) == ("pytest", ReportState.PASSED, 2)


def test_tests_that_are_parametrized_from_a_set_have_the_same_ids_in_each_run() -> None:
    files = {
        "test_a.py": """
            import pytest

            @pytest.mark.parametrize("case", [[word] for word in {"one", "two", "three", "four", "five", "six"}])
            @pytest.mark.parametrize("word", {"one", "two", "three", "four", "five", "six"})
            def test_words(case, word):
                assert case[0] != word
        """
    }

    first, second = report_on(files), report_on(files)

    assert (first.passed, first.failed) == (second.passed, second.failed)


def test_a_run_leaves_nothing_in_the_workspace() -> None:
    with ProcessSandbox().open() as workspace:
        put(workspace, {"calc.py": "", "test_a.py": "def test_it(): pass"})
        run_tests(workspace, TestPlan("pytest -q"), timeout_s=60, plant=Plant("test_zz_selfcode_abcd.py", "abcd"))

        assert workspace.run("ls -A").stdout.split() == ["calc.py", "test_a.py"]


def test_paths_are_those_of_the_repository_where_the_command_runs_in_a_folder() -> None:
    plan = TestPlan("pytest -q", directory="lib")

    report = report_on({"lib/tests/test_a.py": "def test_it(): pass", "lib/pytest.ini": "[pytest]"}, plan=plan)

    assert report.passed == {"lib/tests/test_a.py::test_it"}


def test_one_file_that_can_not_be_collected_hides_no_other() -> None:
    report = report_on({"test_a.py": "import nowhere\ndef test_a(): pass", "test_b.py": "def test_b(): pass"})

    assert report.passed == {"test_b.py::test_b"}
    assert report.failed == {"test_a.py"}
    assert "No module named 'nowhere'" in report.cases[0].message
    assert report.cases[0].status is TestStatus.ERROR


def test_settings_that_stop_at_the_first_failure_hide_no_test() -> None:
    report = report_on({"pytest.ini": "[pytest]\naddopts = -x", "test_a.py": "def test_a(): 1/0\ndef test_b(): pass"})

    assert report.passed == {"test_a.py::test_b"}


def test_a_failing_tear_down_fails_the_test() -> None:
    report = report_on(
        {
            "test_a.py": """
                import pytest

                @pytest.fixture
                def thing():
                    yield
                    raise RuntimeError

                def test_it(thing):
                    pass

                def test_both(thing):
                    assert False
            """
        }
    )

    assert report.failed == {"test_a.py::test_it", "test_a.py::test_both"}
    assert report.tampered == ""


@pytest.mark.parametrize(
    ("command", "files", "state"),
    [
        ("pytest -q", {}, ReportState.NOTHING_RAN),
        ("make test", {"Makefile": MAKEFILE}, ReportState.NOTHING_RAN),
        ("pytest -q nosuchdir", {}, ReportState.USAGE_ERROR),
        ("pytest --nosuchoption", {}, ReportState.USAGE_ERROR),
        ("pytest -q", {"conftest.py": "import nowhere"}, ReportState.USAGE_ERROR),
        ("pytest -q --collect-only", {"test_a.py": TESTS}, ReportState.NOTHING_RAN),
        ("pytest -q", {"test_a.py": "import pytest\npytest.skip(allow_module_level=True)"}, ReportState.ALL_SKIPPED),
        ("nosuchcommand", {}, ReportState.COMMAND_NOT_FOUND),
        ("./tests.sh", {"tests.sh": "exit 0"}, ReportState.COMMAND_NOT_FOUND),
        ("python -S -m pytest", {}, ReportState.COMMAND_NOT_FOUND),
        ("make test", {"Makefile": "test:\n\t@nosuchcommand\n"}, ReportState.COMMAND_NOT_FOUND),
        ("kill -9 $$", {}, ReportState.CRASHED),
        ("pytest -q", {"test_a.py": "import os\ndef test_a(): os.abort()"}, ReportState.CRASHED),
        ("pytest -q", {"test_a.py": "import os\ndef test_a(): os._exit(0)"}, ReportState.CRASHED),
        ("pytest -q", {"test_a.py": "import sys\nsys.exit(0)"}, None),
        ("python -m unittest -q", {}, ReportState.NOTHING_RAN),
        ("true", {}, ReportState.PASSED),
        ("false", {}, ReportState.FAILED),
        ("pytest -q && false", {"test_a.py": "def test_a(): pass"}, ReportState.FAILED),
    ],
)
def test_only_tests_that_ran_and_passed_are_green(command: str, files: Texts, state: ReportState | None) -> None:
    report = report_on(files, command)

    assert report.state is state or (state is None and not report.is_green)


def test_a_command_that_takes_too_long_is_a_state_of_its_own() -> None:
    report = report_on({"test_a.py": "import time\ndef test_a(): time.sleep(60)"}, timeout_s=2)

    assert report.state is ReportState.TIMED_OUT


def test_a_command_that_writes_without_end_is_a_state_of_its_own() -> None:
    assert report_on({}, "yes").state is ReportState.OUTPUT_LIMIT


@pytest.mark.parametrize(
    "words",
    [
        "FATAL ERROR: Reached heap limit Allocation failed - JavaScript heap out of memory",
        "fatal error: runtime: out of memory",
    ],
)
def test_a_runtime_that_ends_itself_for_want_of_memory_is_told_from_a_crash(words: str) -> None:
    report = report_on({}, f"echo '{words}' >&2; kill -ABRT $$")

    assert report.state is ReportState.OUT_OF_MEMORY


def test_a_stop_ends_the_tests() -> None:
    report = report_on({"test_a.py": "import time\ndef test_a(): time.sleep(60)"}, stop=lambda: True)

    assert report.state is ReportState.STOPPED


def test_pytest_that_keeps_its_results_to_itself_is_read_by_its_exit_code() -> None:
    report = report_on({"test_a.py": "def test_a(): pass"}, "env -u PYTEST_ADDOPTS -u PYTHONPATH pytest")

    assert (report.reader, report.state, report.cases) == ("exit code", ReportState.PASSED, ())


def test_a_results_file_that_the_command_writes_is_read() -> None:
    script = """
        cat > out.xml <<'END'
        <testsuites><testsuite tests="2" failures="1">
        <testcase classname="Cart" name="adds"/>
        <testcase classname="Cart" name="removes" file="src/cart.test.js"><failure message="no"/></testcase>
        </testsuite></testsuites>
        END
        exit 1
    """

    report = report_on({"run.sh": script}, plan=TestPlan("sh run.sh", report="out.xml"))

    assert report.reader == "junit"
    assert report.passed == {"Cart::adds"}
    assert report.failed == {"Cart::removes"}


def test_a_results_file_from_before_the_run_counts_for_nothing() -> None:
    stale = '<testsuite tests="1"><testcase classname="a" name="b"/></testsuite>'

    report = report_on({"out.xml": stale}, plan=TestPlan("true", report="out.xml"))

    assert (report.reader, report.cases) == ("exit code", ())


def test_the_build_command_comes_first() -> None:
    plan = TestPlan("pytest -q", build="echo 'def test_made(): pass' > test_made.py")

    assert report_on({}, plan=plan).passed == {"test_made.py::test_made"}


def test_a_build_that_fails_runs_no_test() -> None:
    report = report_on({"test_a.py": TESTS}, plan=TestPlan("pytest -q", build="echo broken >&2; exit 3"))

    assert not report.could_run
    assert "broken" in report.output


def test_a_sandbox_that_fails_is_a_matter_of_time() -> None:
    with ProcessSandbox().open() as workspace:
        pass

    with pytest.raises(Unavailable):
        run_tests(workspace, TestPlan("pytest"), timeout_s=5)


# --- The host's own failing test


def test_the_planted_test_is_reported_as_failing_and_is_not_in_the_report() -> None:
    plant = plant_for(["tests/test_a.py"], "abcd1234")

    report = report_on({"tests/test_a.py": TESTS}, plant=plant)

    assert report.planted_failed is True
    assert report.state is ReportState.PASSED
    assert report.passed == {"tests/test_a.py::test_small", "tests/test_a.py::test_zero"}
    assert report.failed == frozenset()
    assert report.tampered == ""


def test_a_failing_test_beside_the_planted_one_is_a_failure() -> None:
    report = report_on({"tests/test_a.py": NEW_TEST}, plant=plant_for(["tests/test_a.py"], "abcd1234"))

    assert (report.planted_failed, report.state) == (True, ReportState.FAILED)


def test_nothing_but_the_planted_test_is_nothing() -> None:
    assert report_on({}, plant=plant_for([], "abcd1234")).state is ReportState.NOTHING_RAN


@pytest.mark.parametrize(
    ("conftest", "says"),
    [
        (
            """
            import pytest

            @pytest.hookimpl(hookwrapper=True)
            def pytest_runtest_makereport(item, call):
                outcome = yield
                outcome.get_result().outcome = "passed"
            """,
            "is reported as passed",
        ),
        (
            """
            def pytest_collection_modifyitems(items):
                items[:] = [item for item in items if "selfcode" not in item.name]
            """,
            "do not hold it",
        ),
        (
            """
            import atexit, glob

            def forge():
                for path in glob.glob("/proc/self/cwd/.selfcode-results-*/pytest.xml"):
                    with open(path, "w") as file:
                        file.write('<testsuite><testcase classname="tests.test_a" name="test_large"/></testsuite>')
            atexit.register(forge)
            """,
            "its results hold 0",
        ),
        (
            """
            import atexit, glob, re

            def forge():
                for path in glob.glob("/proc/self/cwd/.selfcode-results-*/pytest.xml"):
                    with open(path) as file:
                        content = file.read()
                    first = re.compile('<failure.*?</failure>', re.S)
                    with open(path, "w") as file:
                        file.write(first.sub("", content, count=1))
            atexit.register(forge)
            """,
            "says 2 failures and lists 1",
        ),
        (
            """
            def pytest_runtest_call(item):
                raise AssertionError("something else")
            """,
            "not the one it raises",
        ),
    ],
)
def test_results_that_were_tampered_with_are_noticed(conftest: str, says: str) -> None:
    files = {"tests/test_a.py": NEW_TEST, "conftest.py": conftest}

    report = report_on(files, f"unset PYTHONPATH; {PYTEST}", plant=plant_for(["tests/test_a.py"], "abcd1234"))

    assert says in report.tampered


def test_a_process_that_ends_before_the_results_are_written_is_noticed() -> None:
    report = report_on(
        {"calc.py": "import os\nos._exit(0)", "tests/test_a.py": TESTS},
        plant=plant_for(["tests/test_a.py"], "abcd1234"),
    )

    assert report.planted_failed is False
    assert report.tampered
    assert not report.is_green


def test_a_command_that_stops_at_the_first_failure_may_end_before_the_planted_test() -> None:
    report = report_on({"tests/test_a.py": NEW_TEST}, "pytest -qx", plant=plant_for(["tests/test_a.py"], "abcd1234"))

    assert (report.planted_failed, report.tampered, report.state) == (None, "", ReportState.FAILED)


@pytest.mark.parametrize("style", ["auto", "long", "short", "line", "native", "no"])
def test_the_planted_test_is_known_in_every_style_of_traceback(style: str) -> None:
    report = report_on(
        {"tests/test_a.py": TESTS}, f"pytest -q --tb={style}", plant=plant_for(["tests/a_test.py"], "abcd12")
    )

    assert (report.planted_failed, report.tampered) == (True, "")
