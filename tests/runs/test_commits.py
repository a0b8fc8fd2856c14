"""What a run's commits say."""

from dataclasses import replace
from datetime import UTC, datetime

import pytest

from bot.records import Person, Task, TriggerKind
from bot.repository import CommitStyle
from bot.runs.commits import Words, subject_of, trailers_for
from bot.runs.solving import Author
from tests.runs.builders import a_trigger

BOT = Author("selfcode[bot]", "1+selfcode[bot]@users.noreply.github.com")
WORDS = Words("Totals are too small (#7)", BOT, datetime(2026, 5, 4, tzinfo=UTC))


def test_plain_commits_have_the_issues_title() -> None:
    assert (WORDS.of_tests, WORDS.of_change) == ("Test: Totals are too small (#7)", "Totals are too small (#7)")


@pytest.mark.parametrize(
    ("subject", "tests", "change"),
    [
        ("Totals are too small (#7)", "test: Totals are too small (#7)", "fix: Totals are too small (#7)"),
        ("feat(calc)!: add means (#8)", "test: add means (#8)", "feat(calc)!: add means (#8)"),
    ],
)
def test_conventional_commits_have_a_type_and_keep_the_one_that_they_have(
    subject: str, tests: str, change: str
) -> None:
    words = replace(WORDS, subject=subject, style=CommitStyle.CONVENTIONAL)

    assert (words.of_tests, words.of_change) == (tests, change)


def test_whoever_started_it_is_a_co_author_by_the_address_that_github_gives_them() -> None:
    (trailer,) = trailers_for(Person("ada", id=77), BOT, host="github.com", sign_off=False)

    assert trailer == "Co-authored-by: ada <77+ada@users.noreply.github.com>"


def test_the_bot_signs_off_for_itself_alone() -> None:
    for asked in (Person("ci[bot]", is_bot=True), None):
        signed = trailers_for(asked, BOT, host="github.example.com", sign_off=True)

        assert signed == ("Signed-off-by: selfcode[bot] <1+selfcode[bot]@users.noreply.github.com>",)


def test_trailers_are_the_last_paragraph() -> None:
    words = replace(WORDS, trailers=("Co-authored-by: a <a@b>", "Signed-off-by: b <b@c>"))

    assert words.of_change.split("\n\n")[1:] == ["Co-authored-by: a <a@b>\nSigned-off-by: b <b@c>"]


def test_what_answers_a_review_says_so() -> None:
    task = Task("Totals", "", number=7)

    assert subject_of(task, a_trigger(TriggerKind.REVIEW, sender=Person("ada"))) == "Review by ada: Totals (#7)"
    assert subject_of(task, a_trigger(TriggerKind.MEND)) == "Failed checks: Totals (#7)"
    assert subject_of(task, a_trigger()) == "Totals (#7)"
