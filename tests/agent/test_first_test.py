"""Tests first: a test that shows the issue on the base, before anything is changed."""

from collections.abc import Mapping
from dataclasses import replace

import pytest

from bot.agent import Dialect, Role
from bot.agent.reproduction import Wanted, named_in, shown_already, wanted
from bot.records import Aim, Caps, Progress, Reproduce, Task, TestCase, TestReport, TestStatus, Unreproduced, Verdict
from tests.agent.fakes import ScriptedModel, a_task, calls, green, red, says
from tests.agent.runs import a_bench, a_test, change, run

FIRST, ASK, OFF, TOGETHER = Reproduce.FIRST, Reproduce.ASK, Reproduce.OFF, Reproduce.TOGETHER
PASSES = Unreproduced("it passes on the base", passes=True)
BROKEN = Unreproduced("it can't be imported")
BASELINE = green("tests/test_old.py::test_old")


def judge(files: Mapping[str, bytes]) -> TestReport:
    return green() if b"a + b" in files["calc.py"] else red()


def aims(progress: Progress) -> list[Aim]:
    return [each.aim for each in progress.iterations]


def test_the_test_comes_first_alone_and_then_the_change() -> None:
    model = ScriptedModel([says(a_test()), says(change("a + b"))])

    progress = run(model, a_bench(judge=judge), reproduce=FIRST, baseline=BASELINE)

    assert progress.verdict is Verdict.SOLVED
    assert aims(progress) == [Aim.TEST, Aim.CHANGE]
    test, mended = progress.iterations
    assert test.change.paths == ("tests/test_add.py",)
    assert mended.change.paths == ("calc.py", "tests/test_add.py")
    assert test.why_next == "the test fails on the base, as the issue says: tests/test_add.py"
    assert model.asked[0].opening.startswith("Iteration 1: the test.\n")
    assert "Write one test now, and nothing else" in model.asked[0].last
    assert model.asked[1].opening.startswith("Iteration 2 of 6.\n")
    assert "written already, in tests/test_add.py: leave that file as it is" in model.asked[1].last


def test_the_instructions_are_the_same_in_both_so_that_the_prefix_stays() -> None:
    model = ScriptedModel([says(a_test()), says(change("a + b"))])

    run(model, a_bench(judge=judge), reproduce=FIRST)

    first, second = (asked.messages for asked in model.asked)
    assert second[: len(first)] == first


def test_source_that_is_touched_while_the_test_is_written_is_set_back() -> None:
    new = "```python path=helper.py\nx = 1\n```\n"
    bench = a_bench(judge=judge)

    progress = run(ScriptedModel([says(a_test() + change("a + b") + new)]), bench, reproduce=FIRST, times=1)

    assert progress.iterations[0].change.paths == ("tests/test_add.py",)
    assert ("unreproduced",) in bench.did


def test_iterations_for_the_test_do_not_count_towards_the_limit_but_their_tokens_do() -> None:
    model = ScriptedModel([says(a_test()), says(change("a * 2")), says(change("a * 3"))])

    progress = run(model, a_bench(judge=judge), reproduce=FIRST, caps=Caps(iterations=2))

    assert progress.verdict is Verdict.LIMIT
    assert aims(progress) == [Aim.TEST, Aim.CHANGE, Aim.CHANGE]
    assert "the limit of 2 iterations is reached" in progress.why
    assert progress.spend.calls == 3


def test_two_different_tests_that_pass_on_the_base_mean_that_it_was_not_reproduced() -> None:
    model = ScriptedModel([says(a_test()), says(a_test("test_sum"))])
    bench = a_bench(reports=[green("tests/test_add.py::test_add")], unreproducing=[PASSES, PASSES])

    progress = run(model, bench, reproduce=FIRST)

    assert progress.verdict is Verdict.NOT_REPRODUCED
    assert "tests/test_add.py" in progress.why
    assert "`pytest`" in progress.why
    assert "passes on the base" in model.asked[1].opening
    assert progress.change.paths == ("tests/test_add.py", "tests/test_sum.py")


