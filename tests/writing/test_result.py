import pytest
import yaml

from bot.records import Answer, Caps, FailedCheck, Note, Outcome, Progress, ReportState, TestCase, TestStatus, Verdict
from bot.writing.document import LIMIT
from bot.writing.progress import progress_marker
from bot.writing.pull_request import pull_request
from bot.writing.result import result_comment
from tests.writing.builders import (
    PATCH,
    a_change,
    a_plan,
    a_progress,
    a_proof,
    a_report,
    a_result,
    a_task,
    an_iteration,
)
from tests.writing.foreign import PIECES
from tests.writing.gallery import ANSWER, ATTEMPTS, QUESTION
from tests.writing.rendering import code_blocks, foreign_html, is_closed, languages, live, table_rows


def written(outcome: Outcome, **changed: object) -> str:
    return result_comment(a_result(outcome, **changed), run_id="r-1", caps=Caps())


@pytest.mark.parametrize("outcome", Outcome)
def test_every_outcome_becomes_the_result_in_the_place_of_the_progress(outcome: Outcome) -> None:
    shown = written(outcome, reason="This is the reason.")

    assert shown.endswith(progress_marker("r-1"))
    assert "**" in shown.splitlines()[0]
    assert "working" not in shown.lower()
    assert is_closed(shown)


@pytest.mark.parametrize("outcome", Outcome)
def test_every_result_links_the_page_of_its_run_where_there_is_one(outcome: Outcome) -> None:
    shown = result_comment(a_result(outcome), run_id="r-1", caps=Caps(), pages="https://bot.example.com")

    assert "<sub>run `r-1` · [run page](https://bot.example.com/runs/r-1) (sign in with GitHub)</sub>" in shown
    assert "run page" not in written(outcome)


@pytest.mark.parametrize("outcome", Outcome)
def test_commands_are_written_as_inline_code_alone(outcome: Outcome) -> None:
    shown = written(outcome)

    assert not any(line.strip().startswith("/selfcode") for line in shown.splitlines())


def test_a_proven_run_links_its_pull_request() -> None:
    assert live(written(Outcome.PROVEN)) == ["#12"]
    assert "Ready for your review: #12" in written(Outcome.PROVEN)


def test_a_draft_that_github_keeps_is_called_one_in_githubs_words() -> None:
    shown = written(Outcome.PROVEN, not_ready="GitHub does not let the App mark it as ready: not accessible")

    assert "Proven, and a draft still: #12. GitHub does not let the App mark it as ready: not accessible" in shown
    assert "Ready for your review" not in shown


def test_an_unproven_run_says_whether_its_pull_request_is_a_draft() -> None:
    again = written(Outcome.UNPROVEN, is_draft_again=True)
    still = written(Outcome.UNPROVEN, not_draft="GitHub has no drafts for this repository.")

    assert "A draft again: #12" in again
    assert "Open for review, though unproven: #12. GitHub has no drafts for this repository." in still


@pytest.mark.parametrize("outcome", Outcome)
def test_notes_that_nobody_heard_are_named(outcome: Outcome) -> None:
    notes = (Note("ada", "keep the API"), Note("grace", "and @octo/all, fix #3"))
    shown = written(outcome, unheard=notes)

    assert "not called any more after these notes came, so that nothing was made of them:" in shown
    assert "- `ada`: keep the API" in shown
    assert "`/selfcode retry <text>` starts a run that has these words." in shown
    assert set(live(shown)) <= {"#12"}


@pytest.mark.parametrize("piece", PIECES)
def test_no_note_reaches_further_than_its_place(piece: str) -> None:
    shown = written(Outcome.UNSOLVED, unheard=(Note(piece, piece), Note("ada", f"x {piece}")))

    assert is_closed(shown)
    assert (live(shown), foreign_html(shown)) == ([], [])
    assert shown.count("<!-- selfcode:") == 1


