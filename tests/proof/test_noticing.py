from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import replace
from typing import TypeVar

import pytest

from bot.errors import Stopped
from bot.proof import check_hunks, hunk_budget_s, never
from bot.records import ChangedFile, Evidence, HunkCheck, Proof, ReportState, TestReport
from sandbox.contract import File
from tests.proof.laboratory import BASE, FIXED, SOLVED, SOURCE, Laboratory, a_report, changes

Given = TypeVar("Given")
Result = TypeVar("Result")
THREE = {"one.py": "a = 1", "three.py": "c = 1", "two.py": "b = 1"}
CHANGED = {name: text.replace("1", "2") for name, text in THREE.items()}
GREEN = a_report(passed=["t.py::a", "t.py::new"])
RED = a_report(passed=["t.py::a"], failed=["t.py::new"])
PROOF = Proof((), Evidence(red=("t.py::new",)), a_report(passed=["t.py::a"]), head=GREEN)
RUN_S = 10.0


class Runs:
    """Hands out one report after the other; each run takes a while, or all that it is given."""

    def __init__(self, *reports: TestReport, takes_s: float = RUN_S) -> None:
        self.left, self.takes_s, self.now_s = list(reports), takes_s, 100.0
        self.given_s: list[float] = []

    def clock(self) -> float:
        return self.now_s

    def run(self, replaced: Mapping[str, File | None], timeout_s: float) -> TestReport:
        self.given_s.append(timeout_s)
        self.now_s += min(self.takes_s, timeout_s)
        return self.left.pop(0)

    def check(self, proof: Proof = PROOF, *, budget_s: float = 100) -> HunkCheck | None:
        files = changes(THREE, CHANGED)
        return check_hunks(files, proof, self.run, run_s=RUN_S, budget_s=budget_s, clock=self.clock)


def judged(*reports: TestReport, proof: Proof = PROOF, budget_s: float = 100) -> dict[str, str]:
    """What became of each of the three hunks, by path."""
    found = Runs(*reports).check(proof, budget_s=budget_s)
    assert found is not None
    each = {"noticed": found.noticed, "unnoticed": found.unnoticed, "untried": found.untried}
    return {hunk.path: said for said, hunks in each.items() for hunk in hunks}


# --- Under real pytest


def test_a_hunk_that_no_test_notices_is_shown_as_such() -> None:
    triple = "\ndef triple(n):\n    return {}\n"
    base = {**BASE, "calc.py": SOURCE + triple.format("n + n")}
    head = {**SOLVED, "calc.py": FIXED + triple.format("3 * n")}

    found = Laboratory(base, head).check_hunks()

    assert found is not None
    assert [hunk.text for hunk in found.unnoticed] == ["-    return n + n\n+    return 3 * n"]
    assert [hunk.noticed_by for hunk in found.noticed] == [("tests/test_large.py::test_large",)]
    assert found.untried == ()


def test_a_hunk_without_which_nothing_can_be_imported_is_noticed() -> None:
    new = {"limits.py": "LIMIT = 50\n", "calc.py": SOURCE.replace("10", "__import__('limits').LIMIT")}

    found = Laboratory(BASE, {**SOLVED, **new}).check_hunks()

    assert found is not None
    assert sorted(hunk.path for hunk in found.noticed) == ["calc.py", "limits.py"]
    assert found.unnoticed == ()


def test_a_change_of_one_hunk_needs_no_run() -> None:
    laboratory = Laboratory(BASE, SOLVED)

    found = laboratory.check_hunks()

    assert found is not None
    assert [hunk.noticed_by for hunk in found.noticed] == [("tests/test_large.py::test_large",)]
    assert laboratory.reverted == []


def test_a_change_in_which_nothing_is_red_has_nothing_to_compare_with() -> None:
    assert Laboratory(BASE, {"calc.py": FIXED}).check_hunks() is None


# --- By reports alone


def test_what_passed_and_does_not_pass_any_more_notices_a_hunk() -> None:
    skipped = a_report(passed=["t.py::a"], skipped=["t.py::new"])

    assert judged(RED, skipped, GREEN) == {"one.py": "noticed", "three.py": "noticed", "two.py": "unnoticed"}


@pytest.mark.parametrize(
    "state",
    [ReportState.USAGE_ERROR, ReportState.NOTHING_RAN, ReportState.CRASHED, ReportState.TIMED_OUT],
)
def test_tests_that_can_not_run_without_a_hunk_notice_it(state: ReportState) -> None:
    broken = a_report(state=state, tampered="no results")

    assert judged(broken, GREEN, GREEN)["one.py"] == "noticed"


