import re

import pytest

from bench.proof.__main__ import plan_in, print_costs, print_reading
from bench.proof.costs import ROWS
from bench.proof.samples import Sample
from sandbox.process import ProcessSandbox


def test_the_cost_of_a_proof_is_printed_by_part_in_both_ways_and_as_multiples_of_a_plain_run(
    capsys: pytest.CaptureFixture[str],
) -> None:
    sandbox = ProcessSandbox()

    print_costs(Sample("3 tests", tests=3), sandbox, 1, plan_in(sandbox))

    head, ways, *rows, in_turn, side_by_side = capsys.readouterr().out.strip().splitlines()
    assert head.startswith("3 tests: a plain run ")
    assert ways.split("  ")[-1].strip() == "side by side"
    assert [row.strip().partition("  ")[0] for row in rows] == list(ROWS)
    assert all(re.fullmatch(r"  .+?(?: +\d+\.\d\d +\d+\.\dx){2} +\d+\.\d\d", row) for row in rows)
    found = "3 noticed, 1 not, 0 of 4 untried; "
    assert in_turn.startswith(f"  hunks one after the other: {found}")
    assert side_by_side.startswith(f"  hunks side by side: {found}")


def test_reading_a_report_is_measured_for_each_form_that_pytest_may_leave(capsys: pytest.CaptureFixture[str]) -> None:
    print_reading(1_000)

    _, recorder, written = capsys.readouterr().out.strip().splitlines()
    assert re.match(r"  recorder +1,000 tests .* MB at most", recorder)
    assert re.match(r"  JUnit XML +1,000 tests .* MB at most", written)
