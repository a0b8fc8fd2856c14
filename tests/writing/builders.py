"""Values with good defaults, so that a test states only the difference that matters."""

import json
from dataclasses import replace
from typing import Any

from bot.records import (
    ActionTaken,
    Call,
    Change,
    Evidence,
    Hunk,
    HunkCheck,
    Iteration,
    Outcome,
    Progress,
    Proof,
    Provenance,
    ReportState,
    RunResult,
    Spend,
    Task,
    TestCase,
    TestPlan,
    TestReport,
    TestStatus,
    Usage,
    Verdict,
)

PATCH = """\
diff --git a/prices.py b/prices.py
--- a/prices.py
+++ b/prices.py
@@ -1,2 +1,2 @@
 def total(prices):
-    return sum(prices[1:])
+    return sum(prices)
"""


def a_report(*, passed: int = 12, failing: tuple[str, ...] = (), **changed: Any) -> TestReport:
    cases = [TestCase(f"tests/test_prices.py::test_{n}", TestStatus.PASSED) for n in range(passed)]
    cases += [TestCase(name, TestStatus.FAILED, "AssertionError: assert 3 == 6") for name in failing]
    whole = TestReport(
        command="python -m pytest",
        state=ReportState.FAILED if failing else ReportState.PASSED,
        cases=tuple(cases),
        exit_code=1 if failing else 0,
        output=f"{len(failing)} failed, {passed} passed in 0.12s",
        duration_s=2.4,
        reader="pytest",
    )
    return replace(whole, **changed)


def a_call(**changed: Any) -> Call:
    message = {"role": "assistant", "content": "The slice drops the first price; sum all of them."}
    whole = Call(
        model="gpt-5-mini",
        prompt_version="1",
        messages="[]",
        reply=json.dumps({"choices": [{"message": message, "finish_reason": "stop"}]}),
        actions=(ActionTaken("edit", '{"path": "prices.py"}', "ok", ok=True),),
        usage=Usage(prompt_tokens=2100, completion_tokens=240, cost_usd=0.012),
        duration_s=4.2,
    )
    return replace(whole, **changed)


def a_change(**changed: Any) -> Change:
    whole = Change(patch=PATCH, paths=("prices.py", "tests/test_total.py"), added_lines=9, removed_lines=1)
    return replace(whole, **changed)


def an_iteration(number: int = 1, **changed: Any) -> Iteration:
    whole = Iteration(
        number=number,
        summary="sum every price, not all but the first",
        calls=(a_call(),),
        change=a_change(),
        report=a_report(passed=14),
        spend=Spend(calls=number, prompt_tokens=2100 * number, completion_tokens=240 * number, cost_usd=0.012 * number),
        duration_s=11.0,
        why_next="the tests pass and the model is done",
    )
    return replace(whole, **changed)


def a_progress(*iterations: Iteration, **changed: Any) -> Progress:
    made = iterations or (an_iteration(),)
    whole = Progress(
        iterations=made,
        spend=replace(made[-1].spend, seconds=75.0),
        verdict=Verdict.SOLVED,
        why="`total` left out the first price.",
    )
    return replace(whole, **changed)


RED = ("tests/test_total.py::test_the_first_price_counts", "tests/test_total.py::test_one_price")


def a_proof(*, missing: tuple[str, ...] = (), red: tuple[str, ...] = RED, **changed: Any) -> Proof:
    whole = Proof(
        missing=missing,
        evidence=Evidence(red=red, new=red),
        baseline=a_report(),
        head_tests_on_base=a_report(failing=red, planted_failed=True),
        head=a_report(passed=14, planted_failed=True),
        base_tests_on_head=a_report(planted_failed=True),
        tests_changed=("tests/test_total.py",),
    )
    return replace(whole, **changed)


def a_hunk(path: str = "prices.py", start: int = 2, **changed: Any) -> Hunk:
    return replace(Hunk(path, start, 1, "-    return sum(prices[1:])\n+    return sum(prices)"), **changed)


def hunks(*, noticed: int = 0, unnoticed: int = 0, untried: int = 0) -> HunkCheck:
    made = [a_hunk(start=10 * n) for n in range(1, 1 + noticed + unnoticed + untried)]
    tried = noticed + unnoticed
    return HunkCheck(tuple(made[:noticed]), tuple(made[noticed:tried]), tuple(made[tried:]), budget_s=60.0)


def a_provenance(**changed: Any) -> Provenance:
    whole = Provenance(
        base="1f0c" * 10,
        head="2a9b" * 10,
        command="python -m pytest",
        sandbox="docker",
        image="python:3.13-slim",
        image_digest="sha256:" + "ab" * 32,
        versions={"selfcode": "0.5.0", "pytest": "8.3.4"},
    )
    return replace(whole, **changed)


def a_plan(**changed: Any) -> TestPlan:
    return replace(TestPlan(test="python -m pytest", setup="python -m pip install -e ."), **changed)


def a_result(outcome: Outcome = Outcome.PROVEN, **changed: Any) -> RunResult:
    whole = RunResult(
        outcome=outcome,
        reason="the evidence holds",
        plan=a_plan(),
        baseline=a_report(),
        progress=a_progress(),
        proof=a_proof() if outcome in (Outcome.PROVEN, Outcome.UNPROVEN) else None,
        base_sha="1f0c" * 10,
        head_sha="2a9b" * 10,
        model="gpt-5-mini",
        sandbox="docker",
        pull_request=12 if outcome in (Outcome.PROVEN, Outcome.UNPROVEN) else None,
    )
    return replace(whole, **changed)


def a_task(**changed: Any) -> Task:
    return replace(Task(title="Totals are too small", body="`total([1, 2, 3])` gives 5.", number=7), **changed)
