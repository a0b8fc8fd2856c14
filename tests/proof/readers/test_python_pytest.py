import json
from dataclasses import replace

import pytest

from bot.proof import Plant, plant_for, plant_that_shows
from bot.proof.readers import Reader
from bot.proof.readers.pytest import PYTEST
from bot.proof.readers.unittest import UNITTEST
from bot.records import ReportState, TestPlan, TestReport, TestStatus
from tests.proof.laboratory import Texts, report_on
from tests.proof.readers.recordings import left

TOKEN = "abcd1234"
INJECTED = Plant(f"test_zz_selfcode_{TOKEN}.py", TOKEN, injected=True)
TWO: Texts = {
    "unit/test_a.py": "def test_a(): pass",
    "more/test_b.py": """
        import pytest

        def test_b():
            pass

        @pytest.mark.slow
        def test_slow():
            pass
    """,
    "pytest.ini": "[pytest]\nmarkers = slow: slow",
}
BOTH = frozenset({"unit/test_a.py::test_a", "more/test_b.py::test_b", "more/test_b.py::test_slow"})
FORGED = """
    import atexit, glob, json

    def forge():
        for path in glob.glob("/proc/self/cwd/.selfcode-results-*/recorder/pytest-*.jsonl"):
            lines = [json.loads(line) for line in open(path)]
            {change}
            with open(path, "w") as file:
                file.writelines(json.dumps(line) + chr(10) for line in lines)

    atexit.register(forge)
"""


def statuses(report: TestReport) -> dict[str, str]:
    return {case.id: str(case.status) for case in report.cases}


@pytest.mark.parametrize(
    "command", ["pytest -q unit && pytest -q more", "make test", "python both.py", "pytest -qq unit; pytest -qq more"]
)
def test_several_sessions_of_one_command_are_read_together(command: str) -> None:
    files = {
        "Makefile": "test:\n\tpytest -q unit\n\tpytest -q more\n",
        "both.py": "import pytest\npytest.main(['unit'])\npytest.main(['more'])",
    }

    report = report_on({**TWO, **files}, command)

    assert (report.reader, report.state, report.tampered) == ("pytest", ReportState.PASSED, "")
    assert report.passed == BOTH


def test_a_test_that_fails_in_one_session_and_passes_in_another_fails() -> None:
    files = {"test_a.py": "import os\ndef test_a(): assert os.environ['N'] == '2'"}

    report = report_on(files, "N=1 pytest -q; N=2 pytest -q")

    assert (statuses(report), report.state) == ({"test_a.py::test_a": "failed"}, ReportState.FAILED)


def test_paths_are_those_of_the_repository_wherever_a_session_has_its_root() -> None:
    files = {
        f"{name}/{file}": text
        for name in ("a", "b")
        for file, text in {"pytest.ini": "[pytest]", "tests/test_it.py": "def test_it(): pass"}.items()
    }

    report = report_on(files, plan=TestPlan("pytest -q; cd ../b && pytest -q", directory="a"))

    assert report.passed == {"a/tests/test_it.py::test_it", "b/tests/test_it.py::test_it"}


def test_a_test_that_is_inherited_has_the_id_under_which_pytest_knows_it() -> None:
    files = {
        "base.py": "class Base:\n    def test_it(self): pass",
        "test_a.py": "from base import Base\nclass TestA(Base): pass",
        "test_b.py": "from base import Base\nclass TestB(Base): pass",
    }

    report = report_on(files)

    assert [(case.id, case.file, case.line) for case in report.cases] == [
        ("test_a.py::TestA::test_it", "test_a.py", None),
        ("test_b.py::TestB::test_it", "test_b.py", None),
    ]


def test_expected_failures_and_skips_are_no_passes() -> None:
    report = report_on(
        {
            "test_a.py": """
                import pytest

                @pytest.mark.xfail(reason="known")
                def test_fails(): assert False

                @pytest.mark.xfail(strict=True)
                def test_strict(): pass

                @pytest.mark.xfail
                def test_lenient(): pass

                @pytest.mark.skip(reason="later")
                def test_skip(): pass

                def test_parts(subtests):
                    with subtests.test("one"):
                        assert False
                    with subtests.test("two"):
                        pass
            """
        },
        "pytest -q",
    )

    assert statuses(report) == {
        "test_a.py::test_fails": "skipped",
        "test_a.py::test_strict": "failed",
        "test_a.py::test_lenient": "passed",
        "test_a.py::test_skip": "skipped",
        "test_a.py::test_parts": "failed",
    }
    assert {case.message for case in report.cases} >= {"known", "Skipped: later"}