def own_words(model: ScriptedModel, at: int) -> str:
    return "\n".join(one.content or "" for one in model.asked[at].messages if one.role is Role.ASSISTANT)


def test_a_test_that_passes_on_the_base_is_told_as_tried_and_never_as_the_models_own_words() -> None:
    issue = Task("add() subtracts", "I expected `add(2, 3)` to be 5.\n\n```python\n>>> add(2, 3)\n-1\n```\n")
    model = ScriptedModel([says(a_test()), says(a_test("test_sum"))])

    run(model, a_bench(unreproducing=[PASSES, PASSES]), task=issue, reproduce=FIRST)

    told = model.asked[1].last
    assert "assert add(1, 2) == 3" not in own_words(model, 1)
    assert told.startswith(
        "Iteration 2: the test.\n\nTried: passes on the base, so it does not show the issue:\n\n```diff"
    )
    assert told.count("assert add(1, 2) == 3") == 1
    order = ["+    assert add(1, 2) == 3", "I expected `add(2, 3)` to be 5.", ">>> add(2, 3)", "Write one test now"]
    assert sorted(order, key=told.index) == order


def test_a_test_that_fails_for_a_reason_of_its_own_is_told_as_tried_with_what_it_said() -> None:
    model = ScriptedModel([says(a_test()), says(a_test("test_sum")), says(change("a + b"))])
    bench = a_bench(reports=[red("tests/test_add.py::test_add")] * 2 + [green()], unreproducing=[BROKEN, BROKEN])

    run(model, bench, reproduce=FIRST)

    told = model.asked[1].last
    assert "assert add(1, 2) == 3" not in own_words(model, 1)
    order = ["it does not show the issue:", "+    assert add", "failed", "it can't be imported", a_task().body]
    assert sorted(order, key=told.index) == order


def test_where_no_test_showed_it_the_change_is_asked_for_by_the_issue_and_not_by_the_test() -> None:
    model = ScriptedModel([says(a_test()), says(a_test()), says(change("a + b") + a_test())])

    run(model, a_bench(judge=judge, unreproducing=[PASSES]), reproduce=FIRST)

    told = model.asked[2].last
    assert "assert add(1, 2) == 3" not in own_words(model, 2) + told
    assert told.index("did not show the issue") < told.index(a_task().body) < told.index("Mend the issue now")


def test_a_test_in_place_of_the_change_is_no_change_and_is_not_kept_as_the_models_own_words() -> None:
    model = ScriptedModel([says(a_test()), says(a_test()), says(a_test()), says(change("a + b") + a_test())])

    progress = run(model, a_bench(judge=judge, unreproducing=[PASSES]), reproduce=FIRST)

    assert progress.verdict is Verdict.SOLVED
    told = model.asked[3].last
    assert "assert add(1, 2) == 3" not in own_words(model, 3)
    assert "Only tests were written: the code is as it was. Change the code now." in told


def test_of_a_long_issue_its_examples_are_repeated() -> None:
    body = f"{'Words. ' * 2_000}\n\n```python\n>>> add(2, 3)\n-1\n```\n{'More words. ' * 2_000}"
    model = ScriptedModel([says(a_test()), says(a_test("test_sum"))])

    run(model, a_bench(unreproducing=[PASSES, PASSES]), task=Task("add() subtracts", body), reproduce=FIRST)

    told = model.asked[1].last
    assert "add() subtracts\n\n>>> add(2, 3)\n-1\n" in told
    assert "Words." not in told


def test_a_test_that_only_the_critic_doubts_stays_the_models_own_words() -> None:
    doubt = "no: it tests something else"
    model = ScriptedModel([says(a_test()), says(a_test()), says(change("a + b"))])

    run(model, a_bench(judge=judge), reproduce=FIRST, critic=ScriptedModel([says(doubt)] * 3))

    assert "assert add(1, 2) == 3" in own_words(model, 1)
    assert "Tried" not in model.asked[1].last


