import pytest

from bot.records import Answer, Outcome, Request
from bot.writing.document import LIMIT
from bot.writing.review_answers import review_answer, review_answer_marker, review_summary, settles
from tests.writing.foreign import PIECES
from tests.writing.gallery import ANSWERS, HEAD, REQUESTS, RUN
from tests.writing.rendering import foreign_html, is_closed, live

DONE = Answer(2, is_done=True, text="Sums with `math.fsum` now.")
LEFT = Answer(3, is_done=False, text="Another package uses the name.")


def answered(answer: Answer | None, *, head_sha: str = HEAD, path: str = "prices.py") -> str:
    return review_answer(
        answer, head_sha=head_sha, run_id=RUN, number=5, path=path, changed_paths=("prices.py",), outcome=Outcome.PROVEN
    )


def test_what_is_done_names_the_commit_as_github_links_it() -> None:
    assert answered(DONE).startswith(f"✅ Done in {HEAD}.\n\nSums with `math.fsum` now.")


def test_what_is_done_by_changes_elsewhere_says_so() -> None:
    assert answered(DONE, path="other.py").startswith(
        f"✅ Done in {HEAD} by changes elsewhere, `other.py` is as it was."
    )


def test_what_is_not_done_says_so_with_the_reason() -> None:
    assert answered(LEFT).startswith(f"➖ Not done in {HEAD}.\n\nAnother package uses the name.")


def test_where_the_model_said_nothing_only_what_is_known_is_told() -> None:
    told = f"➖ The model said nothing to this. {HEAD} was pushed;"

    assert answered(None).startswith(
        f"{told} it changes `prices.py`, and whether that does what you ask is for you to judge."
    )
    assert answered(None, path="other.py").startswith(f"{told} whether it does what you ask is for you to judge.")


def test_what_was_not_pushed_is_not_done_whatever_the_model_says() -> None:
    shown = review_answer(DONE, head_sha="", run_id=RUN, outcome=Outcome.UNSOLVED, reason="2 tests fail still.\nmore")

    assert shown.startswith("➖ Not done: nothing was pushed (Not solved: 2 tests fail still).\n\n> Sums with")


@pytest.mark.parametrize(
    ("answer", "head_sha", "is_settled"),
    [(DONE, HEAD, True), (DONE, "", False), (LEFT, HEAD, False), (None, HEAD, False)],
)
def test_a_thread_is_settled_by_the_models_word_and_a_push(
    answer: Answer | None, head_sha: str, is_settled: bool
) -> None:
    assert settles(answer, head_sha=head_sha) is is_settled


def test_each_answer_is_found_again_by_its_run_and_number() -> None:
    assert answered(DONE).endswith(review_answer_marker(RUN, 2))
    assert answered(None).endswith(review_answer_marker(RUN, 5))


def test_the_review_as_a_whole_gets_numbers_the_answer_to_its_text_and_each_request_folded() -> None:
    shown = review_summary(
        REQUESTS, ANSWERS, reviewer="ada", head_sha=HEAD, run_id=RUN, outcome=Outcome.PROVEN, asked_again=True
    )

    assert shown.startswith(f"**Review by `ada`**: 3 of 4 requests are done in {HEAD}, which is proven.\n\nRounding")
    assert "- ✅ `tests/test_total.py:4–9`: And a test for an empty list?" in shown
    assert "- ➖ `prices.py`: Rename it to `grand_total`." in shown
    assert "Your review is asked for again." in shown
    assert live(shown) == []


def test_a_review_of_which_nothing_was_pushed_is_told_why() -> None:
    shown = review_summary(REQUESTS, ANSWERS, reviewer="ada", head_sha="", run_id=RUN, outcome=Outcome.STOPPED)

    assert shown.startswith("**Review by `ada`**: nothing was pushed (Stopped), so that all is as it was.")
    assert "✅" not in shown
    assert "asked for again" not in shown


@pytest.mark.parametrize("piece", PIECES)
def test_no_foreign_text_reaches_further_than_its_place(piece: str) -> None:
    answer = Answer(1, is_done=True, text=f"{piece}\n{piece}")
    request = Request(1, ((piece, piece),), path=piece, lines=piece)
    whole = Request(2, ((piece, f"{piece}\n{piece}"),))
    told = (
        review_answer(answer, head_sha=HEAD, run_id=RUN, path=f"a{piece}", changed_paths=("b",)),
        review_answer(None, head_sha="", run_id=RUN, path=piece, outcome=Outcome.REFUSED, reason=piece),
        review_summary((request, whole), (answer,), reviewer=piece, head_sha=HEAD, run_id=RUN),
    )

    for shown in told:
        assert is_closed(shown)
        assert live(shown) == []
        assert foreign_html(shown) == []
        assert shown.count("<!-- selfcode:") == 1


def test_a_review_of_any_size_fits() -> None:
    requests = [Request(n, (("ada", "x" * 5000),), path="p" * 500) for n in range(1, 500)]
    answers = [Answer(n, is_done=True, text="😀" * 5000) for n in range(1, 500)]

    assert len(review_summary(requests, answers, reviewer="ada", head_sha=HEAD, run_id=RUN)) <= LIMIT
    assert len(review_answer(answers[0], head_sha=HEAD, run_id=RUN)) <= LIMIT
