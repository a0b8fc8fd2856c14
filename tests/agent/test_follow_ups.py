"""A run that goes on from a change: what a branch held already is kept, and only what is done beyond it counts."""

import pytest

from bot.agent.conflicts import left_in, sides, unsolved
from bot.agent.limits import oversize
from bot.agent.starting import differing, is_idle, own_part
from bot.agent.undoing import go_back
from bot.records import Aim, Caps, Change, FailedCheck, Progress, Reproduce, Verdict, dump, load
from tests.agent.fakes import FakeWorkbench, ScriptedModel, a_task, calls, green, red, says
from tests.agent.runs import a_bench, a_start, a_test, change, judge, run

WRONG = "def add(a, b):\n    return a * b\n"
NOTED = "def add(a, b):\n    # sums\n    return a + b\n"
TEST = "from calc import add\n\n\ndef test_add():\n    assert add(1, 2) == 3\n"
START = a_start(calc_py=WRONG, tests_test_add_py=TEST)
OFF, TOGETHER, FIRST = Reproduce.OFF, Reproduce.TOGETHER, Reproduce.FIRST
IDLE = says("```finish\nIt is right as it is.\n```\n")


def going_on(start: Change = START) -> Progress:
    return Progress(start=start)


# --- What is there, and what the run does


def test_before_its_first_iteration_a_run_has_the_change_that_it_goes_on_from() -> None:
    assert load(Progress, dump(going_on())).change == START


def test_a_run_has_done_nothing_while_the_change_is_what_it_began_with_and_a_comment_is_something() -> None:
    noted, back = a_start(calc_py=NOTED), a_start(calc_py="def add(a, b):\n    return a + b\n")

    assert is_idle(START, START)
    assert is_idle(Change(), START)
    assert not is_idle(noted, back)
    assert differing(back, START) == {"calc.py", "tests/test_add.py"}
    assert "tests/test_add.py" not in own_part(a_start(calc_py=NOTED, tests_test_add_py=TEST), START)


def test_the_model_works_in_the_files_with_the_change_in_them_and_is_shown_it() -> None:
    model = ScriptedModel([says(change("a + b"))])

    progress = run(model, a_bench(judge=judge), reproduce=OFF, progress=going_on())

    assert progress.verdict is Verdict.SOLVED
    assert progress.change.paths == ("calc.py", "tests/test_add.py")
    context = model.asked[0].messages[1].content or ""
    assert "# The change that is there already" in context
    assert "+    return a * b" in context
    assert "Go on now from the change that is there" in model.asked[0].last
    assert progress.start == START


def test_a_change_too_long_to_be_shown_is_shown_by_its_files() -> None:
    start = a_start(calc_py="x = 1\n" * 2_000)
    model = ScriptedModel([says(change("a + b"))], window_tokens=4_096)

    run(model, a_bench(judge=judge), reproduce=OFF, progress=going_on(start), times=1)

    context = model.asked[0].messages[1].content or ""
    assert "It has 2000 new lines and 2 removed ones, in these files:\n\n```text\ncalc.py\n```" in context


@pytest.mark.parametrize("reproduce", [OFF, TOGETHER])
def test_doing_nothing_beyond_it_is_asked_back_once_and_then_nothing_is_to_do(reproduce: Reproduce) -> None:
    model, bench = ScriptedModel([IDLE]), a_bench()

    progress = run(model, bench, reproduce=reproduce, progress=going_on())

    assert (progress.verdict, progress.why) == (Verdict.NOTHING_TO_DO, "It is right as it is.")
    assert progress.change == START
    assert (len(model.asked), bench.tests_run) == (2, 0)
    assert "Nothing has changed beyond what was there already." in model.asked[1].last


def test_writing_the_files_as_they_are_is_no_progress() -> None:
    same = says(f"```python path=calc.py\n{WRONG}```\n```finish\nDone.\n```\n")

    progress = run(ScriptedModel([same]), a_bench(), reproduce=OFF, progress=going_on(), times=1)

    assert progress.verdict is None
    assert progress.iterations[0].why_next == "nothing changed beyond what was there"


def test_taking_all_of_it_back_is_no_change_either() -> None:
    back = (
        ("edit", {"path": "calc.py", "search": "a * b", "replace": "a - b"}),
        ("delete", {"path": "tests/test_add.py"}),
        ("finish", {"summary": "back"}),
    )
    bench = a_bench()

    progress = run(ScriptedModel([calls(*back)]), bench, reproduce=OFF, progress=going_on(), times=1)

    assert progress.iterations[0].why_next == "nothing is left of the change that was there"
    assert bench.tests_run == 0


# --- The test first