def test_a_failure_says_in_which_line_of_its_file_it_is_and_any_other_where_it_begins() -> None:
    files = {
        "other.py": "def fails():\n\n\n\n    raise ValueError('no')",
        "test_a.py": """
            import other

            def check():
                other.fails()

            def test_a():
                check()

            def test_b(): pass
        """,
    }

    report = report_on(files)

    assert [(case.line, case.status) for case in report.cases] == [(4, TestStatus.FAILED), (9, TestStatus.PASSED)]


def test_a_process_that_ends_in_the_middle_of_a_test_is_a_crash_that_names_the_test() -> None:
    files = {"test_a.py": "import os\ndef test_a(): pass\ndef test_b(): os._exit(0)", "test_c.py": "def test_c(): pass"}

    report = report_on(files, "pytest -q test_a.py; pytest -q test_c.py")

    assert report.state is ReportState.CRASHED
    assert statuses(report) == {
        "test_a.py::test_a": "passed",
        "test_a.py::test_b": "error",
        "test_c.py::test_c": "passed",
    }
    assert "cut off" in report.tampered


def test_what_tests_run_by_themselves_is_no_result_of_its_own() -> None:
    files = {
        "conftest.py": "pytest_plugins = ['pytester']",
        "inner/test_i.py": "def test_i(): assert False",
        "test_a.py": """
            import pathlib, subprocess, sys
            import pytest

            INNER = str(pathlib.Path("inner").absolute())

            def test_in_the_same_process(pytester):
                pytester.makepyfile("def test_p(): assert False")
                for _ in range(2):
                    pytester.runpytest_inprocess().assert_outcomes(failed=1)
                pytester.runpytest_subprocess().assert_outcomes(failed=1)

            def test_by_main():
                assert pytest.main([INNER]) == 1

            def test_in_a_process():
                assert subprocess.run([sys.executable, "-m", "pytest", INNER]).returncode == 1
        """,
    }

    report = report_on(files, "pytest -q test_a.py", plant=INJECTED)

    assert (report.planted_failed, report.tampered) == (True, "")
    assert statuses(report) == {
        "test_a.py::test_in_the_same_process": "passed",
        "test_a.py::test_by_main": "passed",
        "test_a.py::test_in_a_process": "passed",
    }


@pytest.mark.parametrize(
    ("command", "ini"),
    [
        ("pytest -q -p no:junitxml", ""),
        ("pytest -q -p no:junitxml -p no:cacheprovider --strict-config", ""),
        ("pytest -q", "addopts = --junitxml=own.xml -p no:cacheprovider"),
        ("pytest -q", "addopts = -p no:junitxml -p no:terminal"),
        ("pytest -q --junitxml=own.xml", "addopts = -x"),
    ],
)
def test_settings_of_the_projects_own_disturb_nothing(command: str, ini: str) -> None:
    files = {"pytest.ini": f"[pytest]\n{ini}", "test_a.py": "def test_a(): assert False\ndef test_b(): pass"}

    report = report_on(files, command)

    assert (report.reader, report.tampered) == ("pytest", "")
    assert statuses(report) == {"test_a.py::test_a": "failed", "test_a.py::test_b": "passed"}


# --- Where the recorder is kept out


def test_of_several_sessions_without_a_recorder_only_the_last_is_known_and_that_is_said() -> None:
    report = report_on(TWO, "unset PYTHONPATH; pytest -q unit; pytest -q more")

    assert report.passed == {"more/test_b.py::test_b", "more/test_b.py::test_slow"}
    assert "runs pytest 2 times" in report.tampered


def test_sessions_with_and_without_a_recorder_are_read_together() -> None:
    command = "pytest -q unit && PYTHONPATH= pytest -q more"

    assert report_on(TWO, command).passed == BOTH
    assert "results of one do not hold it" in report_on(TWO, command, plant=INJECTED).tampered


# --- The host's own failing test


@pytest.mark.parametrize(
    "command",
    [
        "pytest -q unit && pytest -q more",
        "pytest -q unit more -k 'test_a or test_b or test_slow'",
        "pytest -q unit more/test_b.py::test_b -m 'not slow' && pytest -q more -m slow",
        "pytest -q -x unit && pytest -q --maxfail=1 more",
        "pytest -q -p xdist -n 2 -x unit more",
        "pytest -q -p xdist -n 2 --dist=loadfile unit && pytest -q more && pytest -q more -m slow",
        "pytest -q --import-mode=importlib",
        "pytest -q --deselect nothing --rootdir=/ unit more",
    ],
)
def test_the_planted_test_is_run_in_each_session_and_leaves_the_command_as_it_is(command: str) -> None:
    report = report_on(TWO, command, plant=INJECTED)

    assert (report.planted_failed, report.tampered, report.exit_code) == (True, "", 0)
    assert (report.state, report.passed, report.failed) == (ReportState.PASSED, BOTH, frozenset())


