from dataclasses import replace
from typing import Any

import pytest

from bot.records import (
    Examination,
    Fault,
    Health,
    Offline,
    ReportState,
    SandboxFacts,
    TestCase,
    TestPlan,
    TestReport,
    TestStatus,
)
from bot.runs.diagnosis import diagnosed


def a_report(*passed: str, failing: tuple[str, ...] = (), message: str = "assert 1 == 2", **changed: Any) -> TestReport:
    status = changed.pop("status", TestStatus.FAILED)
    cases = [TestCase(name, TestStatus.PASSED) for name in passed]
    cases += [TestCase(name, status, message) for name in failing]
    state = ReportState.FAILED if failing else ReportState.PASSED
    return replace(TestReport("pytest", state, tuple(cases), exit_code=int(bool(failing)), reader="pytest"), **changed)


def a_fault(*, noticed: int = 2, asked: int = 2) -> Fault:
    return Fault(3, a_report(failing=("a",)), noticed=noticed, asked=asked)


def an_examination(*runs: TestReport, **changed: Any) -> Examination:
    whole = Examination(
        repository="octo/cat",
        sandbox=SandboxFacts("docker"),
        plan=TestPlan("pytest"),
        runs=runs or (a_report("a", "b"),) * 3,
        fault=a_fault(),
        prepared="image",
    )
    return diagnosed(replace(whole, **changed))


def test_tests_that_pass_each_time_and_notice_a_fault_are_healthy() -> None:
    known = an_examination()

    assert known.health is Health.HEALTHY
    assert (known.obstacles, known.remarks) == ((), ())


@pytest.mark.parametrize(
    ("state", "obstacle"),
    [
        (ReportState.CRASHED, "The build command fails (exit code 2), so that no test can run."),
        (ReportState.TIMED_OUT, "The build command fails (timed out), so that no test can run."),
    ],
)
def test_a_build_that_fails_is_no_fault_of_the_test_command(state: ReportState, obstacle: str) -> None:
    built = TestReport("make", state, exit_code=2)

    known = an_examination(built, plan=TestPlan("pytest", build="make"), fault=None)

    assert known.obstacles == (obstacle,)


def test_what_fails_on_the_base_is_a_remark() -> None:
    known = an_examination(*[a_report("a", "b", failing=("c",))] * 3)

    assert known.health is Health.HEALTHY
    assert [case.id for case in known.failing] == ["c"]
    assert "1 test fails on the untouched source" in known.remarks[0]


def test_what_comes_out_differently_from_run_to_run_is_flaky() -> None:
    known = an_examination(a_report("a", "b"), a_report("a", failing=("b",)), a_report("a", "b"))

    assert known.health is Health.HEALTHY
    assert known.flaky == ("b",)
    assert known.failing == ()
    assert "1 test came out differently" in known.remarks[0]


def test_a_test_that_is_not_there_at_one_time_is_flaky_too() -> None:
    assert an_examination(a_report("a", "b"), a_report("a"), a_report("a", "b")).flaky == ("b",)


def test_what_wanted_the_network_is_a_remark_with_its_hosts() -> None:
    wanted = (Offline("c", ("b.example.com", "a.example.com"), "no"), Offline("d", ("a.example.com",), "no"))
    known = an_examination(*[a_report("a", failing=("c", "d"))] * 3, offline=wanted)

    assert known.health is Health.HEALTHY
    assert any("2 tests wanted the network (a.example.com, b.example.com)" in each for each in known.remarks)


def test_more_that_fail_than_pass_is_an_obstacle() -> None:
    known = an_examination(*[a_report("a", failing=("b", "c"))] * 3)

    assert known.health is Health.UNHEALTHY
    assert known.obstacles == ("More tests fail (2) than pass (1).",)


def test_no_test_that_passes_each_time_is_an_obstacle() -> None:
    known = an_examination(a_report("a", failing=("b",)), a_report("b", failing=("a",)), fault=None)

    assert known.health is Health.UNHEALTHY
    assert known.obstacles == ("No test passes each time.",)


def test_tests_that_can_t_be_collected_for_want_of_a_package_are_an_obstacle_that_names_it() -> None:
    broken = a_report(
        "a", "b", failing=("c",), message="E   ModuleNotFoundError: No module named 'yaml'", status=TestStatus.ERROR
    )
    known = an_examination(*[broken] * 3)

    assert known.health is Health.UNHEALTHY
    assert "`yaml`" in known.obstacles[0]


def test_what_a_sandbox_without_images_lacks_has_to_be_installed_on_the_machine() -> None:
    broken = a_report("a", failing=("c",), message="No module named 'yaml'", status=TestStatus.ERROR)
    missing = TestReport("pytest", ReportState.COMMAND_NOT_FOUND, exit_code=127)

    for known in (
        an_examination(*[broken] * 3, prepared=None),
        an_examination(missing, prepared=None, fault=None),
    ):
        assert "install what the tests need on this machine" in known.obstacles[0]
        assert "`setup` must install it" not in known.obstacles[0]


def test_a_command_that_can_t_run_is_an_obstacle_in_its_own_words() -> None:
    known = an_examination(TestReport("nope", ReportState.COMMAND_NOT_FOUND, exit_code=127), fault=None)

    assert known.health is Health.UNHEALTHY
    assert known.obstacles == ("The test command can't be used: command not found.",)


def test_a_fault_that_nobody_notices_is_an_obstacle_with_what_to_do() -> None:
    known = an_examination(fault=Fault(3, a_report("a", "b"), noticed=0, asked=2))

    assert known.health is Health.UNHEALTHY
    assert "The tests don't run the workspace's own code" in known.obstacles[0]
    assert "editable" in known.obstacles[0]
    assert "`build:`" in known.obstacles[0]


def test_a_fault_that_some_tests_notice_is_a_remark_that_counts_them() -> None:
    known = an_examination(fault=a_fault(noticed=2, asked=7))

    assert known.health is Health.HEALTHY
    assert "Of 7 tests that pass, 2 noticed" in known.remarks[0]


def test_where_no_fault_could_be_planted_it_is_said_that_nothing_is_known() -> None:
    assert "is not known" in an_examination(fault=None).remarks[0]


def test_a_command_without_names_is_healthy_where_it_is_green_each_time_and_red_with_a_fault() -> None:
    green = TestReport("make test", ReportState.PASSED, exit_code=0)
    red = replace(green, state=ReportState.FAILED, exit_code=2)

    assert an_examination(green, green, green, fault=Fault(3, red)).health is Health.HEALTHY
    assert "a test command that runs the tests" in an_examination(green, fault=Fault(3, green)).obstacles[0]
    assert an_examination(green, red, green, fault=None).obstacles[0].endswith("passed, failed, passed.")


def test_a_trouble_is_the_only_obstacle_by_its_first_line() -> None:
    known = an_examination(trouble="The set-up command failed: exit code 1\noutput", runs=(), fault=None)

    assert known.health is Health.UNHEALTHY
    assert known.obstacles == ("The set-up command failed: exit code 1",)


def test_a_sandbox_that_has_the_network_or_runs_no_set_up_is_said() -> None:
    facts = SandboxFacts("process", has_network=True)
    known = an_examination(sandbox=facts, plan=TestPlan("pytest", setup="pip install x"), prepared=None)

    assert known.health is Health.HEALTHY
    assert any("`setup` was not run" in each for each in known.remarks)
    assert any("has the network" in each for each in known.remarks)