def test_a_test_first_fails_on_what_is_there_and_only_its_own_file_counts_as_given() -> None:
    model = ScriptedModel([says(a_test("test_more")), says(change("a + b"))])
    start = a_start(calc_py=WRONG)

    progress = run(model, a_bench(judge=judge), reproduce=FIRST, progress=going_on(start))

    assert [each.aim for each in progress.iterations] == [Aim.TEST, Aim.CHANGE]
    assert progress.verdict is Verdict.SOLVED
    assert progress.iterations[0].change.paths == ("calc.py", "tests/test_more.py")
    assert "in tests/test_more.py: leave that file as it is" in model.asked[1].last


def test_source_that_is_touched_while_the_test_is_written_goes_back_to_what_was_there() -> None:
    model = ScriptedModel([says(a_test("test_more") + change("a + b"))])

    progress = run(model, a_bench(judge=judge), reproduce=FIRST, progress=going_on(a_start(calc_py=WRONG)), times=1)

    assert "+    return a * b" in progress.change.patch
    assert "a + b" not in progress.change.patch


def test_where_no_test_is_written_the_change_that_was_there_stays() -> None:
    model = ScriptedModel([says("Well.")] * 6 + [says(change("a + b"))])

    progress = run(model, a_bench(judge=judge), reproduce=FIRST, progress=going_on())

    assert progress.verdict is Verdict.SOLVED
    assert [each.change == START for each in progress.iterations] == [True, True, False]


# --- No progress, and limits


def test_a_fresh_start_begins_again_at_what_was_there() -> None:
    lines = [change("a * 1"), change("a * 1"), "Hm.", change("a * 2"), "Hm.", change("a * 3"), "Hm.", change("a * 4")]
    seen: list[bytes] = []
    model = ScriptedModel([says(line) for line in lines])
    start = a_start(tests_test_add_py=TEST, calc_py=WRONG)

    progress = run(
        model,
        a_bench(judge=judge, on_test=lambda: seen.append(b"")),
        reproduce=OFF,
        progress=going_on(start),
        caps=Caps(iterations=9),
    )

    assert progress.verdict is Verdict.STUCK
    assert "a fresh start from what was there did not help" in progress.why
    assert "as they were when you began: calc.py" in model.asked[-1].opening
    assert progress.change.paths == ("calc.py", "tests/test_add.py")
    assert "+    return a * 1" in model.asked[2].last
    assert "test_add" not in model.asked[2].last.partition("It failed, because")[0]


def test_what_is_gone_back_from_is_what_the_run_did_and_nothing_else() -> None:
    base = {"a.py": b"1\n2\n3\n", "b.py": b"b\n", "gone.py": b"g\n", "left.py": b"l\n"}
    bench = FakeWorkbench(dict(base))
    bench.write("a.py", b"1\n2 there\n3\n")
    bench.write("new.py", b"new\n")
    bench.delete("gone.py")
    start, there = bench.change(), dict(bench.files)
    bench.write("a.py", b"1 run\n2 there\n3\n")
    bench.write("b.py", b"b run\n")
    bench.write("gone.py", b"back\n")
    bench.delete("new.py")
    bench.write("more.py", b"more\n")
    bench.delete("left.py")

    kept_new = bench.reopened(bench.change())
    undone = go_back(kept_new, kept_new.change(), start, keeps_new=True)
    assert undone == ("a.py", "b.py", "gone.py", "left.py", "new.py")
    assert kept_new.files == {**there, "more.py": b"more\n"}

    go_back(bench, bench.change(), start)
    assert bench.files == there


def test_the_limit_on_size_is_the_whole_changes_unless_what_was_there_is_beyond_it_already() -> None:
    caps = Caps(patch_lines=10, patch_files=1)
    small = Change("", ("a",), added_lines=6)

    assert oversize(Change("", ("a",), added_lines=11), caps, small) == "the change has 11 lines, the limit is 10"
    large = Change("", ("a",), added_lines=30)
    assert oversize(Change("", ("a",), added_lines=40), caps, large) == ""
    assert oversize(Change("", ("a",), added_lines=41), caps, large) == "the change adds 11 lines, the limit is 10"


def test_a_change_that_passes_is_not_lost_for_a_later_one_that_does_nothing() -> None:
    bench = a_bench(judge=judge, objections=["no test was added"] * 9)
    model = ScriptedModel([says(change("a + b")), IDLE])

    progress = run(model, bench, progress=going_on(a_start(calc_py=WRONG)), caps=Caps(iterations=2))

    assert progress.verdict is Verdict.SOLVED
    assert "a + b" in progress.change.patch


