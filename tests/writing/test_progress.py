from datetime import UTC, datetime
from typing import Any

import pytest

from bot.records import Aim, Note, Progress, Spend
from bot.writing.document import LIMIT
from bot.writing.progress import Phase, ProgressView, progress_comment, progress_marker, queue_comment
from bot.writing.replies import not_begun
from tests.writing.builders import a_change, a_plan, a_progress, a_report, an_iteration
from tests.writing.foreign import PIECES
from tests.writing.rendering import foreign_html, is_closed, live, table_rows, visible

PAGES = "https://bot.example.com"


def a_view(phase: Phase = Phase.WORKING, **changed: Any) -> ProgressView:
    shown: dict[str, Any] = {
        "run_id": "r-1",
        "phase": phase,
        "progress": a_progress(verdict=None, why=""),
        "iteration": 2,
        "plan": a_plan(),
        "baseline": a_report(failing=("tests/a.py::b",)),
        "model": "gpt-5-mini",
        "sandbox": "docker",
    }
    return ProgressView(**(shown | changed))


@pytest.mark.parametrize(
    ("phase", "words"),
    [
        (Phase.PREPARING, "preparing its environment"),
        (Phase.BASELINE, "running the tests on the untouched base"),
        (Phase.WORKING, "iteration 2 of at most 5"),
        (Phase.PROVING, "proving the change"),
        (Phase.PUBLISHING, "opening the pull request"),
    ],
)
def test_the_first_line_says_what_happens_now(phase: Phase, words: str) -> None:
    assert words in progress_comment(a_view(phase)).splitlines()[0]


def test_the_road_shows_what_is_done_and_what_is_ahead() -> None:
    road = progress_comment(a_view(Phase.BASELINE)).splitlines()[2]

    assert road == "preparing ✓ → **tests on the base** → iterations → proof → pull request"


def test_a_run_that_is_held_up_says_by_what_and_since_when() -> None:
    since = datetime(2026, 5, 4, 18, 3, tzinfo=UTC).timestamp()

    said = progress_comment(a_view(waits_for="no connection to the model server", waits_since=since))

    assert "⏸️ **Held up, since 18:03 UTC:** no connection to the model server" in said.splitlines()
    assert "Held up" not in progress_comment(a_view())


def test_each_iteration_shows_the_tests_before_and_after() -> None:
    first = an_iteration(1, report=a_report(passed=12, failing=("tests/a.py::b",)), why_next="1 test fails still")
    second = an_iteration(2, report=a_report(passed=13))

    rows = table_rows(progress_comment(a_view(progress=a_progress(first, second))))

    assert [row[2] for row in rows[1:]] == [
        "12 passed, 1 failed → 12 passed, 1 failed",
        "12 passed, 1 failed → 13 passed",
    ]
    assert rows[1][-1] == "1 test fails still"


def test_spend_stands_beside_its_limits() -> None:
    spend = Spend(calls=3, prompt_tokens=12_000, completion_tokens=400, cost_usd=0.12, seconds=200)

    shown = progress_comment(a_view(progress=a_progress(spend=spend, verdict=None)))

    assert "Spent: 12,400 of 400,000 tokens, USD 0.12 of 3.00, 3 min 20 s of 1 h" in shown


def test_an_unknown_price_says_that_tokens_are_the_limit() -> None:
    spend = Spend(calls=3, prompt_tokens=12_000, cost_usd=None)

    assert "price is not known, so that tokens are the limit" in progress_comment(
        a_view(progress=a_progress(spend=spend, verdict=None))
    )


def test_a_guessed_test_command_says_from_what_and_how_to_replace_it() -> None:
    shown = progress_comment(a_view(plan=a_plan(guessed_from="pyproject.toml")))

    assert "guessed from `pyproject.toml`" in shown
    assert "`.github/selfcode.yml`" in shown
    assert "guessed" not in progress_comment(a_view())


def test_a_sandbox_that_does_not_isolate_is_loud() -> None:
    assert "⚠️" in progress_comment(a_view(sandbox="process", sandbox_isolated=False))
    assert "⚠️" not in progress_comment(a_view())


def test_tests_that_fail_for_want_of_the_network_are_explained_by_the_sandbox() -> None:
    assert "in which tests have no network" in progress_comment(a_view(sandbox="docker"))
    assert "no network" not in progress_comment(a_view(sandbox="process", sandbox_isolated=False))


def test_what_the_model_is_not_shown_is_listed() -> None:
    shown = progress_comment(a_view(left_out=("a comment by eve: no write access",)))

    assert "a comment by eve: no write access" in visible(shown)


def test_it_says_how_to_stop_as_inline_code_alone() -> None:
    shown = progress_comment(a_view())

    assert "comment `/selfcode stop`" in shown
    assert not any(line.lstrip("> ").startswith("/selfcode") for line in shown.splitlines())


def test_a_further_attempt_says_its_number_and_what_it_is_for() -> None:
    shown = progress_comment(a_view(attempt=3, because="review by ada"))

    assert shown.startswith("🔧 **selfcode is on it** (attempt 3, review by ada): iteration 2 of at most 5.")
    assert "attempt" not in progress_comment(a_view(because="label added"))