def test_a_flaky_test_notices_nothing() -> None:
    flaky = replace(PROOF, evidence=replace(PROOF.evidence, flaky=("t.py::a",)))
    without = a_report(passed=["t.py::new"], failed=["t.py::a"])

    assert judged(without, GREEN, GREEN, proof=flaky)["one.py"] == "unnoticed"


def test_results_that_can_not_be_trusted_say_nothing_of_a_hunk() -> None:
    forged = a_report(passed=["t.py::a", "t.py::new"], tampered="the added test passed")

    assert judged(forged, GREEN, GREEN)["one.py"] == "untried"


def test_what_has_no_room_in_the_budget_is_untried_and_counted() -> None:
    runs = Runs(RED, RED)

    found = runs.check(budget_s=34)

    assert found is not None
    assert [hunk.path for hunk in found.noticed] == ["one.py", "three.py"]
    assert [hunk.path for hunk in found.untried] == ["two.py"]
    assert (found.budget_s, found.duration_s) == (34, 20)


def test_hunks_are_taken_back_in_any_order_and_told_by_their_place() -> None:
    runs = Runs(RED, GREEN, RED)
    backwards: list[object] = []

    def each(
        work: Callable[[Given], Result], given: Sequence[Given], *, is_doubtful: Callable[[Result], bool] = never
    ) -> Sequence[Result]:
        backwards.extend(reversed(given))
        return [work(one) for one in reversed(given)][::-1]

    found = check_hunks(
        changes(THREE, CHANGED), PROOF, runs.run, run_s=RUN_S, budget_s=100, each=each, clock=runs.clock
    )

    assert found is not None
    assert len(backwards) == 3
    assert [hunk.path for hunk in found.noticed] == ["one.py", "two.py"]
    assert [hunk.path for hunk in found.unnoticed] == ["three.py"]


def test_a_run_that_is_cut_off_by_the_budget_is_untried_and_by_its_own_length_noticed() -> None:
    endless = a_report(state=ReportState.TIMED_OUT)
    runs = Runs(endless, endless, takes_s=1000)

    found = runs.check(budget_s=100)

    assert found is not None
    assert runs.given_s == [60, 40]
    assert [hunk.path for hunk in found.noticed] == ["one.py"]
    assert [hunk.path for hunk in found.untried] == ["three.py", "two.py"]


class Slow(list[ChangedFile]):
    """A change that takes a while to be looked through."""

    def __init__(self, files: Iterable[ChangedFile], runs: Runs) -> None:
        super().__init__(files)
        self.runs = runs

    def __iter__(self) -> Iterator[ChangedFile]:
        self.runs.now_s += 80
        return super().__iter__()


def test_the_time_that_it_takes_to_find_the_hunks_is_of_the_budget_too() -> None:
    runs = Runs(RED)
    files = Slow(changes(THREE, CHANGED), runs)

    found = check_hunks(files, PROOF, runs.run, run_s=RUN_S, budget_s=100, clock=runs.clock)

    assert found is not None
    assert (len(found.noticed), len(found.untried), found.duration_s) == (1, 2, 90)


def test_a_person_who_stops_the_run_stops_the_check() -> None:
    with pytest.raises(Stopped):
        judged(a_report(state=ReportState.STOPPED))


@pytest.mark.parametrize(
    "proof",
    [
        replace(PROOF, evidence=Evidence()),
        replace(PROOF, head=None),
        replace(PROOF, head=a_report(passed=["t.py::new"], failed=["t.py::a"])),
        replace(PROOF, head=replace(GREEN, tampered="totals differ")),
        replace(PROOF, head=a_report(state=ReportState.CRASHED)),
    ],
)
def test_without_a_red_test_and_a_green_head_there_is_nothing_to_compare_with(proof: Proof) -> None:
    assert Runs().check(proof) is None


def test_a_failure_that_the_base_had_already_is_in_nobodys_way() -> None:
    old = replace(
        PROOF,
        baseline=a_report(passed=["t.py::a"], failed=["t.py::old"]),
        head=a_report(passed=["t.py::a", "t.py::new"], failed=["t.py::old"]),
    )
    without = a_report(passed=["t.py::a", "t.py::new"], failed=["t.py::old"])

    assert set(judged(without, without, without, proof=old).values()) == {"unnoticed"}


@pytest.mark.parametrize(
    ("run_s", "left_s", "budget_s"),
    [(0.5, None, 30), (20, None, 100), (200, None, 300), (20, 50, 50), (20, 1000, 100), (20, -5, 0)],
)
def test_the_budget_grows_with_the_tests_up_to_a_limit(run_s: float, left_s: float | None, budget_s: float) -> None:
    assert hunk_budget_s(run_s, left_s) == budget_s