def test_a_killed_worker_goes_on_in_the_same_words() -> None:
    one = run(ScriptedModel([says(change("a * 1"))]), a_bench(judge=judge), progress=going_on(), times=1)

    asked = []
    for _ in range(2):
        model = ScriptedModel([says(change("a + b"))])
        run(model, a_bench(judge=judge), progress=one, times=1)
        asked.append(model.asked[0].messages)

    assert asked[0] == asked[1]


# --- Checks and conflicts


def test_checks_that_failed_are_shown_with_the_end_of_their_log() -> None:
    log = "".join(f"step {number}\n" for number in range(5_000)) + "calc.py:2: wrong sign\n"
    task = a_task(checks=(FailedCheck("lint", "https://example.com", "1 error", log),))
    model = ScriptedModel([says(change("a + b"))])

    run(model, a_bench(judge=judge), task=task, reproduce=OFF, progress=going_on())

    context = model.asked[0].messages[1].content or ""
    assert "`lint` failed.\n\n```text\n1 error\n```" in context
    assert "calc.py:2: wrong sign\n```" in context
    assert "step 10\n" not in context
    assert "Mend now what makes the checks fail" in model.asked[0].last


CONFLICT = "def add(a, b):\n<<<<<<< ours\n    return a * b\n=======\n    return b + a\n>>>>>>> theirs\n"
CONFLICTED = going_on(a_start(calc_py=CONFLICT))


def test_a_change_with_conflict_markers_left_is_objected_to_and_never_tested() -> None:
    other = says("```python path=other.py\nx = 1\n```\n")
    model, bench = ScriptedModel([other, other, says(change("a + b"))]), a_bench(judge=judge)

    progress = run(model, bench, task=a_task(conflicts=("calc.py",)), reproduce=OFF, progress=CONFLICTED)

    assert "Solve the conflicts in calc.py now" in model.asked[0].last
    assert "calc.py: lines 2, 6" in (model.asked[0].messages[1].content or "")
    assert "Conflict markers are left in calc.py (lines 2, 6)." in model.asked[1].last
    assert progress.verdict is Verdict.SOLVED
    assert progress.change.paths == ("calc.py", "other.py")
    assert bench.tests_run == 1


def test_a_function_of_a_file_with_conflicts_is_not_put_beside_them() -> None:
    others = "".join(f"def other_{number}():\n    return {number}\n\n\n" for number in range(20))
    start = a_start(calc_py=f"{others}{CONFLICT}")
    model = ScriptedModel([says(change("a + b"))])

    progress = run(
        model, a_bench(), task=a_task(conflicts=("calc.py",)), reproduce=OFF, progress=going_on(start), times=1
    )

    assert "no function of it can be told from the rest" in model.asked[1].last
    assert progress.change == start


def test_no_change_is_needed_is_not_believed_while_conflicts_are_left() -> None:
    bench = a_bench(judge=judge)

    progress = run(
        ScriptedModel([IDLE]), bench, task=a_task(conflicts=("calc.py",)), reproduce=OFF, progress=CONFLICTED, times=1
    )

    assert progress.verdict is None
    assert "but conflict markers are left in calc.py (lines 2, 6)" in progress.iterations[0].why_next


def test_a_line_under_a_heading_is_no_conflict() -> None:
    bench = FakeWorkbench({"a.md": b"Title\n=======\n", "b.py": b"<<<<<<< x\n" * 9, "c": b"\0"})

    assert left_in(unsolved(bench, ("a.md", "c", "gone"))) == ""
    assert left_in(unsolved(bench, ("a.md", "b.py"))) == "conflict markers are left in b.py (lines 1, 2, 3, 4, 5, …)"


def test_a_side_that_does_not_have_the_file_is_an_empty_one() -> None:
    assert sides("<<<<<<< 2a9b\nx\n=======\n>>>>>>> 5c6d: not there\n") == ("x\n", "")


def test_a_conflict_can_be_replaced_by_a_search_replace_pair() -> None:
    pair = f"<<<<<<< SEARCH\n{CONFLICT}=======\ndef add(a, b):\n    return a + b\n>>>>>>> REPLACE\n"
    model = ScriptedModel([says(f"```python path=calc.py\n{pair}```\n")])

    progress = run(model, a_bench(judge=judge), task=a_task(conflicts=("calc.py",)), reproduce=OFF, progress=CONFLICTED)

    assert progress.verdict is Verdict.SOLVED
    assert "+    return a + b" in progress.change.patch


def test_the_reports_of_a_baseline_count_as_ever() -> None:
    model = ScriptedModel([says(change("b + a"))])

    progress = run(model, a_bench(reports=[green()]), baseline=red(), reproduce=OFF, progress=going_on())

    assert progress.verdict is Verdict.SOLVED
