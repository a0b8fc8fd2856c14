"""The answer to `/selfcode status`, and the other short ones."""

from dataclasses import replace

import pytest

from bot.records import Caps, Health, Outcome, Progress, Spend, TriggerKind
from bot.writing.progress import Phase
from bot.writing.replies import COMMANDS, help_comment, not_begun, one_line
from bot.writing.status import AtWork, Ended, InLine, Standing, status_comment
from tests.writing.builders import a_progress, a_report, an_iteration
from tests.writing.foreign import PIECES
from tests.writing.rendering import foreign_html, is_closed, live

WORKING = AtWork("r-1", TriggerKind.START, Phase.WORKING, iteration=2, caps=Caps(iterations=4), progress=a_progress())


def shown(standing: Standing) -> str:
    return status_comment(standing, key="comment:1/5", label="selfcode")


def first_line(standing: Standing) -> str:
    return shown(standing).partition("\n")[0]


def test_a_run_at_work_shows_its_iteration_its_tests_and_its_spend() -> None:
    progress = replace(a_progress(an_iteration(1, report=a_report(passed=11))), spend=Spend(2, 9000, 400, 0.12, 61.0))
    document = shown(Standing(at_work=[replace(WORKING, progress=progress)]))

    assert document.startswith("🔧 **At work**: a run, iteration 2 of at most 4.")
    assert "- Tests so far: 11 passed" in document
    assert "- Spent: 9,400 of 400,000 tokens, USD 0.12 of 3.00, 1 min 1 s of 1 h" in document
    assert "`/selfcode note`" in document
    assert document.endswith("<!-- selfcode:reply comment:1/5 -->")


def test_what_an_iteration_is_is_said_while_there_are_some() -> None:
    explained = "- In each iteration the model edits files, then the tests run"

    assert explained in shown(Standing(at_work=[WORKING]))
    assert explained not in shown(Standing(at_work=[replace(WORKING, phase=Phase.PROVING)]))
    assert explained not in shown(Standing(at_work=[replace(WORKING, is_stopping=True)]))


def test_the_pages_of_runs_are_linked_where_there_are_some() -> None:
    last = Ended("r-0", Outcome.UNSOLVED)
    standing = Standing(at_work=[WORKING], last=last)

    linked = status_comment(standing, key="comment:1/5", label="selfcode", pages="https://bot.example.com")

    assert live(linked) == [f"https://bot.example.com/runs/{run_id}" for run_id in ("r-1", "r-0")]
    assert "page" not in shown(standing)


def test_before_the_first_iteration_the_bases_tests_are_shown() -> None:
    run = replace(WORKING, progress=Progress(), baseline=a_report(passed=40))

    assert "- On the base: 40 passed" in shown(Standing(at_work=[run]))


@pytest.mark.parametrize("phase", list(Phase))
def test_each_phase_has_its_words(phase: Phase) -> None:
    assert first_line(Standing(at_work=[replace(WORKING, phase=phase)])).startswith("🔧 **At work**: a run, ")


@pytest.mark.parametrize("kind", [TriggerKind.DOCTOR, TriggerKind.RENEW, TriggerKind.ACCEPT, TriggerKind.MOVED])
def test_what_asks_no_model_shows_no_spend(kind: TriggerKind) -> None:
    document = shown(Standing(at_work=[replace(WORKING, kind=kind)]))

    assert "which asks no model" in document
    assert "Spent" not in document
    assert "To stop: `/selfcode stop`." in document
    assert "`/selfcode note`" not in document


@pytest.mark.parametrize("phase", [Phase.PROVING, Phase.PUBLISHING])
def test_where_no_model_is_asked_any_more_nobody_is_told_to_write_a_note(phase: Phase) -> None:
    assert "`/selfcode note`" not in shown(Standing(at_work=[replace(WORKING, phase=phase)]))


def test_that_nothing_begins_is_said() -> None:
    assert "⏸️ **Paused**: the operator lets no new run begin" in shown(Standing(is_paused=True))


def test_a_run_that_is_told_to_stop_is_shown_as_stopping() -> None:
    assert first_line(Standing(at_work=[replace(WORKING, is_stopping=True)])) == "🛑 **Stopping**: a run."


def test_what_a_run_waits_for_is_said() -> None:
    told = first_line(Standing(at_work=[replace(WORKING, waits_for="no connection to the model server")]))

    assert told.startswith("⏸️ **Held up**: a run, ")
    assert told.endswith("no connection to the model server")


@pytest.mark.parametrize(
    ("waits", "said"),
    [
        (InLine(TriggerKind.RETRY, 1, 3), "⏳ **In the queue**: a run, the next one to get a free place."),
        (InLine(TriggerKind.RETRY, 2, 3), "⏳ **In the queue**: a run, number 2 of 3 to get a free place."),
        (InLine(TriggerKind.REVIEW), "⏳ **Waits**: a run for a review, to begin."),
    ],
)
def test_what_waits_is_shown_with_its_place(waits: InLine, said: str) -> None:
    assert first_line(Standing(in_line=[waits])) == said


def test_what_waits_for_what_is_at_work_says_so() -> None:
    document = shown(Standing(at_work=[WORKING], in_line=[InLine(TriggerKind.RETRY)]))

    assert "⏳ **Waits**: a run, for what is at work on this issue." in document


@pytest.mark.parametrize(
    ("outcome", "go_on"),
    [
        (Outcome.PROVEN, "review the pull request"),
        (Outcome.UNPROVEN, "review the pull request"),
        (Outcome.NEEDS_INFORMATION, "answer the question"),
        (Outcome.BASELINE_BROKEN, "`/selfcode doctor`"),
        (Outcome.UNSOLVED, "`/selfcode retry` with a hint"),
        (Outcome.STOPPED, "`/selfcode retry` with a hint"),
        (Health.HEALTHY, "`/selfcode retry` with a hint"),
    ],
)
def test_the_last_run_is_shown_with_how_to_go_on(outcome: Outcome | Health, go_on: str) -> None:
    document = shown(Standing(last=Ended("r-1", outcome, "As it was.\nMore.", pull_request=12)))

    assert document.startswith("**Last run: ")
    assert ": As it was." in document
    assert "- Pull request: #12" in document
    assert go_on in document


def test_where_nothing_ran_the_status_says_how_to_start() -> None:
    assert first_line(Standing()) == "Nothing has run on this issue yet. To start, put the label `selfcode` on it."


@pytest.mark.parametrize("piece", PIECES)
def test_no_foreign_text_leaves_its_place_in_a_short_answer(piece: str) -> None:
    last = Ended("r-1", Outcome.ERROR, piece)
    for document in (shown(Standing(last=last)), one_line(piece, key="k"), not_begun(piece, "r-1")):
        assert is_closed(document)
        assert live(document) == []
        assert foreign_html(document) == []


def test_help_lists_every_command_that_is_read() -> None:
    listed = {command.split()[1] for command, _ in COMMANDS}

    assert listed == {"retry", "note", "status", "stop", "accept-tests", "doctor", "help"}
    assert all(f"- `{command}`: " in help_comment(key="k") for command, _ in COMMANDS)


def test_a_run_that_never_began_says_how_to_ask_again() -> None:
    assert "`/selfcode retry`" in not_begun("label removed", "r-1")
    assert "`/selfcode doctor`" in not_begun("label removed", "r-1", examines=True)
