import pytest
import yaml

from bot.records import Outcome, Progress, ReportState
from bot.writing.check import check
from bot.writing.mending import mending
from bot.writing.replies import help_comment
from bot.writing.report import markdown_report, terminal_report
from tests.writing.builders import a_plan, a_progress, a_proof, a_report, a_result, a_task, an_iteration
from tests.writing.foreign import PIECES
from tests.writing.rendering import foreign_html, is_closed, live


def test_a_report_file_holds_evidence_and_log() -> None:
    report = markdown_report(a_result(), a_task(), run_id="r-1")

    assert report.startswith("# Totals are too small\n\n✅ **Proven**")
    assert "**Iteration log**: 1 iteration" in report
    assert is_closed(report)


def test_a_report_for_a_terminal_has_no_markup_and_no_control_characters() -> None:
    hostile = "\x1b[2Jcleared\x07"
    red = (f"tests/a.py::{hostile}",)
    proof = a_proof(red=red)
    progress = a_progress(an_iteration(summary=hostile))

    lines = terminal_report(a_result(proof=proof, progress=progress)).splitlines()

    assert lines[0].startswith("PROVEN: 1 test fails without this change and passes with it")
    assert any("A: base code, new tests" in line and "12 passed, 1 failed" in line for line in lines)
    assert not any(character in "\x1b\x07*`" for line in lines for character in line)


def test_a_report_of_an_unsolved_run_says_its_reason() -> None:
    report = terminal_report(a_result(Outcome.UNSOLVED, reason="5 iterations were not enough."))

    assert report.splitlines()[0] == "NOT SOLVED: 5 iterations were not enough."


def test_help_opens_with_the_complaint_and_lists_the_commands_as_code() -> None:
    shown = help_comment(key="comment-5", complaint="There is no command `frobnicate`, @octocat.", label="selfcode")

    assert shown.startswith("There is no command `frobnicate`")
    assert "- `/selfcode retry [hint]`" in shown
    assert "- `/selfcode stop`" in shown
    assert live(shown) == []
    assert shown.endswith("<!-- selfcode:reply comment-5 -->")


@pytest.mark.parametrize("piece", PIECES)
def test_no_foreign_text_leaves_its_place_in_check_and_report(piece: str) -> None:
    proof = a_proof(missing=(piece,), red=(piece,), tests_changed=(piece,))
    result = a_result(Outcome.UNPROVEN, proof=proof, reason=piece, progress=a_progress(why=piece))

    for document in (
        check(result, run_id="r-1").summary,
        markdown_report(result, a_task(title=piece, body=piece), run_id="r-1"),
    ):
        assert is_closed(document)
        assert live(document) == []
        assert foreign_html(document) == []


@pytest.mark.parametrize(
    ("test", "output", "setup"),
    [
        ("python -m pytest", "No module named pytest", "python -m pip install -e . pytest"),
        ("pytest -q", "ModuleNotFoundError: No module named 'numpy'", "python -m pip install -e . pytest numpy"),
        ("npm test", "Error: Cannot find module 'left-pad'", "npm ci"),
        ("yarn test", "Error: Cannot find module 'left-pad'", "yarn install --frozen-lockfile"),
    ],
)
def test_a_missing_package_is_mended_by_setup(test: str, output: str, setup: str) -> None:
    report = a_report(state=ReportState.CRASHED, cases=(), output=output)

    mended = mending(a_plan(test=test, setup=""), report)

    assert yaml.safe_load(mended.configuration) == {"setup": setup, "test": test}
    assert "not installed" in mended.cause


def test_a_setup_that_was_configured_is_kept_and_added_to() -> None:
    report = a_report(state=ReportState.CRASHED, cases=(), output="No module named 'numpy.linalg'")

    mended = mending(a_plan(setup="pip install -r dev.txt", directory="app"), report)

    assert yaml.safe_load(mended.configuration) == {
        "directory": "app",
        "setup": "pip install -r dev.txt && python -m pip install numpy",
        "test": "python -m pytest",
    }


@pytest.mark.parametrize("state", [state for state in ReportState if state is not ReportState.PASSED])
def test_every_state_of_a_broken_baseline_has_a_cause_and_a_configuration(state: ReportState) -> None:
    mended = mending(a_plan(), a_report(state=state, cases=(), output=""))

    assert mended.cause
    assert "test" in yaml.safe_load(mended.configuration)


def test_without_a_plan_the_configuration_shows_where_to_begin() -> None:
    assert set(yaml.safe_load(mending(None, None).configuration)) == {"setup", "test"}


def test_a_run_that_made_nothing_still_has_a_report() -> None:
    result = a_result(Outcome.REFUSED, reason="not allowed", progress=Progress(), plan=None, baseline=None)

    assert terminal_report(result) == "REFUSED: not allowed"
    assert is_closed(markdown_report(result, a_task(), run_id="r-1"))
