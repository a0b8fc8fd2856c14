"""No progress is noticed, and each time the next try differs in kind, down to an honest end."""

from bot.agent.approach import Step, approach
from bot.agent.llm import Reply, Role
from bot.records import Aim, Caps, Change, Iteration, Progress, Spend, TestReport, Verdict
from tests.agent.fakes import FakeWorkbench, ScriptedModel, green, red, says
from tests.agent.runs import a_bench, change, fix, judge, run

A, B, C = "t::a", "t::b", "t::c"
BASELINE = red(A, B, C)


def a_change(number: int) -> Change:
    if not number:
        return Change()
    bench = FakeWorkbench({"calc.py": b"x\n"})
    bench.write("calc.py", b"%d\n" % number)
    return bench.change()


def progress_of(*steps: tuple[int, TestReport | None], aim: Aim = Aim.CHANGE) -> Progress:
    """Iterations by which change they made (0: none), and its report."""
    iterations = [
        Iteration(at, "", (), a_change(number), report, Spend(), 1.0, "", aim)
        for at, (number, report) in enumerate(steps, start=1)
    ]
    return Progress(tuple(iterations))


def step_after(*steps: tuple[int, TestReport | None]) -> Step:
    return approach(progress_of(*steps), BASELINE).step


def failing(*names: str) -> TestReport:
    passing = [case for case in green(A, B, C).cases if case.id not in names]
    return TestReport("pytest", red().state, (*red(*names).cases, *passing), 1, "failed")


NONE_MENDED, ONE_MENDED = failing(A, B, C, "t::new"), failing(A, B, "t::new")


def test_while_reports_get_better_it_goes_on_as_before() -> None:
    assert step_after() is Step.ON
    assert step_after((1, NONE_MENDED)) is Step.ON
    assert step_after((1, NONE_MENDED), (2, ONE_MENDED)) is Step.ON


def test_one_report_that_is_no_better_is_borne_and_two_are_no_progress() -> None:
    assert step_after((1, ONE_MENDED), (2, NONE_MENDED)) is Step.ON
    assert step_after((1, ONE_MENDED), (2, NONE_MENDED), (3, ONE_MENDED)) is Step.DIAGNOSE


def test_a_change_that_repeats_an_earlier_one_is_no_progress_at_once() -> None:
    assert step_after((1, NONE_MENDED), (1, None)) is Step.DIAGNOSE
    assert step_after((1, NONE_MENDED), (2, ONE_MENDED), (1, None)) is Step.DIAGNOSE


def test_leaving_everything_as_it_was_is_no_progress_either() -> None:
    assert step_after((0, None)) is Step.DIAGNOSE


def test_each_further_time_is_a_step_more_and_then_it_ends() -> None:
    tries = [(1, NONE_MENDED), (1, None), (2, NONE_MENDED), (3, NONE_MENDED), (4, NONE_MENDED)]

    assert [step_after(*tries[:count]) for count in range(1, 6)] == list(Step)


def test_progress_leads_back_to_the_foot_of_the_ladder() -> None:
    assert step_after((1, NONE_MENDED), (1, None), (2, ONE_MENDED)) is Step.ON


def test_each_step_is_warmer_than_the_last() -> None:
    tries = [(1, NONE_MENDED), (1, None), (2, NONE_MENDED), (3, NONE_MENDED)]
    found = [approach(progress_of(*tries[:count]), BASELINE).temperature for count in range(1, 5)]

    assert found == sorted(set(found))


def test_a_change_with_which_the_tests_pass_is_never_taken_back() -> None:
    plan = approach(progress_of((1, green(A, B, C)), (1, None)), BASELINE)

    assert (plan.step, plan.failed) == (Step.ON, None)
    assert plan.temperature > approach(Progress(), BASELINE).temperature


def test_iterations_for_the_test_do_not_count() -> None:
    assert approach(progress_of((1, NONE_MENDED), (1, None), aim=Aim.TEST), BASELINE).step is Step.ON


def test_the_end_says_how_near_it_came_and_what_was_tried() -> None:
    plan = approach(progress_of((1, ONE_MENDED), (1, None), (2, ONE_MENDED), (3, None), (4, None)), BASELINE)

    assert plan.step is Step.END
    assert plan.why == (
        "no progress in 5 iterations; the best was iteration 1 (1 of 3 failing tests mended, 1 failing by the change); "
        "a diagnosis first, another file in view and a fresh start from the base did not help"
    )


# --- In a run


DIAGNOSIS = says("add(1, 2) gives 2, 3 was expected: line 2 multiplies.")


def stuck(*, critic: ScriptedModel | None = None) -> tuple[Progress, ScriptedModel, FakeWorkbench]:
    lines: list[str | Reply] = [
        fix("a * 1"),
        fix("a * 1"),
        DIAGNOSIS,
        fix("a * 2"),
        DIAGNOSIS,
        fix("a * 3"),
        DIAGNOSIS,
        fix("a * 4"),
    ]
    model = ScriptedModel([says(line) if isinstance(line, str) else line for line in lines])
    bench = FakeWorkbench(
        {"calc.py": a_bench().files["calc.py"], "other.py": b"def helper():\n    return 1\n"}, judge=judge
    )
    return run(model, bench, caps=Caps(iterations=9), critic=critic), model, bench


