"""A test that a person was asked about, and the run that goes on with it."""

from pathlib import Path

import pytest

from bot.records import Aim, Caps, Change, Iteration, Progress, Spend, Task, TestPlan, Verdict
from bot.runs import solving
from bot.runs.asked import asked_about, note_on, taken_up
from bot.runs.ground import Ground
from bot.runs.solving import Job
from sandbox.contract import File
from tests.runs.builders import a_ground, an_iteration

SOURCE = b"def add(a, b):\n    return a - b\n"
CASE = b"from unittest import TestCase\n\nfrom add import add\n\nclass TestAdd(TestCase):\n    "
TEST = CASE + b"def test_sum(self):\n        assert add(1, 2) == 3\n"
OTHER = CASE + b"def test_other(self):\n        pass\n"
FILES = {"add.py": SOURCE, "test_add.py": OTHER}
PLAN = TestPlan("python -m unittest")


@pytest.fixture
def ground(tmp_path: Path) -> Ground:
    return a_ground(tmp_path, FILES, PLAN)


def a_job(ground: Ground) -> Job:
    return Job(Task("add() subtracts", "add(1, 2) is 3"), Caps(), solving.take_baseline(ground))


def a_test(ground: Ground) -> Iteration:
    tree = ground.mirror.tree_with(ground.base, {"test_sum.py": File(TEST)})
    return an_iteration(3, aim=Aim.TEST, change=ground.mirror.change(ground.base, tree))


def test_only_a_run_that_ended_with_the_question_has_a_test_to_take_up(ground: Ground) -> None:
    asked = a_test(ground)

    assert asked_about(Progress((asked,), verdict=Verdict.ASKING)) == asked
    assert asked_about(Progress((asked,), verdict=Verdict.SOLVED)) is None
    assert asked_about(Progress((an_iteration(aim=Aim.TEST, change=Change()),), verdict=Verdict.ASKING)) is None
    assert asked_about(Progress(verdict=Verdict.ASKING)) is None


def test_the_test_is_the_first_iteration_and_its_cost_another_runs(ground: Ground) -> None:
    taken = taken_up(ground, a_job(ground), a_test(ground), asked_on=ground.base, tell=print)

    assert taken is not None
    assert [(each.number, each.aim, each.change.paths) for each in taken.iterations] == [
        (1, Aim.TEST, ("test_sum.py",))
    ]
    assert taken.spend == Spend()
    assert taken.verdict is None


def test_on_another_base_it_has_to_show_the_issue_again(ground: Ground, tmp_path: Path) -> None:
    asked = a_test(ground)
    moved = a_ground(tmp_path, FILES | {"more.py": b""}, PLAN)

    taken = taken_up(moved, a_job(moved), asked, asked_on=ground.base, tell=print)

    assert taken is not None
    assert taken.iterations[0].report is not None
    assert taken.iterations[0].report.failed == {"test_sum.py::TestAdd::test_sum"}


@pytest.mark.parametrize(
    ("changed", "says"),
    [
        ({"add.py": b"def add(a, b):\n    return a + b\n"}, "shows nothing any more"),
        ({"test_sum.py": OTHER}, "no longer fits"),
    ],
)
def test_where_it_fits_or_shows_nothing_any_more_it_is_written_anew(
    ground: Ground, tmp_path: Path, changed: dict[str, bytes], says: str
) -> None:
    asked = a_test(ground)
    moved = a_ground(tmp_path, FILES | changed, PLAN)
    told: list[str] = []

    assert taken_up(moved, a_job(moved), asked, asked_on=ground.base, tell=told.append) is None
    assert says in told[-1]


def test_a_test_that_was_not_accepted_is_shown_to_whoever_writes_another(ground: Ground) -> None:
    assert "+        assert add(1, 2) == 3" in note_on(a_test(ground))