def test_an_unproven_run_links_its_draft_and_says_what_is_missing() -> None:
    shown = written(Outcome.UNPROVEN, proof=a_proof(missing=("no test was added", "pyproject.toml was changed")))

    assert "A draft: #12" in shown
    assert "- no test was added\n- pyproject.toml was changed" in shown


def test_an_unproven_run_without_a_pull_request_shows_its_evidence_here() -> None:
    shown = written(Outcome.UNPROVEN, pull_request=None)

    assert "No pull request was opened: this repository asks for a proof (`require_proof`)" in shown
    assert PATCH in code_blocks(shown)
    assert ["✅", "Passed before, pass still", "12 of 12"] in table_rows(shown)


def test_an_unsolved_run_says_how_near_it_came_and_how_to_go_on() -> None:
    near = an_iteration(1, report=a_report(passed=13, failing=("tests/a.py::b",)))
    far = an_iteration(2, report=a_report(passed=3, failing=("tests/a.py::b", "tests/a.py::c")))

    shown = written(Outcome.UNSOLVED, reason="2 iterations were made.", progress=a_progress(near, far))

    assert "**How near it came:** iteration 1, 13 passed, 1 failed. Still failing:" in shown
    assert "- `tests/a.py::b`: AssertionError: assert 3 == 6" in shown
    assert "`/selfcode retry`" in shown
    assert [row[0] for row in table_rows(shown)] == ["#", "1", "2"]


def test_the_best_patch_is_folded_into_the_comment_where_it_is_small() -> None:
    shown = written(Outcome.UNSOLVED)

    assert PATCH in code_blocks(shown)
    assert "<summary>The patch: 2 files, +9 −1</summary>" in shown


def test_a_long_patch_is_named_and_not_shown() -> None:
    change = a_change(patch="+x\n" * 40_000, added_lines=40_000)

    shown = written(Outcome.UNSOLVED, progress=a_progress(an_iteration(change=change)))

    assert "too long for a comment (2 files, +40,000 −1)" in shown
    assert len(shown) < 5_000


def test_a_broken_baseline_shows_command_output_and_the_configuration_that_would_mend_it() -> None:
    report = a_report(
        passed=0,
        state=ReportState.USAGE_ERROR,
        exit_code=1,
        command="python -m pytest",
        output="/usr/bin/python: No module named pytest",
    )

    shown = written(
        Outcome.BASELINE_BROKEN,
        reason="The test command could not run.",
        plan=a_plan(setup=""),
        progress=Progress(),
        baseline=report,
    )

    output, configuration = code_blocks(shown)
    assert "The command: `python -m pytest` (the test command is broken, exit code 1" in shown
    assert output == "/usr/bin/python: No module named pytest\n"
    assert yaml.safe_load(configuration) == {
        "setup": "python -m pip install -e . pytest",
        "test": "python -m pytest",
    }
    assert "`.github/selfcode.yml`" in shown
    assert "No token was spent" in shown


def test_a_refusal_names_the_rule() -> None:
    shown = written(Outcome.REFUSED, reason="The change touches `.github/workflows/ci.yml`.", progress=Progress())

    assert shown.splitlines()[0] == "**Refused**: The change touches `.github/workflows/ci.yml`."


def test_a_reason_of_several_lines_keeps_its_list() -> None:
    shown = written(Outcome.REFUSED, reason="`a.yml` can't be used:\n- line 1: `tets` is not a key\n- line 2: <b>")

    assert "**Refused**: `a.yml` can't be used:\n\n- line 1: `tets` is not a key\n- line 2: &lt;b&gt;" in shown


def test_output_in_a_reason_becomes_a_code_block() -> None:
    shown = written(Outcome.REFUSED, reason="The setup command failed.\n\n@octocat ```\nexit 1", progress=Progress())

    assert code_blocks(shown) == ["@octocat ```\nexit 1\n"]
    assert live(shown) == []


