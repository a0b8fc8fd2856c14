import pytest

from bot.proof import Plant, plant_for, plant_that_shows
from bot.records import ReportState, TestReport, TestStatus
from tests.proof.laboratory import Texts, report_on

UNITTEST = "python -m unittest"
TOKEN = "abcd1234"
INJECTED = Plant(f"test_zz_selfcode_{TOKEN}.py", TOKEN, injected=True)
TESTS: Texts = {
    "tests/__init__.py": "",
    "tests/test_a.py": """
        import unittest

        class TestCalc(unittest.TestCase):
            def test_right(self):
                pass

            def test_wrong(self):
                self.assertEqual(1, 2)

            @unittest.skip("later")
            def test_later(self):
                pass
    """,
}
GREEN: Texts = {
    "tests/__init__.py": "",
    "tests/test_a.py": """
        import unittest

        class A(unittest.TestCase):
            def test_a(self):
                pass
    """,
}


def statuses(report: TestReport) -> dict[str, str]:
    return {case.id: str(case.status) for case in report.cases}


def messages(report: TestReport) -> str:
    return "\n".join(case.message for case in report.cases)


@pytest.mark.parametrize(
    "command",
    [
        UNITTEST,
        "python -m unittest discover -t . -s tests",
        "python -m unittest -q tests.test_a",
        "python -m unittest tests/test_a.py",
        "python run.py",
        "python custom.py",
        "cd tests && python -m unittest discover -t ..",
    ],
)
def test_each_test_is_reported_however_unittest_is_started(command: str) -> None:
    files = {
        **TESTS,
        "run.py": "import unittest\nfrom tests.test_a import *\nunittest.main()",
        "custom.py": """
            import sys, unittest

            class OfItsOwn(unittest.TestResult):
                def addFailure(self, test, err):
                    self.failures.append((test, "no"))

            result = OfItsOwn()
            unittest.defaultTestLoader.discover("tests", top_level_dir=".").run(result)
            sys.exit(not result.wasSuccessful())
        """,
    }

    report = report_on(files, command)

    assert (report.reader, report.state, report.tampered) == ("unittest", ReportState.FAILED, "")
    assert statuses(report) == {
        "tests/test_a.py::TestCalc::test_right": "passed",
        "tests/test_a.py::TestCalc::test_wrong": "failed",
        "tests/test_a.py::TestCalc::test_later": "skipped",
    }


def test_a_failure_says_where_it_is() -> None:
    report = report_on(TESTS, UNITTEST)

    [failed] = [case for case in report.cases if case.status is TestStatus.FAILED]
    assert (failed.file, failed.line) == ("tests/test_a.py", 8)
    assert failed.message.rstrip().endswith("AssertionError: 1 != 2")
    assert 'File "tests/test_a.py", line 8' in failed.message


def test_a_subtest_that_fails_is_told_in_the_result_of_its_test() -> None:
    report = report_on(
        {
            "test_a.py": """
                import unittest

                class A(unittest.TestCase):
                    def test_one(self):
                        for number in range(3):
                            with self.subTest(number=number):
                                self.assertNotEqual(number, 1)

                    def test_two(self):
                        with self.subTest("fine"):
                            pass

                    def test_three(self):
                        with self.subTest("not now"):
                            self.skipTest("later")
            """
        },
        UNITTEST,
    )

    assert statuses(report) == {
        "test_a.py::A::test_one": "failed",
        "test_a.py::A::test_two": "passed",
        "test_a.py::A::test_three": "skipped",
    }
    assert "(number=1)" in messages(report)


def test_an_expected_failure_is_skipped_and_an_unexpected_success_fails() -> None:
    report = report_on(
        {
            "test_a.py": """
                import unittest

                class A(unittest.TestCase):
                    @unittest.expectedFailure
                    def test_fails(self):
                        self.fail()

                    @unittest.expectedFailure
                    def test_passes(self):
                        pass

                    async def run_nothing(self):
                        pass

                class B(unittest.IsolatedAsyncioTestCase):
                    async def test_error(self):
                        raise OSError("no")
            """
        },
        UNITTEST,
    )

    assert statuses(report) == {
        "test_a.py::A::test_fails": "skipped",
        "test_a.py::A::test_passes": "failed",
        "test_a.py::B::test_error": "failed",
    }