def test_the_same_test_again_proves_nothing_and_the_run_goes_on_with_test_and_change_together() -> None:
    model = ScriptedModel([says(a_test()), says(a_test()), says(change("a + b") + a_test())])
    bench = a_bench(judge=judge, unreproducing=[PASSES])

    progress = run(model, bench, reproduce=FIRST)

    assert progress.verdict is Verdict.SOLVED
    assert aims(progress) == [Aim.TEST, Aim.TEST, Aim.CHANGE]
    assert progress.iterations[1].why_next.startswith("going on without a test first: ")
    assert "and a new test that fails without it" in model.asked[-1].last


def test_a_model_that_writes_no_usable_test_is_not_blocked_by_it() -> None:
    model = ScriptedModel([says(a_test()), says(a_test("test_sum")), says(change("a + b"))])
    bench = a_bench(judge=judge, unreproducing=[BROKEN, BROKEN])

    progress = run(model, bench, reproduce=FIRST)

    assert progress.verdict is Verdict.SOLVED
    assert progress.iterations[1].why_next == (
        "going on without a test first: the new test does not show the issue: it can't be imported"
    )
    assert progress.iterations[1].change.is_empty
    assert progress.change.paths == ("calc.py",)


def test_a_model_that_gives_no_usable_reply_to_it_is_asked_for_the_change_all_the_same() -> None:
    model = ScriptedModel([says("Well.")] * 6 + [says(change("a + b"))])

    progress = run(model, a_bench(judge=judge), reproduce=FIRST)

    assert progress.verdict is Verdict.SOLVED
    assert aims(progress) == [Aim.TEST, Aim.TEST, Aim.CHANGE]


def test_after_such_a_reply_the_whole_test_file_is_asked_for_again() -> None:
    model = ScriptedModel([says("Well."), says(a_test()), says(change("a + b"))])

    run(model, a_bench(judge=judge), reproduce=FIRST, baseline=BASELINE)

    assert "Answer with the whole test file" in model.asked[1].last
    assert "SEARCH" not in model.asked[1].last


def test_a_limit_in_the_middle_of_it_is_a_limit() -> None:
    progress = run(ScriptedModel([says("```read\ncalc.py\n```\n")]), a_bench(), reproduce=FIRST, caps=Caps(tokens=100))

    assert (progress.verdict, aims(progress)) == (Verdict.LIMIT, [Aim.TEST])


def test_instead_of_a_test_the_model_may_name_one_that_fails_already() -> None:
    baseline = red("tests/test_old.py::test_signs", message="boom")
    said = says("```finish\ntest_signs shows it.\n```\n")
    model = ScriptedModel([said, said, says(change("a + b"))])

    progress = run(model, a_bench(judge=judge), reproduce=FIRST, baseline=baseline)

    assert progress.verdict is Verdict.SOLVED
    assert progress.iterations[0].why_next == (
        "a test that fails already shows the issue: tests/test_old.py::test_signs"
    )
    assert "No test was written." in model.asked[1].last
    assert "so that the tests that show it pass: tests/test_old.py::test_signs" in model.asked[2].last


@pytest.mark.parametrize(
    ("title", "body", "message"),
    [
        ("Make tests/test_old.py::test_signs pass", "", "boom"),
        ("test_signs fails", "", "boom"),
        ("Sums are wrong", "`add_numbers(1, 2)` gives -1", "E  assert -1 == 3\nE  where -1 = add_numbers(1, 2)"),
    ],
)
def test_where_a_failing_test_shows_the_issue_already_none_is_asked_for(title: str, body: str, message: str) -> None:
    model = ScriptedModel([says(change("a + b"))])
    baseline = red("tests/test_old.py::test_signs", message=message)

    progress = run(model, a_bench(judge=judge), reproduce=FIRST, baseline=baseline, task=a_task(title, body))

    assert aims(progress) == [Aim.CHANGE]
    assert "no new one is needed" in model.asked[0].last


