"""What a proof costs, by part, over one plain run of the tests; and reading a report of 50,000 tests.

    make bench                                  # the strongest sandbox that answers
    python -m bench.proof --sandbox bubblewrap --rounds 5
    python -m bench.proof --reading             # reading alone

A plain run is the test command alone, in a workspace that is ready. Each round makes a proof whose runs go one after
the other and one whose runs go side by side, by turns the one or the other first, with a plain run before, between and
after them: so what else the machine does falls on all. Medians over the rounds, in seconds and as multiples of a plain
run; last, what side by side takes of what one after the other takes.
"""

import argparse
import os
import sys
from collections.abc import Sequence
from pathlib import Path

from bench.proof.costs import Costs, Way, costs_of
from bench.proof.reading import measure
from bench.proof.samples import MANY, SLOW, SMALL, Sample
from bot.records import TestPlan
from sandbox import Sandbox, backends
from sandbox.backends import Options
from sandbox.docker import DockerSandbox

TESTS = 50_000


def main(arguments: Sequence[str] | None = None) -> None:
    """Measure and print."""
    parser = argparse.ArgumentParser(prog="python -m bench.proof", description=__doc__.partition("\n")[0])
    parser.add_argument("--sandbox", choices=backends.names())
    parser.add_argument("--image", default=os.environ.get("SELFCODE_TEST_IMAGE", "selfcode-sandbox:test"))
    parser.add_argument("--rounds", type=int, default=3)
    parser.add_argument("--reading", action="store_true", help="reading reports alone")
    chosen = parser.parse_args(arguments)
    if not chosen.reading:
        print_proofs(chosen.sandbox, chosen.image, chosen.rounds)
    print_reading(TESTS)


def print_proofs(name: str | None, image: str, rounds: int) -> None:
    """What a proof costs, for each sample."""
    installed = tuple(Path(prefix) for prefix in (sys.prefix, sys.base_prefix))
    options = Options(owner=f"selfcode-bench-{os.getpid()}", image=image, readable=installed)
    sandbox = backends.make(name, options) if name else backends.strongest(options)
    try:
        load = ", ".join(f"{each:.1f}" for each in os.getloadavg())
        print(f"a proof, sandbox {sandbox.name}, {os.cpu_count()} cores, load {load}; seconds and plain runs")
        for sample in (SMALL, MANY, SLOW):
            print_costs(sample, sandbox, rounds, plan_in(sandbox))
    finally:
        if isinstance(sandbox, DockerSandbox):
            sandbox.close()


def plan_in(sandbox: Sandbox) -> TestPlan:
    """The image's own pytest; where there are no images, the one that this process could import."""
    python = "python3" if isinstance(sandbox, DockerSandbox) else sys.executable
    return TestPlan(f"export PYTEST_DISABLE_PLUGIN_AUTOLOAD=1; {python} -m pytest -q")


def print_costs(sample: Sample, sandbox: Sandbox, rounds: int, plan: TestPlan) -> None:
    """The table of one sample."""
    costs = costs_of(sample, sandbox, rounds, plan)
    print(f"\n{sample.name}: a plain run {costs.plain_s:.2f} s; medians of {rounds}")
    print(f"  {'':12}{'one after the other':>22}{'side by side':>22}")
    for row in costs.rows:
        share = costs.median_s(Way.SIDE_BY_SIDE, row) / costs.median_s(Way.IN_TURN, row)
        print(f"  {row:12}" + "".join(_cell(costs, way, row) for way in Way) + f"{share:7.2f}")
    for way in Way:
        check = costs.checks[way]
        tried = len(check.noticed) + len(check.unnoticed)
        print(
            f"  hunks {way}: {len(check.noticed)} noticed, {len(check.unnoticed)} not, {len(check.untried)} of "
            f"{tried + len(check.untried)} untried; {check.duration_s:.1f} s of {check.budget_s:.0f} s"
        )


def _cell(costs: Costs, way: Way, row: str) -> str:
    median_s = costs.median_s(way, row)
    return f"{median_s:14.2f}{median_s / costs.plain_s:7.1f}x"


def print_reading(tests: int) -> None:
    """What reading a large report costs."""
    print(f"\nreading what pytest leaves of {tests:,} tests (aim: 1 s, 200 MB)")
    for kind, cost in measure(tests).items():
        print(
            f"  {kind:12}{cost.cases:8,} tests{cost.size_bytes / 1e6:7.1f} MB{cost.duration_s:7.2f} s"
            f"{cost.cpu_s:7.2f} s of CPU, {cost.peak_bytes / 1e6:.0f} MB at most, {cost.before_bytes / 1e6:.0f} before"
        )


if __name__ == "__main__":
    main()