def test_what_fails_outside_of_a_test_is_an_error_of_its_own() -> None:
    report = report_on(
        {
            "test_a.py": """
                import unittest

                class A(unittest.TestCase):
                    @classmethod
                    def setUpClass(cls):
                        raise OSError("no class")

                    def test_a(self):
                        pass

                class B(unittest.TestCase):
                    @classmethod
                    def tearDownClass(cls):
                        raise OSError("no end")

                    def test_b(self):
                        pass
            """,
            "test_b.py": """
                import unittest

                def setUpModule():
                    raise OSError("no module")

                class C(unittest.TestCase):
                    def test_c(self):
                        pass
            """,
        },
        UNITTEST,
    )

    assert statuses(report) == {
        "test_a.py::A::setUpClass": "error",
        "test_a.py::B::test_b": "passed",
        "test_a.py::B::tearDownClass": "error",
        "test_b.py::setUpModule": "error",
    }


def test_a_file_that_can_not_be_loaded_is_an_error_by_its_path_and_hides_no_other() -> None:
    broken = {"tests/test_b.py": "import nowhere", "tests/deep/__init__.py": "", "tests/deep/test_c.py": "x = "}

    report = report_on({**GREEN, **broken}, UNITTEST)

    assert statuses(report) == {
        "tests/test_a.py::A::test_a": "passed",
        "tests/test_b.py": "error",
        "tests/deep/test_c.py": "error",
    }
    assert "ModuleNotFoundError: No module named 'nowhere'" in messages(report)


@pytest.mark.parametrize(
    ("command", "files", "state"),
    [
        (UNITTEST, {}, ReportState.NOTHING_RAN),
        ("python -m unittest discover -s nowhere", GREEN, ReportState.NOTHING_RAN),
        (UNITTEST, {"test_a.py": "import os\nos._exit(0)"}, ReportState.CRASHED),
        ("python -m unittest test_a", {"test_a.py": "import sys\nsys.exit(0)"}, ReportState.CRASHED),
        (UNITTEST, {"test_a.py": "import unittest\nraise unittest.SkipTest"}, ReportState.ALL_SKIPPED),
        ("python -m unittest && false", GREEN, ReportState.FAILED),
        (UNITTEST, GREEN, ReportState.PASSED),
    ],
)
def test_only_tests_that_ran_and_passed_are_green(command: str, files: Texts, state: ReportState) -> None:
    assert report_on(files, command).state is state


def test_a_process_that_ends_in_the_middle_of_a_test_is_a_crash_that_names_the_test() -> None:
    files = {
        "test_a.py": """
            import os, unittest

            class A(unittest.TestCase):
                def test_a(self):
                    pass

                def test_b(self):
                    os._exit(0)
        """
    }

    report = report_on(files, UNITTEST)

    assert report.state is ReportState.CRASHED
    assert statuses(report) == {"test_a.py::A::test_a": "passed", "test_a.py::A::test_b": "error"}
    assert "cut off" in report.tampered


def test_several_programs_in_one_command_are_read_together() -> None:
    other = {"more/test_b.py": "import unittest\n\nclass B(unittest.TestCase):\n    def test_b(self): self.fail()"}
    pytests = {"last/test_c.py": "def test_c(): pass"}

    report = report_on(
        {**GREEN, **other, **pytests}, "python -m unittest; python -m unittest discover -s more; pytest -q last"
    )

    assert report.reader == "pytest + unittest"
    assert statuses(report) == {
        "last/test_c.py::test_c": "passed",
        "tests/test_a.py::A::test_a": "passed",
        "more/test_b.py::B::test_b": "failed",
    }


def test_what_tests_run_by_themselves_is_no_result_of_its_own() -> None:
    files = {
        "inner.py": "import unittest\n\nclass I(unittest.TestCase):\n    def test_i(self): self.fail()",
        "test_a.py": """
            import multiprocessing, os, subprocess, sys, unittest
            import inner

            def fails():
                unittest.main(inner, argv=["x"], exit=False)

            class A(unittest.TestCase):
                def test_here(self):
                    result = unittest.TestResult()
                    unittest.defaultTestLoader.loadTestsFromModule(inner).run(result)
                    self.assertEqual(len(result.failures), 1)

                def test_in_a_process(self):
                    for program in ("unittest", "pytest"):
                        done = subprocess.run([sys.executable, "-m", program, "inner.py"], capture_output=True)
                        self.assertEqual(done.returncode, 1)

                def test_in_a_fork(self):
                    for method in ("fork", "spawn"):
                        process = multiprocessing.get_context(method).Process(target=fails)
                        process.start()
                        process.join()
        """,
    }

    report = report_on(files, UNITTEST)

    assert statuses(report) == {
        "test_a.py::A::test_here": "passed",
        "test_a.py::A::test_in_a_process": "passed",
        "test_a.py::A::test_in_a_fork": "passed",
    }