def test_a_failure_that_has_nothing_to_do_with_the_issue_shows_nothing() -> None:
    task = a_task("add_numbers() raises ValueError", "`add_numbers(1)` raises `ValueError`")

    assert shown_already(task, red("t.py::test_network", message="ValueError: no route")) == ()
    assert wanted(Progress(), task, red("t.py::test_network", message="boom"), FIRST) is Wanted.TEST


def test_a_test_is_named_by_its_whole_name_alone() -> None:
    baseline = red("t.py::test_add")

    assert named_in("test_add shows it", baseline) == ("t.py::test_add",)
    assert named_in("I ran test_addition", baseline) == ()


# --- ASK


def test_a_person_is_asked_about_an_accepted_test_and_then_it_goes_straight_on() -> None:
    model = ScriptedModel([says(a_test()), says(change("a + b"))])
    asking = run(model, a_bench(judge=judge), reproduce=ASK)

    assert asking.verdict is Verdict.ASKING
    assert asking.change.paths == ("tests/test_add.py",)
    assert len(model.asked) == 1

    answered = Progress(asking.iterations, asking.spend)
    progress = run(model, a_bench(judge=judge), reproduce=ASK, progress=answered)

    assert progress.verdict is Verdict.SOLVED
    assert aims(progress) == [Aim.TEST, Aim.CHANGE]


# --- OFF and TOGETHER


def test_off_asks_for_no_test_and_the_lack_of_one_is_no_objection() -> None:
    model, bench = ScriptedModel([says(change("a + b"))]), a_bench(judge=judge, objections=["no test was added"])

    progress = run(model, bench, reproduce=OFF)

    assert (progress.verdict, len(progress.iterations)) == (Verdict.SOLVED, 1)
    assert "No test is asked for." in model.asked[0].last
    assert ("objection",) not in bench.did


def test_off_still_hears_what_is_wrong_with_tests_that_were_touched() -> None:
    model, bench = (
        ScriptedModel([says(change("a + b") + a_test())]),
        a_bench(judge=judge, objections=["tests were altered"]),
    )

    progress = run(model, bench, reproduce=OFF, times=1)

    assert progress.iterations[0].why_next == "the tests pass, but: tests were altered"


def test_together_asks_for_both_at_once() -> None:
    model = ScriptedModel([says(change("a + b") + a_test())])

    run(model, a_bench(judge=judge), reproduce=TOGETHER)

    assert "and a new test that fails without it" in model.asked[0].last


# --- What the accepted test means later


def test_nothing_to_do_is_not_believed_beside_a_test_that_fails() -> None:
    idle = says("```finish\nIt works.\n```\n")
    model = ScriptedModel([says(a_test()), idle, idle, says("The sign."), says(change("a + b"))])

    progress = run(model, a_bench(judge=judge), reproduce=FIRST)

    assert progress.verdict is Verdict.SOLVED
    assert "but the test in tests/test_add.py fails" in progress.iterations[1].why_next


def test_a_fresh_start_keeps_the_accepted_test() -> None:
    lines = [
        a_test(),
        change("a * 1"),
        change("a * 1"),
        "Hm.",
        change("a * 2"),
        "Hm.",
        change("a * 3"),
        "Hm.",
        change("a * 4"),
    ]
    model = ScriptedModel([says(line) for line in lines])

    progress = run(model, a_bench(judge=judge), reproduce=FIRST, caps=Caps(iterations=9))

    assert progress.verdict is Verdict.STUCK
    assert progress.change.paths == ("calc.py", "tests/test_add.py")


def test_candidates_are_drawn_for_the_change_and_not_for_the_test() -> None:
    model = ScriptedModel([says(a_test()), says(change("a * 1")), says(change("a + b"))])

    progress = run(model, a_bench(judge=judge), reproduce=FIRST, candidates=3)

    assert progress.verdict is Verdict.SOLVED
    assert (len(progress.iterations[0].others), len(progress.iterations[1].others)) == (0, 1)
    assert all("tests/test_add.py" in one.change.paths for one in progress.iterations[1].others)


