"""What the parts of a proof take, its runs one after the other and side by side."""

import statistics
import time
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from enum import StrEnum
from typing import TypeVar

from bench.proof.samples import Sample, ground_of
from bot.proof import A, Arrangement, B, C, Each, Side, check_hunks, hunk_budget_s, in_turn, never, overlay, prove
from bot.records import ChangedFile, HunkCheck, TestPlan, TestReport
from bot.runs.ground import Ground
from bot.runs.lanes import Lanes, Places, far_from_limit, places_of
from bot.runs.solving import Baseline, take_baseline
from sandbox import Sandbox
from sandbox.contract import File

BASELINE, FIRST, RERUNS, HUNKS, ALL = "baseline", "A, B, C", "reruns", "hunks", "all"
ROWS = (BASELINE, "A", "B", "C", FIRST, RERUNS, HUNKS, ALL)
NAMES = {A: "A", B: "B", C: "C"}
Given = TypeVar("Given")
Result = TypeVar("Result")


class Way(StrEnum):
    """How the runs of a proof go."""

    IN_TURN = "one after the other"
    SIDE_BY_SIDE = "side by side"


@dataclass
class Costs:
    """What was measured, a figure for each round. A, B and C are each as long as it took; `FIRST` is all three."""

    plain: list[float] = field(default_factory=list)
    parts: dict[Way, dict[str, list[float]]] = field(default_factory=lambda: {way: {} for way in Way})
    checks: dict[Way, HunkCheck] = field(default_factory=dict)

    rows = ROWS

    @property
    def plain_s(self) -> float:
        """The median of all plain runs."""
        return statistics.median(self.plain)

    def median_s(self, way: Way, row: str) -> float:
        """The median of one part."""
        return statistics.median(self.parts[way][row])


def costs_of(sample: Sample, sandbox: Sandbox, rounds: int, plan: TestPlan) -> Costs:
    """Prove the sample's change in both ways, so many times."""
    costs = Costs()
    for number in range(rounds):
        with ground_of(sample, sandbox, plan) as (ground, head):
            for way in list(Way)[:: -1 if number % 2 else 1]:
                plain_run(ground, head, costs.plain)
                parts, check = one_proof(ground, head, way)
                costs.checks[way] = check
                for row, took_s in parts.items():
                    costs.parts[way].setdefault(row, []).append(took_s)
            plain_run(ground, head, costs.plain)
    return costs


def plain_run(ground: Ground, head: str, plain: list[float]) -> None:
    """The test command alone."""
    with ground.workspace(head) as workspace:
        began = time.perf_counter()
        workspace.run(ground.plan.test)
        plain.append(time.perf_counter() - began)


def one_proof(ground: Ground, head: str, way: Way) -> tuple[Mapping[str, float], HunkCheck]:
    """One whole proof as a run makes it: what each part took, in seconds."""
    clock = _Clock(dict.fromkeys(ROWS, 0.0))
    baseline = clock.timed(BASELINE, lambda: take_baseline(ground))
    laboratory = _Laboratory(ground, head, baseline)
    each = laboratory.each(way)

    def timed_each(
        work: Callable[[Given], Result], given: Sequence[Given], *, is_doubtful: Callable[[Result], bool] = never
    ) -> Sequence[Result]:
        part = FIRST if len(given) > 1 else RERUNS
        return clock.timed(part, lambda: each(work, given, is_doubtful=is_doubtful))

    planted_file = baseline.plant is not None and not baseline.plant.injected
    proof = prove(laboratory.files, baseline.report, laboratory.run, planted_file=planted_file, each=timed_each)
    run_s = laboratory.took_s[B]
    check = clock.timed(
        HUNKS,
        lambda: check_hunks(
            laboratory.files,
            proof,
            laboratory.run_without,
            run_s=run_s,
            budget_s=hunk_budget_s(run_s),
            each=each,
        ),
    )
    if check is None:
        raise SystemExit(f"the sample could not be proven: {' '.join(proof.missing)}")
    for arrangement, name in NAMES.items():
        clock.took_s[name] = laboratory.first_s[arrangement]
    clock.took_s[ALL] = sum(clock.took_s[part] for part in (BASELINE, FIRST, RERUNS, HUNKS))
    return clock.took_s, check


@dataclass
class _Clock:
    took_s: dict[str, float]

    def timed(self, part: str, work: Callable[[], Result]) -> Result:
        began = time.perf_counter()
        result = work()
        self.took_s[part] += time.perf_counter() - began
        return result


class _Laboratory:
    """Runs the tests as a proof wants them; `first_s` and `took_s` are what an arrangement took first and last."""

    def __init__(self, ground: Ground, head: str, baseline: Baseline) -> None:
        self.files: Sequence[ChangedFile] = ground.mirror.changed_files(ground.base, head)
        self.first_s: dict[Arrangement, float] = {}
        self.took_s: dict[Arrangement, float] = {}
        self._head = head
        self._plant = baseline.plant
        most = far_from_limit(ground.limits.wall_s, baseline.report.duration_s)
        self._lanes = Lanes(places_of(ground.sandbox, ground.limits), most, ground.stop)
        self._ground = replace(ground, stop=self._lanes.is_ending, places=Places())

    def each(self, way: Way) -> Each:
        match way:
            case Way.IN_TURN:
                return in_turn
            case Way.SIDE_BY_SIDE:
                return self._lanes.each

    def run(self, arrangement: Arrangement) -> TestReport:
        side, replaced = overlay(self.files, arrangement)
        planted = self._plant if arrangement.planted else None
        began = time.perf_counter()
        report = self._ground.test(self._ground.base if side is Side.BASE else self._head, replaced, plant=planted)
        self.took_s[arrangement] = time.perf_counter() - began
        self.first_s.setdefault(arrangement, self.took_s[arrangement])
        return report

    def run_without(self, replaced: Mapping[str, File | None], timeout_s: float) -> TestReport:
        return self._ground.test(self._head, replaced, plant=self._plant, timeout_s=timeout_s)
