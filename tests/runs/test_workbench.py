"""The workbench of an iteration: what of a workspace is the change."""

from pathlib import Path

import pytest

from bot.records import TestPlan, Unreproduced
from bot.runs import solving
from bot.runs.ground import Ground
from bot.runs.workbench import Bench
from sandbox.contract import File
from tests.runs.builders import a_ground

CASE = b"from unittest import TestCase\n\nfrom add import add\n\nclass TestAdd(TestCase):\n    "
TREE = {"add.py": b"def add(a, b):\n    return a + b\n", "test_add.py": CASE + b"def test_add(self):\n        pass\n"}
NEW_TEST = CASE + b"def test_sum(self):\n        assert add(1, 2) == 4\n"


@pytest.fixture
def ground(tmp_path: Path) -> Ground:
    """A base whose build writes `generated.py`, and whose tests write a log, neither of them in a .gitignore."""
    plan = TestPlan("mkdir -p logs && date >logs/last.txt && python -m unittest", build="date >generated.py")
    return a_ground(tmp_path, TREE, plan)


def test_what_build_and_tests_write_by_themselves_is_no_part_of_a_change(ground: Ground) -> None:
    baseline = solving.take_baseline(ground)

    assert set(baseline.byproducts) == {"generated.py", "logs/last.txt"}
    with ground.workspace(ground.base) as workspace:
        bench = Bench(ground, workspace, byproducts=set(baseline.byproducts))
        bench.write("add.py", b"def add(a, b):\n    return b + a\n")
        bench.test()
        assert bench.change().paths == ("add.py",)


def test_a_byproduct_that_was_written_on_purpose_is_a_part_of_the_change(ground: Ground) -> None:
    baseline = solving.take_baseline(ground)

    with ground.workspace(ground.base) as workspace:
        bench = Bench(ground, workspace, byproducts=set(baseline.byproducts))
        bench.write("generated.py", b"x = 1\n")
        assert bench.change().paths == ("generated.py",)


def test_a_fork_has_the_tree_as_the_bench_was_opened_with_it(ground: Ground) -> None:
    baseline = solving.take_baseline(ground)
    changed = ground.mirror.tree_with(ground.base, {"add.py": File(b"def add(a, b):\n    return 3\n")})

    with ground.workspace(changed) as workspace:
        bench = Bench(ground, workspace, tree=changed, byproducts=frozenset(baseline.byproducts))
        bench.write("add.py", b"broken")
        bench.write("generated.py", b"x = 1\n")
        with bench.fork() as other:
            other.test()
            assert other.read("add.py") == b"def add(a, b):\n    return 3\n"
            assert other.change().paths == ("add.py",)
            other.write("more.py", b"")
        assert bench.read("add.py") == b"broken"
        assert bench.read("more.py") is None
        assert bench.change().paths == ("add.py", "generated.py")


def test_a_fork_of_a_fork_is_the_same_again(ground: Ground) -> None:
    with ground.workspace(ground.base) as workspace, Bench(ground, workspace).fork() as one, one.fork() as two:
        one.write("add.py", b"one")
        assert two.read("add.py") == TREE["add.py"]


def unreproduced(ground: Ground, files: dict[str, bytes], issue: str = "add(1, 2) is 3") -> Unreproduced | None:
    """What the bench says of these files, as a test that is to show the issue."""
    baseline = solving.take_baseline(ground)
    with ground.workspace(ground.base) as workspace:
        bench = Bench(
            ground, workspace, byproducts=frozenset(baseline.byproducts), baseline=baseline.report, issue=issue
        )
        for path, data in files.items():
            bench.write(path, data)
        return bench.unreproduced(bench.change(), bench.test())


def test_a_test_that_fails_on_the_base_shows_the_issue(ground: Ground) -> None:
    assert unreproduced(ground, {"test_sum.py": NEW_TEST}) is None


def test_a_test_that_passes_on_the_base_shows_nothing(ground: Ground) -> None:
    found = unreproduced(ground, {"test_sum.py": NEW_TEST.replace(b"4", b"3")})

    assert found is not None
    assert found.passes


def test_a_module_that_is_a_function_of_the_program_is_told_so(ground: Ground) -> None:
    found = unreproduced(ground, {"test_sum.py": NEW_TEST.replace(b"from add ", b"from add.add ")})

    assert found is not None
    assert "the program defines `add` elsewhere" in found.why


def test_a_change_that_is_to_come_without_a_test_is_not_asked_for_one(ground: Ground) -> None:
    with ground.workspace(ground.base) as workspace:
        asked, free = Bench(ground, workspace), Bench(ground, workspace, wants_test=False)
        asked.write("add.py", b"def add(a, b):\n    return b + a\n")
        change, report = asked.change(), asked.test()

        assert "No test was added" in asked.objection(change, report)
        assert free.objection(change, report) == ""


def test_many_files_are_read_at_once_but_neither_links_nor_large_ones(ground: Ground) -> None:
    with ground.workspace(ground.base) as workspace:
        bench = Bench(ground, workspace)
        bench.write("large.txt", b"x" * (1024 * 1024 + 1))
        bench.run("ln -s add.py link.py")

        found = bench.read_many(["add.py", "test_add.py", "large.txt", "link.py", "gone.py"])

    assert found == TREE
