"""Every state of a proof, as the table at a glance shows it."""

from dataclasses import replace
from typing import Any

import pytest

from bot.records import Evidence, Outcome, Proof, ReportState, TestReport
from bot.writing.evidence import at_a_glance, names
from bot.writing.outcomes import headline
from tests.writing.builders import RED, a_proof, a_report, a_result, hunks
from tests.writing.rendering import table_rows

RED_ROW, BROKE_ROW = "Fail without the change, pass with it", "Passed before, pass still"
UNJUDGED = [state for state in ReportState if state not in (ReportState.PASSED, ReportState.FAILED)]


def row(proof: Proof, name: str) -> tuple[str, str]:
    (found,) = [(mark, said) for mark, check, said in table_rows(at_a_glance(proof)) if check == name]
    return found


def no_tests(state: ReportState, **changed: Any) -> TestReport:
    return a_report(passed=0, state=state, exit_code=5, **changed)


@pytest.mark.parametrize("state", UNJUDGED)
def test_a_run_with_the_change_that_can_not_be_judged_is_never_shown_as_passed(state: ReportState) -> None:
    proof = a_proof(missing=("x",), red=(), head=no_tests(state), base_tests_on_head=no_tests(state))

    assert row(proof, RED_ROW) == ("❌", f"not known: with the change {state}")
    assert row(proof, BROKE_ROW) == ("❌", f"not known: with the change {state}")
    assert "✅" not in headline(a_result(Outcome.UNPROVEN, proof=proof))
    assert "still pass" not in headline(a_result(Outcome.UNPROVEN, proof=proof))


def test_new_tests_that_can_not_run_without_the_change_show_nothing() -> None:
    proof = a_proof(missing=("x",), red=(), head_tests_on_base=no_tests(ReportState.TIMED_OUT))

    assert row(proof, RED_ROW) == ("❌", "not known: without the change timed out")


def test_where_the_base_could_not_run_nothing_counts_as_checked() -> None:
    proof = Proof(("The tests could not be run on the base.",), Evidence(), no_tests(ReportState.NOTHING_RAN))

    assert row(proof, RED_ROW) == ("⚠️", "not checked: on the base nothing ran")
    assert row(proof, BROKE_ROW) == ("⚠️", "not checked: on the base nothing ran")
    assert row(proof, "Test results were checked") == ("⚠️", "not checked: on the base nothing ran")
    assert headline(a_result(Outcome.UNPROVEN, proof=proof)).startswith("⚠️ **Unproven**: on the base: nothing ran.")


def test_by_exit_code_alone_what_is_known_is_said_and_no_more() -> None:
    bare = a_report(cases=(), reader="exit code")
    red = a_report(cases=(), reader="exit code", state=ReportState.FAILED, exit_code=1)
    proof = a_proof(missing=("x",), red=(), baseline=bare, head=bare, base_tests_on_head=bare, head_tests_on_base=red)

    assert row(proof, RED_ROW) == ("✅", "exit code 1 without it, exit code 0 with it; no test is known by name")


def test_a_new_interface_is_told_apart() -> None:
    evidence = Evidence(red=RED, new_interface=RED[:1])

    assert row(replace(a_proof(), evidence=evidence), RED_ROW) == (
        "✅",
        "2 tests; 1 of them could not be imported before: the change adds what is named there",
    )


def test_tests_that_fail_with_the_change_are_counted_and_named() -> None:
    failing = ("tests/a.py::new",)
    proof = a_proof(missing=("x",), head=a_report(failing=failing))

    assert row(proof, "Fail with the change") == ("❌", "`tests/a.py::new`")
    assert any("tests/a.py::new" in section.text for section in names(proof))


def test_who_accepted_what_happened_to_existing_tests_stands_beside_it() -> None:
    altered = ("tests/test_prices.py: test_1 removed",)
    after = a_report(passed=11)
    proof = a_proof(tests_altered=altered, accepted_by="ada", base_tests_on_head=after)

    assert row(proof, "Existing tests") == ("✅", "altered: `tests/test_prices.py: test_1 removed`; accepted by `ada`")
    assert row(proof, BROKE_ROW) == ("✅", "11 of 12; the others were altered, which was accepted")


@pytest.mark.parametrize(
    ("tried", "mark", "said"),
    [
        ({"noticed": 7}, "✅", "7 of 7"),
        ({"noticed": 5, "unnoticed": 2}, "⚠️", "5 of 7"),
        ({"noticed": 5, "untried": 2}, "➖", "5 of 5; 2 not tried"),
        ({"untried": 2}, "➖", "0 of 0; 2 not tried"),
    ],
)
def test_changed_places_are_counted_by_whether_a_test_notices_them(tried: dict[str, int], mark: str, said: str) -> None:
    assert row(replace(a_proof(), hunks=hunks(**tried)), "Changed places that a test notices") == (mark, said)


def test_a_thousand_names_are_counted_in_the_table_and_folded_below_it() -> None:
    red = tuple(f"tests/test_{'long' * 60}.py::test_{n}" for n in range(1000))
    proof = a_proof(red=red)
    (folded,) = [section.text for section in names(proof) if "Fail without" in section.text]

    assert row(proof, RED_ROW) == ("✅", "1,000 tests")
    assert folded.startswith("<details>\n<summary>Fail without the change, pass with it: 1,000</summary>")
    assert "… and 800 more" in folded