def test_nothing_helps_and_the_run_ends_honestly() -> None:
    progress, model, bench = stuck()

    assert progress.verdict is Verdict.STUCK
    assert progress.why.startswith("no progress in 5 iterations; ")
    assert progress.iterations[-1].why_next == "still failing: test_add; nothing else is left to try"
    assert bench.tests_run == 4
    assert len(model.asked) == 8


def test_no_prompt_is_sent_twice_at_the_same_temperature() -> None:
    _, model, _ = stuck()

    sent = [(asked.messages, asked.temperature) for asked in model.asked]
    assert len(set(map(repr, sent))) == len(sent)


def test_a_diagnosis_comes_first_and_the_failed_change_is_told_by_us_and_not_by_the_model() -> None:
    _, model, _ = stuck()

    third = model.asked[3]
    assert "line 2 multiplies" in third.opening
    assert "Tried, and it failed:" in third.opening
    assert "+    return a * 1" in third.opening
    assert "a * 1" not in "".join(message.content or "" for message in third.messages if message.role is Role.ASSISTANT)
    assert [call.prompt_version.rpartition("-")[0] for call in stuck()[0].iterations[2].calls] == [
        "diagnosis",
        "fenced",
    ]


def test_the_wrong_code_is_set_back_and_the_new_test_stays() -> None:
    progress, _, _ = stuck()

    assert "a * 2" in progress.iterations[2].change.patch
    assert "a * 1" not in progress.iterations[2].change.patch
    assert "tests/test_add.py" in progress.iterations[2].change.paths


def test_then_another_file_comes_in_view() -> None:
    _, model, _ = stuck()

    assert "Iteration 4" in model.asked[5].opening


def test_a_fresh_start_has_the_base_and_no_history_but_a_line_for_each() -> None:
    lines = [
        fix("a * 1"),
        fix("a * 1"),
        "Hm.",
        fix("a * 2", "test_two"),
        "Hm.",
        fix("a * 3", "test_three"),
        "Hm.",
        change("a * 4"),
    ]
    model = ScriptedModel([says(line) for line in lines])

    progress = run(model, a_bench(judge=judge), caps=Caps(iterations=9))

    last = model.asked[-1]
    assert progress.iterations[-1].change.paths == ("calc.py",)
    assert "Tried, and it failed" not in last.opening
    assert "- 1: add() adds now.; " in last.opening
    assert [message.role for message in last.messages] == [Role.SYSTEM, Role.USER, Role.ASSISTANT, Role.USER]


def test_what_was_tried_before_a_new_beginning_is_not_told_again_in_the_models_words() -> None:
    reports = [red(A, B, C), red(A, B), red(A), green()]
    lines = [fix("a * 1"), fix("a * 1"), "It multiplies.", fix("a * 2"), fix("a * 3"), fix("a + b")]
    model = ScriptedModel([says(line) for line in lines])

    progress = run(model, a_bench(reports=reports))

    said = "".join(message.content or "" for message in model.asked[-1].messages if message.role is Role.ASSISTANT)
    assert progress.verdict is Verdict.SOLVED
    assert "a * 3" in said
    assert "a * 1" not in said


def test_a_killed_worker_goes_on_in_the_same_words() -> None:
    half, model, bench = ScriptedModel([says(fix("a * 1"))]), ScriptedModel([DIAGNOSIS]), a_bench(judge=judge)
    two = run(half, bench, times=2)

    run(model, bench, progress=two, times=1)
    again = ScriptedModel([DIAGNOSIS])
    run(again, bench, progress=two, times=1)

    assert [asked.messages for asked in again.asked] == [asked.messages for asked in model.asked]


def test_an_edit_that_changes_nothing_ends_the_try_and_not_the_run() -> None:
    same = "```python path=calc.py\n<<<<<<< SEARCH\n    return a - b\n=======\n    return a - b\n>>>>>>> REPLACE\n```\n"
    model = ScriptedModel([says(same), says(same), says("It subtracts."), says(change("a + b"))])

    progress = run(model, a_bench(judge=judge))

    assert progress.verdict is Verdict.SOLVED
    assert progress.iterations[0].why_next == "no file differs from the base"
    assert "leaves every file exactly as it was" in model.asked[1].last


def test_a_talk_that_leads_nowhere_is_a_try_without_progress_once_the_model_has_written_something() -> None:
    nowhere = says("```python path=calc.py\n<<<<<<< SEARCH\nno such line\n=======\nx\n>>>>>>> REPLACE\n```\n")
    model = ScriptedModel([says(fix("a * b")), *[nowhere] * 3, says("It multiplies."), says(fix("a + b"))])

    progress = run(model, a_bench(judge=judge))

    assert progress.verdict is Verdict.SOLVED
    assert progress.iterations[1].why_next.startswith("the same reply 3 times")
    assert "calc.py" in model.asked[-1].last


def test_a_model_whose_talks_go_on_leading_nowhere_comes_to_the_end_of_the_ladder() -> None:
    nowhere = says("```python path=calc.py\n<<<<<<< SEARCH\nno such line\n=======\nx\n>>>>>>> REPLACE\n```\n")
    model = ScriptedModel([says(fix("a * b")), nowhere])

    progress = run(model, a_bench(judge=judge), caps=Caps(iterations=50))

    assert progress.verdict is Verdict.STUCK
    assert len(progress.iterations) == 5
