"""What a proof costs, by part, over one plain run of the tests; and reading a report of 50,000 tests.

    make bench                                  # the strongest sandbox that answers
    python -m bench.proof --sandbox bubblewrap --rounds 5

A plain run is the test command alone, in a workspace that is ready. Each round makes one before and one after the
proof, so that what else the machine does falls on both. Medians over the rounds, in seconds and as multiples of a plain
run.
"""

import argparse
import os
import statistics
import sys
import time
from collections.abc import Callable, Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import TypeVar

from bench.proof.reading import measure
from bench.proof.samples import MANY, SLOW, SMALL, Sample, ground_of
from bot.proof import A, Arrangement, B, C, Plant, Side, check_hunks, hunk_budget_s, overlay, prove
from bot.records import ChangedFile, HunkCheck, Proof, TestPlan, TestReport
from bot.runs.ground import Ground
from bot.runs.solving import take_baseline
from sandbox import Sandbox, backends
from sandbox.backends import Options
from sandbox.contract import File
from sandbox.docker import DockerSandbox

TESTS = 50_000
PLAIN, BASELINE, RERUNS, HUNKS, ALL, TOGETHER = "plain run", "baseline", "reruns", "hunks", "all", "A, B, C at once"
ROWS = (BASELINE, "A", "B", "C", RERUNS, HUNKS, ALL, TOGETHER)
NAMES = {A: "A", B: "B", C: "C"}
Figures = dict[str, list[float]]
T = TypeVar("T")


def main(arguments: Sequence[str] | None = None) -> None:
    """Measure and print."""
    parser = argparse.ArgumentParser(prog="python -m bench.proof", description=__doc__.partition("\n")[0])
    parser.add_argument("--sandbox", choices=backends.names())
    parser.add_argument("--image", default=os.environ.get("SELFCODE_TEST_IMAGE", "selfcode-sandbox:test"))
    parser.add_argument("--rounds", type=int, default=3)
    chosen = parser.parse_args(arguments)
    installed = tuple(Path(prefix) for prefix in (sys.prefix, sys.base_prefix))
    options = Options(owner=f"selfcode-bench-{os.getpid()}", image=chosen.image, readable=installed)
    sandbox = backends.make(chosen.sandbox, options) if chosen.sandbox else backends.strongest(options)
    try:
        print(f"a proof, sandbox {sandbox.name}, {os.cpu_count()} cores, medians, seconds and plain runs")
        for sample, rounds in ((SMALL, chosen.rounds), (MANY, 1), (SLOW, 1)):
            print_costs(sample, sandbox, rounds, plan_in(sandbox))
    finally:
        if isinstance(sandbox, DockerSandbox):
            sandbox.close()
    print_reading(TESTS)


def plan_in(sandbox: Sandbox) -> TestPlan:
    """The image's own pytest; where there are no images, the one that this process could import."""
    python = "python3" if isinstance(sandbox, DockerSandbox) else sys.executable
    return TestPlan(f"export PYTEST_DISABLE_PLUGIN_AUTOLOAD=1; {python} -m pytest -q")


def print_costs(sample: Sample, sandbox: Sandbox, rounds: int, plan: TestPlan) -> None:
    """The table of one sample."""
    figures: Figures = {}
    checks: list[HunkCheck] = []
    for _ in range(rounds):
        with ground_of(sample, sandbox, plan) as (ground, head):
            checks.append(one_proof(ground, head, figures))
    plain = statistics.median(figures[PLAIN])
    print(f"\n{sample.name}: a plain run {plain:.2f} s")
    for row in ROWS:
        median = statistics.median(figures[row])
        print(f"  {row:16}{median:9.2f}{median / plain:9.1f}x")
    last = checks[-1]
    tried = len(last.noticed) + len(last.unnoticed)
    print(
        f"  hunks: {len(last.noticed)} noticed, {len(last.unnoticed)} not, {len(last.untried)} of "
        f"{tried + len(last.untried)} untried; {last.duration_s:.1f} s of {last.budget_s:.0f} s"
    )


def one_proof(ground: Ground, head: str, figures: Figures) -> HunkCheck:
    """One whole proof as a run makes it, with a plain run before and after it."""
    parts: Figures = {RERUNS: [0.0]}
    files = ground.mirror.changed_files(ground.base, head)
    plain_run(ground, head, figures)
    began = time.perf_counter()
    baseline = _timed(parts, BASELINE, lambda: take_baseline(ground))

    def run(arrangement: Arrangement) -> TestReport:
        name = NAMES.get(arrangement, RERUNS)
        part = RERUNS if name in parts else name
        return _timed(parts, part, lambda: _arranged(ground, head, files, arrangement, baseline.plant))

    planted_file = baseline.plant is not None and not baseline.plant.injected
    proof = prove(files, baseline.report, run, planted_file=planted_file)
    check = _timed(parts, HUNKS, lambda: _hunks(ground, head, files, proof, baseline.plant, run_s=parts["B"][0]))
    parts[ALL] = [time.perf_counter() - began]
    plain_run(ground, head, figures)
    _timed(parts, TOGETHER, lambda: _at_once(ground, head, files, baseline.plant))
    for name, each in parts.items():
        figures.setdefault(name, []).append(sum(each))
    return check


def plain_run(ground: Ground, head: str, figures: Figures) -> None:
    """The test command alone."""
    with ground.workspace(head) as workspace:
        _timed(figures, PLAIN, lambda: workspace.run(ground.plan.test))


def print_reading(tests: int) -> None:
    """What reading a large report costs."""
    print(f"\nreading what pytest leaves of {tests:,} tests (aim: 1 s, 200 MB)")
    for kind, cost in measure(tests).items():
        print(
            f"  {kind:12}{cost.cases:8,} tests{cost.size_bytes / 1e6:7.1f} MB{cost.duration_s:7.2f} s"
            f"{cost.cpu_s:7.2f} s of CPU, {cost.peak_bytes / 1e6:.0f} MB at most, {cost.before_bytes / 1e6:.0f} before"
        )


def _arranged(
    ground: Ground, head: str, files: Sequence[ChangedFile], arrangement: Arrangement, plant: Plant | None
) -> TestReport:
    side, replaced = overlay(files, arrangement)
    planted = plant if arrangement.planted else None
    return ground.test(ground.base if side is Side.BASE else head, replaced, plant=planted)


def _hunks(
    ground: Ground, head: str, files: Sequence[ChangedFile], proof: Proof, plant: Plant | None, *, run_s: float
) -> HunkCheck:
    def run_without(replaced: Mapping[str, File | None], timeout_s: float) -> TestReport:
        return ground.test(head, replaced, plant=plant, timeout_s=timeout_s)

    found = check_hunks(files, proof, run_without, run_s=run_s, budget_s=hunk_budget_s(run_s))
    if found is None:
        raise SystemExit(f"the sample could not be proven: {' '.join(proof.missing)}")
    return found


def _at_once(ground: Ground, head: str, files: Sequence[ChangedFile], plant: Plant | None) -> None:
    """A, B and C side by side, to see what it would gain here."""
    with ThreadPoolExecutor(max_workers=3) as pool:
        list(pool.map(lambda arrangement: _arranged(ground, head, files, arrangement, plant), (A, B, C)))


def _timed(figures: Figures, row: str, work: Callable[[], T]) -> T:
    began = time.perf_counter()
    result = work()
    figures.setdefault(row, []).append(time.perf_counter() - began)
    return result


if __name__ == "__main__":
    main()
