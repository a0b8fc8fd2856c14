from typing import Any

import pytest

from bot.records import Attempt, FailedCheck, Kept, Outcome, RunResult, SolvedConflict
from bot.writing.branch import ATTEMPTS_OPEN
from bot.writing.pull_request import pull_request
from tests.writing.builders import a_result, a_task
from tests.writing.foreign import PIECES
from tests.writing.gallery import ATTEMPTS, HEAD, OTHER, RUN
from tests.writing.rendering import foreign_html, is_closed, live, table_rows, visible


def body(result: RunResult, **given: object) -> str:
    return pull_request(result, a_task(), branch="selfcode/issue-7", run_id=RUN, **given).body  # type: ignore[arg-type]


def test_from_the_second_attempt_on_each_is_listed_with_its_commit_and_its_log() -> None:
    shown = body(a_result(attempts=ATTEMPTS))

    assert table_rows(shown)[-6:-2] == [
        ["attempt", "for", "outcome", "commit", "log"],
        ["1", "label added", "Not solved", "–", "[log](https://github.com/octo/calc/issues/7#issuecomment-101)"],
        ["2", "retry by ada", "Unproven", OTHER, "[log](https://github.com/octo/calc/pull/12#issuecomment-140)"],
        ["3", "review by ada", "Proven", HEAD, f"`{RUN}`"],
    ]
    assert "Attempts" not in body(a_result(attempts=ATTEMPTS[:1]))


def test_many_attempts_are_folded() -> None:
    many = tuple(Attempt(n, f"r{n}", "retry by ada", "unsolved") for n in range(1, ATTEMPTS_OPEN + 3))

    assert f"<summary>Attempts: {len(many)}</summary>" in body(a_result(attempts=many))


@pytest.mark.parametrize(
    "address",
    ["javascript:alert(1)", "https://x.test/a) [b](https://y.test", "https://x.test/?q=1#issuecomment-1", "//x.test/a"],
)
def test_only_the_address_of_a_comment_becomes_a_link(address: str) -> None:
    made = (*ATTEMPTS[:1], Attempt(2, "r2", "retry", "proven", HEAD, address))

    assert "x.test" not in body(a_result(attempts=made))


def test_an_attempt_at_work_and_an_outcome_of_another_version_are_named() -> None:
    made = (Attempt(1, "r1", "label added", "half-done"), Attempt(2, "r2", "retry by ada"))

    assert [row[2] for row in table_rows(body(a_result(attempts=made))) if row[0] in ("1", "2")] == [
        "half-done",
        "at work",
    ]


def test_of_a_conflict_that_was_solved_the_side_is_named_that_was_taken() -> None:
    solved = (
        SolvedConflict("a.py", Kept.BOTH, is_there=True),
        SolvedConflict("b.py", Kept.BRANCH, is_there=True),
        SolvedConflict("c.py", Kept.BASE, is_there=False),
        SolvedConflict("d.py", Kept.BOTH, is_there=False),
    )

    assert (
        "**Conflicts with the base, solved in 4 files**\n\n"
        "- `a.py`: put together, as neither side had it\n"
        "- `b.py`: as on this branch, and not as on the base\n"
        "- `c.py`: deleted, as on the base, and not as on this branch\n"
        "- `d.py`: deleted, though both sides had it\n"
    ) in body(a_result(solved=solved))
    assert "solved in" not in body(a_result(solved=solved, head_sha=""))


def test_peoples_commits_that_it_was_built_on_are_named_and_kept() -> None:
    shown = body(a_result(built_on=OTHER, by_people=(OTHER, "5c6d" * 10)))

    assert f"**Built on 2 commits by people** on this branch, all kept as they are: {OTHER}, {'5c6d' * 10}." in shown
    assert "Written by a model, changed by people since" in shown


def test_conflicts_with_the_base_name_the_files_and_what_solves_them() -> None:
    shown = body(a_result(conflicts=("prices.py", "a|b`.md")))

    assert "⚠️ **Conflicts with the base** as it is now, in 2 files:\n\n- `prices.py`\n- ``a|b`.md``" in shown
    assert "Comment `/selfcode retry`" in shown


def test_a_base_that_moved_on_is_told_with_what_the_proof_is_of() -> None:
    moved = body(a_result(base_moved_to=OTHER))

    assert f"The base has moved on to {OTHER} since: the proof is of {'1f0c' * 10}." in moved
    assert "has moved on" not in body(a_result())


def test_conflicts_with_a_base_that_moved_on_name_its_commit() -> None:
    shown = body(a_result(conflicts=("prices.py",), base_moved_to=OTHER))

    assert f"**Conflicts with the base** as it is now ({OTHER}), in 1 file:" in shown
    assert "has moved on" not in shown


@pytest.mark.parametrize(
    ("names", "words"),
    [
        (("ci / test",), "ci / test fails on this commit."),
        (("ci / test", "lint"), "ci / test and lint fail on this commit."),
        (("a", "b", "c"), "a, b and c fail on this commit."),
        (("a", "b", "c", "d", "e"), "a, b, c and 2 more fail on this commit."),
    ],
)
def test_checks_that_fail_beside_a_green_proof_are_told(names: tuple[str, ...], words: str) -> None:
    shown = body(a_result(checks=tuple(FailedCheck(name, "https://ci.test/1") for name in names)))

    assert f"The proof is green; {words}" in visible(shown).replace("  ", " ").replace(" ,", ",")
    assert "ci.test" not in shown


def test_beside_an_unproven_change_no_proof_is_called_green() -> None:
    assert "proof is green" not in body(a_result(Outcome.UNPROVEN, checks=(FailedCheck("ci", ""),)))


def test_what_is_a_draft_again_says_why() -> None:
    shown = body(a_result(Outcome.UNPROVEN, is_draft_again=True))

    assert "**A draft again**: an earlier proof held, this one does not." in shown


def test_what_is_open_for_review_though_unproven_says_why() -> None:
    shown = body(a_result(Outcome.UNPROVEN, not_draft="GitHub does not let the App do that: @ada may not"))

    assert "**Open for review, though unproven.** GitHub does not let the App do that" in shown
    assert live(shown) == ["#7"]


@pytest.mark.parametrize("told", [{"is_draft_again": True}, {"not_draft": "no drafts here"}])
def test_what_is_proven_by_now_says_nothing_of_drafts(told: dict[str, Any]) -> None:
    assert "draft" not in body(a_result(**told))
    assert "though unproven" not in body(a_result(**told))


@pytest.mark.parametrize("piece", PIECES)
def test_no_foreign_text_reaches_further_than_its_place(piece: str) -> None:
    attempts = (Attempt(1, piece or "r", piece, piece, piece, piece), Attempt(2, "r2", f"x {piece}", "proven"))
    checks = (FailedCheck(piece, piece, piece, piece), FailedCheck("b", "", f"{piece}\n{piece}"))
    result = a_result(
        attempts=attempts, by_people=(piece,), conflicts=(piece, f"a{piece}"), checks=checks, base_moved_to=piece
    )

    shown = body(result)

    assert is_closed(shown)
    assert live(shown) == ["#7"]
    assert foreign_html(shown) == []
    assert shown.count("<!-- selfcode:") == 1
