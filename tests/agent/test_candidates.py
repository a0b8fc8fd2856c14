"""Several candidates for an iteration: the tests choose."""

import threading
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field

import pytest

from bot.agent.drawing import temperatures
from bot.agent.llm import Message, Reply
from bot.errors import Stopped, Unavailable
from bot.records import Caps, StopCheck, TestReport, Verdict
from tests.agent.fakes import ScriptedModel, green, red, says
from tests.agent.runs import a_bench, change, judge, run


def by_body(files: Mapping[str, bytes]) -> TestReport:
    """Two tests fail on the base; multiplying mends one of them and breaks one, the wrong way round breaks two."""
    code = files["calc.py"].decode()
    broken = {"a + b": "", "a * b": "one three", "b - a": "one two three four"}
    names = next((names for body, names in broken.items() if body in code), "one two").split()
    if not names:
        return green(*EVERY)
    report = red(*(f"t::{name}" for name in names))
    passed = [case for case in green(*EVERY).cases if case.id not in report.failed]
    return TestReport(report.command, report.state, (*report.cases, *passed), 1, "failed")


EVERY = ("t::one", "t::two", "t::three", "t::four")
BASELINE = by_body({"calc.py": b"a - b"})


def test_the_first_that_is_green_ends_the_drawing() -> None:
    model, bench = (
        ScriptedModel([says(change("a * b")), says(change("a + b")), says(change("b - a"))]),
        a_bench(judge=judge),
    )

    progress = run(model, bench, candidates=4)

    assert progress.verdict is Verdict.SOLVED
    assert len(model.asked) == 2
    (one,) = progress.iterations
    assert "a + b" in one.change.patch
    assert [("a * b" in other.change.patch, other.why) for other in one.others] == [
        (True, "not the best: no test mended, 1 failing by the change")
    ]
    assert (progress.spend.calls, progress.spend.tokens) == (2, 240)


def test_each_candidate_is_asked_the_same_more_warmly_and_every_second_to_say_first_what_is_wrong() -> None:
    model = ScriptedModel([says(change(f"a * {number}")) for number in range(4)])

    run(model, a_bench(judge=judge), candidates=4, caps=Caps(iterations=1))

    first, *others = model.asked
    assert [asked.temperature for asked in model.asked] == [0.2, 0.467, 0.733, 1.0]
    assert all(asked.messages[:-1] == first.messages[:-1] for asked in others)
    assert [asked.last.removeprefix(first.last) != "" for asked in model.asked] == [False, True, False, True]
    assert "say in one sentence" in others[0].last


def test_each_candidate_begins_from_the_tree_as_it_was() -> None:
    model = ScriptedModel([says("```python path=new.py\nx = 1\n```\n" + change("a * b")), says(change("a * 2"))])

    progress = run(model, a_bench(judge=judge), candidates=2, caps=Caps(iterations=1))

    changes = [progress.iterations[0].change, *(other.change for other in progress.iterations[0].others)]
    assert sorted(one.paths for one in changes) == [("calc.py",), ("calc.py", "new.py")]


def test_the_one_that_mends_most_and_breaks_least_goes_on() -> None:
    model = ScriptedModel([says(change("b - a")), says(change("a * b")), says(change("b - a - 0"))])

    progress = run(model, a_bench(judge=by_body), candidates=3, baseline=BASELINE, caps=Caps(iterations=1))

    assert "a * b" in progress.change.patch
    assert progress.iterations[0].report is not None
    assert {other.why for other in progress.iterations[0].others} == {
        "not the best: 0 of 2 failing tests mended, 2 failing by the change",
    }


def test_of_two_that_come_as_far_the_smaller_change_goes_on() -> None:
    model = ScriptedModel([says(change("a * b") + "```python path=more.py\nx = 1\n```\n"), says(change("b * a"))])

    progress = run(model, a_bench(judge=judge), candidates=2, caps=Caps(iterations=1))

    assert progress.change.paths == ("calc.py",)
    assert "by a larger change" in progress.iterations[0].others[0].why


def test_a_change_that_was_tried_before_is_dropped_before_it_is_tested() -> None:
    again = says(change("a * b  # now it is right"))
    model = ScriptedModel([says(change("a * b")), again, says(change("a * 2"))])
    bench = a_bench(judge=judge)

    progress = run(model, bench, candidates=3, caps=Caps(iterations=1))

    assert bench.tests_run == 2
    whys = [other.why for other in progress.iterations[0].others]
    assert "the same change as candidate 1, so it was not tested again" in whys


def test_a_candidate_of_an_earlier_iteration_counts_as_tried() -> None:
    lines = [says(change(body)) for body in ("a * 1", "a * 2", "a * 2", "a * 3")]
    bench = a_bench(judge=judge)

    progress = run(ScriptedModel(lines), bench, candidates=2, caps=Caps(iterations=2))

    assert bench.tests_run == 3
    assert "a * 3" in progress.change.patch
    assert "a candidate in iteration 1" in progress.iterations[1].others[0].why


def test_where_all_are_repeats_the_iteration_is_one_too_and_the_next_is_made_different() -> None:
    model = ScriptedModel([says(change("a * b"))])

    progress = run(model, a_bench(judge=judge), candidates=2, times=2)

    assert progress.iterations[1].report is None
    assert "same change as in iteration 1" in progress.iterations[1].why_next


def test_a_limit_that_is_reached_between_candidates_ends_the_drawing_and_not_the_judging() -> None:
    model = ScriptedModel([says(change("a * 1")), says(change("a * 2")), says(change("a * 3"))])

    progress = run(model, a_bench(judge=judge), candidates=9, caps=Caps(tokens=200))

    assert len(model.asked) == 2
    assert len(progress.iterations) == 1
    assert progress.verdict is Verdict.LIMIT
    assert "the limit of 200 tokens is reached (240 used" in progress.why
    assert progress.iterations[0].report is not None


