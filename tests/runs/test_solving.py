"""The proof of a tree, as the App, `selfcode run` and `selfcode verify` take it."""

from pathlib import Path

import pytest

from bot.records import Outcome, Progress, Proof, Spend, Verdict, dump, load
from bot.runs import solving
from bot.runs.ground import Ground
from bot.runs.solving import Baseline
from sandbox.contract import File
from tests.runs.builders import a_ground, an_iteration

SOURCE = b"def double(n):\n    return n\n\n\ndef triple(n):\n    return n\n"
TEST = b"from calc import double\n\ndef test_zero():\n    assert double(0) == 0\n"
HEAD = {
    "calc.py": SOURCE.replace(b"return n\n\n", b"return n + n\n\n").replace(b"return n\n", b"return 3 * n\n"),
    "test_double.py": b"from calc import double\n\ndef test_double():\n    assert double(2) == 4\n",
}


@pytest.fixture
def ground(tmp_path: Path) -> Ground:
    return a_ground(tmp_path, {"calc.py": SOURCE, "test_calc.py": TEST})


@pytest.fixture
def baseline(ground: Ground) -> Baseline:
    return solving.take_baseline(ground)


def tree_of(ground: Ground, files: dict[str, bytes]) -> str:
    return ground.mirror.tree_with(ground.base, {path: File(data) for path, data in files.items()})


def test_a_tree_is_proven_and_the_hunk_that_no_test_notices_is_shown(ground: Ground, baseline: Baseline) -> None:
    proof = solving.prove_tree(ground, tree_of(ground, HEAD), baseline)

    assert proof.holds
    assert proof.accepted_by == ""
    assert proof.hunks is not None
    assert [hunk.text for hunk in proof.hunks.noticed] == ["-    return n\n+    return n + n"]
    assert [hunk.text for hunk in proof.hunks.unnoticed] == ["-    return n\n+    return 3 * n"]
    assert load(Proof, dump(proof)) == proof


def test_who_accepted_what_a_change_does_to_tests_is_recorded(ground: Ground, baseline: Baseline) -> None:
    altered = TEST.replace(b"double(0) == 0", b"not double(0)")
    tree = tree_of(ground, {**HEAD, "test_calc.py": altered})

    accepted = solving.prove_tree(ground, tree, baseline, accepted_by="ada")

    assert accepted.holds
    assert accepted.accepted_by == "ada"
    assert accepted.tests_altered == ("test_calc.py: test_zero changed",)


def test_a_run_without_time_left_leaves_its_hunks_untried(ground: Ground, baseline: Baseline) -> None:
    change = ground.mirror.change(ground.base, tree_of(ground, HEAD))
    made = an_iteration(change=change)
    progress = Progress(iterations=(made,), verdict=Verdict.SOLVED, spend=Spend(seconds=600))

    proof = solving.take_proof(ground, progress, baseline, minutes=10)

    assert proof.holds
    assert proof.hunks is not None
    assert len(proof.hunks.untried) == 2
    assert solving.outcome_of(progress, proof) == (Outcome.PROVEN, "")
