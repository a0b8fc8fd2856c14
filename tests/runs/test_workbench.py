"""The workbench of an iteration: what of a workspace is the change."""

from datetime import UTC, datetime
from pathlib import Path

import pytest

from bot.records import TestPlan
from bot.repository import Mirror
from bot.repository.git import run_git
from bot.runs import solving
from bot.runs.ground import Ground
from bot.runs.workbench import Bench
from sandbox import Limits
from sandbox.contract import File
from sandbox.process import ProcessSandbox

TREE = {"add.py": File(b"def add(a, b):\n    return a + b\n"), "test_add.py": File(b"def test_add():\n    pass\n")}


@pytest.fixture
def ground(tmp_path: Path) -> Ground:
    """A base whose build writes `generated.py`, and whose tests write a log, neither of them in a .gitignore."""
    folder = tmp_path / "mirror.git"
    run_git(["init", "--quiet", "--bare", "--template=", "--", str(folder)])
    run_git(["hash-object", "-t", "tree", "-w", "--stdin"], repository=folder)
    mirror = Mirror(folder)
    tree = mirror.tree_with("4b825dc642cb6eb9a060e54bf8d69288fbee4904", TREE)
    base = mirror.commit(
        tree, parents=[], message="x", author_name="x", author_email="x@example.com", when=datetime.now(UTC)
    )
    plan = TestPlan("mkdir -p logs && date >logs/last.txt && python -m pytest", build="date >generated.py")
    return Ground(mirror, base, plan, ProcessSandbox(), None, Limits(), lambda: False)


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