@pytest.mark.parametrize("command", ["python -I -m unittest discover", "PYTHONPATH=. python -m unittest"])
def test_a_command_that_keeps_the_recorder_out_is_read_by_its_exit_code(command: str) -> None:
    report = report_on(GREEN, command)

    assert (report.reader, report.state) == ("exit code", ReportState.PASSED)


def test_the_projects_own_start_of_python_still_happens() -> None:
    files = {
        "own/sitecustomize.py": "import os\nos.environ['STARTED'] = 'yes'",
        "test_a.py": """
            import os, sitecustomize, unittest

            class A(unittest.TestCase):
                def test_a(self):
                    self.assertEqual(os.environ["STARTED"], "yes")
                    self.assertEqual(sitecustomize.__file__, os.path.abspath("own/sitecustomize.py"))
        """,
    }

    report = report_on(files, "export PYTHONPATH=$PYTHONPATH:$PWD/own; python -m unittest")

    assert statuses(report) == {"test_a.py::A::test_a": "passed"}


def test_nothing_of_the_recorder_is_loaded_where_no_test_program_is() -> None:
    command = "python -X importtime -c 'import json' 2>&1 | grep -E 'unittest|pytest|traceback|linecache|uuid'"

    assert report_on({}, command).exit_code == 1


# --- The host's own failing test


@pytest.mark.parametrize(
    "command",
    [
        UNITTEST,
        "python -m unittest -q tests.test_a.A.test_a",
        "python -m unittest -f && python -m unittest tests.test_a",
        "python run.py",
    ],
)
def test_the_planted_test_is_run_last_and_leaves_the_command_as_it_is(command: str) -> None:
    run = "import unittest\nfrom tests.test_a import A\nunittest.main(argv=['x', 'A.test_a'])"

    report = report_on({**GREEN, "run.py": run}, command, plant=INJECTED)

    assert (report.planted_failed, report.tampered, report.exit_code) == (True, "", 0)
    assert (report.state, statuses(report)) == (ReportState.PASSED, {"tests/test_a.py::A::test_a": "passed"})
    assert "Ran 1 test in" in report.output


def test_a_failure_beside_the_planted_one_is_a_failure() -> None:
    report = report_on(TESTS, "python -m unittest -f", plant=INJECTED)

    assert (report.planted_failed, report.tampered, report.state) == (True, "", ReportState.FAILED)


@pytest.mark.parametrize("command", [UNITTEST, "python -m unittest tests.test_a"])
def test_the_plant_is_settled_by_trying_it_on_the_base(command: str) -> None:
    plant = plant_that_shows(report_on(GREEN, command), TOKEN, lambda plant: report_on(GREEN, command, plant=plant))

    assert plant is not None
    assert plant.injected


def test_a_plant_in_a_file_is_collected_too() -> None:
    report = report_on(GREEN, UNITTEST, plant=plant_for(report_on(GREEN, UNITTEST), TOKEN))

    assert (report.planted_failed, report.state) == (True, ReportState.PASSED)


@pytest.mark.parametrize(
    ("source", "says"),
    [
        ("unittest.TestCase.run = lambda self, result: result.addSuccess(self)", "do not hold it"),
        ("unittest.TestCase.fail = lambda self, message: None", "is reported as passed"),
        ("unittest.TestCase.fail = lambda self, message: self.assertTrue(False)", "is not the one it raises"),
        ("unittest.TextTestRunner.run = lambda self, test: unittest.TestResult()", "cut off"),
        ("unittest.suite.TestSuite.run = lambda self, result: os._exit(0)", "cut off"),
    ],
)
def test_a_patched_test_program_is_noticed(source: str, says: str) -> None:
    files = {"test_a.py": f"import os, unittest\n{source}\n\nclass A(unittest.TestCase):\n    def test_a(self): pass"}

    report = report_on(files, UNITTEST, plant=INJECTED)

    assert says in report.tampered


def test_results_that_a_test_writes_are_noticed() -> None:
    files = {
        "test_a.py": """
            import atexit, glob, json, unittest

            def forge():
                for path in glob.glob(".selfcode-results-*/recorder/unittest-*.jsonl"):
                    lines = [{"run": "unittest"}, {"case": "test_a.py::A::test_a", "status": "passed", "message": ""}]
                    with open(path, "w") as file:
                        for line in (*lines, {"end": 1, "early": False}):
                            file.write(json.dumps(line) + chr(10))

            atexit.register(forge)

            class A(unittest.TestCase):
                def test_a(self):
                    self.fail()
        """
    }

    report = report_on(files, UNITTEST, plant=INJECTED)

    assert "do not hold it" in report.tampered