def test_what_people_said_to_the_run_is_listed_and_many_notes_are_folded() -> None:
    one = progress_comment(a_view(notes=(Note("ada", "keep the `old` name"),)))
    many = progress_comment(a_view(notes=tuple(Note("ada", f"note {n}") for n in range(30))))

    assert "**1 note** for the model's next call:\n\n- `ada`: keep the `old` name" in one
    assert "<summary>Notes that the model has: 30</summary>\n\n- … and 10 earlier\n- `ada`: note 10" in many


def test_it_says_how_to_tell_the_model_something() -> None:
    assert "comment `/selfcode note` with your words" in progress_comment(a_view())


def test_a_run_that_goes_on_from_a_branch_says_so_before_it_works() -> None:
    going_on = a_view(Phase.BASELINE, progress=Progress(start=a_change()))

    assert "**Next:** the model goes on from what the branch holds." in progress_comment(going_on)
    assert "writes a test that shows the problem" in progress_comment(a_view(Phase.BASELINE, progress=Progress()))


def test_who_waits_is_told_the_place_in_the_queue_and_what_comes_next() -> None:
    shown = queue_comment("r-1", 3, attempt=2, because="retry by ada")

    assert shown.startswith("⏳ **selfcode has it** (attempt 2, retry by ada): in the queue, number 3.")
    assert "**in the queue** → preparing → tests on the base" in shown
    assert "**Next:** its turn comes by itself" in shown
    assert "`/selfcode stop`" in shown
    assert shown.endswith(progress_marker("r-1"))


def test_the_first_in_the_queue_is_the_next_one_and_an_examination_has_no_road() -> None:
    assert "in the queue, the next one." in queue_comment("r-1", 1)
    assert "in the queue, number 4." in queue_comment("r-1", 4)
    assert queue_comment("r-1", 5) == queue_comment("r-1", 17)
    assert "iterations" not in queue_comment("r-1", 1, examines=True)
    assert "label" not in queue_comment("r-1", 1, examines=True)


def test_while_nothing_begins_the_place_is_not_told() -> None:
    shown = queue_comment("r-1", 3, is_paused=True)

    assert shown.startswith("⏳ **selfcode has it**: in the queue, which the operator has paused.")
    assert "number 3" not in shown
    assert "what is asked for is kept" in shown


def test_it_can_be_found_again_by_its_marker() -> None:
    assert progress_comment(a_view()).endswith(progress_marker("r-1"))


@pytest.mark.parametrize("piece", PIECES)
def test_no_foreign_text_reaches_further_than_its_place(piece: str) -> None:
    shown = progress_comment(
        a_view(
            progress=a_progress(an_iteration(summary=piece, why_next=f"{piece}\n{piece}"), verdict=None),
            plan=a_plan(test=piece, setup=piece, directory=piece, guessed_from=piece),
            model=f"m{piece}",
            sandbox=f"s{piece}",
            left_out=(piece, f"x\n{piece}"),
            attempt=2,
            because=f"b{piece}",
            notes=(Note(piece, piece), Note("ada", f"{piece}\n{piece}")),
            waits_for=f"w{piece}\n{piece}",
        )
    )

    assert is_closed(shown)
    assert live(shown) == []
    assert foreign_html(shown) == []
    assert shown.count("<!-- selfcode:") == 1
    queued = queue_comment("r-1", 2, attempt=2, because=f"b{piece}")
    assert is_closed(queued)
    assert live(queued) == []
    assert foreign_html(queued) == []


def test_any_number_of_iterations_fits() -> None:
    many = tuple(an_iteration(n, summary="😀" * 500) for n in range(1, 600))

    shown = progress_comment(a_view(progress=a_progress(*many, verdict=None)))

    assert len(shown) <= LIMIT
    assert shown.endswith(progress_marker("r-1"))
    assert "/selfcode stop" in shown


def test_what_an_iteration_is_and_what_comes_at_the_limit_is_said_to_who_sees_it_for_the_first_time() -> None:
    [following] = [line for line in progress_comment(a_view()).splitlines() if line.startswith("**Next:**")]

    assert "in each iteration the model edits files, then the tests run." in following
    assert "at the limit, this comment says how near it came" in following


def test_the_run_page_is_linked_where_there_is_one_and_not_spoken_of_elsewhere() -> None:
    with_pages = [
        progress_comment(a_view(pages=PAGES)),
        queue_comment("r-1", 1, pages=PAGES),
        not_begun("label removed", "r-1", pages=PAGES),
    ]
    without = [progress_comment(a_view()), queue_comment("r-1", 1), not_begun("label removed", "r-1")]

    for shown in with_pages:
        assert "· [run page](https://bot.example.com/runs/r-1) (sign in with GitHub)</sub>" in shown
        assert live(shown) == ["https://bot.example.com/runs/r-1"]
    assert [shown for shown in without if "page" in shown or "http" in shown] == []


def test_iterations_for_a_test_alone_come_on_top_of_the_limit() -> None:
    made = a_progress(an_iteration(1, aim=Aim.TEST), verdict=None)

    shown = progress_comment(ProgressView("r-1", Phase.WORKING, progress=made, iteration=2))

    assert "iteration 2 of at most 6 (1 only for the test)." in shown
