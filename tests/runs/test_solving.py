"""The proof of a tree, as the App, `selfcode run` and `selfcode verify` take it."""

import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field, replace
from pathlib import Path

import pytest

from bot.errors import Stopped
from bot.records import HunkCheck, Outcome, Progress, Proof, Spend, TestPlan, Verdict, dump, load
from bot.runs import solving
from bot.runs.ground import Ground
from bot.runs.lanes import Places
from bot.runs.solving import Baseline
from sandbox import Limits, Sandbox, Workspace
from sandbox.contract import File
from tests.runs.builders import a_ground, an_iteration

SOURCE = b"def double(n):\n    return n\n\n\ndef triple(n):\n    return n\n"
CASE = b"from unittest import TestCase\n\nfrom calc import double\n\nclass TestDouble(TestCase):\n    "
TEST = CASE + b"def test_zero(self):\n        assert double(0) == 0\n"
HEAD = {
    "calc.py": SOURCE.replace(b"return n\n\n", b"return n + n\n\n").replace(b"return n\n", b"return 3 * n\n"),
    "test_double.py": CASE + b"def test_double(self):\n        assert double(2) == 4\n",
}


@pytest.fixture
def ground(tmp_path: Path) -> Ground:
    return a_ground(tmp_path, {"calc.py": SOURCE, "test_calc.py": TEST}, TestPlan("python3 -m unittest"))


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
    assert accepted.tests_altered == ("test_calc.py: TestDouble.test_zero changed",)


def test_a_run_without_time_left_leaves_its_hunks_untried(ground: Ground, baseline: Baseline) -> None:
    change = ground.mirror.change(ground.base, tree_of(ground, HEAD))
    made = an_iteration(change=change)
    progress = Progress(iterations=(made,), verdict=Verdict.SOLVED, spend=Spend(seconds=600))

    proof = solving.take_proof(ground, progress, baseline, minutes=10)

    assert proof.holds
    assert proof.hunks is not None
    assert len(proof.hunks.untried) == 2
    assert solving.outcome_of(progress, proof) == (Outcome.PROVEN, "")


# --- Side by side, in real sandboxes


ISOLATED = ["bubblewrap_sandbox", "docker_sandbox"]
PATIENCE_S = 120.0


@dataclass
class Meeting:
    """A real sandbox whose first three workspaces wait for each other: they are open at once, or the test fails."""

    inner: Sandbox
    met: Callable[[], None] = lambda: None
    opened: list[int] = field(default_factory=list)

    def __post_init__(self) -> None:
        self._lock = threading.Lock()
        self._barrier = threading.Barrier(3, self.met)
        self.name, self.isolated, self.unheld = self.inner.name, self.inner.isolated, self.inner.unheld
        self.check, self.capacity, self.remove_leftovers = (
            self.inner.check,
            self.inner.capacity,
            self.inner.remove_leftovers,
        )

    @contextmanager
    def open(self, *, image: str | None = None, limits: Limits | None = None) -> Iterator[Workspace]:
        with self.inner.open(image=image, limits=limits) as workspace:
            with self._lock:
                self.opened.append(threading.get_ident())
                is_first = len(self.opened) <= 3
            if is_first:
                self._barrier.wait(PATIENCE_S)
            yield workspace


def meeting(ground: Ground, sandbox: Sandbox, *, met: Callable[[], None] = lambda: None) -> Ground:
    return replace(ground, sandbox=Meeting(sandbox, met), places=Places(lambda: 3))


@pytest.fixture(params=ISOLATED)
def sandbox(request: pytest.FixtureRequest) -> Sandbox:
    found: Sandbox = request.getfixturevalue(request.param)
    return found


def in_sandbox(ground: Ground, sandbox: Sandbox, test: str = "-m unittest") -> Ground:
    return replace(ground, plan=TestPlan(f"python3 {test}"), sandbox=sandbox)


def told(proof: Proof) -> tuple[object, ...]:
    """All that a proof says, but for what takes another time, or has another name, each time."""
    checked = proof.hunks or HunkCheck()
    hunks = (checked.noticed, checked.unnoticed, checked.untried)
    reports = (proof.baseline, proof.head_tests_on_base, proof.head, proof.base_tests_on_head)
    seen = [report and (report.state, report.cases, report.exit_code, report.planted_failed) for report in reports]
    return (proof.missing, proof.evidence, hunks, seen, proof.tests_changed, proof.second_looks)


def test_runs_side_by_side_come_to_the_same_proof_as_one_after_the_other(ground: Ground, sandbox: Sandbox) -> None:
    ground = in_sandbox(ground, sandbox)
    baseline = solving.take_baseline(ground)
    together = meeting(ground, sandbox)

    side_by_side = solving.prove_tree(together, tree_of(ground, HEAD), baseline)
    in_turn = solving.prove_tree(ground, tree_of(ground, HEAD), baseline)

    assert side_by_side.holds
    assert told(side_by_side) == told(in_turn)


class AskedByThree:
    """A stop that a person asks for once three runs are under way, each of which looks for it."""

    def __init__(self) -> None:
        self.asking: set[int] = set()

    def __call__(self) -> bool:
        self.asking.add(threading.get_ident())
        return len(self.asking) >= 3


def test_a_stop_ends_all_runs_and_leaves_nothing_behind(ground: Ground, sandbox: Sandbox) -> None:
    ground = in_sandbox(ground, sandbox)
    baseline = solving.take_baseline(ground)
    endless = {**HEAD, "test_calc.py": TEST.replace(b"assert double(0) == 0", b"__import__('time').sleep(600)")}
    asked = AskedByThree()

    with pytest.raises(Stopped):
        solving.prove_tree(replace(meeting(ground, sandbox), stop=asked), tree_of(ground, endless), baseline)

    assert len(asked.asking) == 3
    assert [thread for thread in threading.enumerate() if thread.name == "selfcode-lane"] == []