def test_a_session_in_which_nothing_is_collected_ends_as_it_would_without_the_planted_test() -> None:
    report = report_on(TWO, "pytest -q -k nothing; test $? = 5 && pytest -q unit", plant=INJECTED)

    assert (report.planted_failed, report.exit_code, report.tampered) == (True, 0, "")


@pytest.mark.parametrize("command", ["pytest -qx", "make test", "pytest -q -p xdist -n 1 -x"])
def test_a_session_that_stops_at_the_first_failure_may_end_before_the_planted_test(command: str) -> None:
    files = {"Makefile": "test:\n\tpytest -qx\n", "test_a.py": "def test_a(): assert False\ndef test_b(): pass"}

    report = report_on(files, command, plant=INJECTED)

    assert (report.planted_failed, report.tampered, report.state) == (None, "", ReportState.FAILED)


def test_the_planted_test_is_under_the_conftests_of_most_of_the_tests() -> None:
    conftest = """
        import pytest

        @pytest.hookimpl(hookwrapper=True)
        def pytest_runtest_makereport(item, call):
            outcome = yield
            outcome.get_result().outcome = "passed"
    """

    report = report_on({**TWO, "more/conftest.py": conftest}, "pytest -q", plant=INJECTED)

    assert "is reported as passed" in report.tampered


def test_each_session_must_hold_the_planted_tests_failure() -> None:
    conftest = "def pytest_runtestloop(session):\n    session.items.pop()"

    report = report_on({**TWO, "more/conftest.py": conftest}, "pytest -q unit; pytest -q more", plant=INJECTED)

    assert (report.planted_failed, report.passed) == (True, BOTH)
    assert "the results of one do not hold it" in report.tampered


@pytest.mark.parametrize(
    ("change", "says"),
    [
        ("lines = [line for line in lines if 'zz_selfcode' not in str(line)]", "lists 1"),
        ("lines = [lines[0], lines[2] | {'status': 'passed'}, {'end': 1, 'early': False}]", "do not hold it"),
        ("lines.append(lines[2] | {'status': 'passed'})", "cut off"),
        ("lines.insert(1, {'case': 'test_a.py::test_new', 'status': 'passed', 'message': ''})", "lists 3"),
        ("lines = ['nonsense']", "can't be read"),
        ("lines = [line | {'message': ''} for line in lines]", "not the one it raises"),
    ],
)
def test_records_that_were_forged_are_noticed(change: str, says: str) -> None:
    files = {"conftest.py": FORGED.replace("{change}", change), "test_a.py": "def test_a(): assert False"}

    report = report_on(files, "pytest -q", plant=INJECTED)

    assert says in report.tampered


@pytest.mark.parametrize("plant", [INJECTED, plant_for(["unit/test_a.py"], TOKEN)])
def test_a_results_file_that_is_forged_beside_the_records_is_noticed(plant: Plant) -> None:
    forging = """
        import glob

        def pytest_sessionfinish():
            for folder in glob.glob(".selfcode-results-*"):
                with open(folder + "/pytest.xml", "w") as file:
                    file.write('<testsuite><testcase classname="test_new" name="test_new"/></testsuite>')
    """

    report = report_on({**TWO, "conftest.py": forging}, "pytest -q", plant=plant)

    assert report.tampered
    assert not plant_that_shows(
        report_on(TWO), TOKEN, lambda plant: report_on({**TWO, "conftest.py": forging}, plant=plant)
    )


def a_session(status: str) -> bytes:
    """What the recorder writes of one test and the planted one."""
    planted = {"case": f"test_zz::test_{TOKEN}", "status": status, "message": f"planted by selfcode: {TOKEN}"}
    lines = [{"case": "test_a.py::test_a", "status": "passed", "message": ""}, planted, {"end": 2, "early": False}]
    return "\n".join(json.dumps(line) for line in lines).encode()


@pytest.mark.parametrize("reader", [PYTEST, UNITTEST])
@pytest.mark.parametrize(
    ("one", "other", "said"),
    [("failed", "passed", "passed"), ("passed", "failed", "passed"), ("failed", "skipped", "skipped")],
)
def test_the_planted_test_must_fail_in_each_session(reader: Reader, one: str, other: str, said: str) -> None:
    files = {f"recorder/{reader.name}-{n}.jsonl": a_session(status) for n, status in enumerate((one, other))}

    results = reader.read(replace(left(files), plant=INJECTED))

    assert results is not None
    assert f"is reported as {said}" in results.contradiction
