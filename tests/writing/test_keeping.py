"""What people wrote into a pull request's body stays, whatever is said anew around it."""

import pytest

from bot.writing.document import LIMIT, marker
from bot.writing.keeping import BEGINS, lines_of, writer_of, written_over

FIRST = f"✅ **Proven**: 1 test.\n\nCloses #7\n\n| a | b |\n| --- | --- |\n| 1 | 2 |\n\n{marker('pull-request', 'r-1')}"
SECOND = f"⚠️ **Unproven**.\n\nCloses #7\n\n| a | b |\n| --- | --- |\n| 3 | 4 |\n\n{marker('pull-request', 'r-2')}"
THIRD = SECOND.replace("r-2", "r-3").replace("| 3 | 4 |", "| 5 | 6 |")
WRITTEN = [lines_of(FIRST)]


def test_a_body_that_nobody_changed_is_ours_whole() -> None:
    assert written_over(FIRST, SECOND, written=WRITTEN) == SECOND


def test_githubs_own_editor_changes_nothing_by_its_line_ends() -> None:
    assert written_over(FIRST.replace("\n", "\r\n"), SECOND, written=WRITTEN) == SECOND


@pytest.mark.parametrize("written", [WRITTEN, []])
def test_what_stands_behind_our_part_stays_there(written: list[str]) -> None:
    now = f"{FIRST}\n\n- [x] checked by hand by ada\n"

    assert written_over(now, SECOND, written=written) == f"{SECOND}\n\n- [x] checked by hand by ada"


def test_what_stands_above_it_stays_above() -> None:
    first = written_over(f"**Wait for 2.0!**\n\n{FIRST}", SECOND, written=WRITTEN)

    assert first == f"**Wait for 2.0!**\n\n{BEGINS}\n\n{SECOND}"
    assert written_over(first, THIRD, written=[lines_of(SECOND)]) == first.replace(SECOND, THIRD)
    assert written_over(first, THIRD, written=[]) == first.replace(SECOND, THIRD)


def test_what_was_put_into_the_middle_of_it_comes_to_stand_behind_and_stays_whole() -> None:
    note = "Look here:\n\n```\nadd(-2, 1)\n```"
    now = FIRST.replace("Closes #7", f"Closes #7\n\n{note}")

    first = written_over(now, SECOND, written=WRITTEN)

    assert first == f"{SECOND}\n\n{note}"
    assert written_over(first, THIRD, written=[lines_of(SECOND)]) == f"{THIRD}\n\n{note}"


def test_people_above_within_and_behind_each_keep_their_order() -> None:
    with_theirs = FIRST.replace("Closes #7", "Closes #7\n\nwithin")
    now = f"above\n\n{with_theirs}\n\nbehind"

    assert written_over(now, SECOND, written=WRITTEN) == f"above\n\n{BEGINS}\n\n{SECOND}\n\nwithin\n\nbehind"


def test_that_it_closes_the_issue_is_not_said_again_where_people_took_it_away() -> None:
    now = FIRST.replace("Closes #7", "Part of #7")

    first = written_over(now, SECOND, written=WRITTEN)
    second = written_over(first, THIRD, written=[lines_of(SECOND)])

    assert "Closes #7" not in first + second
    assert second.endswith("\n\nPart of #7")


def test_who_puts_it_back_has_it_closed_again() -> None:
    now = SECOND.replace("Closes #7\n\n", "")
    assert "Closes #7" not in written_over(now, THIRD, written=[lines_of(SECOND)])

    assert written_over(f"{now}\n\nCloses #7", THIRD, written=[lines_of(SECOND)]).count("Closes #7") == 2


def test_a_body_that_people_wrote_anew_stands_above_ours() -> None:
    ours = SECOND.replace("Closes #7\n\n", "")

    assert written_over("All of it is mine.", SECOND, written=WRITTEN) == f"All of it is mine.\n\n{BEGINS}\n\n{ours}"
    assert written_over("All of it is mine.", SECOND, written=[]) == f"All of it is mine.\n\n{BEGINS}\n\n{SECOND}"


def test_a_body_of_ours_that_is_not_known_any_more_is_no_word_of_peoples() -> None:
    assert written_over(FIRST, SECOND, written=[]) == SECOND


def test_of_several_bodies_of_ours_the_one_that_is_there_counts() -> None:
    now = f"{FIRST}\n\nbehind"

    assert written_over(now, THIRD, written=[lines_of(SECOND), lines_of(FIRST)]) == f"{THIRD}\n\nbehind"


def test_a_body_that_was_cut_off_half_way_is_known_by_its_next_one_too() -> None:
    assert written_over(SECOND, THIRD, written=[lines_of(THIRD), lines_of(SECOND)]) == THIRD


def test_peoples_words_have_the_room_and_ours_give_way() -> None:
    long = "a line of ours\n" * 4000
    ours = f"{long}\n\n{marker('pull-request', 'r-2')}"

    whole = written_over(f"{FIRST}\n\n{'b' * 30_000}", ours, written=WRITTEN)

    assert len(whole) <= LIMIT
    assert whole.endswith("b" * 30_000)
    assert writer_of(whole) == "r-2"


@pytest.mark.parametrize("now", ["", "\n\n", marker("pull-request", "r-1"), f"{BEGINS}\n\n{FIRST}"])
def test_where_nothing_is_peoples_nothing_is_kept(now: str) -> None:
    assert written_over(now, SECOND, written=[]) == SECOND


def test_whose_part_it_is_can_be_read() -> None:
    assert (writer_of(FIRST), writer_of("hello")) == ("r-1", "")