def test_a_stop_while_the_test_is_written_keeps_what_was_paid() -> None:
    model = ScriptedModel([says("```read\ncalc.py\n```\n")])

    progress = run(model, a_bench(), reproduce=FIRST, stop=lambda: len(model.asked) == 1)

    assert (progress.verdict, aims(progress), progress.spend.calls) == (Verdict.STOPPED, [Aim.TEST], 1)


def test_tools_are_offered_for_the_test_as_for_the_change() -> None:
    write = ("write", {"path": "tests/test_add.py", "content": "def test_add():\n    assert False\n"})
    edit = ("edit", {"path": "calc.py", "search": "a - b", "replace": "a + b"})
    finish = ("finish", {"summary": "done"})
    model = ScriptedModel([calls(write, finish), calls(edit, finish)])

    progress = run(model, a_bench(judge=judge), reproduce=FIRST, dialect=Dialect.NATIVE)

    assert progress.verdict is Verdict.SOLVED
    assert aims(progress) == [Aim.TEST, Aim.CHANGE]


# --- The critic and the test


def critic(*words: str) -> ScriptedModel:
    return ScriptedModel([says(one) for one in words], name="critic")


def test_the_critic_says_once_that_a_test_does_not_say_what_the_issue_says() -> None:
    model = ScriptedModel([says(a_test(expected=4)), says(a_test("test_sum")), says(change("a + b"))])
    reader = critic("NO. The issue says 3, the test 4.", "NONE")

    progress = run(model, a_bench(judge=judge), reproduce=FIRST, critic=reader)

    assert progress.verdict is Verdict.SOLVED
    assert aims(progress) == [Aim.TEST, Aim.TEST, Aim.CHANGE]
    assert "The issue says 3, the test 4." in model.asked[1].opening
    assert len(reader.asked) == 2


def test_a_model_that_stands_by_its_test_has_the_last_word() -> None:
    model = ScriptedModel([says(a_test()), says(a_test() + "\nIt is right.\n"), says(change("a + b"))])

    progress = run(model, a_bench(judge=judge), reproduce=FIRST, critic=critic("NO: not that.", "NONE"))

    assert progress.verdict is Verdict.SOLVED
    assert aims(progress)[-1] is Aim.CHANGE


def test_a_yes_goes_on_and_costs_what_it_costs() -> None:
    model = ScriptedModel([says(a_test()), says(change("a + b"))])

    progress = run(model, a_bench(judge=judge), reproduce=FIRST, critic=critic("YES", "NONE"))

    assert aims(progress) == [Aim.TEST, Aim.CHANGE]
    assert (progress.spend.critic_tokens, progress.spend.tokens) == (240, 480)
    assert "YES" not in model.asked[1].opening


def test_a_broken_test_of_the_try_before_does_not_stay_beside_the_one_that_shows_the_issue() -> None:
    broken = "```python path=tests/test_sum.py\ndef test_sum(:\n```\n"
    model = ScriptedModel([says(broken), says(a_test()), says(change("a + b"))])

    def judge_both(files: Mapping[str, bytes]) -> TestReport:
        case = TestCase("tests/test_sum.py", TestStatus.ERROR, "SyntaxError", "tests/test_sum.py")
        report = judge(files)
        return replace(red(), cases=(*report.cases, case)) if "tests/test_sum.py" in files else report

    progress = run(model, a_bench(judge=judge_both, unreproducing=[BROKEN]), reproduce=FIRST)

    assert progress.verdict is Verdict.SOLVED
    assert [each.change.paths for each in progress.iterations] == [
        ("tests/test_sum.py",),
        ("tests/test_add.py",),
        ("calc.py", "tests/test_add.py"),
    ]