def test_a_stopped_run_that_was_pushed_already_does_not_claim_otherwise() -> None:
    assert "Nothing was pushed" in written(Outcome.STOPPED, head_sha="")
    assert "Nothing was pushed" not in written(Outcome.STOPPED, head_sha="2a9b")
    assert "What was pushed before that is in #12." in written(Outcome.STOPPED, head_sha="2a9b", pull_request=12)


@pytest.mark.parametrize("outcome", [Outcome.STOPPED, Outcome.REFUSED, Outcome.ERROR])
def test_a_branch_that_no_pull_request_tells_of_is_named(outcome: Outcome) -> None:
    shown = written(outcome, head_sha="2a9b" * 10, pull_request=None, branch_left="selfcode/issue-7")

    assert f"Pushed before that, and told by no pull request: `selfcode/issue-7` ({'2a9b' * 10})." in shown


@pytest.mark.parametrize("outcome", Outcome)
def test_an_empty_reason_leaves_no_loose_end(outcome: Outcome) -> None:
    assert not written(outcome, reason="").splitlines()[0].endswith(":")


def test_nothing_to_do_comes_with_what_was_run() -> None:
    shown = written(Outcome.NOTHING_TO_DO, reason="No change was needed.", progress=a_progress(why="It works already."))

    assert "What was run: `python -m pytest`" in shown
    assert "On the base: 12 passed" in shown
    assert "> It works already." in shown


def test_a_question_stands_whole_with_how_to_answer_it() -> None:
    asks = a_progress(verdict=Verdict.QUESTION, why=QUESTION)

    shown = written(Outcome.NEEDS_INFORMATION, reason=QUESTION, progress=asks)

    assert shown.startswith("❓ **A question first**: the work can't go on without a decision.\n\n> May the function")
    assert "> - `invoice.py` expects an error" in shown
    assert "**To answer, just comment here**" in shown
    assert "`/selfcode retry`" in shown
    assert shown.count("May the function") == 1


def test_where_the_label_is_missing_nobody_is_told_that_a_comment_is_heard() -> None:
    asks = a_progress(verdict=Verdict.QUESTION, why=QUESTION)

    shown = written(Outcome.NEEDS_INFORMATION, reason=QUESTION, progress=asks, is_labelled=False)

    assert "**To answer, comment `/selfcode retry` with the answer behind it**" in shown
    assert "just comment here" not in shown


def test_an_answer_without_code_stands_whole_and_opens_nothing() -> None:
    answered = Progress(verdict=Verdict.ANSWERED, why=ANSWER)

    shown = written(Outcome.NOTHING_TO_DO, reason=ANSWER, progress=answered)

    assert shown.startswith("💬 **Answered**: this needs no change of the code.\n\n`total` leaves out")
    assert code_blocks(shown) == ["sum(prices)\n"]
    assert "Written by a model; nothing was changed." in shown
    assert shown.count("leaves out") == 1


def test_a_dry_run_shows_what_would_have_been_opened_and_does_not_open_it() -> None:
    result = a_result(pull_request=None)
    text = pull_request(result, a_task(), branch="b", run_id="r-9", labels=("bot", "@ada"), reviewers=("ada",))

    shown = result_comment(result, run_id="r-1", caps=Caps(), would_open=text)

    assert (
        "**What would have been opened:** “Totals are too small (#\u200b7)”. Ready for review (labels: bot, " in shown
    )
    assert "| ✅ | Passed before, pass still | 12 of 12 |" in shown
    assert live(shown) == []
    assert foreign_html(shown) == []
    assert is_closed(shown)
    assert shown.count("<!-- selfcode:") == 1
    assert shown.endswith(progress_marker("r-1"))


def test_what_a_dry_run_would_have_opened_gives_way_where_it_is_too_long() -> None:
    result = a_result(pull_request=None, proof=a_proof(red=tuple(f"tests/test_{'😀' * 150}::{n}" for n in range(9999))))
    text = pull_request(result, a_task(), branch="b", run_id="r-9")

    shown = result_comment(result, run_id="r-1", caps=Caps(), would_open=text)

    assert len(shown) <= LIMIT
    assert is_closed(shown)
    assert "**What would have been opened:** “Totals are too small" in shown