def test_a_candidate_that_gives_up_does_not_end_the_run_where_another_has_a_change() -> None:
    useless = [says("Certainly!")] * 3
    model = ScriptedModel([*useless, says(change("a + b"))])

    progress = run(model, a_bench(judge=judge), candidates=2)

    assert progress.verdict is Verdict.SOLVED
    assert "no usable reply 3 times" in progress.iterations[0].others[0].why


def test_one_that_finds_nothing_to_do_is_passed_over_for_one_that_changes_something() -> None:
    idle = says("```finish\nIt works.\n```\n")
    model = ScriptedModel([idle, idle, says(change("a * b"))])

    progress = run(model, a_bench(judge=judge), candidates=2, times=1)

    assert progress.verdict is None
    assert "a * b" in progress.change.patch


def test_a_green_one_that_lacks_something_goes_on_before_a_red_one_and_others_are_drawn() -> None:
    model = ScriptedModel([says(change("a + b")), says(change("a * b"))])

    progress = run(model, a_bench(judge=judge, objections=["no test was added"]), candidates=2, times=1)

    assert "a + b" in progress.change.patch
    assert progress.iterations[0].why_next == "the tests pass, but: no test was added"
    assert len(model.asked) == 2


def test_a_service_that_fails_after_the_first_candidate_ends_the_drawing_alone() -> None:
    answers = [says(change("a * b"))]

    def fail() -> None:
        if not answers:
            raise Unavailable("busy")
        answers.pop()

    progress = run(ScriptedModel([says(change("a * b"))], before=fail), a_bench(judge=judge), candidates=3, times=1)

    assert "a * b" in progress.change.patch


def test_a_stop_between_candidates_keeps_what_was_paid_and_the_best_so_far() -> None:
    model = ScriptedModel([says(change("a * b")), says("```read\ncalc.py\n```\n")])

    progress = run(model, a_bench(judge=judge), candidates=3, stop=lambda: len(model.asked) == 2)

    assert progress.verdict is Verdict.STOPPED
    assert "a * b" in progress.change.patch
    assert progress.spend.calls == 2
    assert len(progress.iterations[0].others) == 1


@pytest.mark.parametrize("count", [1, 2, 3, 8])
@pytest.mark.parametrize("low", [0.2, 0.6, 0.9])
def test_no_two_candidates_have_the_same_temperature(low: float, count: int) -> None:
    found = temperatures(low, count)

    assert len(set(found)) == count
    assert (found[0], max(found) <= 1.0) == (low, True)


# --- Several at once


@dataclass
class Meeting:
    """A model whose first calls wait for one another: alone, none would be answered."""

    party: int
    lines: Sequence[Reply]
    name: str = "meeting"
    window_tokens: int | None = None
    threads: set[str] = field(default_factory=set)
    stops: list[StopCheck] = field(default_factory=list)
    asked: int = 0

    def __post_init__(self) -> None:
        self.barrier = threading.Barrier(self.party)
        self.lock = threading.Lock()

    def complete(self, messages: Sequence[Message], *, stop: StopCheck, **_: object) -> Reply:
        with self.lock:
            at, self.asked = self.asked, self.asked + 1
            self.threads.add(threading.current_thread().name)
            self.stops.append(stop)
        if at < self.party:
            self.barrier.wait(30)
        return self.lines[min(at, len(self.lines) - 1)]


def test_the_first_replies_are_drawn_at_the_same_time_and_all_are_paid_for() -> None:
    model = Meeting(3, [says(change("a + b"))] * 3)

    progress = run(model, a_bench(judge=judge), candidates=3, at_once=3)

    assert progress.verdict is Verdict.SOLVED
    assert progress.spend.calls == 3
    assert [other.why for other in progress.iterations[0].others] == ["not needed: a candidate before it was good"] * 2
    assert len(model.threads) == 3


def test_a_stop_is_asked_for_on_the_callers_thread_alone() -> None:
    asked_on: set[str] = set()

    def stop() -> bool:
        asked_on.add(threading.current_thread().name)
        return False

    model = Meeting(2, [says(change("a * 1")), says(change("a * 2"))])

    run(model, a_bench(judge=judge), candidates=2, at_once=2, caps=Caps(iterations=1), stop=stop)

    assert asked_on == {threading.current_thread().name}
    assert stop not in model.stops


def test_a_stop_while_several_are_drawn_ends_all_of_them() -> None:
    model = Patient()

    progress = run(model, a_bench(), candidates=2, at_once=2, stop=lambda: model.waiting == 2)

    assert progress.verdict is Verdict.STOPPED


@dataclass
class Patient:
    """A model that answers nothing until it is stopped."""

    name: str = "patient"
    window_tokens: int | None = None
    waiting: int = 0

    def complete(self, messages: Sequence[Message], *, stop: StopCheck, **_: object) -> Reply:
        self.waiting += 1
        pause = threading.Event()
        while not stop():
            pause.wait(0.01)
        raise Stopped


def test_a_stop_during_the_tests_keeps_what_was_drawn_ahead_too() -> None:
    def stop() -> None:
        raise Stopped

    model = ScriptedModel([says(change("a * 1")), says(change("a * 2")), says(change("a * 3"))])

    progress = run(model, a_bench(on_test=stop), candidates=3, at_once=3)

    (iteration,) = progress.iterations
    assert progress.verdict is Verdict.STOPPED
    assert (len(iteration.calls), len(iteration.others), progress.spend.calls) == (1, 2, 3)
    assert progress.spend.tokens == 360
