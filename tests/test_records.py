from collections.abc import Sequence

import pytest

from bot.records import (
    ActionTaken,
    Aim,
    Call,
    Candidate,
    Change,
    Evidence,
    Examination,
    Fault,
    Finding,
    Iteration,
    Outcome,
    Progress,
    Proof,
    ReportState,
    RunResult,
    SandboxFacts,
    Spend,
    TestCase,
    TestPlan,
    TestReport,
    TestStatus,
    Usage,
    Verdict,
    dump,
    load,
)


def a_report(
    passed: Sequence[str] = ("a",), failed: Sequence[str] = (), state: ReportState | None = None
) -> TestReport:
    cases = [TestCase(name, TestStatus.PASSED) for name in passed] + [
        TestCase(name, TestStatus.FAILED) for name in failed
    ]
    return TestReport("pytest", state or (ReportState.FAILED if failed else ReportState.PASSED), tuple(cases))


def test_a_record_is_read_back_from_its_json_as_it_was() -> None:
    progress = Progress(why="café 😊", spend=Spend(cost_usd=None))

    assert load(Progress, dump(progress)) == progress


def test_a_result_is_read_back_with_all_of_the_work_behind_it() -> None:
    change, red = Change("diff", ("a.py",), added_lines=1), a_report(failed=["new"])
    call = Call("m", "1", "[]", "{}", (ActionTaken("run", "{}", "ok", ok=True),), Usage(10, 5, cost_usd=0.5), 1.5)
    other = Candidate(change, None, (call,), "it breaks more")
    test = Iteration(1, "a test", (call,), change, red, Spend().plus(call.usage), 2.0, "on", Aim.TEST, (other,))
    result = RunResult(
        Outcome.PROVEN,
        "It holds.",
        plan=TestPlan("pytest"),
        baseline=a_report(),
        progress=Progress((test,), test.spend, Verdict.SOLVED),
        proof=Proof((), Evidence(red=("new",)), a_report(), head_tests_on_base=red, head=a_report(["a", "new"])),
    )

    assert load(RunResult, dump(result)) == result


def test_a_test_that_failed_in_the_baseline_already_is_no_obstacle() -> None:
    baseline = a_report(passed=["a"], failed=["old"])

    assert a_report(passed=["a", "new"], failed=["old"]).is_good_beside(baseline)
    assert not a_report(passed=["a", "new"], failed=["old"]).is_good_beside(None)
    assert not a_report(passed=["a"], failed=["old", "new"]).is_good_beside(baseline)


@pytest.mark.parametrize("state", [state for state in ReportState if state is not ReportState.PASSED])
def test_only_a_run_that_passed_is_green(state: ReportState) -> None:
    assert not a_report(state=state).is_green
    assert not a_report(state=state).is_good_beside(a_report())


def test_a_failure_that_no_test_is_named_for_is_never_good() -> None:
    by_exit_code = TestReport("make test", ReportState.FAILED, exit_code=1)

    assert not by_exit_code.is_good_beside(by_exit_code)


def test_one_call_of_unknown_price_makes_the_cost_of_the_run_unknown() -> None:
    spend = Spend().plus(Usage(10, 5, cost_usd=0.5)).plus(Usage(10, 5, cost_usd=None)).plus(Usage(1, 1, cost_usd=0.1))

    assert (spend.calls, spend.tokens, spend.cost_usd) == (3, 32, None)


def test_an_examination_is_read_back_with_all_that_it_found() -> None:
    known = Examination(
        repository="octo/cat",
        sandbox=SandboxFacts("docker", unheld=(("a bound", "why"),)),
        plan=TestPlan("pytest"),
        found=(Finding("test", "pytest", "tests/conftest.py"),),
        runs=(a_report(passed=["a"], failed=["b"]), a_report(passed=["a", "b"])),
        fault=Fault(1, a_report(failed=["a"]), noticed=1, asked=1),
        seconds=(("environment", 1.5),),
    )

    assert load(Examination, dump(known)) == known
    assert (set(known.steady), list(known.flaky), list(known.failing)) == ({"a"}, ["b"], [])


def test_nothing_is_steady_or_flaky_before_anything_ran() -> None:
    known = Examination(repository="octo/cat", sandbox=SandboxFacts("docker"))

    assert (known.could_run, known.steady, known.flaky, known.failing) == (False, frozenset(), (), ())