def test_attempts_conflicts_peoples_commits_and_failing_checks_are_told_here_too() -> None:
    shown = written(
        Outcome.PROVEN,
        attempts=ATTEMPTS,
        conflicts=("prices.py",),
        by_people=("5c6d" * 10,),
        checks=(FailedCheck("ci / test", ""),),
    )

    assert "The proof is green; `ci / test` fails on this commit." in shown
    assert "**Conflicts with the base**" in shown
    assert "**Built on 1 commit by people**" in shown
    assert ["2", "retry by ada", "Unproven"] in [row[:3] for row in table_rows(shown)]


def test_a_review_that_was_worked_on_is_counted() -> None:
    def told(*answers: Answer) -> str:
        return written(Outcome.PROVEN, progress=a_progress(answers=answers))

    done, left = Answer(1, is_done=True, text="x"), Answer(2, is_done=False, text="y")
    assert "Of the review: 2 requests are done, 1 is not. Each has its answer." in told(done, done, left)
    assert "Of the review: 1 request is done. Each has its answer." in told(done)


def test_a_stopped_run_keeps_its_work() -> None:
    shown = written(Outcome.STOPPED, reason="Stopped by jane.")

    assert PATCH in code_blocks(shown)


def test_an_error_gives_the_trace_id_and_asks_nothing_of_people() -> None:
    shown = written(Outcome.ERROR, reason="GitHub did not answer.")

    assert "run `r-1`" in shown
    assert "You need not do anything" in shown


@pytest.mark.parametrize("piece", PIECES)
def test_a_question_and_an_answer_do_nothing_but_be_read(piece: str) -> None:
    words = f"{piece}\n- {piece}\n```mermaid\n{piece}"
    asked = a_result(Outcome.NEEDS_INFORMATION, reason=words, progress=Progress(verdict=Verdict.QUESTION, why=words))
    answered = a_result(Outcome.NOTHING_TO_DO, reason=words, progress=Progress(verdict=Verdict.ANSWERED, why=words))

    for result in (asked, answered):
        shown = result_comment(result, run_id="r-1", caps=Caps())
        assert is_closed(shown)
        assert live(shown) == []
        assert foreign_html(shown) == []
        assert not {"mermaid", "suggestion"} & set(languages(shown))


@pytest.mark.parametrize("piece", PIECES)
@pytest.mark.parametrize(
    "outcome", [Outcome.UNSOLVED, Outcome.BASELINE_BROKEN, Outcome.NOTHING_TO_DO, Outcome.UNPROVEN]
)
def test_no_foreign_text_reaches_further_than_its_place(outcome: Outcome, piece: str) -> None:
    cases = (TestCase(piece, TestStatus.FAILED, f"x\n{piece}"),)
    report = a_report(state=ReportState.FAILED, cases=cases, output=f"{piece}\n{piece}", command=piece)
    iteration = an_iteration(summary=piece, report=report, why_next=piece, change=a_change(patch=f"{piece}\n{piece}"))

    shown = written(
        outcome,
        reason=f"{piece} {piece}",
        plan=a_plan(test=f"pytest {piece}", setup=piece, guessed_from=piece),
        baseline=report,
        progress=a_progress(iteration, why=piece),
        model=f"m{piece}",
        pull_request=None,
    )

    assert is_closed(shown)
    assert live(shown) == []
    assert foreign_html(shown) == []
    assert shown.count("<!-- selfcode:") == 1


def test_any_amount_of_output_fits() -> None:
    output = ("😀" * 50 + "```\n</details>\n") * 4_000
    iterations = [an_iteration(n, report=a_report(passed=0, cases=(), output=output)) for n in range(1, 300)]

    for outcome in Outcome:
        shown = written(outcome, baseline=a_report(output=output), progress=a_progress(*iterations, why=output))
        assert len(shown) <= LIMIT
        assert is_closed(shown)
        assert shown.endswith(progress_marker("r-1"))
