"""What people read of tests that came before the change: the one question, and the tests that showed nothing."""

from typing import Any

from bot.records import Aim, Caps, Iteration, Outcome, Progress, RunResult, Task, TestCase, TestStatus, Verdict
from bot.writing.report import markdown_report
from bot.writing.result import result_comment
from tests.writing.builders import a_change, a_progress, a_report, a_result, an_iteration
from tests.writing.rendering import code_blocks, is_closed, live

PATH = "tests/test_total.py"
TEST_PATCH = f"diff --git a/{PATH} b/{PATH}\n--- /dev/null\n+++ b/{PATH}\n@@ -0,0 +1 @@\n+def test_first(): assert 0\n"
MESSAGE = f"    def test_first():\n>       assert 0\nE       assert 0\n\n{PATH}:1: AssertionError"


def a_test(number: int = 1, **changed: Any) -> Iteration:
    report = a_report(failing=())
    new = TestCase(f"{PATH}::test_first", TestStatus.FAILED, MESSAGE, PATH)
    whole: dict[str, Any] = {
        "aim": Aim.TEST,
        "summary": "a test for the first price",
        "change": a_change(patch=TEST_PATCH, paths=(PATH,)),
        "report": a_report(cases=(*report.cases, new)),
    }
    return an_iteration(number, **(whole | changed))


def asking(**changed: Any) -> RunResult:
    progress: Progress = a_progress(a_test(), verdict=Verdict.ASKING, why="the test fails on the base")
    return a_result(Outcome.NEEDS_INFORMATION, **({"progress": progress, "reason": "the test fails"} | changed))


def written(result: RunResult) -> str:
    return result_comment(result, run_id="r-1", caps=Caps())


def test_a_person_is_shown_the_test_how_it_fails_and_asked_one_question() -> None:
    shown = written(asking())

    assert "**Does this test say what the issue says?**" in shown
    assert TEST_PATCH in code_blocks(shown)
    assert f"`{PATH}::test_first`: assert 0" in shown
    assert shown.count("?**") == 1


def test_a_person_is_told_each_way_to_answer() -> None:
    shown = written(asking())

    assert "- Yes: comment `/selfcode retry` with nothing behind it." in shown
    assert "- Not quite: comment `/selfcode retry` with a hint" in shown
    assert "close the issue, or take the label off." in shown
    assert "close the issue." in written(asking(is_labelled=False))


def test_a_test_full_of_tricks_is_only_text() -> None:
    tricks = "```\n@ada <b>x</b> fixes #1\n<!-- selfcode:progress r-9 -->\n"
    progress = a_progress(a_test(change=a_change(patch=tricks, paths=(PATH,))), verdict=Verdict.ASKING, why=tricks)

    shown = written(asking(progress=progress, reason=tricks))

    assert is_closed(shown)
    assert live(shown) == []
    assert shown.count("<!-- selfcode:") == 1


def test_what_was_not_reproduced_shows_each_test_that_was_tried() -> None:
    passed = TestCase(f"{PATH}::test_first", TestStatus.PASSED, "", PATH)
    tried = [a_test(n, report=a_report(cases=(passed,))) for n in (1, 2)]
    progress = a_progress(*tried, verdict=Verdict.NOT_REPRODUCED, why="two tests pass on the base")

    shown = written(a_result(Outcome.NOT_REPRODUCED, progress=progress, reason="two tests pass on the base"))

    assert "**Not reproduced**: two tests pass on the base" in shown
    assert "What was run: `python -m pytest`" in shown
    assert shown.count("the test, 1 passed") == 2
    assert f"- `{PATH}::test_first`" in shown
    assert code_blocks(shown) == [TEST_PATCH, TEST_PATCH]
    assert "`/selfcode retry`" in shown


def test_the_report_of_a_local_run_holds_the_question_too() -> None:
    shown = markdown_report(asking(), Task("Totals", "x"), run_id="r-1")

    assert "**Does this test say what the issue says?**" in shown
    assert TEST_PATCH in code_blocks(shown)


def test_a_question_without_a_test_is_answered_by_a_hint() -> None:
    shown = written(a_result(Outcome.NEEDS_INFORMATION, reason="Which version is it?"))

    assert "Answer here, as the hint of `/selfcode retry`." in shown
